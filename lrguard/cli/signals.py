"""Signals that end the reading of a tool result, told through a descriptor so that no byte read is lost."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def waking() -> Iterator[int]:
    """Within it, an ending signal makes the descriptor it yields readable, and does nothing else.

    A signal that was ignored when the program started, as under nohup, stays ignored.
    """
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    previous = {number: signal.getsignal(number) for number in ENDING}
    for number, action in previous.items():
        if action != signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    try:
        yield reader
    finally:
        signal.set_wakeup_fd(before)
        for number, action in previous.items():
            signal.signal(number, action)
        os.close(reader)
        os.close(writer)
