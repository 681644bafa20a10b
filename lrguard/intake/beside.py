"""Work on one piece after the other beside the thread that reads them.

Hashing and writing let other threads run meanwhile, so that on two processors a large result is kept while the next
part of it arrives. A bounded number of pieces waits; none is lost when the work fails.
"""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from threading import Semaphore, Thread

WAITING = 8
"""Batches that wait at most."""


class Beside:
    """Has `work` done with every batch of pieces that is given, in order, in a thread of its own.

    What `work` raises first is raised by `give` and `finish`; it is called with the batches after that all the same.
    """

    def __init__(self, work: Callable[[bytes], None], batch: int) -> None:
        """`batch` is how many bytes are gathered before they are worked on."""
        self._work, self._batch = work, batch
        self._pieces: list[bytes] = []
        self._size = 0
        self._waiting: SimpleQueue[bytes | None] = SimpleQueue()
        self._room = Semaphore(WAITING)
        self._failure: Exception | None = None
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def give(self, piece: bytes) -> None:
        """Have `piece` worked on; raises what the work on an earlier one raised, once all that was given is done."""
        self._pieces.append(piece)
        self._size += len(piece)
        if self._size >= self._batch:
            self._hand_over()
            if self._failure:
                self.finish()

    def finish(self) -> None:
        """Wait until all is done; raises what the work raised."""
        self._hand_over()
        self._waiting.put(None)
        self._thread.join()
        if self._failure:
            raise self._failure

    def _hand_over(self) -> None:
        pieces, self._pieces, self._size = self._pieces, [], 0
        self._room.acquire()
        self._waiting.put(pieces[0] if len(pieces) == 1 else b"".join(pieces))

    def _run(self) -> None:
        while (batch := self._waiting.get()) is not None:
            try:
                self._work(batch)
            except Exception as failure:
                self._failure = self._failure or failure
            self._room.release()
