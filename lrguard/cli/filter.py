"""`lrguard [OPTIONS] [FILE]`: what the model should read in place of a tool result."""

from __future__ import annotations

from typing import Annotated

import typer

from lrguard.cli import parameters as p
from lrguard.cli.app import COMMANDS, application
from lrguard.cli.filtered import filtered
from lrguard.errors import LrguardError

HELP = """Print a tool result unchanged while it is small. Save binaries, embedded base64 and results over the token
threshold as files, and print references or a short message in their place."""

app = application()


@app.command(help=HELP)
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
    given = p.given(locals(), "file", "check")
    if file in COMMANDS:
        raise LrguardError(
            f"'{file}' is a command and comes first",
            remedy=f"lrguard {file} [OPTIONS]; a file of that name is ./{file}",
        )
    return filtered(given, file, check=check)
