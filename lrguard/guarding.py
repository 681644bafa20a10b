"""One tool result from its bytes to its outcome: the story of the whole program, top to bottom."""

from __future__ import annotations

from lrguard.description import facts_of, facts_of_binary, located, named, number, outcome_of, subject_of_binary
from lrguard.errors import SaveError
from lrguard.intake.encoding import byte_order_mark, detect, from_utf8
from lrguard.intake.mcp_envelope import asks_for_input
from lrguard.intake.media_type import OCTET_STREAM, MediaType, sniff
from lrguard.intake.receive import Received
from lrguard.measure.tokens import Measurement
from lrguard.offload import Offload
from lrguard.outcome import Kind, Outcome
from lrguard.present.message import compose_binary, compose_unsaved
from lrguard.present.preview import beginning, ends
from lrguard.reading import reading_copy
from lrguard.records import replace
from lrguard.settings import Settings
from lrguard.shape import as_mcp_result, in_shape
from lrguard.text import Text, understand
from lrguard.workplace import Workplace

SNIFFED = 64 * 1024
"""Bytes of the head that are compared with signatures."""

COUNTED = 128 * 1024
"""Bytes up to which a result is counted exactly where its number of tokens is told although it passes."""


def guard(received: Received, settings: Settings, place: Workplace) -> Outcome:
    """What becomes of `received`. What has to be saved is saved by then, or the outcome tells why it is not."""
    media, encoding = identify(received)
    if is_to_stay(received, settings):
        return unsaved(received, encoding, None, settings, place)
    try:
        if encoding is None:
            return binary(received, media or OCTET_STREAM, settings, place)
        text, measurement = weigh(received, encoding, settings, place, exact_up_to=_told(settings))
        if measurement.over:
            offload = Offload(text, measurement, settings, place)
            if offload.is_worthwhile(settings.preview_chars):
                return offload.outcome(settings.preview_chars)
        return inline(text, measurement, settings, place)
    except SaveError as error:
        place.session.discard_new_assets()
        return unsaved(received, encoding, error, settings, place)


def identify(received: Received) -> tuple[MediaType | None, str | None]:
    """The binary type that a result has, or else the encoding in which it is text; neither of unknown binary data."""
    source = received.source
    media = sniff(source.read(0, SNIFFED), source.size, source.read)
    return media, None if media else detect(source, received.scan)


def is_to_stay(received: Received, settings: Settings) -> bool:
    """Whether nothing is to be done: lrguard is off, or it is no result yet, since an MCP server asks for more."""
    return not settings.enabled or (settings.output == "mcp" and asks_for_input(received.source))


def weigh(
    received: Received, encoding: str, settings: Settings, place: Workplace, *, exact_up_to: int = COUNTED
) -> tuple[Text, Measurement]:
    """A text understood, its assets kept, and what would be printed of it measured; raises SaveError.

    Up to `exact_up_to` bytes the number is exact, although deciding asks for less.
    """
    text = understand(
        received, encoding, place.store, place.spool, media=settings.media, declared_mcp=settings.declared_mcp
    )
    return text, place.counter.against(text.measured, settings.threshold, exact_up_to=exact_up_to)


def inline(text: Text, measurement: Measurement, settings: Settings, place: Workplace) -> Outcome:
    """The result as it came, or with references where its assets were, which saves it; raises SaveError."""
    outcome = outcome_of(text, measurement, Kind.PASSED, text.received.source)
    original = text.received.source
    anew = settings.output == "mcp" and (text.linked is not None if text.mcp else not settings.declared_mcp)
    if anew:
        outcome = replace(
            outcome, content=as_mcp_result(text, place, keeps_types=settings.keeps_schema), content_encoding="utf-8"
        )
    if text.linked:
        if not anew:
            content = from_utf8(text.shown, text.encoding, place.spool(), byte_order_mark(original, text.encoding))
            outcome = replace(outcome, content=content)
        saved = place.save(original, facts_of(text, measurement, settings), reading_copy(text, place.spool))
        return located(replace(outcome, kind=Kind.EXTRACTED), saved, place)
    if not text.exact and (anew or settings.output == "json"):
        return located(outcome, place.save(original, facts_of(text, measurement, settings)), place)
    return outcome


def binary(received: Received, media: MediaType, settings: Settings, place: Workplace) -> Outcome:
    """The message for a result that is one binary file, saved whatever its size; raises SaveError."""
    saved = place.save(received.source, facts_of_binary(received, media, settings))
    subject = named(subject_of_binary(received, media, settings, place), saved)
    message = compose_binary(subject, beginning(received.source, settings.preview_chars))
    content, tokens = in_shape(message, None, settings, place)
    outcome = Outcome(
        kind=Kind.BINARY,
        content=content,
        content_encoding="utf-8",
        content_tokens=tokens,
        media_type=media.name,
        size=received.source.size,
        sha256=received.sha256,
        is_error=received.is_error,
        incomplete=received.incomplete,
    )
    return located(outcome, saved, place)


def unsaved(
    received: Received, encoding: str | None, error: SaveError | None, settings: Settings, place: Workplace
) -> Outcome:
    """The result unchanged, since it could not be saved; its ends where it is too large and they are asked for.

    Without an error it is unchanged since nothing is to be done to it.
    """
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
            is_error=received.is_error,
            incomplete=received.incomplete,
            failure=error,
        )
    text = understand(received, encoding, None, place.spool, media=settings.media, declared_mcp=settings.declared_mcp)
    measurement = place.counter.against(text.measured, settings.threshold, exact_up_to=_told(settings))
    outcome = replace(outcome_of(text, measurement, Kind.PASSED, received.source), failure=error)
    if error is None or settings.on_save_error == "pass" or not measurement.over:
        return outcome
    tokens = number(measurement)
    message = compose_unsaved(tokens, settings.threshold, error.why, ends(text.readable), settings.preview_chars)
    content, shown = in_shape(message, text, settings, place)
    return replace(outcome, content=content, content_encoding="utf-8", content_exact=True, content_tokens=shown)


def _told(settings: Settings) -> int:
    """The bytes up to which a number is exact: a result that just passes is printed without one."""
    return COUNTED if settings.output == "json" else 0
