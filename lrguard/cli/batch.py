"""`lrguard batch [FILE..]`: results that came back together, under one combined threshold."""

from __future__ import annotations

import json as json_module
import os
from collections.abc import Iterator, Mapping
from typing import Annotated

import typer

from lrguard.batch import guard_all
from lrguard.cli import parameters as p
from lrguard.cli import streams
from lrguard.cli.app import application
from lrguard.cli.asking import Asker
from lrguard.cli.envelope import details
from lrguard.cli.filtered import NESTED
from lrguard.errors import DONE, FAILED, ConfigurationError, LrguardError
from lrguard.harness.entries import BadEntry, Entry, read_entries, read_entry, unchanged, written, written_error
from lrguard.intake.json_outline import NotOutlined, Value
from lrguard.intake.receive import Arriving, Received, Unspooled, held, receive
from lrguard.intake.source import CHUNK
from lrguard.outcome import Kind, Outcome
from lrguard.place import place_for
from lrguard.present.mcp_shape import json_string
from lrguard.records import replace
from lrguard.settings import Settings, Sources, gather
from lrguard.workplace import Workplace

HELP = """Guard results that came back together: on standard input an array or JSON lines of objects with id, tool,
content, is_error and path; or files, one result each. Prints JSON lines in the same order."""
app = application()

PASSING = Settings(enabled=False)
"""What holds where nothing is to be done to any result."""


@app.command(help=HELP)
def batch(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="[FILE]..", help="Files, each one result; - for standard input.")
    ] = None,
    source: Annotated[str | None, typer.Option("--from", metavar="FILE", help="Read the entries from FILE.")] = None,
    each: Annotated[
        bool, typer.Option("--each", help="Answer each line as it comes; a blank line ends a batch.")
    ] = False,
    session: p.Session = None,
    show_session: p.ShowSession = None,
    tool: p.Tool = None,
    threshold: p.Threshold = None,
    agent: p.Agent = None,
    context_window: p.ContextWindow = None,
    total_threshold: p.TotalThreshold = None,
    preview_chars: p.PreviewChars = None,
    encoding: p.Encoding = None,
    intent: p.Intent = None,
    summarize: p.Summarize = None,
    no_summarize: p.NoSummarize = False,
    summary_timeout: p.SummaryTimeout = None,
    media: p.Media = None,
    on_save_error: p.OnSaveError = None,
    config: p.Config = None,
    quiet: p.Quiet = False,
) -> int:
    """Guard several results."""
    given = p.given(locals(), "files", "source", "each")
    if bool(files) + (source is not None) + each > 1:
        raise LrguardError("FILE, --from and --each exclude each other", remedy="give one of them")
    if not (files or source or each) and streams.is_terminal(streams.INPUT):
        raise LrguardError("there is nothing to guard", "standard input is a terminal", "see `lrguard batch --help`")
    status, sources = _sources(given)
    settings = sources.settings() if sources else PASSING
    streams.notes(settings.notes, quiet=settings.quiet)
    asker = Asker()
    with place_for(settings, ask=asker) as place:
        if each:
            status = max(status, _each(sources, place))
        else:
            entries: Iterator[Entry | BadEntry]
            entries = map(_of_file, files) if files else _entries(source, place)
            total = settings.total_threshold if settings.enabled else None
            status = max(status, _guarded(list(entries), sources, total, place))
    return 128 + asker.signal if asker.signal else status


def _sources(given: Mapping[str, object]) -> tuple[int, Sources | None]:
    """What speaks of the settings, and the status so far; None where every result is to pass as it is."""
    if os.environ.get(NESTED) == "1":
        return DONE, None
    try:
        return DONE, gather(given, os.environ)
    except ConfigurationError as error:
        return streams.report(error), None


def _guarded(
    entries: list[Entry | BadEntry], sources: Sources | None, total_threshold: int | None, place: Workplace
) -> int:
    """Guard entries and print them; the exit status."""
    status = DONE
    results: list[tuple[Received, Settings]] = []
    for number, entry in enumerate(entries):
        if isinstance(entry, Entry):
            try:
                results.append((_received(entry, place), _settings_for(entry, sources)))
            except LrguardError as error:
                entries[number] = BadEntry(entry.id_lexeme, f"{error.what}: {error.why}")
    try:
        outcomes = iter(guard_all(results, total_threshold, place))
    except Exception:
        # A mistake of ours must not cost a result: what has none yet is where its path says.
        for entry in entries:
            streams.write(written_error(entry) if isinstance(entry, BadEntry) else unchanged(entry))
        raise
    kinds = iter(results)
    for entry in entries:
        if isinstance(entry, BadEntry):
            status = FAILED
            streams.write(written_error(entry))
            continue
        outcome, (_, used) = next(outcomes), next(kinds)
        streams.notes(outcome.notes, quiet=used.quiet)
        if outcome.failure:
            status = streams.report(outcome.failure)
        told = json_module.dumps({"version": 1, "outcome": outcome.kind.value, **details(outcome, used)}).encode()
        streams.write(written(entry, _content(entry, outcome), told))
    if bad := sum(isinstance(entry, BadEntry) for entry in entries):
        streams.note(f"{bad} of {len(entries)} entries could not be guarded; an error stands in the place of each")
    return status


def _each(sources: Sources | None, place: Workplace) -> int:
    """Answer each line of standard input when it comes, so that a harness can keep one process for all its calls."""
    status = DONE
    for line in _lines():
        if line.strip():
            status = max(status, _guarded([read_entry(line.strip())], sources, None, place))
    return status


def _lines() -> Iterator[bytes]:
    descriptor = streams.readable("-", [])
    begun: list[bytes] = []  # joined once: a line may be long, and come in many pieces
    while chunk := os.read(descriptor, CHUNK):
        first, *others = chunk.split(b"\n")
        begun.append(first)
        if others:
            yield b"".join(begun)
            yield from others[:-1]
            begun = others[-1:]
    yield b"".join(begun)


def _entries(source: str | None, place: Workplace) -> Iterator[Entry | BadEntry]:
    descriptor = streams.readable(source or "-", [])
    try:
        received = receive(descriptor, place.make_file)
    except Unspooled as error:
        streams.write_all(error.spool.rescue())
        streams.write_all(_rest(descriptor))
        raise LrguardError("cannot keep the batch", error.why, "it was printed unchanged") from None
    if received.failure:
        raise LrguardError("cannot read the batch", received.failure)
    try:
        yield from read_entries(received.source)
    except NotOutlined:
        raise LrguardError("cannot read the batch", "it is neither a JSON array nor JSON lines") from None


def _of_file(path: str) -> Entry:
    """A file as an entry that names it, for `-` standard input."""
    lexeme = b'{"path": ' + json_string(path) + b"}"
    name = None if path == "-" else path
    return Entry(lexeme, Value(0, len(lexeme), members={}), b"null", None, None, None, False, name, False)


def _received(entry: Entry, place: Workplace) -> Received:
    """The entry's result; raises LrguardError where its file cannot be read."""
    if entry.content is None:
        name = "standard input" if entry.path is None else entry.path
        descriptor = streams.readable("-", []) if entry.path is None else _open(entry.path)
        try:
            received = receive(descriptor, place.make_file)
        except Unspooled as error:
            if entry.path is not None:
                raise LrguardError(f"cannot keep {name}", error.why) from None
            received = held(b"".join([*error.spool.rescue(), *_rest(descriptor)]))
        finally:
            if entry.path is not None:
                os.close(descriptor)
        if received.failure:
            raise LrguardError(f"cannot read {name}", received.failure)
        return replace(received, declared_error=entry.is_error)
    arriving = Arriving(place.make_file)
    try:
        arriving.take(entry.content)
    except Unspooled:
        return replace(held(entry.content), declared_error=entry.is_error)
    return replace(arriving.received(), declared_error=entry.is_error)


def _rest(descriptor: int) -> Iterator[bytes]:
    """What has not been read yet."""
    while chunk := os.read(descriptor, CHUNK):
        yield chunk


def _settings_for(entry: Entry, sources: Sources | None) -> Settings:
    """The settings for one result: those of its own tool, where it names one."""
    settings = sources.settings(tool=entry.tool) if sources else PASSING
    return replace(
        settings,
        tool=entry.tool if entry.tool is not None else settings.tool,
        call_id=entry.id,
        output="mcp" if entry.shaped else "text",
        declared_mcp=entry.shaped,
    )


def _content(entry: Entry, outcome: Outcome) -> bytes | None:
    """The lexeme of what takes the content's place, None where it stays."""
    if outcome.kind is Kind.PASSED and entry.content is not None and outcome.failure is None:
        return None
    data = outcome.content.read()
    if entry.shaped:
        return data.rstrip(b"\n")
    if outcome.content_encoding == "utf-8" and entry.content is not None:
        return json_string(data.decode("utf-8", "surrogatepass"))
    return json_string(data.decode(outcome.content_encoding, "replace"))


def _open(path: str) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise LrguardError(f"cannot read {path}", error.strerror or str(error)) from None
