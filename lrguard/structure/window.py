"""The part of a text that is in front of a reader, decoded and moved along in bounded pieces."""

from __future__ import annotations

import codecs
import re

from lrguard.intake.source import CHUNK, Source
from lrguard.patterns import pattern

WINDOW = 1024 * 1024
"""Characters that are looked at in one piece where there are as many."""

_BLANK = pattern(r"[ \t\r\n]*+")
_IN_STRING = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL).match
_BRACKET = re.compile(r'"|[\[{]+|[\]}]').search


def skip_blank(text: str, at: int) -> re.Match[str]:
    """A match that ends where the blanks at `at` end."""
    return _BLANK.match(text, at)  # type: ignore[return-value]


class Window:
    """A text from `at` on; what lies before is dropped when more is read."""

    def __init__(self, source: Source, end: int | None = None) -> None:
        self.text = ""
        self.at = 0
        self.ended = False
        self._dropped = 0
        self._lines = 0
        self._counted = 0
        self._chunks = source.chunks(0, end, CHUNK)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.more()
        if self.text.startswith("\ufeff"):
            self.at = 1

    @property
    def consumed(self) -> int:
        """Characters before `at`."""
        return self._dropped + self.at

    def more(self) -> bool:
        """Read on; False at the end of the text."""
        while not self.ended:
            chunk = next(self._chunks, None)
            decoded = self._decoder.decode(chunk or b"", final=chunk is None)
            self.ended = chunk is None
            if decoded:
                self.forget()
                self.text += decoded
                return True
        return False

    def fill(self, size: int = WINDOW) -> bool:
        """Read until `size` characters are in front; False when none were added."""
        before = len(self.text) - self.at
        while len(self.text) - self.at < size and self.more():
            pass
        return len(self.text) - self.at > before

    def line(self) -> int:
        """The number, from 1, of the line that the place is in."""
        if self.at >= self._counted:
            self._lines += self.text.count("\n", self._counted, self.at)
        else:
            self._lines -= self.text.count("\n", self.at, self._counted)
        self._counted = self.at
        return self._lines + 1

    def forget(self) -> None:
        """Drop what lies before the place."""
        self.line()
        self._dropped += self.at
        self.text, self.at, self._counted = self.text[self.at :], 0, 0

    def peek(self) -> str:
        """Skip blanks; the character that follows, empty at the end."""
        while True:
            self.at = skip_blank(self.text, self.at).end()
            if self.at < len(self.text):
                return self.text[self.at]
            if not self.more():
                return ""

    def skip_line(self) -> None:
        """Go to the start of the next line."""
        while (end := self.text.find("\n", self.at)) < 0:
            self.at = len(self.text)
            if not self.more():
                return
        self.at = end + 1

    def skip_string(self) -> tuple[int, bool]:
        """Go past the string that begins here; its length, and whether it has an end."""
        self.at += 1
        length = 0
        while True:
            end = _IN_STRING(self.text, self.at).end()  # type: ignore[union-attr]
            length += end - self.at
            self.at = end
            if end < len(self.text) and self.text[end] == '"':
                self.at += 1
                return length, True
            if not self.more():
                self.at = len(self.text)
                return length, False

    def skip_container(self) -> bool:
        """Go past the array or object that begins here, whatever is in it; whether it has an end."""
        depth = 0
        while True:
            found = _BRACKET(self.text, self.at)
            if found is None:
                self.at = len(self.text)
                if not self.more():
                    return False
            elif found.group() == '"':
                self.at = found.start()
                if not self.skip_string()[1]:
                    return False
            else:
                self.at = found.end()
                depth += -1 if found.group() in "]}" else found.end() - found.start()
                if depth <= 0:
                    return True
