"""The shape in which an outcome is printed: a text, or an MCP result where the settings ask for one."""

from __future__ import annotations

from lrguard.intake.source import BytesSource, Source
from lrguard.present import mcp_shape
from lrguard.settings import Settings
from lrguard.text import Text, source_of
from lrguard.workplace import Workplace


def as_mcp_result(text: Text, place: Workplace, *, keeps_types: bool = False) -> Source:
    """What stays of a result, as an MCP result: its own with references in it, or one that is made around it."""
    if text.mcp is None:
        return mcp_shape.wrapped(text.shown, place.spool(), is_error=text.is_error)
    return mcp_shape.with_references(text.mcp.envelope, _places(text), place.spool(), keeps_types=keeps_types)


def in_shape(
    message: str, text: Text | None, settings: Settings, place: Workplace, *, room: int | None = None
) -> tuple[Source, int]:
    """What is printed for a message, and its tokens: the message, or an MCP result that says it.

    `room`: tokens that its blocks which are no text may have; None: as many as a result that passes.
    """
    if settings.output != "mcp":
        return source_of(message), place.counter.text(message)
    if text is None or text.mcp is None:
        bare = settings.declared_mcp and text is not None and text.utf8.read(0, 64).lstrip().startswith(b"[")
        is_error = text is not None and text.is_error
        shaped = mcp_shape.wrapped(source_of(message), place.spool(), bare=bare, is_error=is_error)
        return shaped, place.counter.text(message)
    kept, tokens = mcp_shape.with_message(
        text.mcp.envelope,
        message,
        _places(text),
        settings.threshold if room is None else room,
        place.counter.text,
        keeps_types=settings.keeps_schema,
    )
    return BytesSource(kept), tokens


def _places(text: Text) -> list[tuple[int, int]]:
    return [(one.at, one.length) for one in text.linked.replaced] if text.linked else []
