"""`lrguard hook HOST`: answers a harness's hook, so that the model reads a message in place of a large result.

Standard output has the host's JSON or nothing. Whatever arrives on standard input the status is 0, and 1 for bad
options, since 2 means to several hosts that the call is to be blocked.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated

import typer

from lrguard.cli import parameters as p
from lrguard.cli import streams
from lrguard.cli.app import application
from lrguard.cli.hooked import BAD_OPTIONS, respond
from lrguard.errors import DONE, LrguardError
from lrguard.harness.hosts import NAMES
from lrguard.settings import resolve

HELP = """Answer a hook of an agent harness: its JSON on standard input, on standard output the JSON that puts a message
in the place of a large result, or nothing where the result is to stay as it is."""

app = application()


@app.command(help=HELP)
def hook(
    host: Annotated[str, typer.Argument(metavar="HOST", help="The harness whose hook this is.")],
    print_config: Annotated[
        bool, typer.Option("--print-config", help="Print what to paste into the harness's configuration.")
    ] = False,
    session: p.Session = None,
    show_session: p.ShowSession = None,
    tool: p.Tool = None,
    call_id: p.CallId = None,
    threshold: p.Threshold = None,
    agent: p.Agent = None,
    context_window: p.ContextWindow = None,
    total_threshold: p.TotalThreshold = None,
    preview_chars: p.PreviewChars = None,
    encoding: p.Encoding = None,
    summarize: p.Summarize = None,
    no_summarize: p.NoSummarize = False,
    summary_timeout: p.SummaryTimeout = None,
    args: p.Args = None,
    intent: p.Intent = None,
    config: p.Config = None,
    on_save_error: p.OnSaveError = None,
    quiet: p.Quiet = False,
) -> int:
    """Answer one call of a hook."""
    given = p.given(locals(), "host", "print_config")
    if host not in NAMES:
        raise LrguardError(f"unknown host {host[:80]!r}", remedy=f"use one of {', '.join(NAMES)}", status=BAD_OPTIONS)
    if print_config:
        return _print_config(host, given)
    if streams.is_terminal(streams.INPUT):
        streams.note(f"a harness runs this; `lrguard hook {host} --print-config` prints what to paste")
        return BAD_OPTIONS
    resolve(given, os.environ)  # what is wrong is said at every call, not at the first large result
    return respond(given)


def _print_config(host: str, given: Mapping[str, object]) -> int:
    from lrguard.harness.setups import SETUPS

    setup = SETUPS[host]
    if not given.get("quiet"):
        for line in setup.notes:
            os.write(streams.ERRORS, line.encode() + b"\n")
    streams.write(setup.text.encode())
    return DONE
