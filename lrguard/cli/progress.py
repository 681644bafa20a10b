"""A line on the terminal that tells what is waited for, and is gone afterwards.

Nobody is told before a second has passed, nor where standard error is no terminal. Tokens are estimated from samples of
what arrives: counting is done later, and most of it only where it decides something.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic

from lrguard.cli import streams
from lrguard.intake.sizes import size_text

TOLD_AFTER = 1.0
"""Seconds until there is something to tell."""

TOLD_EVERY = 0.25
"""Seconds between two states of the line."""

COLUMNS = 80
"""Columns of a terminal that does not tell."""

SAMPLE = 2048
"""Bytes of what has arrived that are looked at for one state of the line."""


class Line:
    """One line on standard error, each text in the place of the one before."""

    def __init__(self) -> None:
        self._shown = ""

    def show(self, text: str) -> None:
        """Show `text`, unless it is there already or the terminal belongs to somebody else just now.

        What does not fit on one line is left out: it could not be taken back.
        """
        with suppress(OSError):
            text = text[: (os.get_terminal_size(streams.ERRORS).columns or COLUMNS) - 1]
            if text != self._shown and os.tcgetpgrp(streams.ERRORS) == os.getpgrp():
                os.write(streams.ERRORS, f"\r{text.ljust(len(self._shown))}\r{text}".encode())
                self._shown = text

    def erase(self) -> None:
        """Leave the line empty."""
        self.show("")


class Progress(Line):
    """Tells how much has arrived, how fast, and about how many tokens that is."""

    def __init__(self, encoding: str = "") -> None:
        """`encoding` is the vocabulary by which tokens are estimated; they are not told without one."""
        super().__init__()
        self._encoding = encoding
        self._started = monotonic()
        self._next = self._started + TOLD_AFTER
        self._size = 0
        self._fresh = b""
        self._sampled = self._tokens = 0
        self._is_text = bool(encoding)

    def take(self, chunk: bytes) -> None:
        """Hear what has arrived; nothing, where only time has passed."""
        self._size += len(chunk)
        self._fresh = chunk[:SAMPLE] or self._fresh
        now = monotonic()
        if now >= self._next:
            self._next = now + TOLD_EVERY
            self._look_at(self._fresh)
            self._fresh = b""
            self.show(self._text(now - self._started))

    def reach(self, size: int) -> None:
        """Hear that `size` bytes have arrived in all, without seeing them; while there are none, nothing is told."""
        self._size = size
        self.show(self._text(monotonic() - self._started) if size else "")

    def _look_at(self, sample: bytes) -> None:
        if b"\0" in sample:
            self._is_text = False
        elif self._is_text and sample:
            from lrguard.measure.estimate import estimate

            self._tokens += estimate(sample.decode("utf-8", "replace"), self._encoding)
            self._sampled += len(sample)

    def _text(self, seconds: float) -> str:
        if not self._size:
            return f"lrguard: nothing to read yet, {seconds:.0f} s"
        parts = [f"lrguard: {size_text(self._size)}", f"{size_text(round(self._size / seconds))}/s"]
        if self._is_text and self._sampled:
            tokens = float(f"{self._size * self._tokens / self._sampled:.2g}")
            parts.append(f"~{tokens:,.0f} tokens")
        return f"{', '.join(parts)} so far"


@contextmanager
def reading(encoding: str) -> Iterator[Callable[[bytes], None]]:
    """What tells the terminal how the reading of a tool result goes, with tokens of `encoding`."""
    progress = Progress("o200k_base" if encoding == "estimate" else encoding)
    try:
        yield progress.take
    finally:
        progress.erase()
