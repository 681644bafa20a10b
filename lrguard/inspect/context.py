"""The lines around a match in a text."""

from __future__ import annotations

from typing import NamedTuple

from lrguard.inspect.grep_text import Hit
from lrguard.inspect.window import Window, window_around
from lrguard.intake.source import Source


class Line(NamedTuple):
    """A line of context: its number and its beginning."""

    number: int
    window: Window


def lines_before(text: Source, hit: Hit, lines: int, characters: int) -> list[Line]:
    """Up to `lines` lines before a hit, in order."""
    found: list[Line] = []
    end = hit.line_at
    while len(found) < lines and end > 0:
        end -= 1
        start = end
        while start > 0:
            piece = text.read(max(0, start - 65536), start)
            feed = piece.rfind(b"\n")
            start -= len(piece) - feed - 1
            if feed >= 0:
                break
        found.append(Line(hit.line - len(found) - 1, _beginning(text, start, end, characters)))
        end = start
    return found[::-1]


def lines_after(text: Source, hit: Hit, lines: int, characters: int) -> list[Line]:
    """Up to `lines` lines after a hit, in order."""
    found: list[Line] = []
    at = _line_end(text, hit.offset) + 1
    while len(found) < lines and at < text.size:
        end = _line_end(text, at)
        found.append(Line(hit.line + len(found) + 1, _beginning(text, at, end, characters)))
        at = end + 1
    return found


def _line_end(text: Source, at: int) -> int:
    while at < text.size:
        piece = text.read(at, at + 65536)
        feed = piece.find(b"\n")
        if feed >= 0:
            return at + feed
        at += len(piece)
    return text.size


def _beginning(text: Source, start: int, end: int, characters: int) -> Window:
    data = text.read(start, min(end, start + 4 * characters + 8))
    if start + len(data) == end and data.endswith(b"\r"):
        data, end = data[:-1], end - 1
    window = window_around(data, 0, 0, 0, len(data), characters)
    return window._replace(cut_right=start + window.end < end)
