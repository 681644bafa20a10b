"""What is told of a tool result: in its metadata, in its message, and in the outcome."""

from __future__ import annotations

from lrguard.intake.media_type import MediaType
from lrguard.intake.receive import Received
from lrguard.intake.source import Source
from lrguard.intake.text_kind import TextKind, kind_of
from lrguard.measure.tokens import Measurement
from lrguard.outcome import Kind, Outcome
from lrguard.present.highlights import SCANNED, highlights
from lrguard.present.message import NamedAsset, Subject
from lrguard.reading import ReadingCopy
from lrguard.records import replace
from lrguard.session import names
from lrguard.session.metadata import AssetRecord
from lrguard.session.reader import Saved
from lrguard.session.store import Facts
from lrguard.settings import Settings
from lrguard.text import Text
from lrguard.workplace import Workplace

STRUCTURE_READ = 4 * 1024 * 1024
"""Bytes of a text from which the structure in its message is inferred; `lrguard schema` reads all of it."""

STRUCTURE_TOKENS = 400
"""Tokens of the structure in a message (contract, section 6)."""

LOGS = (TextKind.PLAIN, TextKind.JSON_LINES)
"""Kinds of text in which lines may report errors; in the others they are the subject of prose or data."""

STRUCTURED = (TextKind.JSON, TextKind.JSON_LINES, TextKind.JSON_SEQUENCE, TextKind.CSV, TextKind.TSV)
"""Kinds of text whose structure a message shows."""


def outcome_of(text: Text, measurement: Measurement, kind: Kind, content: Source) -> Outcome:
    """An outcome with everything that is known of `text` before it is saved."""
    return Outcome(
        kind=kind,
        content=content,
        content_encoding=text.encoding,
        content_tokens=measurement.tokens,
        content_exact=text.exact,
        media_type=text.kind.kind.media_type,
        encoding=text.encoding,
        size=text.received.source.size,
        lines=text.lines,
        sha256=text.received.sha256,
        tokens=measurement.tokens,
        tokens_exact=measurement.exact,
        is_error=text.is_error,
        incomplete=text.received.incomplete,
        assets=text.linked.assets if text.linked else (),
    )


def located(outcome: Outcome, saved: Saved, place: Workplace) -> Outcome:
    """`outcome` with where it is saved, unless nothing is."""
    if not place.keeps:
        return outcome
    return replace(outcome, id=saved.id, saved=saved.path, reading_copy=saved.reading_copy)


def facts_of(text: Text, measurement: Measurement, settings: Settings) -> Facts:
    """What is kept beside a saved text."""
    return Facts(
        place=names.LONG_RESPONSES,
        sha256=text.received.sha256,
        extension=text.kind.kind.extension,
        media_type=text.kind.kind.media_type,
        encoding=text.encoding,
        bytes=text.received.source.size,
        lines=text.lines,
        tokens=measurement.tokens,
        tokens_exact=measurement.exact,
        tool=settings.tool,
        call_id=settings.call_id,
        is_error=text.is_error,
        incomplete=text.received.incomplete,
        assets=tuple(
            AssetRecord(
                file=stored.path,
                media_type=stored.asset.media_type,
                declared_media_type=stored.asset.declared_media_type,
                bytes=stored.asset.size,
                sha256=stored.asset.sha256,
                json_path=stored.asset.json_path,
                source=stored.asset.origin,
            )
            for stored in (text.linked.assets if text.linked else ())
        ),
    )


def facts_of_binary(received: Received, media: MediaType, settings: Settings) -> Facts:
    """What is kept beside a result that is one binary file."""
    return Facts(
        place=names.DOWNLOADS,
        sha256=received.sha256,
        extension=media.extension,
        media_type=media.name,
        bytes=received.source.size,
        tool=settings.tool,
        call_id=settings.call_id,
        is_error=received.is_error,
        incomplete=received.incomplete,
    )


def subject_of(
    text: Text,
    reading: ReadingCopy | None,
    measurement: Measurement,
    settings: Settings,
    place: Workplace,
    *,
    brief: bool = False,
) -> Subject:
    """What the message tells of `text`, but for the names that it is saved under; `brief`: what a line of it tells."""
    shared = Subject(
        session=place.session.shown,
        tool=settings.tool,
        media_type=text.kind.kind.media_type,
        size=text.received.source.size,
        tokens=number(measurement),
        threshold=settings.threshold,
        combined=settings.combined,
        is_error=text.is_error,
    )
    if brief:
        return shared
    lines = reading.source if reading else text.utf8
    newlines = text.received.scan.newlines if lines is text.received.source else None
    inner = kind_of(text.readable).kind if text.mcp else text.kind.kind
    assets = text.linked.assets if text.linked else ()
    return replace(
        shared,
        encoding=text.encoding,
        lines=text.lines,
        remarks=remarks(text.received, text),
        ended=text.received.ended,
        assets=tuple(NamedAsset(a.path, a.asset.media_type, a.asset.size, a.asset.json_path) for a in assets),
        structure=_structure(text, place) if inner in STRUCTURED else "",
        highlights=tuple(highlights(lines, newlines)) if inner in LOGS else (),
        structured=inner in STRUCTURED,
        searchable=True,
        by_tools=settings.offers_tools,
    )


def subject_of_binary(received: Received, media: MediaType, settings: Settings, place: Workplace) -> Subject:
    """What the message tells of a result that is one binary file, but for the names that it is saved under."""
    return Subject(
        session=place.session.shown,
        tool=settings.tool,
        media_type=media.name,
        size=received.source.size,
        is_error=received.is_error,
        remarks=remarks(received),
        ended=received.ended,
    )


def _structure(text: Text, place: Workplace) -> str:
    from lrguard.structure.schema import compact, infer  # a log pays nothing for it

    found = infer(text.readable, limit_bytes=STRUCTURE_READ)
    if found is None:
        return ""
    notes = "".join(f" ({note})" for note in found.notes)
    return compact(found, STRUCTURE_TOKENS, place.counter.text) + notes


def named(subject: Subject, saved: Saved) -> Subject:
    """`subject` with the names that the response is saved under."""
    return replace(subject, id=saved.id, saved=saved.path, reading_copy=saved.reading_copy)


def remarks(received: Received, text: Text | None = None) -> tuple[str, ...]:
    """What else is to be said of a result, in a few words each."""
    found = []
    if received.incomplete:
        found.append("incomplete: it was cut off while it was read")
    if received.partial:
        found.append(received.partial)
    if text and text.kind.cut:
        found.append("the JSON is cut short at its end")
    if text and text.utf8.size > SCANNED:
        found.append("too large to read whole: type, structure and error lines come from parts of it")
    return tuple(found)


def number(measurement: Measurement) -> str:
    """A number of tokens as it is printed: an estimate says so, and has three digits that mean something."""
    if measurement.exact:
        return f"{measurement.tokens:,}"
    return f"~{round(measurement.tokens, 3 - len(str(measurement.tokens))):,}"
