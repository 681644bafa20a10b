"""Work that is done one after the other beside the thread that finds it.

Hashing and writing let other threads run meanwhile, so that on two processors a large result is kept while the next
part of it arrives, and its assets while more of them are found. A bounded number of bytes waits; none is lost when the
work fails.
"""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from threading import Semaphore, Thread

from lrguard.intake.source import CHUNK

WAITING = 8
"""Batches of `CHUNK` bytes that wait at most."""

Work = Callable[[], object]


class Beside:
    """Does all work that is given, in order, in a thread of its own.

    What work raises first is raised by `give` and `finish`; what is given after that is done all the same.
    """

    def __init__(self) -> None:
        """Nothing is to be done yet."""
        self._batch: list[Work] = []
        self._size = 0
        self._waiting: SimpleQueue[list[Work]] = SimpleQueue()
        self._room = Semaphore(WAITING)
        self._failure: Exception | None = None
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def give(self, work: Work, size: int) -> None:
        """Have `work` done, for which `size` bytes are held; raises what earlier work raised, once all is done."""
        self._batch.append(work)
        self._size += size
        if self._size >= CHUNK:
            self._hand_over()
            if self._failure:
                self.finish()

    def finish(self) -> None:
        """Wait until all is done; raises what the work raised."""
        self._hand_over()
        self._waiting.put([])
        self._thread.join()
        if self._failure:
            raise self._failure

    def _hand_over(self) -> None:
        batch, self._batch, self._size = self._batch, [], 0
        if batch:
            self._room.acquire()
            self._waiting.put(batch)

    def _run(self) -> None:
        while batch := self._waiting.get():
            for work in batch:
                try:
                    work()
                except Exception as failure:
                    self._failure = self._failure or failure
            batch.clear()
            self._room.release()
