"""Reads a tool result to its end, or as far as it comes.

Hashing and the scan that tells text from binary run while the pipe is read, so that a large input is gone through once
before it is looked at closely. The Linux pipe is enlarged first: with its default of 64 KiB the writer is woken four
times as often.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from select import select
from typing import Protocol

from lrguard.intake.encoding import Utf8Scan
from lrguard.intake.source import CHUNK, Source, Spool

PIPE_SIZE = 1024 * 1024
F_SETPIPE_SZ = 1031


@dataclass(frozen=True, slots=True)
class Received:
    """One tool result as it arrived."""

    source: Source
    sha256: str
    scan: Utf8Scan
    incomplete: bool = False
    signal: int = 0
    """The number of the signal that ended the reading, 0 where none did."""
    failure: str = ""
    """Why reading failed, empty where it did not."""


class Unspooled(Exception):
    """What arrived could not be put on disk. `spool.rescue()` has it so far; more may follow on the descriptor."""

    def __init__(self, spool: Spool, why: str) -> None:
        self.spool, self.why = spool, why
        super().__init__(why)


class _Hash(Protocol):
    def update(self, data: bytes, /) -> None: ...
    def hexdigest(self) -> str: ...


def receive(descriptor: int, make_file: Callable[[], int], wake: int | None = None) -> Received:
    """Everything that can be read from `descriptor`; past `IN_MEMORY` bytes it lives in the file of `make_file`.

    `wake` is a descriptor from which a signal's number can be read once one has come, as `signal.set_wakeup_fd` writes
    it: waiting on both loses no byte to a signal, which raising from a handler would. Raises Unspooled when the file
    cannot be made or written.
    """
    _enlarge(descriptor)
    spool, digest, scan = Spool(make_file), sha256(), Utf8Scan()
    signal, failure = 0, ""
    waiting = [descriptor] if wake is None else [descriptor, wake]
    left = -1  # bytes still to be read after a signal: what the pipe may hold
    try:
        while left:
            ready = select(waiting, [], [], None if left < 0 else 0)[0]
            if wake in ready:
                signal = os.read(ready[-1], 1)[0]
                waiting, left = [descriptor], PIPE_SIZE
                continue
            if not ready:
                break
            try:
                chunk = os.read(descriptor, CHUNK if left < 0 else min(left, CHUNK))
            except BlockingIOError:
                continue
            if not chunk:
                break
            left -= len(chunk) if left > 0 else 0
            _take(chunk, spool, digest, scan)
    except OSError as error:
        failure = error.strerror or str(error)
    scan.end()
    return Received(spool.source(), digest.hexdigest(), scan, bool(signal or failure), signal, failure)


def _take(chunk: bytes, spool: Spool, digest: _Hash, scan: Utf8Scan) -> None:
    digest.update(chunk)
    scan.feed(chunk)
    try:
        spool.write(chunk)
    except OSError as error:
        raise Unspooled(spool, error.strerror or str(error)) from None


def _enlarge(descriptor: int) -> None:
    try:
        import fcntl

        fcntl.fcntl(descriptor, F_SETPIPE_SZ, PIPE_SIZE)
    except (ImportError, OSError):
        pass  # not a pipe, not Linux, or over the user's limit: slower, nothing else
