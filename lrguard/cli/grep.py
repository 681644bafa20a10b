"""`lrguard grep PATTERN [ID..]`: search saved responses; what is printed is bounded."""

from __future__ import annotations

from typing import Annotated

import typer

from lrguard.cli import parameters as p
from lrguard.cli.app import application
from lrguard.cli.grep_options import OWN, WINDOW
from lrguard.cli.searched import Wanted, searched

HELP = """Search saved responses, or any other files. In text a match is LINE:COLUMN: and a window around it; in JSON
its path, which works in `peek --path`, and a window of the value."""

app = application()


def own(name: str) -> typer.models.OptionInfo:
    """Typer's form of one of the command's own options."""
    return p.made(OWN[name])


@app.command(name="grep", help=HELP)
def command(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATTERN [ID]..", help="A regular expression, then ids or paths; `last` without one."),
    ] = None,
    patterns: Annotated[list[str] | None, own("patterns")] = None,
    fixed: Annotated[bool, own("fixed")] = False,
    ignore_case: Annotated[bool, own("ignore_case")] = False,
    whole_words: Annotated[bool, own("whole_words")] = False,
    invert: Annotated[bool, own("invert")] = False,
    count: Annotated[bool, own("count")] = False,
    names: Annotated[bool, own("names")] = False,
    only: Annotated[bool, own("only")] = False,
    most: Annotated[int | None, own("most")] = None,
    after: Annotated[int, own("after")] = 0,
    before: Annotated[int, own("before")] = 0,
    context: Annotated[int, own("context")] = 0,
    skip: Annotated[int, own("skip")] = 0,
    window: Annotated[int, own("window")] = WINDOW,
    path: Annotated[str | None, own("path")] = None,
    record: Annotated[bool, own("record")] = False,
    everything: Annotated[bool, own("everything")] = False,
    line_number: Annotated[bool, own("line_number")] = False,
    extended: Annotated[bool, own("extended")] = False,
    session: p.Session = None,
    tool: Annotated[str | None, own("tool")] = None,
    call_id: Annotated[str | None, own("call_id")] = None,
    max_tokens: p.MaxTokens = None,
    saved_only: p.SavedOnly = False,
    json: Annotated[bool, own("json")] = False,
    encoding: p.Encoding = None,
    quiet: Annotated[bool, own("quiet")] = False,
) -> int:
    """Search responses and print what fits."""
    return searched(Wanted(**locals()))
