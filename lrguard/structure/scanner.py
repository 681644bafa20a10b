"""Reads whole JSON values from the window with the standard library's scanner.

It is quick, and it keeps what others lose: integers of any size, NaN, lone surrogates, what a duplicate key says last.
"""

from __future__ import annotations

from json import JSONDecoder

from lrguard.structure.window import WINDOW, Window

TYPE_CHECKING = False  # `typing` takes 4 ms to import
if TYPE_CHECKING:
    from typing import Any

_STRING_WINDOW = 8 * WINDOW
_HUGE = 10**4000
_BEHIND = 8 * 1024
"""Characters before the place that may stay: the scanner's errors count the lines from the beginning of its text."""

FAILED = object()
"""No value that the scanner could read."""


def _int(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:  # more digits than the interpreter converts
        return -_HUGE if digits[0] == "-" else _HUGE


class Scanner:
    """Reads values at the window's place, and keeps account of vain attempts."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.error_at = 0
        """Where, in the window's text, the last vain attempt failed."""
        self.too_deep = False
        """The last vain attempt failed because the value is nested too deeply."""
        self.scan = JSONDecoder().scan_once  # type: ignore[attr-defined]
        self._scan_lenient = JSONDecoder(parse_int=_int, strict=False).scan_once  # type: ignore[attr-defined]
        self._failed = self._control = False
        self._wasted = 0

    def attempt(self) -> Any:
        """The value at the window's place, which moves past it; `FAILED` when it does not fit or is none."""
        window = self.window
        size = _STRING_WINDOW if window.text[window.at] == '"' else WINDOW
        if window.at > _BEHIND and self._failed:
            window.forget()
        while True:
            try:
                value, end = self.scan(window.text, window.at)
            except (ValueError, StopIteration, RecursionError) as error:
                if type(error) is ValueError:
                    self.scan = JSONDecoder(parse_int=_int).scan_once  # type: ignore[attr-defined]
                elif not self._torn(error) or not window.fill(size):
                    break
            else:
                if end < len(window.text) or type(value) not in (int, float) or not window.more():
                    window.at = end
                    return value
        self._failed = True
        self._wasted += self.error_at - window.at
        return self._lenient() if self._control else FAILED

    @property
    def careful(self) -> bool:
        """Whether so much was read in vain that only what is sure to be small should be attempted."""
        return self._wasted > 4 * self.window.consumed + 16 * WINDOW

    def _torn(self, error: Exception) -> bool:
        """Whether the scanner may have failed because the window ends."""
        size = len(self.window.text)
        self.too_deep = isinstance(error, RecursionError)
        self._control = str(error).startswith("Invalid control character")
        if self.too_deep:
            self.error_at = size
            return False
        self.error_at = error.value if isinstance(error, StopIteration) else error.pos  # type: ignore[attr-defined]
        return self.error_at > size - 16 or str(error).startswith("Unterminated")

    def _lenient(self) -> Any:
        """A value whose strings hold control characters, against the standard."""
        window = self.window
        try:
            value, window.at = self._scan_lenient(window.text, window.at)
        except (ValueError, StopIteration, RecursionError):
            return FAILED
        return value
