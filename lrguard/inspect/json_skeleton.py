"""A window of JSON without what its strings say, which tells the places of some of its leaves at little cost.

To split a window at its quotes runs in C. What stands outside of strings is short, and is followed from bracket to
bracket; keys, indexes and containers are worked out for the leaves that are asked for alone. Only JSON as it ought to
be is followed; whatever else a window holds is left to the reader of leaves, which takes one token after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from lrguard.inspect.encoded_runs import ENCODED_RUN, is_mixed
from lrguard.inspect.json_path import Place
from lrguard.inspect.json_tokens import decoded
from lrguard.patterns import pattern

Leaf = tuple[Place, bytes | int | None, int, int, bool, bytes | None]
"""A key or a scalar: the container it stands in, its step in there, the bytes where it starts and ends, whether it is a
key, and the bytes between; None instead of these where they are very many."""

FIRST, NEXT, DONE = range(3)
"""What stands before a place in a container: its beginning, a comma, or the end of a container in it."""

_BEFORE = {**dict.fromkeys(b"{[", FIRST), **dict.fromkeys(b",", NEXT), **dict.fromkeys(b"}]", DONE)}
_VALUE = rb'(?:"|[-0-9tfnNI][-+.0-9A-Za-z]*+)\s*+'
_LEVELS = 2
"""Levels of containers that are passed over at once where nothing in them is asked for."""

_FAR = 48
"""Bytes up to what is asked for, from which on it is tried to pass something over."""


def _containers(value: bytes) -> bytes:
    """Objects and arrays whose values are of the form `value`."""
    members = rb'\{\s*+(?:"\s*+:\s*+%b(?:,\s*+(?=")|(?=\})))*+\}' % value
    return rb"(?:%b|\[\s*+(?:%b(?:,\s*+(?![,\]}])|(?=\])))*+\])\s*+" % (members, value)


def _nested(levels: int) -> bytes:
    return rb"(?:%b|%b)" % (_VALUE, _containers(_nested(levels - 1))) if levels else _VALUE


class _Forms:
    """What may stand in a container: `to_bracket` up to the next bracket that opens or closes, by what came before;
    `over` whole values with their commas, which are one `piece` each, and the comma before them.
    """

    def __init__(self, end: bytes, key: bytes) -> None:
        more = rb"(?:%b%b,\s*+)*+(?:%b(?:[{\[]|%b%b)|\Z)" % (key, _VALUE, key, _VALUE, end)
        self.to_bracket = [
            pattern(form)
            for form in (rb"\s*+(?:%b|%b)" % (end, more), rb"\s*+" + more, rb"\s*+(?:%b|,\s*+%b)" % (end, more))
        ]
        self.piece = pattern(rb"%b%b,\s*+" % (key, _nested(_LEVELS)))
        self.over = pattern(rb"\s*+(,\s*+)?+(?:%b%b,\s*+)++" % (key, _nested(_LEVELS)))


class _RootForms(_Forms):
    """What may stand between documents."""

    def __init__(self) -> None:
        self.to_bracket = [pattern(rb"[\s\x1e]*+[{\[]")] * 3
        self.piece = pattern(_containers(_nested(_LEVELS)))
        self.over = pattern(rb"(?:[\s\x1e]*+%b)++()" % _containers(_nested(_LEVELS)))


_ROOT, _OBJECT, _ARRAY = _RootForms(), _Forms(rb"\}", rb'"\s*+:\s*+'), _Forms(rb"\]", b"")

_KEY = pattern(rb'"\s*+:')
_SHORT = pattern(rb'(?s:.{0,%d}")*+' % (ENCODED_RUN - 3))
_WORD = pattern(rb"[-+.0-9A-Za-z]++")
_SCALAR = pattern(rb"[^\n]++")
_APART = bytes(10 if byte in b'",:{}[]\x1e \t\n\r\f\v' else byte for byte in range(256))
_ENCODED = pattern(rb'"(?:data:[^,"]{0,200};base64,)?(?:[A-Za-z0-9+/_=-]++|\\/|\\[rn]|\\u00[23][bBfFdD])++"\Z')


def _has_long(window: bytes) -> bool:
    """Whether there may be a string in `window` that is long enough to be data."""
    match = _SHORT.match(window)
    return match is not None and len(window) - match.end() >= ENCODED_RUN - 2


def searched(raw: bytes) -> bytes:
    """What is searched of a key or a scalar: what it says, without quotes; nothing of long base64."""
    if len(raw) >= ENCODED_RUN and _ENCODED.match(raw) is not None and is_mixed(raw, 0, len(raw)):
        return b""
    if raw[:1] != b'"':
        return raw
    if b"\\" in raw:
        return decoded(raw).encode("utf-8", "replace")
    return raw[1:-1] if raw.endswith(b'"') and len(raw) > 1 else raw[1:]


def _ends(parts: Sequence[bytes], numbers: Iterable[int]) -> Iterator[int]:
    """Where some of `parts` end when one byte stands between them."""
    end, seen = -1, 0
    for number in numbers:
        end += sum(map(len, parts[seen : number + 1])) + number + 1 - seen
        seen = number + 1
        yield end


class Position:
    """Where reading stands: in the container `place` with `seen` elements before (-1: it is no array), and in
    those of `stack`. `key` is that of a value which is still to come; `before` is None where it is not known.
    """

    __slots__ = ("before", "key", "place", "seen", "stack")

    def __init__(self, seen: int) -> None:
        self.place, self.seen = Place(None, None, 0), seen
        self.key: bytes | None = None
        self.stack: list[tuple[Place, int]] = []
        self.before: int | None = NEXT


class _Frame:
    """An open container; its `place` is made when a leaf in it is asked for."""

    __slots__ = ("forms", "opening", "place", "seen")

    def __init__(self, forms: _Forms, opening: int, seen: int, place: Place | None = None) -> None:
        self.forms, self.opening, self.seen, self.place = forms, opening, seen, place


class Skeleton:
    """The part of `window` up to the last comma or bracket outside of strings: `size` bytes, 0 where there is none.

    `window` begins at byte `base` of the text and outside of strings. `outside` is what is left of it when each string
    is one quote; `strings` is what is searched of those.
    """

    def __init__(self, window: bytes, base: int) -> None:
        self._window, self._base = window, base
        # A backslash stays in a string that has escapes; what is escaped is neither a quote nor a backslash any more.
        escaped = b"\\" in window
        plain = window.replace(b"\\\\", b"\\?").replace(b'\\"', b"\\?") if escaped else window
        parts = plain.split(b'"')
        outside = b'"'.join(parts[::2])
        cut = 0 if b"\\" in outside else max(map(outside.rfind, (b",", b"{", b"}", b"[", b"]"))) + 1
        self.outside = outside[:cut]
        count = self.outside.count(b'"')
        self._between, self._inside = parts[: 2 * count : 2], parts[1 : 2 * count : 2]
        self.size = len(window) - len(b'"'.join(parts[2 * count :])) + cut - (self.outside.rfind(b'"') + 1)
        self.before = _BEFORE[self.outside[-1]] if cut else None
        self.strings = self._inside
        if escaped or _has_long(plain):
            self.strings = list(self._inside)
            hidden = [n for n, said in enumerate(self._inside) if b"\\" in said or len(said) + 2 >= ENCODED_RUN]
            for number, start in zip(hidden, _ends(parts, (2 * number for number in hidden)), strict=True):
                self.strings[number] = searched(window[start : start + len(self._inside[number]) + 2])
        # A place in `outside`, and how many strings with how many bytes between their quotes stand before it.
        self._at = self._strings_before = self._bytes_before = 0

    @cached_property
    def scalars(self) -> list[bytes]:
        """The numbers and words in `outside`."""
        return self.outside.translate(_APART).split()

    def string_places(self, numbers: Iterable[int]) -> Iterator[int]:
        """Where in `outside` some of the strings are, in order."""
        return _ends(self._between, numbers)

    def scalar_places(self, numbers: Sequence[int]) -> list[int]:
        """Where in `outside` some of the scalars are."""
        places = [match.start() for match in _SCALAR.finditer(self.outside.translate(_APART))] if numbers else []
        return [places[number] for number in numbers]

    def _byte(self, place: int) -> int:
        """Where in the window a place of `outside` is."""
        strings = self._strings_before
        if place >= self._at:
            strings += self.outside.count(b'"', self._at, place)
            self._bytes_before += sum(map(len, self._inside[self._strings_before : strings]))
        else:
            strings -= self.outside.count(b'"', place, self._at)
            self._bytes_before -= sum(map(len, self._inside[strings : self._strings_before]))
        self._at, self._strings_before = place, strings
        return place + strings + self._bytes_before

    def _key(self, place: int, byte: int) -> bytes:
        """The last string before a place of `outside`, whose byte that is, as it is written."""
        end = byte - (place - self.outside.rindex(b'"', 0, place) - 1)
        return self._window[end - len(self._inside[self._strings_before - 1]) - 2 : end]

    def leaves(self, places: Iterable[int], position: Position) -> list[Leaf] | None:
        """The leaves at these places of `outside`, in order; `position` moves on to the end of it.

        None where that is not JSON as it ought to be; `position` stays then.
        """
        outside, end = self.outside, len(self.outside)
        level, before = len(position.stack), position.before
        frames = [_Frame(_forms_at(level, position.seen), 0, position.seen, position.place)]
        found: list[Leaf] = []
        waiting = iter(places)
        wanted = next(waiting, end)
        at = 0
        while at < end and before is not None:
            frame = frames[-1]
            forms = frame.forms
            if wanted - at > _FAR and (passed := forms.over.match(outside, at, wanted)):
                if forms is not _ROOT and (passed.lastindex is None) == (before == DONE):
                    return None
                if frame.seen >= 0:
                    frame.seen += len(forms.piece.findall(outside, at, passed.end()))
                at, before = passed.end(), NEXT
                continue
            match = forms.to_bracket[before].match(outside, at)
            if match is None:
                return None
            stop = match.end()
            frame.seen -= before == DONE and forms is _ARRAY
            while wanted < stop:
                if frame.seen >= 0:
                    frame.seen += outside.count(b",", at, wanted)
                    at = wanted
                place = frame.place or self._place(frames, position)
                found.append(self._leaf(wanted, place, frame.seen))
                wanted = next(waiting, end)
            if frame.seen >= 0:
                frame.seen += outside.count(b",", at, stop)
            at = stop
            before = _BEFORE[outside[stop - 1]]
            if before == FIRST:
                frame.seen += frame.seen >= 0
                is_array = outside[stop - 1] == 91
                frames.append(_Frame(_ARRAY if is_array else _OBJECT, stop - 1, 0 if is_array else -1))
            elif before == DONE:
                frames.pop()
                if not frames:
                    level -= 1
                    place, seen = position.stack[level]
                    frames.append(_Frame(_forms_at(level, seen), 0, seen, place))
        self._move(position, level, frames, before)
        return found

    def _leaf(self, at: int, place: Place, seen: int) -> Leaf:
        """The string or the scalar at a place of `outside`, which stands in `place` behind so many elements."""
        byte = self._byte(at)
        start = byte + self._base
        if self.outside[at] != 34:
            word = _WORD.match(self.outside, at)
            assert word is not None
            return place, seen if seen >= 0 else self._key(at, byte), start, start + len(word[0]), False, None
        length = len(self._inside[self._strings_before]) + 2
        if seen >= 0:
            return place, seen, start, start + length, False, None
        if _KEY.match(self.outside, at):
            return place, self._window[byte : byte + length], start, start + length, True, None
        return place, self._key(at, byte), start, start + length, False, None

    def _place(self, frames: list[_Frame], position: Position) -> Place:
        """The innermost container, made together with those around it where they are not made yet."""
        made = len(frames) - 1
        while (place := frames[made].place) is None:
            made -= 1
        for frame, inner in zip(frames[made:], frames[made + 1 :], strict=False):
            byte = self._byte(inner.opening)
            if frame.seen >= 0:
                step: bytes | int | None = frame.seen - 1
            else:
                step = self._key(inner.opening, byte) if frame.forms is _OBJECT else position.key
            place = inner.place = Place(place, step, self._base + byte)
        return place

    def _move(self, position: Position, level: int, frames: list[_Frame], before: int | None) -> None:
        """Take over where following ended: in `frames`, of which the first one is that of `level`."""
        position.place = self._place(frames, position)
        position.stack[level:] = [(frame.place or position.place, frame.seen) for frame in frames[:-1]]
        position.seen, position.key, position.before = frames[-1].seen, None, before


def _forms_at(level: int, seen: int) -> _Forms:
    """What may stand in a container with so many around it."""
    if not level:
        return _ROOT
    return _ARRAY if seen >= 0 else _OBJECT
