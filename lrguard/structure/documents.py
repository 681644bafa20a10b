"""Reads every JSON document of a text into one inference, and keeps account of what is not JSON.

A document begins at the start of a line (after `data: `, as event streams have it), or right behind another one. What
cannot be read from there is text, up to the end of the line: so a brace in a log line is never taken for a document. A
document that breaks off on a later line than it began on counts as far as it goes.
"""

from __future__ import annotations

import re

from lrguard.intake.source import Source
from lrguard.patterns import pattern
from lrguard.records import dataclass, field
from lrguard.structure.container import ContainerReader
from lrguard.structure.infer import Inference
from lrguard.structure.scanner import FAILED, Scanner
from lrguard.structure.window import WINDOW, Window

TYPE_CHECKING = False  # `typing` takes 4 ms to import
if TYPE_CHECKING:
    from typing import Any

_EVENT = pattern(r"data: ?(?=[{\[])")
_INSIDE_LINE = pattern(r'\{[ \t]*"|\[[ \t]*[{\["]')
_BEGINNING = pattern(
    r"^[ \t\r\x1e]*+(?:[{\[\"]|data: |[-0-9tfnNI][-+.\w]*+[ \t\r,]*+$)|" + _INSIDE_LINE.pattern, re.MULTILINE
)
"""Where, in lines of text, a document may begin."""

_REST = pattern(r"[ \t\r\x1e]*+,?[ \t\r\x1e]*+")
_LONGEST_PREFIX = 1000
"""Characters of text in front of a document on the same line."""

_LONGEST_LOG_LINE = 2000
"""Characters of a line up to which a mistake in it makes the line text, rather than a broken document."""


@dataclass(slots=True)
class Documents:
    """What was read: the inference over all documents, and the lines around them."""

    inference: Inference
    count: int = 0
    containers: int = 0
    one_a_line: bool = True
    json_characters: int = 0
    text_characters: int = 0
    inside_text: int = 0
    """Documents that stand within a line of text."""
    text_lines: int = 0
    text_places: list[tuple[int, int]] = field(default_factory=list)
    """First and last lines of the first few runs of text."""
    stopped: str = ""
    """`cut` or `broken` where a document ended early."""
    stopped_line: int = 0


_PLACES = 4
_FIRST_LINES = 4
"""Documents that are read one by one before many are read at once."""


def read_documents(source: Source, end: int | None = None) -> Documents | None:
    """The documents in the first `end` bytes of `source`; None where it is not JSON.

    It is JSON with at least one array or object, or when all of it is one value, and when a quarter of it is not text
    (half of it, where documents stand within lines of text).
    """
    reader = _Reader(Window(source, end))
    found = reader.found
    reader.read()
    if not found.count or (not found.containers and (found.count > 1 or found.text_characters)):
        return None
    bearable = 1 if found.inside_text else 3
    return found if found.text_characters <= bearable * found.json_characters else None


class _Reader:
    def __init__(self, window: Window) -> None:
        self.window = window
        self.found = Documents(Inference())
        self.scanner = Scanner(window)
        self.containers = ContainerReader(self.scanner, self.found.inference)
        self.batch: list[Any] = []
        self.batch_from = 0
        self.last_line = -1
        self.lines_alike = True
        """No line so far was something other than one object."""
        self.no_line_before = 0
        """Up to here no object ends at the end of a line."""

    def read(self) -> None:
        window = self.window
        while character := window.peek():
            if character == "\x1e":
                window.at += 1
            elif character in "{[":
                self._document()
            elif character == "d" and (prefix := self._event()):
                window.at = prefix
                self._document()
            elif character in '"-0123456789tfnNI':
                self._scalar()
            else:
                self._text()
            if window.consumed - self.batch_from > WINDOW:
                self._flush()
        self._flush()

    def _event(self) -> int:
        window = self.window
        window.fill(8)
        prefix = _EVENT.match(window.text, window.at)
        return prefix.end() if prefix else 0

    def _document(self) -> None:
        """Take one container, or leave the line as text."""
        window = self.window
        began = window.consumed
        if self._many_lines():
            return
        if not self._plausible():
            self._text()
            return
        value = self.scanner.attempt()
        if value is FAILED:
            self._enter_or_leave(began)
            return
        spans = window.text.find("\n", window.at - (window.consumed - began), window.at) >= 0
        rest, more = self._rest_of_line()
        if rest and not (value and (type(value) is dict or spans or type(value[0]) in (dict, list))):
            window.at = max(0, window.at - (window.consumed - began))
            self._text()
            return
        self._count(began, container=True)
        self.batch.append(value)
        if spans or more:
            self.found.one_a_line = False
        if rest:
            self._text()

    def _many_lines(self) -> bool:
        """Take the documents of many lines at once, which lets them share their keys.

        Between two lines a comma makes them one array. As many elements as lines are what the lines are by themselves.
        """
        window = self.window
        if not self.lines_alike or self.found.count < _FIRST_LINES or window.consumed < self.no_line_before:
            return False
        cut = window.text.rfind("}\n{", window.at, window.at + WINDOW)
        if cut < 0:
            self.no_line_before = window.consumed + min(WINDOW, len(window.text) - window.at) - 2
            return False
        part = window.text[window.at : cut + 1]
        lines = part.count("\n") + 1
        try:
            values, _ = self.scanner.scan("[" + part.replace("}\n{", "},\n{") + "]", 0)
        except (ValueError, StopIteration, RecursionError):
            self.lines_alike = False
            return False
        if len(values) != lines:
            self.lines_alike = False
            return False
        self.batch += values
        self.found.count += lines
        self.found.containers += lines
        self.found.json_characters += len(part)
        window.at = cut + 2
        return True

    def _enter_or_leave(self, began: int) -> None:
        """A container that the scanner does not read whole: a large, a deep, a cut or a broken one, or text."""
        window, containers = self.window, self.containers
        line_end = window.text.find("\n", window.at)
        wrong = self.scanner.error_at
        if line_end >= 0 and wrong <= line_end and line_end - window.at <= _LONGEST_LOG_LINE:
            self._text()
            return
        if line_end < 0 and window.ended and wrong - window.at < 2 and len(window.text) - window.at > 2:
            self._text()
            return
        self._flush()
        containers.enter(self.found.inference.root)
        self._count(began, container=True)
        if containers.stopped:
            if not self.found.stopped or containers.stopped == "cut":
                self.found.stopped, self.found.stopped_line = containers.stopped, window.line()
            if containers.stopped == "broken":
                self._text()
            return
        rest, more = self._rest_of_line()
        if rest:
            self._text()
        elif more:
            self.found.one_a_line = False

    def _scalar(self) -> None:
        """A value that is no container counts when it has its line for itself."""
        window = self.window
        began = window.consumed
        value = self.scanner.attempt()
        if value is FAILED:
            self._text()
        elif any(self._rest_of_line()):
            window.at = max(0, window.at - (window.consumed - began))
            self._text()
        else:
            self._count(began, container=False)
            self.batch.append(value)

    def _plausible(self) -> bool:
        """Whether what follows the bracket may be JSON; cheap, so that text full of brackets stays cheap."""
        window = self.window
        opening = window.text[window.at]
        at = window.at + 1
        while True:
            while at < len(window.text) and window.text[at] in " \t\r\n":
                at += 1
            if at < len(window.text):
                return window.text[at] in ('"}' if opening == "{" else '{["]-0123456789tfnNI')
            before = window.at
            if not window.more():
                return True
            at -= before

    def _rest_of_line(self) -> tuple[bool, bool]:
        """Whether text, and whether another container, follows on the same line; the place moves to it."""
        window = self.window
        while True:
            at = _REST.match(window.text, window.at).end()  # type: ignore[union-attr]
            if at < len(window.text) or not window.more():
                break
        window.at = at
        if at == len(window.text) or window.text[at] == "\n":
            return False, False
        another = window.text[at] in "{["
        return not another, another

    def _text(self) -> None:
        """Leave the rest of the line, but for the documents that stand in it."""
        window = self.window
        line, began = window.line(), window.consumed
        while (end := window.text.find("\n", window.at)) < 0 and len(window.text) - window.at < WINDOW:
            if not window.more():
                break
        end = len(window.text) if end < 0 else end
        inside = _INSIDE_LINE.search(window.text, window.at, min(end, window.at + _LONGEST_PREFIX))
        value: Any = FAILED
        if inside:
            window.at = inside.start()
            began_inside = window.consumed
            value = self.scanner.attempt()
            if value is not FAILED:
                self.found.inside_text += 1
                self._count(began_inside, container=True)
                self.batch.append(value)
                began += window.consumed - began_inside
        window.skip_line()
        self._note_text(line, window.consumed - began)
        self._plain_lines()

    def _plain_lines(self) -> None:
        """Leave the lines that follow in which no document begins, of those in the window; a log has hardly others."""
        window = self.window
        found = _BEGINNING.search(window.text, window.at)
        end = window.text.rfind("\n", window.at, found.start() if found else len(window.text)) + 1
        if end <= window.at:
            return
        first = window.line()
        plain = [line.strip() for line in window.text[window.at : end].split("\n")]
        window.at = end
        while plain and not plain[-1]:
            plain.pop()
        if plain:
            self._note_text(first, sum(map(len, plain)), lines=sum(map(bool, plain)), last=first + len(plain) - 1)

    def _note_text(self, line: int, characters: int, *, lines: int = 1, last: int = 0) -> None:
        """Count text that begins on `line`: so many lines with something in them, up to `last` where it is not one."""
        found = self.found
        last = last or line
        found.text_characters += characters
        found.text_lines += lines if line != self.last_line else lines - 1
        self.last_line = last
        places = found.text_places
        if places and places[-1][1] >= line - 1:
            places[-1] = (places[-1][0], last)
        elif len(places) < _PLACES:
            places.append((line, last))

    def _count(self, began: int, *, container: bool) -> None:
        self.found.count += 1
        self.found.containers += container
        self.found.json_characters += self.window.consumed - began

    def _flush(self) -> None:
        self.batch_from = self.window.consumed
        if self.batch:
            self.found.inference.add(self.found.inference.root, self.batch, 0)
            self.batch = []
