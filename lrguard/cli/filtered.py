"""The work of the filter: a tool result from standard input or a file, what the model should read on standard output.

It knows nothing of Typer, so that the plain forms of the command can be answered without it, and imports the rest of
lrguard only for a result that may not pass.
"""

from __future__ import annotations

import os

from lrguard.cli import streams
from lrguard.errors import DONE, FAILED, NO, ConfigurationError, LrguardError
from lrguard.instant import passed_below
from lrguard.settings import Settings, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from lrguard.cli.asking import Asker
    from lrguard.intake.receive import Received
    from lrguard.outcome import Outcome

NESTED = "LRGUARD_NESTED"
"""Set for a summarizer, which may itself run commands behind lrguard: there everything passes."""

USAGE = """Usage: some-command | lrguard [OPTIONS], or lrguard [OPTIONS] FILE
Try `lrguard --help`."""


def filtered(given: Mapping[str, object], file: str | None = None, *, check: bool = False) -> int:
    """Guard one tool result with the options `given`; with `check` nothing is printed or saved. The exit status."""
    if file is None and streams.is_terminal(streams.INPUT):
        os.write(streams.ERRORS, USAGE.encode() + b"\n")
        return FAILED
    if os.environ.get(NESTED) == "1":
        return _unchanged(file)
    try:
        settings = resolve(given, os.environ)
    except ConfigurationError as error:
        if check:
            raise
        return _unchanged(file, error)
    streams.notes(settings.notes, quiet=settings.quiet)
    if not (settings.enabled or check or settings.output == "json"):
        return _unchanged(file)
    if settings.output == "text" and settings.enabled and not check and _passes(file, settings.threshold):
        return DONE
    return _guarded(file, settings, check=check)


def _passes(file: str | None, threshold: int) -> bool:
    """Whether standard input was so small and plain that it has been printed, unless that was tried before."""
    if file is not None or threshold <= 0 or streams.closed or streams.begun.wake is not None:
        return False
    begun = passed_below(threshold)
    streams.begun = begun or streams.begun
    return begun is None


def _telling(settings: Settings) -> AbstractContextManager[Callable[[bytes], None] | None]:
    """What tells a person how the reading goes; nothing is imported where there is nobody."""
    if settings.quiet or not streams.is_terminal(streams.ERRORS):
        from contextlib import nullcontext

        return nullcontext()
    from lrguard.cli.progress import reading

    return reading(settings.encoding)


def _guarded(file: str | None, settings: Settings, *, check: bool) -> int:
    from lrguard.cli.asking import Asker
    from lrguard.cli.signals import waking
    from lrguard.guarding import guard
    from lrguard.intake.receive import Unspooled, receive
    from lrguard.outcome import Kind
    from lrguard.place import place_for

    descriptor, asker = _open(file), Asker()
    with place_for(settings, keeps=not check, ask=asker) as place:
        try:
            with _telling(settings) as tell, waking() as wake:
                received = receive(descriptor, place.make_file, wake, _begun(descriptor), tell)
        except Unspooled as error:
            streams.write_all(error.spool.rescue())
            _copy_rest(descriptor)
            return streams.report(LrguardError("cannot keep the result", error.why, "it was printed unchanged"))
        try:
            outcome = guard(received, settings, place)
        except Exception:
            # A mistake of ours must not cost the result either.
            if not check:
                streams.write_all(received.source.chunks())
            raise
        if check:
            return DONE if outcome.kind is Kind.PASSED else NO
        status = _print(outcome, received, settings)
        return _status(status, received, asker)


def _print(outcome: Outcome, received: Received, settings: Settings) -> int:
    if settings.output == "json":
        from lrguard.cli.envelope import pieces

        streams.write_all(pieces(outcome, settings))
    else:
        streams.write_all(outcome.content.chunks())
    streams.notes(outcome.notes, quiet=settings.quiet)
    return streams.report(outcome.failure) if outcome.failure else DONE


def _status(status: int, received: Received, asker: Asker) -> int:
    if received.failure:
        return streams.report(LrguardError("cannot read all of the result", received.failure))
    signal = received.signal or asker.signal
    return 128 + signal if signal else status


def _open(file: str | None) -> int:
    if file is None or file == "-":
        if streams.INPUT in streams.closed:
            raise LrguardError("cannot read the result", "standard input is closed")
        return streams.INPUT
    try:
        return os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise LrguardError(f"cannot read {file}", error.strerror or str(error)) from None


def _unchanged(file: str | None, error: LrguardError | None = None) -> int:
    """Print the result as it is and say why: bad surroundings never cost a result."""
    _copy(_open(file))
    return streams.report(error) if error else DONE


def _begun(descriptor: int) -> bytes:
    """What the instant path has read of it already."""
    return streams.begun.data if descriptor == streams.INPUT else b""


def _copy(descriptor: int) -> None:
    streams.write(_begun(descriptor))
    _copy_rest(descriptor)


def _copy_rest(descriptor: int) -> None:
    """Print what has not been read yet."""
    from lrguard.intake.source import CHUNK

    while chunk := os.read(descriptor, CHUNK):
        streams.write(chunk)
