"""What an MCP tool result says: its text, told from its envelope.

It is decoded into one spool in pieces, so that memory holds the document once, whatever it says.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator

from lrguard.intake.json_outline import Value
from lrguard.intake.json_text import decoded
from lrguard.intake.mcp_envelope import LARGEST, Block, Envelope, Role, find
from lrguard.intake.source import Slice, Source, Spool
from lrguard.records import dataclass

COMPARED = 8 * 1024 * 1024
"""Bytes of structured content beyond which it is not compared with the texts, since that takes many times its size."""

ENVELOPE = 120
"""Bytes that the names and brackets around a text may have and count nothing."""


@dataclass(frozen=True, slots=True)
class McpResult:
    """What an MCP tool result says."""

    envelope: Envelope
    parts: tuple[Source, ...]
    """Its texts in the order of the blocks, other blocks and structured content as the JSON they are."""
    text: Source
    """All of it as one text, a part beginning on a line of its own."""
    measured: Source
    """The text and everything else that stays in the output but for media: metadata and annotations, as JSON."""
    is_error: bool


def read(
    text: Source,
    spool: Callable[[], Spool],
    *,
    declared: bool = False,
    keeps_media: bool = False,
    references: Collection[int] = (),
) -> McpResult | None:
    """The MCP result that `text` is, the JSON-RPC response around it included; None when it is something else.

    `declared`: it was said to be one, so that a bare array of blocks is one too, and unknown members are no doubt.
    `keeps_media`: images and audio stay as they are and say nothing. `references` are the offsets of the values that
    are references of lrguard; any others in the text are what someone else wrote.
    """
    if not 1 < text.size <= LARGEST:
        return None
    data = text.read()
    envelope = find(text, data, declared=declared, keeps_media=keeps_media, references=references)
    return _said(envelope, data, spool) if envelope else None


def media(text: Source, *, declared: bool = False) -> list[tuple[int, int]]:
    """The offsets, in order, of the images and audio of the MCP result that `text` is; empty when it is none."""
    if not 1 < text.size <= LARGEST:
        return []
    envelope = find(text, text.read(), declared=declared, keeps_media=True, references=())
    kept = [block.value for block in envelope.blocks if block.role is Role.MEDIA] if envelope else []
    return [(value.start, value.end) for value in kept]


def _said(envelope: Envelope, data: bytes, spool: Callable[[], Spool]) -> McpResult | None:
    """What the blocks say, all of it in one spool."""
    whole, ends, rest = spool(), list[int](), list[bytes]()
    try:
        for block in envelope.blocks:
            if block.role is not Role.MEDIA:
                _begin(whole, ends)
                for piece in _told(block, data):
                    whole.write(piece)
                ends.append(whole.size)
            if block.role is not Role.OTHER:
                rest += _around(data, block.value, [block.says])
    except (ValueError, RecursionError):
        return None
    structured = envelope.structured
    spoken = _slices(whole, ends)
    if structured and not _repeats(data[structured.start : structured.end], spoken):
        _begin(whole, ends)
        whole.write(data[structured.start : structured.end])
        ends.append(whole.size)
        spoken = _slices(whole, ends)
    if envelope.result.items is None:
        rest += _around(data, Value(0, len(data), envelope.result.members), [envelope.content, structured])
    text = whole.source()
    error = envelope.result.get("isError")
    is_error = error is not None and data[error.start : error.end] == b"true"
    return McpResult(envelope, spoken, text, _with_rest(text, rest, spool), is_error)


def _begin(whole: Spool, ends: list[int]) -> None:
    if ends:
        whole.write(b"\n")


def _slices(whole: Spool, ends: list[int]) -> tuple[Source, ...]:
    text = whole.source()
    starts = [0, *(end + 1 for end in ends)]
    return tuple(Slice(text, start, end) for start, end in zip(starts, ends, strict=False))


def _with_rest(text: Source, rest: list[bytes], spool: Callable[[], Spool]) -> Source:
    if not rest:
        return text
    measured = spool()
    for chunk in text.chunks():
        measured.write(chunk)
    for one in rest:
        measured.write(b"\n" + one)
    return measured.source()


def _told(block: Block, data: bytes) -> Iterator[bytes]:
    """The text of one block in pieces; raises ValueError where its string is broken."""
    yield block.lead.encode("utf-8", "surrogatepass")
    if block.says is None:
        yield data[block.value.start : block.value.end]
    elif block.reference:
        yield block.reference.encode("utf-8", "surrogatepass")
    else:
        yield from decoded(data, block.says.start + 1, block.says.end - 1)


def _around(data: bytes, value: Value, inside: list[Value | None]) -> list[bytes]:
    """What stands in `value` outside of `inside`, where it is more than an envelope."""
    pieces, at = [], value.start
    for one in sorted((one for one in inside if one), key=lambda one: one.start):
        pieces.append(data[at : one.start])
        at = one.end
    pieces.append(data[at : value.end])
    noted = value.get("annotations") or value.get("_meta")
    return [b"".join(pieces)] if noted or sum(map(len, pieces)) > ENVELOPE else []


def _repeats(structured: bytes, parts: tuple[Source, ...]) -> bool:
    """Whether the texts say the same; servers wrap other values as `{"result": ...}`, and give each item a block."""
    if structured == b"null":
        return True
    if len(structured) > COMPARED or sum(part.size for part in parts) > 4 * COMPARED:
        return False
    try:
        value = json.loads(structured.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return False
    inner = value["result"] if isinstance(value, dict) and value.keys() == {"result"} else value
    if isinstance(inner, list) and len(inner) == len(parts) and all(map(_says, parts, inner)):
        return True
    return any(_says(part, value) or (inner is not value and _says(part, inner)) for part in parts)


def _says(part: Source, value: object) -> bool:
    try:
        text = part.read().decode("utf-8", "surrogatepass")
        return text == value or bool(json.loads(text, strict=False) == value)
    except (ValueError, RecursionError):
        return False
