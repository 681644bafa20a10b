"""lrguard as a library: results in memory, settings as an object, outcomes in memory.

Nothing is read but what is handed over: no option, no configuration, and of the environment only where the user's
folders are. A call leaves no descriptor open and no signal handler behind, and may be made in any thread.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import local

from lrguard.configuration.checks import CHECKS
from lrguard.errors import LrguardError
from lrguard.guarding import guard as guard_one
from lrguard.intake.receive import Received, held
from lrguard.intake.source import BytesSource
from lrguard.measure.tokens import Counter
from lrguard.outcome import Kind, Outcome
from lrguard.place import cache_folder, place_for
from lrguard.present.summary import Unsummarized
from lrguard.records import replace
from lrguard.session.keeping import KEEP_BYTES, KEEP_DAYS
from lrguard.settings import Retention, Settings
from lrguard.workplace import Workplace

__all__ = ["Kind", "LrguardError", "Outcome", "Settings", "guard", "guard_batch"]

DEFAULTS = Settings()


def guard(data: bytes | str, settings: Settings = DEFAULTS, *, is_error: bool = False) -> Outcome:
    """What the model should read in place of a tool result: `Outcome.text`, and everything known about it.

    `is_error`: the tool said that it is one. What was saved is in the session directory by then; `Outcome.failure`
    says why where it could not be, and the result is then unchanged. Raises LrguardError for settings that cannot be
    used, and TypeError for what is neither bytes nor text.
    """
    settings = _checked(settings)
    received = replace(_received(data), declared_error=is_error)
    with _place(settings) as place:
        return _in_memory(guard_one(received, settings, place))


def guard_batch(
    results: Iterable[bytes | str | tuple[bytes | str, Settings]], settings: Settings = DEFAULTS
) -> list[Outcome]:
    """What the model should read in place of results that came back together, in their order.

    A result may come with settings of its own, such as its tool's name; session and encoding are those of
    `settings`, and so is `total_threshold`, the tokens that all of them may have together. Raises what `guard` raises.
    """
    from lrguard.batch import guard_all

    settings = _checked(settings)
    pairs = [one if isinstance(one, tuple) else (one, settings) for one in results]
    received = [(_received(data), _checked(own)) for data, own in pairs]
    with _place(settings) as place:
        return [_in_memory(outcome) for outcome in guard_all(received, settings.total_threshold, place)]


@contextmanager
def _place(settings: Settings) -> Iterator[Workplace]:
    """A workplace for one call, whose files are closed afterwards."""
    opened: list[int] = []
    with place_for(settings, ask=_ask) as place:

        def make_file() -> int:
            opened.append(place.make_file())
            return opened[-1]

        try:
            yield replace(place, make_file=make_file, counter=_counter(settings.encoding))
        finally:
            for descriptor in opened:
                os.close(descriptor)


def _ask(settings: Settings, prompt: str) -> bytes:
    """The answer of the function or the command that the settings name; raises Unsummarized."""
    summarize = settings.summarize
    if not callable(summarize):
        from lrguard.harness.summarizer import answer

        return answer(summarize or "", prompt, settings.summary_timeout)
    try:
        summary = summarize(prompt)
    except Exception as error:
        # Whatever a model's client raises, the result does not depend on it.
        raise Unsummarized(f"{type(error).__name__}: {error}"[:300]) from None
    if not isinstance(summary, str):
        raise Unsummarized(f"the function returned {type(summary).__name__}, not text")
    return summary.encode("utf-8", "replace")


def _checked(settings: Settings) -> Settings:
    """The settings as they are used; raises LrguardError where one of them cannot be."""
    if not isinstance(settings, Settings):
        raise TypeError(f"settings are a Settings, not {type(settings).__name__}")
    for name, check in CHECKS.items():
        value = getattr(settings, name, None)
        if value is None or (name == "summarize" and callable(value)):
            continue
        try:
            check(value)
        except ValueError as allowed:
            raise LrguardError(f"cannot use {name}", f"{str(value)[:80]!r} is not allowed", f"give {allowed}") from None
    if settings.session is None and settings.retention is None:
        settings = replace(settings, retention=Retention(KEEP_DAYS, KEEP_BYTES))
    if os.environ.get("LRGUARD_NESTED") == "1":
        settings = replace(settings, enabled=False)
    return settings


def _received(data: bytes | str) -> Received:
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"a tool result is bytes or str, not {type(data).__name__}")
    return held(bytes(data))


def _in_memory(outcome: Outcome) -> Outcome:
    """An outcome whose content does not depend on a file that is about to be closed."""
    if isinstance(outcome.content, BytesSource):
        return outcome
    return replace(outcome, content=BytesSource(outcome.content.read()))


_kept = local()


def _counter(encoding: str) -> Counter:
    """This thread's counter: what a counter sets up costs more than most results do."""
    counters: dict[str, Counter] = _kept.__dict__
    if encoding not in counters:
        counters[encoding] = Counter(encoding, cache_folder(os.environ))
    return counters[encoding]
