"""`lrguard schema [ID]`: the structure of a saved response."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated

import typer

from lrguard.cli import parameters as p
from lrguard.cli import streams
from lrguard.cli.app import application
from lrguard.cli.looking import looking, shape_of
from lrguard.cli.target import open_target
from lrguard.errors import DONE, NO, LrguardError
from lrguard.inspect.json_tokens import Shape
from lrguard.inspect.locate import locate, nearest
from lrguard.intake.source import Source, Spool
from lrguard.place import temporary_file
from lrguard.structure import schema as structures
from lrguard.structure.schema import Structure

HELP = """Print the structure of a saved response or of any other file: JSON, JSON lines, several documents, CSV, TSV.
Every element counts, never the first alone."""
app = application()


class Form(StrEnum):
    """How a structure is written."""

    COMPACT = "compact"
    JSON_SCHEMA = "json-schema"
    PATHS = "paths"


WRITERS: dict[Form, Callable[[Structure, int, Callable[[str], int]], str]] = {
    Form.COMPACT: structures.compact,
    Form.JSON_SCHEMA: structures.json_schema,
    Form.PATHS: structures.paths,
}


@app.command(help=HELP)
def schema(
    id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="An id, a path, `last` (the default) or `-`.")
    ] = None,
    form: Annotated[Form, typer.Option("--format", help="How it is written.", show_default=True)] = Form.COMPACT,
    path: Annotated[str | None, typer.Option("--path", metavar="JSONPATH", help="Only what lies at this path.")] = None,
    session: p.Session = None,
    call_id: p.OfCall = None,
    max_tokens: p.MaxTokens = None,
    saved_only: p.SavedOnly = False,
    json: Annotated[bool, typer.Option("--json", help="Short for --format json-schema.")] = False,
    encoding: p.Encoding = None,
    quiet: p.Quiet = False,
) -> int:
    """Print the structure of one response."""
    form = Form.JSON_SCHEMA if json else form
    with (
        looking(session, call_id, max_tokens, encoding=encoding, saved_only=saved_only, quiet=quiet) as look,
        open_target(id, look.choice) as target,
    ):
        text = target.whole()
        if path is not None:
            text = _at(text, path, shape_of(target.kind))
        found = structures.infer(text)
        if found is None:
            kind = target.media_type.name
            raise LrguardError(
                f"{target.name} has no structure to infer", f"it is {kind}, neither JSON nor a table", status=NO
            )
        # One token is for the end of the line.
        written = WRITERS[form](found, max(1, look.bound - 1) if look.bound else 0, look.count)
        streams.write((written.rstrip("\n") + "\n").encode("utf-8", "replace"))
        look.say(found.notes)
    return DONE


def _at(text: Source, path: str, shape: Shape) -> Source:
    """The values at `path`, one after the other; raises LrguardError where there are none."""
    spool = Spool(temporary_file)
    for span in locate(text, path, shape):
        for piece in text.chunks(span.start, span.end):
            spool.write(piece)
        spool.write(b"\n")
    if not spool.size:
        raise LrguardError(f"there is nothing at {path}", nearest(text, path, shape), status=NO)
    return spool.source()
