"""One tool result from its bytes to its outcome: the story of the whole program, top to bottom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from lrguard.assets.link import Asset
from lrguard.errors import SaveError
from lrguard.intake.encoding import byte_order_mark, detect, from_utf8
from lrguard.intake.media_type import OCTET_STREAM, MediaType, sniff
from lrguard.intake.receive import Received
from lrguard.intake.source import BytesSource, Source, Spool
from lrguard.intake.text_kind import TextKind, kind_of
from lrguard.measure.tokens import Counter, Measurement
from lrguard.outcome import Kind, Outcome
from lrguard.present import mcp_shape
from lrguard.present.highlights import SCANNED, highlights
from lrguard.present.message import MAX_TOKENS, NamedAsset, Subject, compose, compose_binary, compose_unsaved
from lrguard.present.preview import beginning, ends
from lrguard.reading import ReadingCopy, reading_copy
from lrguard.session import names
from lrguard.session.metadata import AssetRecord
from lrguard.session.reader import Saved
from lrguard.session.store import Facts, Session
from lrguard.settings import Settings
from lrguard.structure.schema import compact, infer
from lrguard.text import Text, source_of, understand

SNIFFED = 64 * 1024
"""Bytes of the head that are compared with signatures."""

COUNTED = 128 * 1024
"""Bytes up to which a result that passes is counted exactly where its number of tokens is told."""

STRUCTURE_READ = 4 * 1024 * 1024
"""Bytes of a text from which the structure in its message is inferred; `lrguard schema` reads all of it."""

STRUCTURE_TOKENS = 400
"""Tokens of the structure in a message (contract, section 6)."""

LOGS = (TextKind.PLAIN, TextKind.JSON_LINES)
"""Kinds of text in which lines may report errors; in the others they are the subject of prose or data."""

STRUCTURED = (TextKind.JSON, TextKind.JSON_LINES, TextKind.JSON_SEQUENCE, TextKind.CSV, TextKind.TSV)
"""Kinds of text whose structure a message shows."""


@dataclass(frozen=True, slots=True)
class Workplace:
    """What guarding needs beside the settings: where to save, what counts, files for what memory should not hold.

    With `keeps` false nothing is saved, and only the outcome is told.
    """

    session: Session
    counter: Counter
    make_file: Callable[[], int]
    keeps: bool = True

    def spool(self) -> Spool:
        """A new spool."""
        return Spool(self.make_file)

    def store(self, asset: Asset, data: bytes) -> str:
        """The path under which an asset is saved; raises SaveError."""
        if self.keeps:
            return self.session.save_asset(data, asset.sha256, asset.extension)
        return self.session.asset_path(asset.sha256, asset.extension)

    def save(self, original: Source, facts: Facts, reading: ReadingCopy | None = None) -> Saved:
        """The saved response; raises SaveError."""
        if not self.keeps:
            return self.foresee(facts, reading)
        return self.session.save(original, *_with_reading(facts, reading))

    def foresee(self, facts: Facts, reading: ReadingCopy | None) -> Saved:
        """The saved response as `save` would return it; nothing is written."""
        facts, source = _with_reading(facts, reading)
        return self.session.foresee(facts, source)


def guard(received: Received, settings: Settings, place: Workplace) -> Outcome:
    """What becomes of `received`. What has to be saved is saved by then, or the outcome tells why it is not."""
    media = sniff(received.source.read(0, SNIFFED), received.source.size, received.source.read)
    encoding = None if media else detect(received.source, received.scan)
    try:
        if encoding is None:
            return _binary(received, media or OCTET_STREAM, settings, place)
        text = _understood(received, encoding, place.store, settings, place)
        measurement = place.counter.against(text.measured, settings.threshold, exact_up_to=COUNTED)
        offloaded = _offload(text, measurement, settings, place) if measurement.over else None
        return offloaded or _inline(text, measurement, settings, place)
    except SaveError as error:
        place.session.discard_new_assets()
        return _unsaved(received, encoding, error, settings, place)


def _understood(
    received: Received,
    encoding: str,
    store: Callable[[Asset, bytes], str] | None,
    settings: Settings,
    place: Workplace,
) -> Text:
    return understand(received, encoding, store, place.spool, media=settings.media, declared_mcp=settings.declared_mcp)


def _inline(text: Text, measurement: Measurement, settings: Settings, place: Workplace) -> Outcome:
    """The result as it came, or with references where its assets were."""
    outcome = _outcome(text, measurement, Kind.PASSED, text.received.source)
    original = text.received.source
    anew = settings.output == "mcp" and (text.linked is not None if text.mcp else not settings.declared_mcp)
    if anew:
        outcome = replace(outcome, content=_as_mcp_result(text, place), content_encoding="utf-8")
    if text.linked:
        if not anew:
            content = from_utf8(text.shown, text.encoding, place.spool(), byte_order_mark(original, text.encoding))
            outcome = replace(outcome, content=content)
        saved = place.save(original, _facts(text, measurement, settings), reading_copy(text, place.spool))
        return _located(replace(outcome, kind=Kind.EXTRACTED), saved, place)
    if not text.exact and (anew or settings.output == "json"):
        return _located(outcome, place.save(original, _facts(text, measurement, settings)), place)
    return outcome


def _as_mcp_result(text: Text, place: Workplace) -> Source:
    """What stays of a result, as an MCP result: its own with references in it, or one that is made around it."""
    if text.mcp is None:
        return mcp_shape.wrapped(text.shown, place.spool())
    return mcp_shape.with_references(text.mcp.envelope, _places(text), place.spool())


def _in_shape(message: str, text: Text | None, settings: Settings, place: Workplace) -> tuple[Source, int]:
    """What is printed for a message, and its tokens: the message, or an MCP result that says it."""
    if settings.output != "mcp":
        return source_of(message), place.counter.text(message)
    if text is None or text.mcp is None:
        bare = settings.declared_mcp and text is not None and text.utf8.read(0, 64).lstrip().startswith(b"[")
        return mcp_shape.wrapped(source_of(message), place.spool(), bare=bare), place.counter.text(message)
    shaped, tokens = mcp_shape.with_message(
        text.mcp.envelope, message, _places(text), settings.threshold, place.counter.text
    )
    return BytesSource(shaped), tokens


def _places(text: Text) -> list[tuple[int, int]]:
    return [(one.at, one.length) for one in text.linked.replaced] if text.linked else []


def _offload(text: Text, measurement: Measurement, settings: Settings, place: Workplace) -> Outcome | None:
    """The message for a result over the threshold, None when the message would not be shorter than the result."""
    original = text.received.source
    known = place.session.find_reading_copy(text.received.sha256, original.size)
    reading = None if known else reading_copy(text, place.spool)
    previewed = ends(text.readable if text.mcp or not reading else reading.source)
    facts = _facts(text, measurement, settings)
    subject = _subject(text, reading, measurement, settings, place)

    def message(saved: Saved) -> str:
        return compose(_named(subject, saved), previewed, settings.preview_chars, place.counter.text)

    replaceable = _replaceable(text, measurement, settings, place)
    if replaceable <= 2 * MAX_TOKENS:
        draft = message(known or place.foresee(facts, reading))
        if place.counter.text(draft) >= replaceable:
            return None
    saved = known or place.save(original, facts, reading)
    content, tokens = _in_shape(message(saved), text, settings, place)
    outcome = replace(
        _outcome(text, measurement, Kind.OFFLOADED, content),
        content_encoding="utf-8",
        content_exact=True,
        content_tokens=tokens,
    )
    return _located(outcome, saved, place)


def _replaceable(text: Text, measurement: Measurement, settings: Settings, place: Workplace) -> int:
    """The tokens that a message would save: in an MCP result that keeps its shape, metadata stays beside it."""
    if settings.output == "mcp" and text.mcp and text.mcp.text.size <= 16 * MAX_TOKENS:
        return place.counter.whole(text.mcp.text).tokens
    return measurement.tokens


def _binary(received: Received, media: MediaType, settings: Settings, place: Workplace) -> Outcome:
    """The message for a result that is one binary file, saved whatever its size."""
    facts = Facts(
        place=names.DOWNLOADS,
        sha256=received.sha256,
        extension=media.extension,
        media_type=media.name,
        bytes=received.source.size,
        tool=settings.tool,
        call_id=settings.call_id,
        incomplete=received.incomplete,
    )
    saved = place.save(received.source, facts)
    subject = Subject(
        session=place.session.shown,
        tool=settings.tool,
        media_type=media.name,
        size=received.source.size,
        remarks=_remarks(received),
        ended=received.ended,
    )
    message = compose_binary(_named(subject, saved), beginning(received.source, settings.preview_chars))
    content, tokens = _in_shape(message, None, settings, place)
    outcome = Outcome(
        kind=Kind.BINARY,
        content=content,
        content_encoding="utf-8",
        content_tokens=tokens,
        media_type=media.name,
        size=received.source.size,
        sha256=received.sha256,
        incomplete=received.incomplete,
    )
    return _located(outcome, saved, place)


def _unsaved(
    received: Received, encoding: str | None, error: SaveError, settings: Settings, place: Workplace
) -> Outcome:
    """The result unchanged, since it could not be saved; its ends where it is too large and they are asked for."""
    if encoding is None:
        return Outcome(
            kind=Kind.PASSED,
            content=received.source,
            content_encoding="utf-8",
            content_tokens=0,
            content_exact=False,
            media_type=OCTET_STREAM.name,
            size=received.source.size,
            sha256=received.sha256,
            incomplete=received.incomplete,
            failure=error,
        )
    text = _understood(received, encoding, None, settings, place)
    measurement = place.counter.against(text.measured, settings.threshold, exact_up_to=COUNTED)
    outcome = replace(_outcome(text, measurement, Kind.PASSED, received.source), failure=error)
    if settings.on_save_error == "pass" or not measurement.over:
        return outcome
    message = compose_unsaved(
        _number(measurement), settings.threshold, error.why, ends(text.readable), settings.preview_chars
    )
    content, tokens = _in_shape(message, text, settings, place)
    return replace(outcome, content=content, content_encoding="utf-8", content_exact=True, content_tokens=tokens)


def _outcome(text: Text, measurement: Measurement, kind: Kind, content: Source) -> Outcome:
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


def _with_reading(facts: Facts, reading: ReadingCopy | None) -> tuple[Facts, Source | None]:
    return (replace(facts, reading_extension=reading.extension), reading.source) if reading else (facts, None)


def _located(outcome: Outcome, saved: Saved, place: Workplace) -> Outcome:
    if not place.keeps:
        return outcome
    return replace(outcome, id=saved.id, saved=saved.path, reading_copy=saved.reading_copy)


def _facts(text: Text, measurement: Measurement, settings: Settings) -> Facts:
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


def _subject(
    text: Text, reading: ReadingCopy | None, measurement: Measurement, settings: Settings, place: Workplace
) -> Subject:
    """What the message tells of `text`, but for the names that it is saved under."""
    lines = reading.source if reading else text.utf8
    inner = kind_of(text.readable).kind if text.mcp else text.kind.kind
    assets = text.linked.assets if text.linked else ()
    return Subject(
        session=place.session.shown,
        tool=settings.tool,
        media_type=text.kind.kind.media_type,
        encoding=text.encoding,
        size=text.received.source.size,
        lines=text.lines,
        tokens=_number(measurement),
        threshold=settings.threshold,
        is_error=text.is_error,
        remarks=_remarks(text.received, text),
        ended=text.received.ended,
        assets=tuple(NamedAsset(a.path, a.asset.media_type, a.asset.size, a.asset.json_path) for a in assets),
        structure=_structure(text, place) if inner in STRUCTURED else "",
        highlights=tuple(highlights(lines)) if inner in LOGS else (),
        structured=inner in STRUCTURED,
        searchable=True,
    )


def _structure(text: Text, place: Workplace) -> str:
    found = infer(text.readable, limit_bytes=STRUCTURE_READ)
    if found is None:
        return ""
    notes = "".join(f" ({note})" for note in found.notes)
    return compact(found, STRUCTURE_TOKENS, place.counter.text) + notes


def _named(subject: Subject, saved: Saved) -> Subject:
    return replace(subject, id=saved.id, saved=saved.path, reading_copy=saved.reading_copy)


def _remarks(received: Received, text: Text | None = None) -> tuple[str, ...]:
    remarks = []
    if received.incomplete:
        remarks.append("incomplete: it was cut off while it was read")
    if received.partial:
        remarks.append(received.partial)
    if text and text.kind.cut:
        remarks.append("the JSON is cut short at its end")
    if text and text.utf8.size > SCANNED:
        remarks.append("too large to read whole: type, structure and error lines come from parts of it")
    return tuple(remarks)


def _number(measurement: Measurement) -> str:
    """A number of tokens as it is printed: an estimate says so."""
    return f"{'' if measurement.exact else '~'}{measurement.tokens:,}"
