"""Writes an MCP result again with a message, or with references, in the place of what it said.

Only what changes is written anew: every other lexeme, and the order of the blocks, is the document's own.
"""

from __future__ import annotations

import codecs
import json
import os
from bisect import bisect_left
from collections.abc import Callable, Iterable
from itertools import islice

from lrguard.intake.json_outline import Value
from lrguard.intake.mcp_envelope import Block, Envelope, Role, reference_of
from lrguard.intake.source import Source, Spool
from lrguard.present.mcp_structured import shrunk

STRUCTURED_KEPT = 1024
"""Bytes of structured content that stays beside a message: less than looking it up again would cost."""

STRUCTURED_SHRUNK = 4096
"""Bytes of the short form of structured content."""

_NOT_IN_LINES = {ord("\u2028"): "\\u2028", ord("\u2029"): "\\u2029"}

Edit = tuple[int, int, bytes]
"""Bytes of the document, `start` to `end`, and what stands there instead."""


def json_string(text: str) -> bytes:
    """`text` as a JSON string in UTF-8; lone surrogates and what some readers take for line ends are escaped."""
    written = json.dumps(text, ensure_ascii=False).translate(_NOT_IN_LINES)
    try:
        return written.encode()
    except UnicodeEncodeError:
        return json.dumps(text).encode()


def text_block(text: str, more: Iterable[bytes] = ()) -> bytes:
    """A text block; `more` are further members as they are written."""
    return b"".join([b'{"type":"text","text":', json_string(text), *(b"," + one for one in more), b"}"])


def wrapped(text: Source, spool: Spool, *, bare: bool = False, is_error: bool = False) -> Source:
    """An MCP result with one block that says `text`, or its `bare` array of blocks; invalid UTF-8 becomes U+FFFD."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    spool.write(b'[{"type":"text","text":"' if bare else b'{"content":[{"type":"text","text":"')
    for chunk in text.chunks():
        spool.write(json_string(decoder.decode(chunk))[1:-1])
    spool.write(json_string(decoder.decode(b"", final=True))[1:-1])
    spool.write(b'"}]' if bare else b'"}],"isError":true}\n' if is_error else b'"}]}\n')
    return spool.source()


def with_references(
    envelope: Envelope, replaced: Iterable[tuple[int, int]], spool: Spool, *, keeps_types: bool = False
) -> Source:
    """The result with text blocks for the data that was taken out of it.

    `replaced` are the offsets of lrguard's references, in order. What is a value in structured content, metadata or an
    unknown block stays an object; elsewhere a client expects a string, with `keeps_types` in structured content too.
    """
    places = _Places(envelope, replaced)
    edits = _typed(envelope, places) if keeps_types else []
    for block in envelope.blocks:
        edits += _references(envelope, block, places)
    at = 0
    for start, end, instead in sorted(edits):
        for chunk in envelope.document.chunks(at, start):
            spool.write(chunk)
        spool.write(instead)
        at = end
    for chunk in envelope.document.chunks(at):
        spool.write(chunk)
    return spool.source()


def with_message(
    envelope: Envelope,
    message: str,
    replaced: Iterable[tuple[int, int]],
    room: int,
    count: Callable[[bytes], int],
    *,
    keeps_types: bool = False,
) -> tuple[bytes, int]:
    """The result with `message` in the place of its texts, and the tokens of what a model reads in it.

    Blocks that are no text stay as long as they have at most `room` tokens together, else the largest go first: they
    are in the saved response. Media stay, and count nothing. Structured content goes unless it is small and there is
    any room; with `keeps_types` it stays in a short form.
    """
    places = _Places(envelope, replaced)
    written = {
        number: _apply(envelope, block.value, _references(envelope, block, places))
        for number, block in enumerate(envelope.blocks)
        if block.role is not Role.TEXT
    }
    others = {number for number in written if envelope.blocks[number].role is Role.OTHER}
    kept, tokens = _fitting({number: written[number] for number in others}, room, count)
    texts = (number for number, block in enumerate(envelope.blocks) if block.role is Role.TEXT)
    stands = next(texts, min((number for number in others if number not in kept), default=0))
    items = []
    for number in range(max(len(envelope.blocks), 1)):
        if number == stands:
            items.append(text_block(message))
        if number in kept or (number in written and number not in others):
            items.append(written[number])
    content = b"[" + b",".join(items) + b"]"
    structured = _short_structured(envelope, places, STRUCTURED_KEPT if room else 0, keeps_types=keeps_types)
    shaped = _apply(envelope, envelope.whole, _around(envelope, content, structured))
    tokens += count(message.encode("utf-8", "replace")) + (count(structured) if structured else 0)
    return shaped + envelope.document.read(envelope.whole.end), tokens


def _short_structured(envelope: Envelope, places: _Places, most: int, *, keeps_types: bool) -> bytes | None:
    """The structured content that stays beside a message, up to `most` bytes; None where none does."""
    structured = envelope.structured
    if not structured:
        return None
    if keeps_types:
        lexeme = _apply(envelope, structured, _typed(envelope, places))
        return lexeme if len(lexeme) <= STRUCTURED_KEPT else shrunk(lexeme, STRUCTURED_SHRUNK)
    return envelope.lexeme(structured) if structured.end - structured.start <= most else None


def _around(envelope: Envelope, content: bytes, short: bytes | None) -> list[Edit]:
    """What changes around the blocks: `content`, and structured content, which goes or has a `short` form."""
    structured, old = envelope.structured, envelope.content
    if old:
        edits = [(old.start, old.end, content)]
        if structured:
            start, end = structured.cut if short is None else (structured.start, structured.end)
            edits.append((start, end, short or b""))
        return sorted(edits)
    assert structured
    instead = b'"content":' + content + (b"" if short is None else b',"structuredContent":' + short)
    return [(structured.name_at, structured.end, instead)]


def _fitting(written: dict[int, bytes], room: int, count: Callable[[bytes], int]) -> tuple[set[int], int]:
    """Those that have at most `room` tokens together, the largest left out first; and the tokens of all of them."""
    # There are no more tokens than bytes, so that what is far too large is left out uncounted.
    sizes = {
        number: count(lexeme) if len(lexeme) <= 128 * max(room, 1) else len(lexeme)
        for number, lexeme in written.items()
    }
    total = sum(sizes.values())
    for number in sorted(sizes, key=lambda number: (-sizes[number], number)):
        if total <= room:
            break
        total -= sizes.pop(number)
    return set(sizes), total


class _Places:
    """lrguard's references in a document."""

    def __init__(self, envelope: Envelope, replaced: Iterable[tuple[int, int]]) -> None:
        self._document = envelope.document
        self._replaced = list(replaced)

    def within(self, value: Value) -> list[Value]:
        """The references that are whole values inside of `value`, in order."""
        first = bisect_left(self._replaced, (value.start, 0))
        found = []
        for start, length in islice(self._replaced, first, None):
            if start >= value.end:
                break
            # In JSON inside of a string the quote of an object's first name is escaped.
            if self._document.read(start, start + 2) == b'{"':
                found.append(Value(start, start + length))
        return found


def _typed(envelope: Envelope, places: _Places) -> list[Edit]:
    """References in structured content as the strings that were there before."""
    structured = envelope.structured
    found = places.within(structured) if structured else []
    return [(one.start, one.end, json_string(reference_of(envelope.lexeme(one)))) for one in found]


def _references(envelope: Envelope, block: Block, places: _Places) -> list[Edit]:
    """What changes in a block so that its references are where a client expects text."""
    value, says = block.value, block.says
    inside = places.within(value)
    meta = value.get("_meta")
    if says and block.reference and value.get("text") is not says:
        notes = (value.get("annotations"), meta)
        more = [envelope.document.read(note.name_at, note.end) for note in notes if note]
        return [(value.start, value.end, text_block(block.lead + block.reference, more))]
    kind = value.get("type")
    if not kind or envelope.lexeme(kind) not in _KNOWN:
        return []
    edits = []
    for place in inside:
        if says and place.start == says.start:
            edits.append((place.start, place.end, json_string(block.reference)))
        elif not (meta and meta.start <= place.start < meta.end):
            edits.append((place.start, place.end, json_string(_file_uri(envelope.lexeme(place)))))
    return edits


def _file_uri(reference: bytes) -> str:
    from urllib.parse import quote

    return "file://" + quote(os.fsencode(json.loads(reference)["assetRef"]["path"]))


_KNOWN = frozenset((b'"text"', b'"image"', b'"audio"', b'"resource"', b'"resource_link"'))


def _apply(envelope: Envelope, value: Value, edits: Iterable[Edit]) -> bytes:
    """The bytes of `value` with `edits`, which are in order and inside of it."""
    pieces, at = [], value.start
    for start, end, instead in edits:
        pieces += [envelope.document.read(at, start), instead]
        at = end
    pieces.append(envelope.document.read(at, value.end))
    return b"".join(pieces)
