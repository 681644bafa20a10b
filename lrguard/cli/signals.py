"""Signals that end the reading of a tool result, told through a descriptor so that no byte read is lost."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from lrguard import instant
from lrguard.cli import streams

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def waking(numbers: Iterable[signal.Signals] = ENDING) -> Iterator[int]:
    """Within it, one of the signals makes the descriptor it yields readable, and does nothing else.

    A signal that was ignored when the program started, as under nohup, stays ignored; but for SIGCHLD, without which
    a child's exit status would be lost.
    """
    if streams.begun.wake is not None:
        try:
            yield streams.begun.wake
        finally:
            _give_back()
            streams.begun.wake = None  # whoever waits the next time waits with a descriptor of its own
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    previous = {number: signal.getsignal(number) for number in numbers}
    for number, action in previous.items():
        if action != signal.SIG_IGN or number == signal.SIGCHLD:
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


def _give_back() -> None:
    """Let signals do again what they do by default, where the instant path has taken them."""
    signal.set_wakeup_fd(-1)
    for number in ENDING:
        if signal.getsignal(number) is instant.nothing:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
