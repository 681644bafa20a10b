"""Searches the keys and the decoded values of JSON, and names each match by its JSONPath.

Thousands of values are searched as one text, a value a line, so that a pattern is started once for all of them; only
for what is found is a path put together. Long base64 is not searched.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import NamedTuple

from lrguard.inspect.encoded_runs import EncodedRuns
from lrguard.inspect.grep_text import Show, Totals
from lrguard.inspect.json_leaves import Found, LeafReader, Occurrences
from lrguard.inspect.json_path import Place, general_path, path_of
from lrguard.inspect.json_skeleton import Leaf
from lrguard.inspect.json_tokens import Shape, Span, uncollected, value_end
from lrguard.inspect.pattern import Pattern
from lrguard.inspect.window import Window, only, window_around
from lrguard.intake.source import BytesSource, Source
from lrguard.records import dataclass

_FACETS = 5000
"""Generalized paths that are told apart; what is on others is counted together."""

OTHER = "other paths"


class Unit(NamedTuple):
    """A key or value with matches: where it stands, and the first of them in it."""

    path: str | None
    """Its JSONPath; None where that would be too long to be of use."""

    is_key: bool
    matches: int
    window: Window
    match: Window
    span: Span
    """The bytes of the key or value in the text."""

    record: int
    """The byte where the array element around it begins, or its document where it is in none."""

    record_path: str | None


@dataclass(frozen=True, slots=True)
class JsonQuery:
    """What to look for; `within` are the places to look in, None for everywhere; `records` groups by array element."""

    pattern: Pattern
    window: int = 120
    show: Show = Show.WINDOW
    skip: int = 0
    most: int | None = None
    within: list[Span] | None = None
    records: bool = False


class JsonTotals(Totals):
    """As `Totals`, and how many matches there are under each generalized path; `stray` is where it stops being JSON."""

    __slots__ = ("broken", "facets", "stray")

    def __init__(self) -> None:
        super().__init__()
        self.facets: dict[str, int] = {}
        self.stray: int | None = None
        self.broken = 0


def search_json(text: Source, shape: Shape, query: JsonQuery, take: Callable[[Unit], bool]) -> JsonTotals:
    """Hand each key or value with matches to `take` until that returns False, and then count the rest.

    As in `search_text`, what is refused is not among those taken.
    """
    with uncollected():
        return _JsonSearch(text, shape, query, take).run()


class _JsonSearch:
    def __init__(self, text: Source, shape: Shape, query: JsonQuery, take: Callable[[Unit], bool]) -> None:
        self._text, self._query, self._take = text, query, take
        self._reader = LeafReader(text, shape)
        self._totals = JsonTotals()
        self._open = True
        self._pending: Unit | None = None
        self._within = None if query.within is None else _merged(query.within)
        self._starts = [span.start for span in self._within or ()]

    def run(self) -> JsonTotals:
        totals = self._totals
        for batch in self._reader.matching(self._find, self._wanted):
            if not self._batch(batch):
                totals.complete = False
                break
        self._flush()
        totals.stray, totals.broken = self._reader.stray, self._reader.broken
        return totals

    def _batch(self, batch: list[Found]) -> bool:
        """Take in what was found in some leaves; False where nothing more is wanted."""
        query, totals, facets = self._query, self._totals, self._totals.facets
        last = None if query.most is None else query.skip + query.most
        for leaf, value, spans in batch:
            if self._within is not None and not self._inside(leaf[2]):
                continue
            facet = self._facet(leaf)
            numbers = iter(spans)
            for start, end, encoded in zip(numbers, numbers, numbers, strict=True):
                if encoded:
                    totals.encoded += 1
                    continue
                if last is not None and totals.total >= last:
                    return False
                totals.total += 1
                facets[facet] = facets.get(facet, 0) + 1
                if self._open and totals.total > query.skip:
                    self._show(leaf, value, start, end)
        return not query.pattern.gave_up

    def _find(self, values: Sequence[bytes], most: int | None = None) -> list[tuple[int, Occurrences]] | None:
        """Where the pattern occurs: values are searched as one text, a value a line."""
        if not values:
            return []
        joined = b"\n".join((*values, b""))
        found: list[tuple[int, Occurrences]] = []
        begin, stop = 0, -1
        for start, end in self._query.pattern.spans(joined):
            if not found:
                encoded, lines = EncodedRuns(joined), _Lines(values, joined, few=most is not None)
            if start > stop:
                if most is not None and len(found) >= most:
                    return None
                number, begin, stop = lines.around(start)
                spans = array("q")
                found.append((number, spans))
            spans.extend((start - begin, end - begin, bool(encoded.starts) and encoded.hold(start, end)))
        return found

    def _wanted(self, start: int, end: int) -> bool:
        """Whether something between two bytes is to be searched."""
        if self._within is None:
            return True
        return any(span.end > start for span in self._within[: bisect_left(self._starts, end)][-1:])

    def _inside(self, start: int) -> bool:
        at = bisect_right(self._starts, start) - 1
        return at >= 0 and self._within is not None and start < self._within[at].end

    def _facet(self, leaf: Leaf) -> str:
        place, step, is_key = leaf[0], leaf[1], leaf[4]
        facet = f"{_of_keys(place)} (keys)" if is_key else general_path(place, step)
        facets = self._totals.facets
        return facet if facet in facets or len(facets) < _FACETS else OTHER

    def _show(self, leaf: Leaf, value: bytes, start: int, end: int) -> None:
        query, pending = self._query, self._pending
        place, step, at, stop, is_key, _ = leaf
        record, record_path = _record(leaf) if query.records else (at, None)
        if pending is not None:
            same = pending.span.start == at and end <= pending.window.end and query.show is Show.WINDOW
            if same or (query.records and pending.record == record and query.show is Show.WINDOW):
                self._pending = pending._replace(matches=pending.matches + 1)
                return
            self._flush()
            if not self._open:
                return
        match = only(value, start, end)
        window = match if query.show is Show.MATCH else window_around(value, start, end, 0, len(value), query.window)
        self._pending = Unit(path_of(place, step), is_key, 1, window, match, Span(at, stop), record, record_path)

    def _flush(self) -> None:
        if self._pending is not None:
            if self._open and self._take(self._pending):
                self._totals.taken += self._pending.matches
            else:
                self._open = False
            self._pending = None


class _Lines:
    """Tells which of some values, a line of `joined` each, a byte lies in; bytes are asked about in order."""

    def __init__(self, values: Sequence[bytes], joined: bytes, *, few: bool) -> None:
        self._joined = joined
        self._number = self._counted = 0
        countable = few and joined.count(b"\n") == len(values)
        self._begins = [] if countable else [0, *accumulate(len(value) + 1 for value in values)]

    def around(self, byte: int) -> tuple[int, int, int]:
        """The number of the value with `byte`, and where it begins and ends."""
        if self._begins:
            number = bisect_right(self._begins, byte) - 1
            return number, self._begins[number], self._begins[number + 1] - 1
        self._number += self._joined.count(b"\n", self._counted, byte)
        self._counted = byte
        return self._number, self._joined.rfind(b"\n", 0, byte) + 1, self._joined.find(b"\n", byte)


def _of_keys(place: Place) -> str:
    return general_path(place.parent, place.step) if place.parent is not None else "$"


def _record(leaf: Leaf) -> tuple[int, str | None]:
    """Where the record of `leaf` begins, and its path: the nearest container that is an element of an array.

    Where there is none, an element that is a scalar is its own record, and a document that of the rest.
    """
    place, step = leaf[0], leaf[1]
    if isinstance(step, int) and not isinstance(place.record.step, int):
        return leaf[2], path_of(place, step)
    return place.record.start, path_of(place.record, None)


def _merged(spans: list[Span]) -> list[Span]:
    """The same places in order, none inside another."""
    merged: list[Span] = []
    for span in sorted(spans):
        if not merged or span.start >= merged[-1].end:
            merged.append(span)
    return merged


def record_bytes(text: Source, unit: Unit, most: int) -> tuple[bytes, bool]:
    """The array element around a match, up to `most` bytes, and whether that is all of it."""
    raw = text.read(unit.record, unit.record + most)
    end = value_end(BytesSource(raw), 0)
    return raw[:end], end < len(raw) or unit.record + end >= text.size


def value_after(text: Source, key: Span, most: int) -> bytes:
    """The beginning of the value of the member whose key stands at `key`, as it is written."""
    after = text.read(key.end, key.end + most + 64).lstrip()[1:].lstrip()
    return after[: value_end(BytesSource(after), 0)]
