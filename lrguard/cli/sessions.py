"""`lrguard list` and `lrguard purge`: what a session holds, and the removal of old responses."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import Annotated

import typer

from lrguard.cli import parameters as p
from lrguard.cli import streams
from lrguard.cli.app import application
from lrguard.configuration import quantities
from lrguard.errors import DONE, LrguardError
from lrguard.inspect.excerpt import Page
from lrguard.intake.sanitize import visible
from lrguard.place import bound_for, counter_for, session_for
from lrguard.session.reader import Saved
from lrguard.session.retention import purge as purge_session
from lrguard.settings import resolve

listing = application()
purging = application()

COLUMNS = ("ID", "TIME", "TOOL", "CALL", "TYPE", "TOKENS", "BYTES", "PATH")
LEFT_OUT = ("PATH", "CALL", "TYPE", "BYTES", "TIME")
"""Columns that have no room on a narrow terminal, the first ones first."""

TIME = "%Y-%m-%dT%H:%M:%SZ"


@listing.command(help="Print what a session holds, the last seen first.")
def list_responses(
    session: p.Session = None,
    show_session: p.ShowSession = None,
    json: p.AsJson = False,
    max_tokens: p.MaxTokens = None,
) -> int:
    """Print one line for each saved response."""
    settings = resolve({"session": session, "show_session": show_session}, os.environ)
    streams.notes(settings.notes, quiet=False)
    with session_for(settings) as opened:
        survey = opened.survey()
    for name, why in survey.broken:
        streams.note(f"{name} is left out: {why}")
    if not survey.responses:
        streams.note(f"nothing is saved in {opened.shown}")
    elif streams.is_terminal(streams.OUTPUT) and not json:
        _print_table(survey.responses)
        return DONE
    rows = [_object(saved) for saved in survey.responses] if json else _columns(survey.responses)
    page = Page(bound_for(max_tokens, settings), counter_for(settings).text)
    shown = 0
    while shown < len(rows) and page.add(rows[shown] + "\n"):
        shown += 1
    streams.write("".join(page.lines).encode("utf-8", "replace"))
    if shown < len(rows):
        left = len(rows) - shown
        streams.write((_cut_object(left) if json else f"[cut here: {left} older ones]\n").encode())
        streams.note(f"{left} older responses are not shown; --max-tokens 0 shows all")
    return DONE


@purging.command(
    help="Remove old responses, and what crashed runs left, and tell what was removed.",
)
def purge(
    session: p.Session = None,
    older_than: Annotated[
        str | None,
        typer.Option("--older-than", metavar="AGE", help="Remove what was last seen longer ago: 12h, 7d, 2w."),
    ] = None,
    keep_bytes: Annotated[
        str | None, typer.Option("--keep-bytes", metavar="SIZE", help="Remove the oldest beyond this size: 500MB, 2GB.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Remove every response.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only tell what would be removed.")] = False,
    json: p.AsJson = False,
) -> int:
    """Remove responses of one session."""
    age = parse_age(older_than, "--older-than") if older_than is not None else None
    size = parse_size(keep_bytes, "--keep-bytes") if keep_bytes is not None else None
    settings = resolve({"session": session}, os.environ)
    streams.notes(settings.notes, quiet=False)
    with session_for(settings) as opened:
        report = purge_session(opened, older_than=age, keep_bytes=size, everything=everything, dry_run=dry_run)
    for name, why in report.left:
        streams.note(f"{name} is left: {why}")
    if json:
        import json as _json

        record = {
            "dry_run": dry_run,
            "responses": list(report.responses),
            "files": list(report.files),
            "bytes": report.bytes,
        }
        streams.write((_json.dumps(record) + "\n").encode())
        return DONE
    verb = "would remove" if dry_run else "removed"
    lines = [
        *report.files,
        f"{verb} {len(report.responses)} responses, {len(report.files)} files, {report.bytes:,} bytes",
    ]
    streams.write("".join(f"{line}\n" for line in lines).encode())
    return DONE


def parse_age(text: str, written: str) -> timedelta:
    """The period that `7d`, `12h` or `90s` means; raises LrguardError."""
    try:
        return quantities.age(text)
    except ValueError as allowed:
        raise LrguardError(f"cannot use {written}", f"{text[:80]!r} is no age", f"give {allowed}") from None


def parse_size(text: str, written: str) -> int:
    """The number of bytes that `500MB` or `1048576` means, in powers of ten as disks have it; raises LrguardError."""
    try:
        return quantities.size(text)
    except ValueError as allowed:
        raise LrguardError(f"cannot use {written}", f"{text[:80]!r} is no size", f"give {allowed}") from None


def _columns(responses: tuple[Saved, ...]) -> list[str]:
    """Lines of aligned columns under their names; none where there is nothing to list."""
    rows = [COLUMNS, *(_row(saved) for saved in responses)] if responses else []
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS) - 1)] if rows else []
    return [
        "  ".join([*(f"{cell:{width}}" for cell, width in zip(row[:-1], widths, strict=True)), row[-1]]) for row in rows
    ]


def _row(saved: Saved) -> tuple[str, ...]:
    record = saved.record
    last = record.sightings[-1]
    tokens = "-" if record.tokens is None else f"{'' if record.tokens_exact else '~'}{record.tokens}"
    cells = (saved.id, last.time.strftime(TIME), last.tool or "-", last.call_id or "-", record.media_type, tokens)
    return (*(_cell(cell) for cell in cells), str(record.bytes), saved.path)


def _cell(text: str) -> str:
    """A name from outside as one column."""
    return "_".join(visible(text).split())[:40] or "-"


def _object(saved: Saved) -> str:
    import json

    record = saved.record
    last = record.sightings[-1]
    return json.dumps(
        {
            "id": saved.id,
            "time": last.time.strftime(TIME),
            "first_time": record.first_seen.strftime(TIME),
            "seen": record.seen,
            "tool": last.tool,
            "call_id": last.call_id,
            "media_type": record.media_type,
            "tokens": record.tokens,
            "tokens_exact": record.tokens_exact,
            "bytes": record.bytes,
            "path": saved.path,
            "reading_copy": saved.reading_copy,
            "is_error": record.is_error,
            "incomplete": record.incomplete,
            "assets": len(record.assets),
        }
    )


def _cut_object(left: int) -> str:
    return f'{{"cut": true, "left": {left}}}\n'


def _print_table(responses: tuple[Saved, ...]) -> None:
    """One line for each response; its id is whole, and links to its file, however narrow the terminal is."""
    from urllib.parse import quote

    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    columns = dict(zip(COLUMNS, zip(*map(_row, responses), strict=True), strict=True))
    paths = columns["PATH"]
    columns["PATH"] = tuple(map(os.path.basename, paths))
    console = Console()
    widths = {name: max(map(cell_len, (name, *cells))) + 2 for name, cells in columns.items()}
    for name in LEFT_OUT:
        if sum(widths.values()) - 2 <= console.width:
            break
        del columns[name], widths[name]
    table = Table(box=None, pad_edge=False)
    for name in columns:
        right = name in ("TOKENS", "BYTES")
        table.add_column(name, justify="right" if right else "left", no_wrap=name != "TOOL", overflow="ellipsis")
    for path, row in zip(paths, zip(*columns.values(), strict=True), strict=True):
        id, *cells = map(Text, row)
        id.stylize(f"link file://{quote(os.fsencode(path))}")
        table.add_row(id, *cells)
    console.print(table)
