"""`lrguard [OPTIONS] [FILE]`: what the model should read in place of a tool result."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from lrguard.cli import parameters as p
from lrguard.cli import streams
from lrguard.cli.app import COMMANDS, application
from lrguard.cli.asking import Asker
from lrguard.cli.place import place_for
from lrguard.cli.signals import waking
from lrguard.errors import DONE, FAILED, NO, ConfigurationError, LrguardError
from lrguard.guard import guard
from lrguard.intake.receive import Received, Unspooled, receive
from lrguard.intake.source import CHUNK
from lrguard.outcome import Kind, Outcome
from lrguard.settings import Settings, resolve

NESTED = "LRGUARD_NESTED"
"""Set for a summarizer, which may itself run commands behind lrguard: there everything passes."""

HELP = """Print a tool result unchanged while it is small. Save binaries, embedded base64 and results over the token
threshold as files, and print references or a short message in their place."""

EPILOG = "Commands: " + "; ".join(f"{name}: {summary}" for name, (_, _, summary) in COMMANDS.items())

USAGE = """Usage: some-command | lrguard [OPTIONS], or lrguard [OPTIONS] FILE
Try `lrguard --help`."""

app = application()


@app.command(help=HELP, epilog=EPILOG)
def filter(
    file: Annotated[str | None, typer.Argument(metavar="[FILE]", help="File to read; `-` is standard input.")] = None,
    session: p.Session = None,
    show_session: p.ShowSession = None,
    tool: p.Tool = None,
    call_id: p.CallId = None,
    args: p.Args = None,
    intent: p.Intent = None,
    threshold: p.Threshold = None,
    agent: p.Agent = None,
    context_window: p.ContextWindow = None,
    preview_chars: p.PreviewChars = None,
    encoding: p.Encoding = None,
    summarize: p.Summarize = None,
    no_summarize: p.NoSummarize = False,
    summary_timeout: p.SummaryTimeout = None,
    output: p.Output = None,
    json: p.Json = False,
    media: p.Media = None,
    on_save_error: p.OnSaveError = None,
    check: Annotated[
        bool, typer.Option("--check", help="Print and save nothing; status 0 if the result would pass, else 1.")
    ] = False,
    config: p.Config = None,
    quiet: p.Quiet = False,
) -> int:
    """Guard one tool result."""
    given = {
        name: value
        for name, value in locals().items()
        if name not in ("file", "check") and value is not None and value is not False
    }
    if file in COMMANDS:
        raise LrguardError(
            f"'{file}' is a command and comes first",
            remedy=f"lrguard {file} [OPTIONS]; a file of that name is ./{file}",
        )
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
    return _guarded(file, settings, check=check)


def _guarded(file: str | None, settings: Settings, *, check: bool) -> int:
    descriptor, asker = _open(file), Asker()
    with place_for(settings, keeps=not check, ask=asker) as place:
        try:
            with waking() as wake:
                received = receive(descriptor, place.make_file, wake, _begun(descriptor))
        except Unspooled as error:
            streams.write_all(error.spool.rescue())
            _copy(descriptor)
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
        from lrguard.cli.envelope import envelope

        streams.write(envelope(outcome, settings))
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
    while chunk := os.read(descriptor, CHUNK):
        streams.write(chunk)
