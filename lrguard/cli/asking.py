"""Asks the configured command for a summary, with what a person and a signal expect of a program that waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from lrguard.cli import streams
from lrguard.present.summary import Unsummarized
from lrguard.settings import Settings

TOLD_AFTER = 1.0
"""Seconds until a terminal tells that there is something to wait for."""


FAILURES = 3
"""Failures in a row after which nobody is asked any more: a batch must not wait a thousand times for a dead model."""


class Asker:
    """Gives prompts to the command that the settings name. `signal` is the number of one that came meanwhile, or 0."""

    def __init__(self) -> None:
        """Nobody has been asked yet."""
        self.signal = 0
        self._failures = 0
        self._failed: dict[int, Unsummarized] = {}

    def __call__(self, settings: Settings, prompt: str) -> bytes:
        """The command's answer; raises Unsummarized, at once where it is no use to ask."""
        from lrguard.harness.summarizer import Interrupted, answer

        assert isinstance(settings.summarize, str)
        if self.signal:
            raise Unsummarized("a signal has come before")
        if hash(prompt) in self._failed:
            raise self._failed[hash(prompt)]
        if self._failures == FAILURES:
            raise Unsummarized(f"the command has failed {FAILURES} times in a row before")
        with _told(settings) as tell, _signals() as wake:
            try:
                found = answer(settings.summarize, prompt, settings.summary_timeout, wake=wake, tell=tell)
            except Unsummarized as failure:
                if isinstance(failure, Interrupted):
                    self.signal = failure.signal
                self._failures += 1
                self._failed[hash(prompt)] = failure
                raise
        self._failures = 0
        return found


@contextmanager
def _told(settings: Settings) -> Iterator[Callable[[float], None] | None]:
    """What tells a person how long it has taken so far."""
    if settings.quiet or not streams.is_terminal(streams.ERRORS):
        yield None
        return
    from lrguard.cli.progress import Line

    line = Line()

    def tell(seconds: float) -> None:
        if seconds >= TOLD_AFTER:
            line.show(f"lrguard: waiting for a summary, {seconds:.0f} s of at most {settings.summary_timeout:g} s")

    try:
        yield tell
    finally:
        line.erase()


@contextmanager
def _signals() -> Iterator[int | None]:
    """A descriptor that brings signals; none in a thread that they do not reach."""
    from threading import current_thread, main_thread

    if current_thread() is not main_thread():
        yield None
        return
    from lrguard.cli.signals import waking

    with waking() as wake:
        yield wake
