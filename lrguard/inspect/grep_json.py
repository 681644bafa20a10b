"""Searches the keys and the decoded values of JSON, and names each match by its JSONPath.

The values of a batch are searched as one text, a value a line, so that a pattern is started once for thousands of them;
only for what is found is a path put together. Long base64 is not searched.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from lrguard.inspect.grep_text import Show, Totals
from lrguard.inspect.json_leaves import Leaf, LeafReader
from lrguard.inspect.json_path import Place, general_path, path_of
from lrguard.inspect.json_tokens import Shape, Span, decoded, uncollected, value_end
from lrguard.inspect.pattern import ENCODED_RUN, EncodedRuns, Pattern
from lrguard.inspect.window import Window, only, window_around
from lrguard.intake.source import BytesSource, Source

_ENCODED = re.compile(rb'"(?:data:[^,"]{0,200};base64,)?(?:[A-Za-z0-9+/_=-]++|\\/|\\[rn]|\\u00[23][bBfFdD])++"\Z')
_KINDS = tuple(re.compile(chars) for chars in (rb"[a-z]", rb"[A-Z]", rb"[0-9]"))
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


@dataclass(slots=True)
class JsonTotals(Totals):
    """As `Totals`, and how many matches there are under each generalized path; `stray` is where it stops being JSON."""

    facets: dict[str, int] = field(default_factory=dict)
    stray: int | None = None
    broken: int = 0


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
        for batch in self._reader.batches():
            if not self._batch(batch):
                totals.complete = False
                break
        self._flush()
        totals.stray, totals.broken = self._reader.stray, self._reader.broken
        return totals

    def _batch(self, batch: list[Leaf]) -> bool:
        """Search some leaves; False where nothing more is wanted."""
        query, totals = self._query, self._totals
        if self._within is not None:
            batch = [leaf for leaf in batch if self._inside(leaf[2])]
        values = [
            raw[1:-1]
            if raw is not None and raw[0] == 34 and b"\\" not in raw and len(raw) < ENCODED_RUN
            else self._value(leaf)
            for leaf in batch
            for raw in leaf[5:]
        ]
        joined = b"\n".join(values)
        if not values:
            return True
        offsets = [0, *accumulate(len(value) + 1 for value in values)]
        last = None if query.most is None else query.skip + query.most
        facet, facet_leaf = "", -1
        encoded = EncodedRuns(joined)
        for start, end in query.pattern.spans(joined):
            place = bisect_right(offsets, start) - 1
            leaf, value, begin = batch[place], values[place], offsets[place]
            if encoded and encoded.hold(start, end):
                totals.encoded += 1
                continue
            if last is not None and totals.total >= last:
                return False
            totals.total += 1
            if place != facet_leaf:
                facet, facet_leaf = self._facet(leaf), place
            totals.facets[facet] = totals.facets.get(facet, 0) + 1
            if self._open and totals.total > query.skip:
                self._show(leaf, value, start - begin, end - begin)
        return not query.pattern.gave_up

    def _inside(self, start: int) -> bool:
        at = bisect_right(self._starts, start) - 1
        return at >= 0 and self._within is not None and start < self._within[at].end

    def _value(self, leaf: Leaf) -> bytes:
        raw = leaf[5]
        if raw is None:
            raw = self._text.read(leaf[2], leaf[3])
        if len(raw) >= ENCODED_RUN and _is_encoded(raw):
            return b""
        if raw[:1] != b'"':
            return raw
        if b"\\" in raw:
            return decoded(raw).encode("utf-8", "replace")
        return raw[1:-1] if raw.endswith(b'"') and len(raw) > 1 else raw[1:]

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


def _is_encoded(raw: bytes) -> bool:
    return _ENCODED.match(raw) is not None and all(kind.search(raw) for kind in _KINDS)


def record_bytes(text: Source, unit: Unit, most: int) -> tuple[bytes, bool]:
    """The array element around a match, up to `most` bytes, and whether that is all of it."""
    raw = text.read(unit.record, unit.record + most)
    end = value_end(BytesSource(raw), 0)
    return raw[:end], end < len(raw) or unit.record + end >= text.size


def value_after(text: Source, key: Span, most: int) -> bytes:
    """The beginning of the value of the member whose key stands at `key`, as it is written."""
    after = text.read(key.end, key.end + most + 64).lstrip()[1:].lstrip()
    return after[: value_end(BytesSource(after), 0)]
