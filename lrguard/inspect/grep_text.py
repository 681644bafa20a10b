"""Searches a text line by line and shows a window around each match.

A match is one occurrence. The search goes over blocks of whole lines, so that a pattern is started once for many of
them; line and column are worked out for what is shown alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import NamedTuple

from lrguard.inspect.encoded_runs import EncodedRuns
from lrguard.inspect.excerpt import decode
from lrguard.inspect.lines import whole_characters
from lrguard.inspect.pattern import Pattern
from lrguard.inspect.window import Window, only, window_around
from lrguard.intake.source import Source
from lrguard.intake.utf8_scan import newlines
from lrguard.records import dataclass

BLOCK = 256 * 1024
"""Bytes that are searched at once; these few stay in the processor's cache."""

_TAIL = 16 * 1024
LONGEST_LINE = 16 * 1024 * 1024
"""Bytes of a line above which it is searched in pieces, so that memory has a bound."""


class Show(Enum):
    """What of a match is shown: its window, shared with others that lie in it; a window each; or the match alone."""

    WINDOW = "window"
    EACH = "each"
    MATCH = "match"


@dataclass(frozen=True, slots=True)
class TextQuery:
    """What to look for. `invert` finds lines without a match; `most` matches (None: all) are taken after `skip`."""

    pattern: Pattern
    window: int = 120
    show: Show = Show.WINDOW
    invert: bool = False
    skip: int = 0
    most: int | None = None


class Hit(NamedTuple):
    """A window with the `matches` that lie in it; `line` and `column` (characters, from 1) are those of the first one.

    `match` is the first one alone, `offset` the byte where it begins, and `line_at` the byte where its line begins.
    """

    line: int
    column: int
    matches: int
    window: Window
    match: Window
    offset: int
    line_at: int


@dataclass(slots=True)
class Totals:
    """How a search ended: `total` matches in all, `taken` of them by the caller after `skip`.

    `complete` is False where it stopped at `most` or at a time limit; `encoded` counts occurrences inside long base64,
    which are no matches; `pieces` tells that a line was longer than what is searched at once.
    """

    total: int = 0
    taken: int = 0
    complete: bool = True
    encoded: int = 0
    pieces: bool = False


class _Block(NamedTuple):
    """Whole lines, or a piece of a very long one, from byte `base` on; `inside` tells that it begins inside a line."""

    base: int
    data: bytes
    inside: bool


def _blocks(text: Source) -> Iterator[_Block]:
    base = 3 if text.read(0, 3) == b"\xef\xbb\xbf" else 0
    inside = False
    while base < text.size:
        end = _block_end(text, base)
        data = text.read(base, end)
        yield _Block(base, data, inside)
        inside = not data.endswith(b"\n")
        base = end


def _block_end(text: Source, base: int) -> int:
    """Where the block that begins at `base` ends, looked up before it is read: to cut it there would be to copy it."""
    low, size = base, BLOCK
    while base + size < text.size:
        start = base + size
        while start > low:
            end, start = start, max(low, start - _TAIL)
            feed = text.read(start, end).rfind(b"\n")
            if feed >= 0:
                return start + feed + 1
        low = base + size
        if size >= LONGEST_LINE:
            return whole_characters(text, low, low)[0]
        size *= 2
    return text.size


def search_text(text: Source, query: TextQuery, take: Callable[[Hit], bool]) -> Totals:
    """Hand each hit to `take` until that returns False, and then count the rest; what was found in all.

    A hit that `take` refuses is not among those taken, so `skip` + `taken` is where the next search goes on.
    """
    search = _TextSearch(text, query, take)
    for block in _blocks(text):
        if not search.block(block):
            break
    return search.finish()


class _TextSearch:
    def __init__(self, text: Source, query: TextQuery, take: Callable[[Hit], bool]) -> None:
        self._text, self._query, self._take = text, query, take
        self._totals = Totals()
        self._open = True
        self._pending: Hit | None = None
        # The last place whose line and column are known: byte, line number, byte of the line's start, column from 0.
        self._line, self._line_at = 1, 0
        self._column_byte, self._column = 0, 0
        self._known = 0
        # From where on, up to the current block, lines are not counted yet: they are when a match follows.
        self._uncounted: int | None = None
        self._bad_until = -1

    def block(self, block: _Block) -> bool:
        """Search one block; False where nothing more is wanted."""
        base, data, query, totals = block.base, block.data, self._query, self._totals
        self._start_block(block)
        last = None if query.most is None else query.skip + query.most
        countable = last is None and not query.invert
        if countable and not self._open:
            return self._count(data)
        encoded: EncodedRuns | None = None
        for start, end in _unmatched(data, query.pattern) if query.invert else query.pattern.spans(data):
            encoded = encoded or EncodedRuns(b"" if query.invert else data)
            if encoded.hold(start, end):
                totals.encoded += 1
                continue
            if last is not None and totals.total >= last:
                totals.complete = False
                return False
            totals.total += 1
            if self._open and totals.total > query.skip:
                self._show(base, data, start, end)
                if countable and not self._open and not encoded.starts and end > start:
                    totals.total += query.pattern.count(data, end)
                    break
        if query.pattern.gave_up:
            totals.complete = False
            return False
        self._end_block(block)
        return True

    def _count(self, data: bytes) -> bool:
        """Count the matches in whole lines of which nothing is shown; False where nothing more is wanted."""
        pattern, totals = self._query.pattern, self._totals
        found = pattern.count(data)
        if found and (encoded := EncodedRuns(data)).starts:
            inside = [encoded.hold(start, end) for start, end in pattern.spans(data)]
            totals.encoded += sum(inside)
            found = len(inside) - sum(inside)
        totals.total += found
        totals.complete &= not pattern.gave_up
        return totals.complete

    def finish(self) -> Totals:
        """What was found in all."""
        self._flush()
        return self._totals

    def _start_block(self, block: _Block) -> None:
        self._totals.pieces |= block.inside
        if not block.inside:
            self._line_at = self._column_byte = block.base
            self._column = 0
        self._known = block.base

    def _end_block(self, block: _Block) -> None:
        if not self._open or block.base + len(block.data) >= self._text.size:
            return
        if not block.data.endswith(b"\n"):
            self._count_lines(block.base)
            self._move(block.base, block.data, block.base + len(block.data))
            return
        if self._uncounted is None:
            self._uncounted = self._known
        if self._pending is not None:
            self._flush()

    def _count_lines(self, base: int) -> None:
        """Count the lines before the block at `base` that are not counted yet."""
        if self._uncounted is not None:
            self._line += sum(map(newlines, self._text.chunks(self._uncounted, base)))
            self._uncounted = None

    def _move(self, base: int, data: bytes, to: int) -> None:
        """Count the lines and the characters from the last known place up to byte `to`."""
        feeds = data.count(b"\n", self._known - base, to - base)
        if feeds:
            self._line += feeds
            self._line_at = self._column_byte = base + data.rfind(b"\n", 0, to - base) + 1
            self._column = 0
        part = data[max(0, self._column_byte - base) : to - base]
        self._column += len(part) if part.isascii() else len(decode(part))
        self._column_byte = self._known = to

    def _show(self, base: int, data: bytes, start: int, end: int) -> None:
        query, pending = self._query, self._pending
        if pending is not None:
            shares = start > pending.offset - base and end + base <= pending.window.end and not query.invert
            if query.show is Show.WINDOW and shares and data.find(b"\n", max(0, pending.offset - base), start) < 0:
                self._pending = pending._replace(matches=pending.matches + 1)
                return
            self._flush()
            if not self._open:
                return
        self._count_lines(base)
        self._move(base, data, base + start)
        first = max(0, self._line_at - base)
        # A line's end beyond the window is of no interest, and looking for it at every match would be quadratic.
        reach = min(len(data), (start if query.invert else end) + 4 * query.window + 8)
        feed = data.find(b"\n", start if query.invert else end, reach)
        last = reach if feed < 0 else feed
        if last > first and data[last - 1] == 13:
            last = max(last - 1, start if query.invert else end)
        match = window = only(data, start, end)
        if query.show is not Show.MATCH or query.invert:
            window = window_around(data, start, start if query.invert else end, first, last, query.window)
        window = window._replace(
            start=window.start + base, end=window.end + base, cut_left=window.cut_left or self._line_at < base + first
        )
        self._pending = Hit(self._line, self._column + 1, 1, window, match, base + start, self._line_at)

    def _flush(self) -> None:
        if self._pending is not None:
            if self._open and self._take(self._pending):
                self._totals.taken += self._pending.matches
            else:
                self._open = False
            self._pending = None


def _unmatched(data: bytes, pattern: Pattern) -> Iterator[tuple[int, int]]:
    """The lines of `data` without a match, each as the span of its text."""
    at, size = 0, len(data)
    for start, _ in pattern.spans(data):
        if start < at:
            continue
        yield from _lines(data, at, data.rfind(b"\n", at, start) + 1)
        feed = data.find(b"\n", start)
        at = size if feed < 0 else feed + 1
    yield from _lines(data, at, size)


def _lines(data: bytes, at: int, end: int) -> Iterator[tuple[int, int]]:
    while at < end:
        feed = data.find(b"\n", at, end)
        stop = end if feed < 0 else feed
        yield at, stop
        at = stop + 1
