"""The keys and scalar values of JSON, in order, each with its place: what `grep` searches.

They come in batches, as tuples rather than objects, because there are hundreds of thousands of them in a few megabytes;
a path is put together only for those that are asked about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lrguard.inspect.json_path import Place
from lrguard.inspect.json_tokens import LONG, STRING_PATTERN, Shape, past_blanks, string_end
from lrguard.intake.source import CHUNK, Source

Leaf = tuple[Place, bytes | int | None, int, int, bool, bytes | None]
"""A key or a scalar: the container it stands in, its step in there, the bytes where it starts and ends, whether it is a
key, and the bytes between; None instead of these where they are very many."""

STRING, KEY, _MEMBER, OPEN, CLOSE, SCALAR, UNFINISHED = 1, 2, 3, 4, 5, 6, 7
_STRAY = 8
_LONE = frozenset((STRING, SCALAR))
_SCALAR = rb"(?:[-0-9tfnNI][^\s,:\"{}\[\]\x1e]*+)"
_PART = re.compile(
    rb"[\s,\x1e]*+(?:("
    + STRING_PATTERN
    + rb")\s*+(?:(:)\s*+("
    + STRING_PATTERN
    + rb"|"
    + _SCALAR
    + rb")?+)?+|([{\[])|([}\]])|("
    + _SCALAR
    + rb")|(\")|(.)|\Z)",
    re.DOTALL,
)
"""As `TOKEN`, but a name and the scalar behind it at once, which halves the steps."""


class LeafReader:
    """Reads the leaves of `text`.

    When `batches` has ended, `stray` is the byte from which on `text` is no JSON, or None; in a series a broken line
    costs itself alone, and `broken` counts them.
    """

    def __init__(self, text: Source, shape: Shape) -> None:
        self.text = text
        self.series = shape is Shape.SERIES
        self.stray: int | None = None
        self.broken = 0
        self._root = self._place = Place(None, None, 0)
        # An index of -1 says that the values here are members of an object, or the root itself, under `_key`.
        self._index = 0 if self.series else -1
        self._key: bytes | None = None
        self._stack: list[tuple[Place, int, bytes | None]] = []

    def batches(self) -> Iterator[list[Leaf]]:
        """The leaves, some thousand at a time."""
        text = self.text
        base = 3 if text.read(0, 3) == b"\xef\xbb\xbf" else 0
        window, at = text.read(base, base + CHUNK), 0
        while True:
            batch: list[Leaf] = []
            reached = base + len(window) >= text.size
            at, kind = self._scan(window, at, base, batch, at_end=reached)
            if batch:
                yield batch
            if kind == UNFINISHED and (reached or len(window) - at >= LONG):
                leaf, after = self._long_string(base + at)
                yield [leaf]
                base, at = after, 0
                window = text.read(base, base + CHUNK)
            elif kind == _STRAY:
                base, at = self._next_document(base + at), 0
                window = text.read(base, base + CHUNK)
            elif reached:
                return
            else:
                # Doubled where one token fills it, so that the longest one is read over only a few times.
                reached_to, window, base = base + len(window), window[at:], base + at
                window, at = window + text.read(reached_to, reached_to + max(CHUNK, len(window))), 0

    def _scan(self, window: bytes, at: int, base: int, batch: list[Leaf], *, at_end: bool) -> tuple[int, int]:
        """Add what `window` holds to `batch`; where that stopped, and the kind of token that did (0: the end)."""
        place, index, key, stack = self._place, self._index, self._key, self._stack
        length, stopped = len(window), 0
        for match in _PART.finditer(window, at):
            stop, kind = match.end(), match.lastindex
            if stop == length and not at_end:
                at = at if kind else stop
                break
            if kind is None:
                at = stop
                continue
            if KEY <= kind <= _MEMBER:
                start, end = match.span(STRING)
                key = window[start:end]
                batch.append((place, key, base + start, base + end, True, key))
                if kind == _MEMBER:
                    start, end = match.span(_MEMBER)
                    batch.append((place, key, base + start, base + end, False, window[start:end]))
            elif kind in _LONE:
                start, end = match.span(kind)
                if index < 0:
                    batch.append((place, key, base + start, base + end, False, window[start:end]))
                else:
                    batch.append((place, index, base + start, base + end, False, window[start:end]))
                    index += 1
            elif kind == OPEN:
                if index < 0:
                    stack.append((place, index, key))
                    place = Place(place, key, base + stop - 1)
                else:
                    stack.append((place, index + 1, key))
                    place = Place(place, index, base + stop - 1)
                index = 0 if window[stop - 1] == 91 else -1
            elif kind == CLOSE and stack and (window[stop - 1] == 93) == (index >= 0):
                place, index, key = stack.pop()
            else:
                at, stopped = match.start(kind), UNFINISHED if kind == UNFINISHED else _STRAY
                break
            at = stop
        self._place, self._index, self._key = place, index, key
        return at, stopped

    def _long_string(self, start: int) -> tuple[Leaf, int]:
        """The leaf of a string too long for a window, or cut by the end of the text, and the byte to go on from."""
        end, _ = string_end(self.text, start)
        after = past_blanks(self.text, end)
        is_key = self.text.read(after, after + 1) == b":"
        raw = None if end - start > LONG else self.text.read(start, end)
        if is_key:
            # Names of a megabyte are cut: they only serve to write a path, which nobody could use.
            self._key = self.text.read(start, min(end, start + LONG))
            return (self._place, self._key, start, end, True, raw), after + 1
        if self._index < 0:
            return (self._place, self._key, start, end, False, raw), end
        self._index += 1
        return (self._place, self._index - 1, start, end, False, raw), end

    def _next_document(self, stray: int) -> int:
        """The byte after the line with what is no JSON; the end of the text where it is no series."""
        if not self.series:
            self.stray = stray
            return self.text.size
        self.broken += 1
        if self._stack:
            _, self._index, _ = self._stack[0]
            self._stack.clear()
        else:
            self._index += 1
        self._place = self._root
        at = stray
        for piece in self.text.chunks(stray):
            if (found := piece.find(b"\n")) >= 0:
                return at + found + 1
            at += len(piece)
        return self.text.size
