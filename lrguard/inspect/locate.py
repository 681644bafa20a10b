"""Finds the values that a JSONPath names, as places in the text, so that they can be shown with their own lexemes.

Paths of names, indexes and wildcards are followed while the tokens stream by: memory stays as it is, depth costs
nothing, and every member of a duplicate name is found. Everything else in RFC 9535 needs a tree (`json_query`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice

from lrguard.errors import LrguardError
from lrguard.inspect.json_path import Index, Name, Segment, Wildcard, name_step, plain_path
from lrguard.inspect.json_tokens import CLOSE, END, KEY, OPEN, STRAY, JsonReader, Shape, Span, decoded
from lrguard.intake.source import Source

_KEYS_SHOWN = 12
_KEY_SHOWN = 60
_KEYS_COUNTED = 100_000


def locate(text: Source, path: str, shape: Shape = Shape.ONE) -> Iterator[Span]:
    """The places of the values that `path` names, in the order of RFC 9535.

    Raises `LrguardError`: for an invalid path at once; while iterating for text that is no JSON (after what stands
    before that place) and for a query that takes more steps than anyone would wait for.
    """
    segments = plain_path(path)
    if segments is not None:
        streamable = _from_the_start(text, segments, shape)
        if streamable is not None:
            return _Follower(text, streamable, shape).spans()
    from lrguard.inspect.json_query import Query

    return Query(path).spans(text, shape)


def _from_the_start(text: Source, segments: tuple[Segment, ...], shape: Shape) -> tuple[Segment, ...] | None:
    """`segments` with indexes from the start alone; None where one means different elements in different arrays."""
    for place, segment in enumerate(segments):
        if not isinstance(segment, Index) or segment.number >= 0:
            continue
        if place == 0 and shape is Shape.SERIES:
            count = _documents(text)
        else:
            arrays = list(islice(_Follower(text, segments[:place], shape).spans(), 2))
            if len(arrays) > 1:
                return None
            count = sum(1 for _ in elements(text, arrays[0].start)) if arrays else 0
        # An index that lies before the first element is one that no array has.
        index = count + segment.number if count + segment.number >= 0 else 2**53
        segments = (*segments[:place], Index(index), *segments[place + 1 :])
    return segments


class _Frame:
    __slots__ = ("count", "done", "is_array")

    def __init__(self, *, is_array: bool) -> None:
        self.is_array, self.count, self.done = is_array, 0, False


class _Follower:
    """Follows one path through the tokens. `deepest` is how many segments led somewhere, and where to."""

    def __init__(self, text: Source, segments: tuple[Segment, ...], shape: Shape) -> None:
        self.text, self.segments, self.shape = text, segments, shape
        self.deepest = (0, 0)
        self._frames = [_Frame(is_array=True)] if shape is Shape.SERIES else []
        self._key = b""

    @property
    def seen(self) -> int:
        """Children of the outermost container on the path that have been read."""
        return self._frames[0].count if self._frames else 0

    def spans(self) -> Iterator[Span]:
        """The places of the values, each as soon as its end has been seen."""
        if not self.segments and self.shape is Shape.SERIES:
            yield Span(0, self.text.size)
            return
        reader, frames = JsonReader(self.text), self._frames
        while True:
            if frames and frames[-1].done:
                if all(frame.done for frame in frames):
                    return
                reader.skip()
                frames.pop()
                continue
            kind = reader.token()
            if kind == END:
                return
            if kind == KEY and frames and not frames[-1].is_array:
                self._key = reader.raw()
            elif kind == CLOSE and len(frames) > (self.shape is Shape.SERIES):
                frames.pop()
                if not frames:
                    return
            elif kind in (STRAY, KEY, CLOSE):
                self._recover(reader)
            elif self._hit():
                start, level = reader.start, len(frames)
                if level >= self.deepest[0]:
                    self.deepest = (level, start)
                if level == len(self.segments):
                    yield Span(start, reader.skip() if kind == OPEN else reader.end)
                elif kind == OPEN:
                    frames.append(_Frame(is_array=reader.opens_array()))
                if not frames:
                    return
            elif kind == OPEN:
                reader.skip()

    def _hit(self) -> bool:
        """Whether the child that begins here is on the path."""
        if not self._frames:
            return True
        frame, segment = self._frames[-1], self.segments[len(self._frames) - 1]
        frame.count += 1
        if isinstance(segment, Wildcard):
            return True
        if frame.is_array:
            frame.done = isinstance(segment, Index) and segment.number == frame.count - 1
            return frame.done
        return isinstance(segment, Name) and says(self._key, segment.name)

    def _recover(self, reader: JsonReader) -> None:
        at = reader.start
        if self.shape is Shape.ONE:
            raise LrguardError("cannot follow the path", f"what begins at byte {at} is no JSON", "try grep or --lines")
        if len(self._frames) == 1:
            self._frames[0].count += 1
        del self._frames[1:]
        reader.next_line(at)


def _documents(text: Source) -> int:
    """How many documents a series has, a line that is none counted as one."""
    follower = _Follower(text, (Wildcard(),), Shape.SERIES)
    deque(follower.spans(), 0)
    return follower.seen


def says(raw: bytes, name: str) -> bool:
    """Whether a key with these bytes is `name`."""
    if b"\\" in raw:
        return decoded(raw) == name
    return raw[1:-1] == name.encode("utf-8", "replace")


def elements(text: Source, start: int) -> Iterator[tuple[bytes | None, Span]]:
    """The children of the container that begins at `start`, each with its key's bytes; nothing for a scalar."""
    reader = JsonReader(text, start)
    if reader.token() != OPEN:
        return
    key = None
    while (kind := reader.token()) not in (END, STRAY, CLOSE):
        if kind == KEY:
            key = reader.raw()
            continue
        at = reader.start
        yield key, Span(at, reader.skip() if kind == OPEN else reader.end)


def nearest(text: Source, path: str, shape: Shape = Shape.ONE) -> str:
    """What there is where `path` leads nowhere: the longest beginning of it that exists, and what it holds."""
    segments = plain_path(path)
    if segments is None:
        return "no value fits"
    follower = _Follower(text, _from_the_start(text, segments, shape) or segments, shape)
    for _ in follower.spans():
        return "it exists"
    level, start = follower.deepest
    if level == 0 and shape is Shape.SERIES:
        count = _documents(text)
        return f"$ stands for a series of {count} documents, $[0] to $[{count - 1}]" if count else "there is no JSON"
    known = "$" + "".join(map(_step_text, segments[:level]))
    if len(known) > 300:
        known = known[:300] + "…"
    return f"{known} is {_contents(text, start)}"


def _step_text(segment: Segment) -> str:
    if isinstance(segment, Name):
        return name_step(segment.name)
    return f"[{segment.number}]" if isinstance(segment, Index) else "[*]"


def _contents(text: Source, start: int) -> str:
    reader = JsonReader(text, start)
    kind = reader.token()
    if kind != OPEN:
        word = {34: "a string", 116: "true", 102: "false", 110: "null"}.get(reader.raw()[0], "a number")
        return word if kind not in (END, STRAY) else "nothing"
    if reader.opens_array():
        count = sum(1 for _ in elements(text, start))
        return f"an array of {count} element{'s' * (count != 1)}" + (f", [0] to [{count - 1}]" if count > 1 else "")
    names = [decoded((key or b"")[:400]) for key, _ in islice(elements(text, start), _KEYS_COUNTED)]
    if not names:
        return "an empty object"
    shown = [name if len(name) <= _KEY_SHOWN else name[:_KEY_SHOWN] + "…" for name in names[:_KEYS_SHOWN]]
    more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    return "an object with " + ", ".join(shown) + more
