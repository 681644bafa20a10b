"""The keys and scalar values of JSON in which something is found, in order, each with its place.

A window of the text is read as a skeleton where that is possible, and otherwise token by token, into tuples rather than
objects, because there may be hundreds of thousands of them; a path is put together only for those that are asked about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from lrguard.inspect.encoded_runs import ENCODED_RUN
from lrguard.inspect.json_path import Place
from lrguard.inspect.json_skeleton import NEXT, Leaf, Position, Skeleton, searched
from lrguard.inspect.json_tokens import LONG, STRING_PATTERN, Shape, past_blanks, string_end
from lrguard.intake.source import CHUNK, Source
from lrguard.patterns import pattern

Occurrences = Sequence[int]
"""What is found in one value, three numbers each: start, end, and whether it does not count."""

Find = Callable[[Sequence[bytes], int | None], list[tuple[int, Occurrences]] | None]
"""Finds something in values: the number of each one that holds it, in order, and the occurrences there; None where
more values hold it than the number that is given.
"""

Found = tuple[Leaf, bytes, Occurrences]
"""A leaf that holds something, what was searched of it, and the occurrences."""

STRING, KEY, _MEMBER, OPEN, CLOSE, SCALAR, UNFINISHED = 1, 2, 3, 4, 5, 6, 7
_STRAY = 8
DENSE = 4
"""Strings for each one in which something is found; where there are fewer, to read every token takes less time."""

_LOOK = 4096
"""Bytes before a string that is cut in which the colon is that makes it a value."""
_LONE = frozenset((STRING, SCALAR))
_SCALAR = rb"(?:[-0-9tfnNI][^\s,:\"{}\[\]\x1e]*+)"
_PART = pattern(
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
        self._position = Position(0 if self.series else -1)
        self._root = self._position.place

    def matching(self, find: Find, wanted: Callable[[int, int], bool]) -> Iterator[list[Found]]:
        """The leaves in which `find` finds something, some at a time; only parts of the text that are `wanted`, told by
        the bytes where they start and end, need be searched.
        """
        text, position = self.text, self._position
        base = 3 if text.read(0, 3) == b"\xef\xbb\xbf" else 0
        window = text.read(base, base + CHUNK)
        while True:
            reached = base + len(window) >= text.size
            skeleton = Skeleton(window, base)
            search = find if wanted(base, base + len(window)) else _nothing
            found = _in_skeleton(skeleton, search, position)
            at, stopped = skeleton.size, 0
            if found is None:
                batch: list[Leaf] = []
                piece = window[: skeleton.size] if skeleton.size else window
                at, stopped = self._scan(piece, base, batch, at_end=reached or skeleton.size > 0)
                found = _in_leaves(text, batch, search)
            position.before = skeleton.before
            if found:
                yield found
            if stopped == UNFINISHED and (reached or len(window) - at >= LONG):
                leaf, at = self._long_string(base + at)
                yield _in_leaves(text, [leaf], search)
                base, window = at, text.read(at, at + CHUNK)
            elif stopped == _STRAY:
                base = self._next_document(base + at)
                window = text.read(base, base + CHUNK)
            elif reached and not skeleton.size:
                return
            else:
                # Doubled where one token fills it, so that the longest one is read over only a few times.
                reached_to, window, base = base + len(window), window[at:], base + at
                window += text.read(reached_to, reached_to + max(CHUNK, len(window)))

    def _scan(self, window: bytes, base: int, batch: list[Leaf], *, at_end: bool) -> tuple[int, int]:
        """Add what `window` holds to `batch`; where that stopped, and the kind of token that did (0: the end)."""
        position = self._position
        place, index, key, stack = position.place, position.seen, position.key, position.stack
        at, length, stopped = 0, len(window), 0
        for match in _PART.finditer(window):
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
                    key = None
            elif kind in _LONE:
                start, end = match.span(kind)
                if index < 0:
                    batch.append((place, key, base + start, base + end, False, window[start:end]))
                    key = None
                else:
                    batch.append((place, index, base + start, base + end, False, window[start:end]))
                    index += 1
            elif kind == OPEN:
                if index < 0:
                    stack.append((place, index))
                    place = Place(place, key, base + stop - 1)
                    key = None
                else:
                    stack.append((place, index + 1))
                    place = Place(place, index, base + stop - 1)
                index = 0 if window[stop - 1] == 91 else -1
            elif kind == CLOSE and stack and (window[stop - 1] == 93) == (index >= 0):
                place, index = stack.pop()
                key = None
            else:
                at, stopped = match.start(kind), UNFINISHED if kind == UNFINISHED else _STRAY
                break
            at = stop
        position.place, position.seen, position.key = place, index, key
        return at, stopped

    def _long_string(self, start: int) -> tuple[Leaf, int]:
        """The leaf of a string too long for a window, or cut by the end of the text, and the byte to go on from."""
        end, whole = string_end(self.text, start)
        after = past_blanks(self.text, end)
        position = self._position
        is_key = self.text.read(after, after + 1) == b":"
        if not whole and position.seen < 0:
            is_key = not self.text.read(max(0, start - _LOOK), start).rstrip().endswith(b":")
        raw = None if end - start > LONG else self.text.read(start, end)
        if is_key:
            # Names of a megabyte are cut: they only serve to write a path, which nobody could use.
            name = position.key = self.text.read(start, min(end, start + LONG))
            return (position.place, name, start, end, True, raw), after + 1
        if position.seen < 0:
            key, position.key = position.key, None
            return (position.place, key, start, end, False, raw), end
        position.seen += 1
        return (position.place, position.seen - 1, start, end, False, raw), end

    def _next_document(self, stray: int) -> int:
        """The byte after the line with what is no JSON; the end of the text where it is no series."""
        if not self.series:
            self.stray = stray
            return self.text.size
        self.broken += 1
        position = self._position
        if position.stack:
            _, position.seen = position.stack[0]
            position.stack.clear()
        else:
            position.seen += 1
        position.place, position.key, position.before = self._root, None, NEXT
        at = stray
        for piece in self.text.chunks(stray):
            if (found := piece.find(b"\n")) >= 0:
                return at + found + 1
            at += len(piece)
        return self.text.size


def _nothing(values: Sequence[bytes], most: int | None) -> list[tuple[int, Occurrences]]:
    return []


def _in_skeleton(skeleton: Skeleton, find: Find, position: Position) -> list[Found] | None:
    """What is found in a skeleton, over which `position` moves; None where it cannot be read so."""
    if not skeleton.size or position.before is None:
        return None
    found: list[tuple[int, bytes, Occurrences]] = []
    for values, places in ((skeleton.strings, skeleton.string_places), (skeleton.scalars, skeleton.scalar_places)):
        held = find(values, len(skeleton.strings) // DENSE)
        if held is None:
            return None
        numbers = [number for number, _ in held]
        found += [(place, values[number], spans) for place, (number, spans) in zip(places(numbers), held, strict=True)]
    found.sort()
    leaves = skeleton.leaves([place for place, _, _ in found], position)
    if leaves is None:
        return None
    return [(leaf, value, spans) for leaf, (_, value, spans) in zip(leaves, found, strict=True)]


def _in_leaves(text: Source, batch: list[Leaf], find: Find) -> list[Found]:
    """What is found in some leaves."""
    values = [
        raw[1:-1]
        if raw is not None and raw[:1] == b'"' == raw[-1:] and b"\\" not in raw and 1 < len(raw) < ENCODED_RUN
        else searched(text.read(start, end) if raw is None else raw)
        for _, _, start, end, _, raw in batch
    ]
    return [(batch[number], values[number], spans) for number, spans in find(values, None) or ()]
