"""Lines of any length from one descriptor to another, each whole and in one piece."""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from select import select
from threading import RLock

from lrguard.intake.source import BytesSource, FileSource, Source, Spool

_READ = 256 * 1024
_PIECE = 1024 * 1024

UNTAKEN = 0.1
"""Seconds that the end of a write is waited for before its descriptor is closed."""


class Line:
    """One line with its end, or a `torn` piece of one that could not be kept and goes on."""

    def __init__(self, source: Source, files: list[int], *, torn: bool = False) -> None:
        self.source, self.torn = source, torn
        self.is_ended = torn or source.read(source.size - 1, source.size) == b"\n"
        self._files = files
        self._map: mmap.mmap | None = None

    def data(self) -> bytes | mmap.mmap:
        """Its bytes; those of a line in a file are not read into memory."""
        if isinstance(self.source, FileSource) and self._map is None:
            self._map = mmap.mmap(self.source.descriptor, self.source.size, access=mmap.ACCESS_READ)
        return self._map or self.source.read()

    def close(self) -> None:
        """Give its file back."""
        if self._map is not None:
            self._map.close()
        while self._files:
            os.close(self._files.pop())


def lines(read: Callable[[], bytes], make_file: Callable[[], int]) -> Iterator[Line]:
    """The lines in what `read` returns until that is empty, a last one that does not end included.

    A long one lives in the file of `make_file`. Where that cannot be made or written, the line comes in torn pieces,
    the last of which is not torn.
    """
    new = _New(make_file)
    while chunk := read():
        start = 0
        while (end := chunk.find(b"\n", start) + 1) > 0:
            yield from new.take(chunk[start:end])
            yield new.line()
            new = _New(make_file)
            start = end
        if start < len(chunk):
            yield from new.take(chunk[start:])
    if new.begun:
        yield new.line()


class _New:
    """A line while it arrives."""

    def __init__(self, make_file: Callable[[], int]) -> None:
        self._make_file = make_file
        self._files: list[int] = []
        self._spool: Spool | None = Spool(self._open)
        self._tail = b""
        self.begun = False

    def take(self, piece: bytes) -> Iterator[Line]:
        """Keep `piece`; what cannot be kept comes out again."""
        self.begun = True
        if self._spool is None:
            yield Line(BytesSource(self._tail), [], torn=True)
            self._tail = piece
            return
        try:
            self._spool.write(piece)
        except OSError:
            failed, self._spool = self._spool, None
            for kept in failed.rescue():
                yield Line(BytesSource(kept), [], torn=True)

    def line(self) -> Line:
        """The whole line, or the end of a torn one."""
        if self._spool is None:
            return Line(BytesSource(self._tail), self._files)
        return Line(self._spool.source(), self._files)

    def _open(self) -> int:
        descriptor = self._make_file()
        self._files.append(descriptor)
        return descriptor


class Output:
    """A descriptor that several threads write whole lines to."""

    def __init__(self, descriptor: int, left: Callable[[], None]) -> None:
        """`left` is called when nobody reads any more; what is written from then on is dropped."""
        self._descriptor, self._left = descriptor, left
        self._lock = RLock()
        self._torn = 0
        self._open = True

    def write(self, pieces: Iterable[bytes], *, torn: bool = False) -> None:
        """Write one line; of a torn one a piece, after which only the same thread can write until the line ends."""
        self._lock.acquire()
        try:
            for piece in pieces:
                self._write(piece)
        finally:
            # Once more for this piece: what a torn piece has taken is given back at the end of its line.
            self._torn += 1
            if not torn:
                held, self._torn = self._torn, 0
                for _ in range(held):
                    self._lock.release()

    def close(self) -> None:
        """Close it; the descriptor's number stays taken. A write that nobody takes does not hold this up."""
        locked = self._lock.acquire(timeout=UNTAKEN)
        self._open = False
        shut(self._descriptor)
        if locked:
            self._lock.release()

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view and self._open:
            try:
                view = view[os.write(self._descriptor, view[:_PIECE]) :]
            except BlockingIOError:
                select([], [self._descriptor], [])
            except OSError:
                self._open = False
                self._left()


def shut(descriptor: int) -> None:
    """Put /dev/null in the place of what is open there."""
    with suppress(OSError):
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, descriptor, inheritable=False)
        os.close(null)


def read(descriptor: int) -> bytes:
    """What is there to be read; empty at the end."""
    while True:
        try:
            return os.read(descriptor, _READ)
        except BlockingIOError:
            select([descriptor], [], [])
        except OSError:
            return b""


def edited(line: Source, edits: Sequence[tuple[int, int, Source]]) -> Iterator[bytes]:
    """`line` with other bytes in the place of some: where those begin and end, and what stands there instead."""
    at = 0
    for start, end, instead in sorted(edits, key=lambda edit: edit[:2]):
        yield from line.chunks(at, start)
        yield from instead.chunks()
        at = end
    yield from line.chunks(at)
