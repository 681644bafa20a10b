"""Where lines and characters are in a text of any size, by scanning it in chunks.

A line ends with a line feed; what stands after the last one is a line too. Nothing is indexed: a count of line feeds
takes 0.1 s a GiB, which is less than an index would.
"""

from __future__ import annotations

import codecs

from lrguard.inspect.excerpt import encode
from lrguard.intake.source import CHUNK, Source


def line_count(text: Source) -> int:
    """Lines in `text`, an unterminated last one counted."""
    feeds = sum(chunk.count(b"\n") for chunk in text.chunks())
    return feeds + (text.size > 0 and text.read(text.size - 1, text.size) != b"\n")


def line_start(text: Source, number: int) -> int:
    """The byte where line `number` (from 1) begins; the size of `text` where there are fewer."""
    missing = number - 1
    if missing <= 0:
        return 0
    at = 0
    for chunk in text.chunks():
        feeds = chunk.count(b"\n")
        if feeds >= missing:
            return at + nth_feed(chunk, missing) + 1
        missing -= feeds
        at += len(chunk)
    return text.size


def nth_feed(chunk: bytes, number: int) -> int:
    """Where the line feed `number` (from 1) of `chunk` is, which has that many; by halves, since each count is fast."""
    low, high = 0, len(chunk)
    while high - low > 64:
        middle = (low + high) // 2
        feeds = chunk.count(b"\n", low, middle)
        if feeds >= number:
            high = middle
        else:
            number -= feeds
            low = middle
    at = low - 1
    for _ in range(number):
        at = chunk.find(b"\n", at + 1)
    return at


def tail_start(text: Source, lines: int) -> int:
    """The byte where the last `lines` lines begin."""
    if lines <= 0:
        return text.size
    end = text.size
    # The line feed that ends the text begins no line.
    wanted = lines + (end > 0 and text.read(end - 1, end) == b"\n")
    while end > 0:
        start = max(0, end - CHUNK)
        chunk = text.read(start, end)
        feeds = chunk.count(b"\n")
        if feeds >= wanted:
            return start + nth_feed(chunk, feeds - wanted + 1) + 1
        wanted -= feeds
        end = start
    return 0


def character_count(text: Source, start: int = 0, end: int | None = None) -> int:
    """Characters between two bytes."""
    count = 0
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    for chunk in text.chunks(start, end):
        count += len(chunk) if chunk.isascii() and not decoder.getstate()[0] else len(decoder.decode(chunk))
    return count + len(decoder.decode(b"", True))


def byte_of_character(text: Source, number: int) -> tuple[int, int]:
    """The byte where character `number` (from 0) begins, and how many characters stand before that byte."""
    at = seen = 0
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    for chunk in text.chunks():
        pending = len(decoder.getstate()[0])
        piece = decoder.decode(chunk, at + pending + len(chunk) >= text.size)
        if seen + len(piece) > number:
            return at + len(encode(piece[: number - seen])), number
        at += pending + len(chunk) - len(decoder.getstate()[0])
        seen += len(piece)
    return text.size, seen


def whole_characters(text: Source, start: int, end: int) -> tuple[int, int]:
    """`start` and `end`, moved apart where they stand inside a character."""
    return _character_start(text, start), _character_end(text, end)


def _character_start(text: Source, at: int) -> int:
    if at >= text.size:
        return at
    before = text.read(max(0, at - 3), at + 1)
    for back in range(1, 4):
        if len(before) <= back or before[-back] & 0xC0 != 0x80:
            return at
        lead = before[-back - 1]
        if lead >= 0xC0:
            needs = 4 if lead >= 0xF0 else 3 if lead >= 0xE0 else 2
            return at - back if needs > back else at
    return at


def _character_end(text: Source, at: int) -> int:
    start = _character_start(text, at)
    if start == at:
        return at
    lead = text.read(start, start + 1)[0]
    return min(text.size, start + (4 if lead >= 0xF0 else 3 if lead >= 0xE0 else 2))
