"""A line on the terminal that tells what is waited for, and is gone afterwards."""

from __future__ import annotations

import os
from contextlib import suppress

from lrguard.cli import streams


class Line:
    """One line on standard error, each text in the place of the one before."""

    def __init__(self) -> None:
        self._shown = ""

    def show(self, text: str) -> None:
        """Show `text`, unless it is there already or the terminal belongs to somebody else just now."""
        if text == self._shown:
            return
        with suppress(OSError):
            if os.tcgetpgrp(streams.ERRORS) == os.getpgrp():
                os.write(streams.ERRORS, f"\r{text.ljust(len(self._shown))}\r{text}".encode())
                self._shown = text

    def erase(self) -> None:
        """Leave the line empty."""
        self.show("")
