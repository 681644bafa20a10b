"""The bytes of one tool result, in memory while they are few and in a file beyond that.

Every later room reads a `Source` in bounded pieces, so that memory never grows with the input, and no room needs a
second way of doing things for large ones.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator

CHUNK = 256 * 1024
"""Bytes in a piece; a pipe enlarged to 1 MiB is read fastest at this size."""

IN_MEMORY = 4 * 1024 * 1024
"""Bytes beyond which a source lives in a file."""


class Source(ABC):
    """Bytes that can be read any number of times, at any place."""

    size: int

    @abstractmethod
    def read(self, start: int = 0, end: int | None = None) -> bytes:
        """The bytes from `start` up to `end` (the end of the source where None); fewer where the source ends."""

    def chunks(self, start: int = 0, end: int | None = None, size: int = CHUNK) -> Iterator[bytes]:
        """The bytes from `start` up to `end` in pieces of at most `size` bytes."""
        end = self.size if end is None else min(end, self.size)
        for at in range(start, end, size):
            yield self.read(at, min(at + size, end))

    @property
    def in_memory(self) -> bool:
        """Whether reading all of it at once costs no more than it already does."""
        return self.size <= IN_MEMORY


class BytesSource(Source):
    """A source in memory."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = len(data)

    def read(self, start: int = 0, end: int | None = None) -> bytes:
        """See `Source.read`."""
        return self._data if start == 0 and (end is None or end >= self.size) else self._data[start:end]


class FileSource(Source):
    """A source in an open regular file, which must not change; the descriptor stays the caller's."""

    def __init__(self, descriptor: int, size: int | None = None) -> None:
        self.descriptor = descriptor
        self.size = os.fstat(descriptor).st_size if size is None else size

    def read(self, start: int = 0, end: int | None = None) -> bytes:
        """See `Source.read`."""
        end = self.size if end is None else min(end, self.size)
        pieces = []
        while start < end and (piece := os.pread(self.descriptor, end - start, start)):
            pieces.append(piece)
            start += len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)


class Recent(Source):
    """Another source, of which the last large piece that was read is still at hand."""

    def __init__(self, whole: Source) -> None:
        self._whole, self.size = whole, whole.size
        self._at, self._piece = 0, b""

    def read(self, start: int = 0, end: int | None = None) -> bytes:
        """See `Source.read`."""
        end = self.size if end is None else min(end, self.size)
        if self._at <= start and end <= self._at + len(self._piece):
            return self._piece[start - self._at : end - self._at]
        piece = self._whole.read(start, end)
        if len(piece) > CHUNK:
            self._at, self._piece = start, piece
        return piece


class Slice(Source):
    """A part of another source."""

    def __init__(self, whole: Source, start: int, end: int) -> None:
        self._whole, self._start = whole, start
        self.size = end - start

    def read(self, start: int = 0, end: int | None = None) -> bytes:
        """See `Source.read`."""
        end = self.size if end is None else min(end, self.size)
        return self._whole.read(self._start + start, self._start + end) if start < end else b""


def gathered(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces of `CHUNK` bytes and more, but for the last one."""
    waiting: list[bytes] = []
    size = 0
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size >= CHUNK:
            yield b"".join(waiting)
            waiting, size = [], 0
    yield b"".join(waiting)


class Spool:
    """Collects bytes that arrive one after the other and becomes a source.

    They stay in memory up to `IN_MEMORY` bytes; past that they go to the file that `make_file` opens for reading and
    writing, whose `OSError` or `LrguardError` reaches the writer.
    """

    def __init__(self, make_file: Callable[[], int]) -> None:
        self._make_file = make_file
        self._pieces: list[bytes] = []
        self._descriptor = -1
        self._spilled = 0
        self.size = 0

    def write(self, data: bytes) -> None:
        """Append `data`."""
        self.size += len(data)
        self._pieces.append(data)
        if self.size > IN_MEMORY:
            self._spill()

    def _spill(self) -> None:
        if self._descriptor < 0:
            self._descriptor = self._make_file()
        rest = memoryview(self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces))
        try:
            while rest:
                written = os.write(self._descriptor, rest)
                self._spilled += written
                rest = rest[written:]
        finally:
            self._pieces = [bytes(rest)] if rest else []

    def source(self) -> Source:
        """What has been written so far."""
        if self._descriptor < 0:
            self._pieces = [b"".join(self._pieces)]
            return BytesSource(self._pieces[0])
        return FileSource(self._descriptor, self.size)

    def rescue(self) -> Iterator[bytes]:
        """Everything that was given to `write`, also after a write to the file has failed."""
        if self._descriptor >= 0:
            yield from FileSource(self._descriptor, self._spilled).chunks()
        yield from self._pieces
