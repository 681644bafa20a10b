"""An excerpt of the head and the tail of a text, as a model may read it.

Redrawn lines are folded and control characters made visible before anything is cut, so that the number of characters
asked for is the number shown, and the cut falls between graphemes.
"""

from __future__ import annotations

from lrguard.intake.graphemes import grapheme_cut, grapheme_start
from lrguard.intake.sanitize import fold_redraws, visible
from lrguard.intake.sizes import size_text
from lrguard.intake.source import Source
from lrguard.patterns import pattern
from lrguard.records import dataclass

WINDOW = 256 * 1024
"""Bytes looked at at each end: enough for what a progress bar redraws before its last state."""

LEAST_BEGINNING = 24
"""Characters that the text at the head of binary data must have to be shown; a signature tells less than the type."""

_LEADING_TEXT = pattern(rb"[\t\n\r -~]*")


@dataclass(frozen=True, slots=True)
class Ends:
    """The visible beginning and end of a text of `size` bytes; `whole` when `head` is all of it and `tail` is empty."""

    head: str
    tail: str
    whole: bool
    size: int


@dataclass(frozen=True, slots=True)
class Preview:
    """What a message shows of a text: `head`, then `omitted`, then `tail`; all of it in `head` when it is short."""

    head: str
    tail: str
    omitted: str


def ends(text: Source) -> Ends:
    """Both ends of `text`, folded and made visible, as far as a window of bytes reaches."""
    if text.size <= 2 * WINDOW:
        return Ends(_shown(text.read()), "", whole=True, size=text.size)
    head = _drop_torn_end(text.read(0, WINDOW))
    tail = _drop_torn_start(text.read(text.size - WINDOW))
    return Ends(_shown(head), _shown(tail), whole=False, size=text.size)


def cut(both: Ends, characters: int) -> Preview:
    """The first and the last `characters` of the text, never a broken grapheme."""
    if both.whole and len(both.head) <= 2 * characters:
        return Preview(both.head, "", "")
    last = both.head if both.whole else both.tail
    head = both.head[: grapheme_cut(both.head, min(characters, len(both.head)))]
    start = grapheme_start(last, max(len(last) - characters, 0)) if characters else len(last)
    tail = last[start:]
    if both.whole:
        return Preview(head, tail, f"{len(both.head) - len(head) - len(tail):,} characters")
    left_out = both.size - len(head.encode("utf-8", "replace")) - len(tail.encode("utf-8", "replace"))
    return Preview(head, tail, f"about {size_text(left_out)}")


def _shown(data: bytes) -> str:
    return visible(fold_redraws(data.decode("utf-8", "replace")))


def _drop_torn_end(data: bytes) -> bytes:
    """Without a last character whose bytes are not all there."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte >= 0xC0:
            length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return data[:-back] if back < length else data
        if byte < 0x80:
            break
    return data


def _drop_torn_start(data: bytes) -> bytes:
    """Without the rest of a character whose first byte is not there."""
    start = 0
    while start < min(3, len(data)) and 0x80 <= data[start] < 0xC0:
        start += 1
    return data[start:]


def beginning(data: Source, characters: int) -> str:
    """The text that binary data begins with, such as an HTTP head or a script; empty where it is short."""
    head = data.read(0, min(4 * characters, WINDOW))
    found = _LEADING_TEXT.match(head)
    if not found or len(found[0]) < LEAST_BEGINNING:
        return ""
    shown = visible(found[0].decode("ascii"))
    return shown[:characters].rstrip()
