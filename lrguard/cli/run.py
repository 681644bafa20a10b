"""`lrguard run -- CMD ARGS`: run a command, guard what it prints, return its exit status."""

from __future__ import annotations

import json as json_module
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Annotated, NoReturn

import typer

from lrguard.cli import parameters as p
from lrguard.cli import streams
from lrguard.cli.app import application
from lrguard.cli.asking import Asker
from lrguard.cli.filtered import NESTED
from lrguard.cli.progress import Progress
from lrguard.cli.signals import waking
from lrguard.errors import ConfigurationError, LrguardError
from lrguard.guarding import guard
from lrguard.harness.command import (
    PASSED_ON,
    SHELL,
    Command,
    Ended,
    Output,
    environment,
    leave_readers,
    replace_by,
)
from lrguard.place import place_for
from lrguard.records import replace
from lrguard.settings import Settings, resolve
from lrguard.workplace import Workplace

HELP = """Run a command with its standard output and error guarded, each by itself: what is small comes out unchanged,
what is large is saved, with a message in its place. The exit status is the command's, 128+n after signal n, 127 or 126
where it cannot be started."""

WORDS_AS_THEY_ARE = {"allow_interspersed_args": False, "help_option_names": ["-h", "--help"]}
"""Options end at the command's name: what follows is the command's own."""

app = application()


@app.command(help=HELP, context_settings=WORDS_AS_THEY_ARE)
def run(
    words: Annotated[list[str] | None, typer.Argument(metavar="CMD [ARGS]..", help="The command.")] = None,
    shell: Annotated[
        str | None, typer.Option("--shell", metavar="LINE", help="Run this line with `sh -c` instead of CMD.")
    ] = None,
    merge: Annotated[
        bool,
        typer.Option(
            "--merge",
            help="Both as one result on standard output, in the order they were printed; always with `--output mcp`.",
        ),
    ] = False,
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
    config: p.Config = None,
    quiet: p.Quiet = False,
) -> int:
    """Run one command."""
    given = p.given(locals(), "words", "shell", "merge")
    command = _command(words, shell)
    environ = environment()
    if os.environ.get(NESTED) == "1":
        _unguarded(command, environ, merge=merge)
    if not tool and not os.environ.get("LRGUARD_TOOL"):
        given["tool"] = _name(words, shell)
    with ExitStack() as stack:
        try:
            settings = resolve(given, os.environ)
            place = stack.enter_context(place_for(settings, ask=Asker()))
        except ConfigurationError as error:
            streams.note(f"{error}; the command runs unguarded")
        except OSError as error:
            streams.note(f"cannot find the session: {error.strerror}; the command runs unguarded")
        else:
            streams.notes(settings.notes, quiet=settings.quiet)
            if settings.summarize and settings.args is None:
                settings = replace(settings, args=json_module.dumps({"command": command}))
            if settings.enabled or settings.output == "json":
                return _guarded(command, environ, settings, place, merge=merge or settings.output == "mcp")
    _unguarded(command, environ, merge=merge)


def _guarded(
    command: Sequence[str], environ: Mapping[str, str], settings: Settings, place: Workplace, *, merge: bool
) -> int:
    printer = _Printer()
    progress = Progress() if streams.is_terminal(streams.ERRORS) and not settings.quiet else None
    pipes = [("merged", streams.OUTPUT)] if merge else [("stdout", streams.OUTPUT), ("stderr", streams.ERRORS)]
    outputs = [Output(name, target, place.make_file) for name, target in pipes]
    # A signal also finds this process waiting for a signalled command to end, and then guarding what arrived.
    with waking((*PASSED_ON, signal.SIGCHLD)) as wake:
        tell = progress.reach if progress else None
        ended = Command(command, outputs, environ).watch(wake, printer.write, tell)
        if progress:
            progress.erase()
        leave_readers(ended.held, environ)
        results = []
        for output in outputs:
            if output.unkept:
                why = output.unkept.why
                streams.note(f"cannot keep the {output.name} of the command: {why}; it was printed unchanged")
                continue
            tool = settings.tool if merge else f"{settings.tool} {output.name}"
            results.append((output, _content(ended, output, replace(settings, tool=tool), place)))
    for output, pieces in results:
        to = streams.OUTPUT if settings.output == "json" else output.target
        for piece in pieces:
            printer.write(to, piece)
    if ended.held and not settings.quiet:
        streams.note("a process that the command left running holds its output; what it prints from now on is not kept")
    return ended.status


def _content(ended: Ended, output: Output, settings: Settings, place: Workplace) -> Iterator[bytes]:
    """What to print in the place of what `output` brought."""
    received = ended.received(output)
    try:
        outcome = guard(received, settings, place)
    except Exception as error:
        # A command may have done what cannot be done twice: whatever is wrong here, its output is not lost.
        if os.environ.get("LRGUARD_DEBUG") == "1":
            raise
        streams.note(f"internal error: {type(error).__name__}: {error}; the {output.name} was printed unchanged")
        return received.source.chunks()
    streams.notes(outcome.notes, quiet=settings.quiet)
    if outcome.failure:
        streams.note(str(outcome.failure))
    if settings.output == "json":
        from lrguard.cli.envelope import pieces

        return pieces(outcome, settings, stream=output.name, exit_status=ended.status)
    return outcome.content.chunks()


def _unguarded(command: Sequence[str], environ: Mapping[str, str], *, merge: bool) -> NoReturn:
    """Become the command, with nothing between it and this process's surroundings."""
    if merge:
        os.dup2(streams.OUTPUT, streams.ERRORS)
    replace_by(command, environ)


def _command(words: list[str] | None, shell: str | None) -> list[str]:
    if shell is not None and words:
        raise LrguardError("cannot run two commands", remedy="give either --shell LINE or CMD ARGS")
    if shell is not None:
        return [SHELL, "-c", shell]
    if not words:
        raise LrguardError("there is no command", remedy="lrguard run [OPTIONS] -- CMD ARGS")
    return words


def _name(words: list[str] | None, shell: str | None) -> str:
    """The command's name without its folder; of a line for the shell its first word, when that is plainly one."""
    if shell is None:
        return os.path.basename(words[0]) or words[0] if words else ""
    parts = (part for part in shell.split() if not part.partition("=")[0].isidentifier() or "=" not in part)
    name = os.path.basename(next(parts, ""))
    return name if name and all(letter.isalnum() or letter in "-_.+" for letter in name) else "sh"


class _Printer:
    """Writes on behalf of the command, which gets its exit status whoever has stopped reading."""

    def __init__(self) -> None:
        self._gone: set[int] = set()

    def write(self, to: int, data: bytes) -> None:
        """Write `data`; what cannot be written is said once."""
        if to in self._gone:
            return
        try:
            streams.write(data, to)
        except streams.ReaderLeft:
            self._gone.add(to)
        except LrguardError as error:
            self._gone.add(to)
            streams.note(str(error))
