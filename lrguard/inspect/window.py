"""The characters around a match, so that a match in a line of a megabyte costs no more than one in a short line."""

from __future__ import annotations

from typing import NamedTuple

from lrguard.inspect.excerpt import decode, shown
from lrguard.intake.sanitize import grapheme_cut, grapheme_start

CUT = "…"
"""Stands where a line goes on outside of the window."""

MATCH_SHOWN = 2000
"""Characters of a match that are shown when nothing but the match is."""


class Window(NamedTuple):
    """A part of a line or of a value: bytes from `start` up to `end`, and its characters as they are in the text."""

    start: int
    end: int
    text: str
    cut_left: bool
    cut_right: bool

    def render(self) -> str:
        """On one line, with a mark on each side where the line goes on."""
        body = shown(self.text).replace("\n", "\\n").replace("\t", "\\t" if "\n" in self.text else "\t")
        return (CUT if self.cut_left else "") + body + (CUT if self.cut_right else "")


def window_around(data: bytes, start: int, end: int, first: int, last: int, characters: int) -> Window:
    """`data[start:end]` with `characters` around it, not beyond `first` and `last`; what one side lacks the other gets.

    A match of more characters than that is cut at its end.
    """
    most = 4 * characters + 3
    left_from = max(first, start - most)
    if left_from > first:
        while left_from < start and data[left_from] & 0xC0 == 0x80:
            left_from += 1
    right_to = min(last, end + most)
    if right_to < last:
        while right_to > end and data[right_to] & 0xC0 == 0x80:
            right_to -= 1
    match_to = min(end, start + 4 * max(characters, 200))
    match = decode(data[start:match_to])
    allowed = max(characters, 200)
    if match_to < end or len(match) > allowed:
        match = match[: grapheme_cut(match, min(len(match), allowed))]
        right, cut_right = "", True
    else:
        right, cut_right = decode(data[end:right_to]), False
    left = decode(data[left_from:start])
    left_size = min(len(left), max(characters // 2, characters - len(right)))
    right_size = min(len(right), characters - left_size)
    whole = left + match + right
    begin = len(left) - left_size
    if begin or left_from > first:
        begin = min(grapheme_start(whole, begin), len(left))
    stop = len(left) + len(match) + right_size
    if stop < len(whole):
        stop = max(grapheme_cut(whole, stop), len(left) + len(match))
    text = whole[begin:stop]
    from_byte = start - len(left[begin:].encode("utf-8", "surrogateescape"))
    to_byte = from_byte + len(text.encode("utf-8", "surrogateescape"))
    return Window(from_byte, to_byte, text, from_byte > first, cut_right or to_byte < last)


def only(data: bytes, start: int, end: int) -> Window:
    """The match alone."""
    text = decode(data[start : min(end, start + 4 * MATCH_SHOWN)])
    size = grapheme_cut(text, min(len(text), MATCH_SHOWN))
    return Window(start, end, text[:size], False, len(text[:size].encode("utf-8", "surrogateescape")) < end - start)
