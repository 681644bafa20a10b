"""`lrguard peek [ID]`: a part of a saved response, by lines, characters, bytes or JSONPath."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from lrguard.cli import parameters as p
from lrguard.cli import streams
from lrguard.cli.app import application
from lrguard.cli.looking import Look, looking, shape_of
from lrguard.cli.target import Target, open_target
from lrguard.errors import DONE, NO, LrguardError
from lrguard.inspect.excerpt import Count, Excerpt
from lrguard.inspect.peek import Unit, head, overview, parse_range, peek, tail
from lrguard.inspect.peek_path import As, peek_path
from lrguard.intake.media_type import image_size
from lrguard.intake.sanitize import visible
from lrguard.place import temporary_file

HELP = """Read a part of a saved response, or of any other file. Without an option: facts, head and tail."""
HEX_HEAD = 256
"""Bytes of binary data that are shown (contract: issue of `peek`, bad input)."""

app = application()


@app.command(name="peek", help=HELP)
def command(
    id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="An id, a path, `last` (the default) or `-`.")
    ] = None,
    lines: Annotated[
        str | None, typer.Option("--lines", metavar="A:B", help="Lines A to B, from 1; A:+N; negative from the end.")
    ] = None,
    chars: Annotated[
        str | None, typer.Option("--chars", metavar="A:B", help="Characters A up to B, from 0; A:+N.")
    ] = None,
    byte_range: Annotated[
        str | None, typer.Option("--bytes", metavar="A:B", help="Bytes A up to B, from 0, widened to whole characters.")
    ] = None,
    first: Annotated[int | None, typer.Option("--head", metavar="N", help="The first N lines.")] = None,
    last: Annotated[int | None, typer.Option("--tail", metavar="N", help="The last N lines.")] = None,
    path: Annotated[
        str | None,
        typer.Option("--path", metavar="JSONPATH", help="The values at this path (RFC 9535), as they are written."),
    ] = None,
    text: Annotated[bool, typer.Option("--text", help="With --path: print strings decoded.")] = False,
    skip: Annotated[
        int, typer.Option("--skip", metavar="N", min=0, help="With --path: leave out the first N values.")
    ] = 0,
    raw: Annotated[bool, typer.Option("--raw", help="The exact bytes, without a bound.")] = False,
    session: p.Session = None,
    call_id: p.OfCall = None,
    max_tokens: p.MaxTokens = None,
    saved_only: p.SavedOnly = False,
    json: p.AsJson = False,
    encoding: p.Encoding = None,
    quiet: p.Quiet = False,
) -> int:
    """Print a part of one response."""
    parts = {"--lines": lines, "--chars": chars, "--bytes": byte_range, "--head": first, "--tail": last, "--path": path}
    asked = [name for name, value in parts.items() if value is not None]
    if len(asked) > 1:
        raise LrguardError(f"cannot use {' and '.join(asked)} together", remedy="give one of them")
    if skip and path is None:
        raise LrguardError("cannot use --skip alone", remedy="it goes with --path")
    with (
        looking(session, call_id, max_tokens, encoding=encoding, saved_only=saved_only, quiet=quiet) as look,
        open_target(id, look.choice) as target,
    ):
        if raw:
            return _raw(target, byte_range, asked)

        def found(bound: int) -> Excerpt:
            if path is not None:
                form, shape = As.TEXT if text else As.JSON, shape_of(target.kind)
                whole = target.whole()
                return peek_path(whole, path, shape, bound, look.count, form=form, skip=skip, make_file=temporary_file)
            if target.text is None:
                return _binary(target)
            return _part(target, bound, look.count, lines, chars, byte_range, first, last)

        if json:
            return _as_object(found, look, target)
        if target.text is not None and streams.is_for_people(streams.OUTPUT):
            from lrguard.cli.terminal import lexer_of, show_excerpt

            return show_excerpt(found(look.bound), None if text else lexer_of(target), target, look)
        return look.show(found(look.bound), "peek", [target.argument])


def _part(
    target: Target,
    bound: int,
    count: Count,
    lines: str | None,
    chars: str | None,
    byte_range: str | None,
    first: int | None,
    last: int | None,
) -> Excerpt:
    text = target.readable()
    if lines is not None:
        return peek(text, parse_range(lines, Unit.LINES), Unit.LINES, bound, count)
    if chars is not None:
        return peek(text, parse_range(chars, Unit.CHARS), Unit.CHARS, bound, count)
    if byte_range is not None:
        return peek(target.whole(), parse_range(byte_range, Unit.BYTES), Unit.BYTES, bound, count)
    if first is not None:
        return head(text, first, bound, count)
    if last is not None:
        return tail(text, last, bound, count)
    return overview(text, bound, count, _about(target))


def _about(target: Target) -> str:
    if target.saved is None:
        return target.media_type.name
    record = target.saved.record
    tool = " ".join(visible(record.sightings[-1].tool or "").split())[:60]
    copy = "reading copy of " if record.reading else ""
    return f"{copy}{record.id}{f', {tool}' if tool else ''}, {record.media_type}"


def _binary(target: Target) -> Excerpt:
    head_bytes = target.original.read(0, 64 * 1024)
    size = image_size(head_bytes)
    dimensions = f", {size[0]} x {size[1]} pixels" if size else ""
    lines = [f"{target.media_type.name}, {target.original.size:,} bytes{dimensions}\n"]
    for at in range(0, min(HEX_HEAD, len(head_bytes)), 16):
        row = head_bytes[at : at + 16]
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        lines.append(f"{at:08x}  {row.hex(' '):<47}  {text}\n")
    return Excerpt(lines)


def _raw(target: Target, byte_range: str | None, asked: list[str]) -> int:
    """The exact bytes of the original, all of them or a range."""
    source = target.original
    if byte_range is None:
        if asked:
            raise LrguardError(f"cannot use --raw and {asked[0]} together", remedy="--raw goes with --bytes alone")
        streams.write_all(source.chunks())
        return DONE
    wanted = parse_range(byte_range, Unit.BYTES)
    start = wanted.first or 0
    start = max(start + source.size, 0) if start < 0 else start
    if start >= source.size > 0:
        streams.note(f"there are {source.size} bytes, from 0")
        return NO
    end = source.size if wanted.last is None else wanted.last
    end = end + source.size if end < 0 else end
    end = start + wanted.span if wanted.span is not None else end
    streams.write_all(source.chunks(start, max(start, end)))
    return DONE


def _as_object(found: Callable[[int], Excerpt], look: Look, target: Target) -> int:
    """Print the part that fits when it is written as JSON, whose escapes take tokens of their own."""
    import json

    bound = look.bound
    while True:
        excerpt = found(bound)
        text = "".join(excerpt.pieces).encode("utf-8", "replace").decode()
        record = {"id": target.saved.id if target.saved else None, "text": text, "next": list(excerpt.go_on)}
        line = json.dumps(record, ensure_ascii=False) + "\n"
        tokens = look.count(line) if bound > 1 else 0
        if tokens <= look.bound:
            break
        bound = max(1, bound * look.bound * 9 // (tokens * 10))
    streams.write(line.encode())
    look.say(excerpt.notes)
    return excerpt.status
