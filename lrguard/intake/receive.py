"""Reads a tool result to its end, or as far as it comes.

Hashing and the scan that tells text from binary run while the pipe is read, so that a large input is gone through once
before it is looked at closely. The Linux pipe is enlarged first: with its default of 64 KiB the writer is woken four
times as often.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from hashlib import sha256
from select import select

from lrguard.intake.source import CHUNK, IN_MEMORY, BytesSource, Source, Spool
from lrguard.intake.utf8_scan import Utf8Scan
from lrguard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lrguard.intake.beside import Beside
    from lrguard.intake.run_look import RunLook, Spans

PIPE_SIZE = 1024 * 1024
F_SETPIPE_SZ = 1031

TOLD_EVERY = 0.25
"""Seconds after which somebody who wants to hear of the reading hears that nothing has arrived."""


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
    ended: str = ""
    """How the command that printed it failed, such as `exit status 2`; empty where none did."""
    partial: str = ""
    """What is known to be missing of it, since somebody cut it before it got here."""
    declared_error: bool = False
    """Whoever handed it over says that it is an error."""
    run_spans: Spans | None = None
    """Where in it runs of base64 may stand, where that was looked at."""

    @property
    def is_error(self) -> bool:
        """Whether it is known to be an error without looking into it."""
        return self.declared_error or bool(self.ended)


def held(content: bytes) -> Received:
    """A tool result that is in memory, and stays there whatever its size."""
    scan = Utf8Scan()
    scan.feed(content)
    scan.end()
    return Received(BytesSource(content), sha256(content).hexdigest(), scan)


class Unspooled(Exception):
    """What arrived could not be put on disk. `spool.rescue()` has it so far; more may follow on the descriptor."""

    def __init__(self, spool: Spool, why: str) -> None:
        self.spool, self.why = spool, why
        super().__init__(why)


class Arriving:
    """A tool result while it arrives; past `IN_MEMORY` bytes it lives in the file of `make_file`."""

    def __init__(self, make_file: Callable[[], int]) -> None:
        """Nothing has arrived yet."""
        self._spool, self._digest, self._scan = Spool(make_file), sha256(), Utf8Scan()
        self._beside: Beside | None = None
        self._look: RunLook | None = None

    @property
    def size(self) -> int:
        """Bytes so far."""
        return self._scan.size

    def take(self, chunk: bytes) -> None:
        """Add what has arrived. Raises Unspooled when the file cannot be made or written."""
        self._scan.feed(chunk)
        self._keep(chunk)

    def take_beside(self, chunk: bytes) -> None:
        """As `take`, but once there is a file it is written, and all is hashed, while more arrives; see `settle`.

        What arrives then is looked at for base64 as well, since it will not be at hand again.
        """
        if self._beside and self._look:
            self._beside.give(lambda: self._keep(chunk), len(chunk))
            self._scan.feed(chunk)
            self._look.feed(chunk)
            return
        self.take(chunk)
        if self._spool.size > IN_MEMORY:
            from lrguard.intake.beside import Beside
            from lrguard.intake.run_look import RunLook

            self._beside, self._look = Beside(), RunLook(self._spool.size)

    def settle(self) -> None:
        """Wait for what goes on beside. Raises Unspooled as `take` does."""
        if self._beside:
            self._beside.finish()

    def _keep(self, chunk: bytes) -> None:
        self._digest.update(chunk)
        try:
            self._spool.write(chunk)
        except OSError as error:
            raise Unspooled(self._spool, error.strerror or str(error)) from None

    def received(self, *, incomplete: bool = False, signal: int = 0, failure: str = "", ended: str = "") -> Received:
        """All of it, once no more is to come."""
        self._scan.end()
        return Received(
            self._spool.source(),
            self._digest.hexdigest(),
            self._scan,
            incomplete,
            signal,
            failure,
            ended,
            run_spans=self._look.spans if self._look else None,
        )


def receive(
    descriptor: int,
    make_file: Callable[[], int],
    wake: int | None = None,
    begun: bytes = b"",
    tell: Callable[[bytes], None] | None = None,
) -> Received:
    """`begun` and everything that can be read from `descriptor`; past `IN_MEMORY` bytes in the file of `make_file`.

    `wake` is a descriptor from which a signal's number can be read once one has come, as `signal.set_wakeup_fd` writes
    it: waiting on both loses no byte to a signal, which raising from a handler would. `tell` hears what arrives, and
    from time to time that nothing did. Raises Unspooled when the file cannot be made or written.
    """
    enlarge(descriptor)
    arriving = Arriving(make_file)
    arriving.take(begun)
    if tell:
        tell(begun)
    signal, failure = 0, ""
    waiting = [descriptor] if wake is None else [descriptor, wake]
    patience = TOLD_EVERY if tell else None
    left = -1  # bytes still to be read after a signal: what the pipe may hold
    try:
        while left:
            ready = select(waiting, [], [], patience if left < 0 else 0)[0]
            if wake in ready:
                signal = os.read(ready[-1], 1)[0]
                waiting, left = [descriptor], PIPE_SIZE
                continue
            if not ready and tell and left < 0:
                tell(b"")
                continue
            if not ready:
                break
            try:
                chunk = os.read(descriptor, CHUNK if left < 0 else min(left, CHUNK))
            except BlockingIOError:
                continue
            if not chunk:
                # A signal to a whole pipeline ends the writer too, whose end may be seen first.
                if wake in waiting and select([wake], [], [], 0)[0]:
                    signal = os.read(waiting[-1], 1)[0]
                break
            left -= len(chunk) if left > 0 else 0
            arriving.take_beside(chunk)
            if tell:
                tell(chunk)
    except OSError as error:
        failure = error.strerror or str(error)
    arriving.settle()
    return arriving.received(incomplete=bool(signal or failure), signal=signal, failure=failure)


def enlarge(descriptor: int) -> None:
    """Let a pipe hold `PIPE_SIZE` bytes, where the system lets it."""
    try:
        import fcntl

        fcntl.fcntl(descriptor, F_SETPIPE_SZ, PIPE_SIZE)
    except (ImportError, OSError):
        pass  # not a pipe, not Linux, or over the user's limit: slower, nothing else
