"""Reads one JSON array or object into a tree of nodes, however large, deep or broken it is.

The scanner wants a whole value. So a container that does not fit into the window, is nested too deeply or is broken is
entered here, and the scanner is asked again for what it holds. Each level entered costs one vain attempt; once these
add up, containers are entered without asking, which keeps the time linear for every document.
"""

from __future__ import annotations

from json.decoder import scanstring  # type: ignore[attr-defined]

from lrguard.structure.formats import Strings
from lrguard.structure.frame import COLON, COMMA, KEY, VALUE, Frame
from lrguard.structure.infer import Inference
from lrguard.structure.node import KEYS, Node
from lrguard.structure.scanner import FAILED, Scanner
from lrguard.structure.window import WINDOW, skip_blank

TYPE_CHECKING = False  # `typing` takes 4 ms to import
if TYPE_CHECKING:
    from typing import Any

_FIRST_KEY = 80


def _boundary(value: Any, beginning: str, separator: str) -> str:
    """What stands between this element of an array and the next like it; empty where nothing telling does."""
    if type(value) is not dict or not value:
        return ""
    first = f'{{"{next(iter(value))}"'
    return f"}}{separator}{first}" if beginning.startswith(first) else ""


class ContainerReader:
    """Reads containers from a window into an inference."""

    def __init__(self, scanner: Scanner, inference: Inference) -> None:
        self.scanner = scanner
        self.window = scanner.window
        self.inference = inference
        self.stopped = ""
        """Why the last value that was entered ended early: `cut` or `broken`; empty when it did not."""
        self._frames: list[Frame] = []
        self._deep_from: int | None = None

    def enter(self, node: Node) -> None:
        """Take the container at the window's place into `node`, level by level, as far as it goes."""
        self.stopped = ""
        self._deep_from = 0 if self.scanner.too_deep else None
        self._push(node, 0)
        while self._frames and not self.stopped:
            self._step(self._frames[-1])
        if self.stopped:
            self._abandon()

    def _step(self, frame: Frame) -> None:
        window = self.window
        if window.consumed - frame.flushed > WINDOW:
            self._flush(frame)
        if frame.state == (VALUE if frame.array else KEY):
            window.peek()
            (self._run_of_elements if frame.array else self._run_of_members)(frame)
        character = window.peek()
        if not character:
            self.stopped = "cut"
        elif frame.state == COLON and character == ":":
            window.at += 1
            frame.state = VALUE
        elif character == ("]" if frame.array else "}") and frame.state in (COMMA, VALUE if frame.array else KEY):
            window.at += 1
            self._close(frame)
        elif frame.state == COMMA and character == ",":
            window.at += 1
            frame.state = VALUE if frame.array else KEY
        elif frame.state == KEY and character == '"':
            self._key(frame)
        elif frame.state == VALUE:
            self._value(frame, character)
        else:
            self.stopped = "broken"

    def _run_of_elements(self, frame: Frame) -> None:
        """Take the elements that the scanner reads one after the other."""
        if self._deep_from is not None or self.scanner.careful:
            return
        window, scan = self.window, self.scanner.scan
        text, at, stop = window.text, window.at, window.at + WINDOW
        take, before = frame.elements.append, len(frame.elements)
        try:
            if frame.boundary and (cut := text.rfind(frame.boundary, at, stop)) > 0:
                at = self._many(frame, at, cut + 1)
            while at < stop:
                value, end = scan(text, at)
                if text[end] != ",":
                    break
                ended = end
                end += 1
                if text[end] == " ":
                    end += 1
                if text[end] <= " ":
                    end = skip_blank(text, end).end()
                take(value)
                if frame.boundary is None:
                    frame.boundary = _boundary(value, text[at : at + _FIRST_KEY], text[ended:end])
                at = end
        except (ValueError, StopIteration, RecursionError, IndexError):
            pass
        window.at = at
        frame.count += len(frame.elements) - before

    def _many(self, frame: Frame, at: int, end: int) -> int:
        """Take the elements up to a boundary at once, which lets them share their keys; where the next begins.

        What stands between is elements of this array exactly when it can be read as an array of its own.
        """
        text = self.window.text
        assert frame.boundary is not None
        try:
            elements, _ = self.scanner.scan(f"[{text[at:end]}]", 0)
        except (ValueError, StopIteration, RecursionError):
            frame.boundary = ""
            return at
        frame.elements += elements
        return end + frame.boundary.index("{") - 1

    def _run_of_members(self, frame: Frame) -> None:
        """Take the members that the scanner reads one after the other."""
        if self._deep_from is not None or self.scanner.careful:
            return
        window, scan = self.window, self.scanner.scan
        text, at, stop = window.text, window.at, window.at + WINDOW
        taken = 0
        try:
            while at < stop:
                if text[at] != '"':
                    break
                key, end = scanstring(text, at + 1, False)
                if text[end] != ":":
                    break
                value, end = scan(text, end + 2 if text[end + 1] == " " else end + 1)
                if text[end] != ",":
                    break
                end += 1
                if text[end] == " ":
                    end += 1
                if text[end] <= " ":
                    end = skip_blank(text, end).end()
                frame.members[key] = value
                taken += 1
                at = end
        except (ValueError, StopIteration, RecursionError, IndexError):
            pass
        window.at = at
        frame.count += taken

    def _key(self, frame: Frame) -> None:
        window = self.window
        while True:
            try:
                frame.key, window.at = scanstring(window.text, window.at + 1, False)
            except ValueError:
                if not window.fill():
                    self.stopped = "cut" if window.ended else "broken"
                    return
            else:
                frame.state = COLON
                return

    def _value(self, frame: Frame, character: str) -> None:
        container = character in "[{"
        if not container or not (self.scanner.careful or self._is_deep()):
            value = self.scanner.attempt()
            if value is not FAILED:
                self._take(frame, value)
                return
            if self.scanner.too_deep and self._deep_from is None:
                self._deep_from = len(self._frames)
        if not container and character != '"':
            self.stopped = "cut" if self._torn_scalar() else "broken"
            return
        self._flush(frame)
        if frame.depth >= self.inference.depth:
            self._skip(character)
        elif character == '"':
            self._long_string(self._node_below(frame))
        else:
            self._push(self._node_below(frame), frame.depth + 1)
        frame.count += 1
        frame.state = COMMA

    def _long_string(self, node: Node) -> None:
        length, self_contained = self.window.skip_string()
        if not self_contained:
            self.stopped = "cut"
        if node.strings is None:
            node.strings = Strings()
        node.strings.add_opaque(length)
        node.plain, node.inner = True, None

    def _skip(self, character: str) -> None:
        whole = self.window.skip_string()[1] if character == '"' else self.window.skip_container()
        if not whole:
            self.stopped = "cut"

    def _push(self, node: Node, depth: int) -> None:
        window = self.window
        kind = window.text[window.at]
        if depth < self.inference.depth:
            window.at += 1
            self._frames.append(Frame(node, depth, window.consumed, kind))
            return
        node.open = self.inference.cut = True
        if kind == "[":
            node.count_arrays(1, 1)
        else:
            node.count_objects(1, 1)
        self._skip(kind)

    def _take(self, frame: Frame, value: Any) -> None:
        if frame.array:
            frame.elements.append(value)
        else:
            frame.members[frame.key] = value
        frame.count += 1
        frame.state = COMMA

    def _node_below(self, frame: Frame) -> Node:
        if frame.array:
            return self.inference.element_of(frame.node)
        node = self.inference.member_of(frame.node, frame.key)
        self._forget_twice(frame, (frame.key,))
        return node

    def _flush(self, frame: Frame) -> None:
        frame.flushed = self.window.consumed
        if frame.elements:
            self.inference.elements(frame.node, frame.elements, frame.depth)
            frame.elements = []
        if frame.members:
            self.inference.members(frame.node, [frame.members], frame.depth)
            self._forget_twice(frame, frame.members)
            frame.members = {}

    def _forget_twice(self, frame: Frame, keys: Any) -> None:
        """A key that an object has twice is present in it once."""
        if frame.node.values is not None:
            frame.seen.clear()
            return
        for key in frame.seen.intersection(keys):
            if member := frame.node.members.get(key):
                member.present -= 1
        if len(frame.seen) <= KEYS:
            frame.seen.update(keys)

    def _close(self, frame: Frame) -> None:
        self._flush(frame)
        if frame.array:
            frame.node.count_arrays(frame.count, frame.count)
        else:
            frame.node.count_objects(frame.count, frame.count)
        self._frames.pop()
        if self._deep_from is not None and len(self._frames) <= self._deep_from:
            self._deep_from = None

    def _abandon(self) -> None:
        """Keep what the containers that have no end hold; what they lack makes no key optional."""
        while self._frames:
            frame = self._frames.pop()
            self._flush(frame)
            node = frame.node
            node.open = True
            if frame.array:
                node.count_arrays(frame.count, frame.count)
            elif not node.objects:
                node.count_objects(frame.count, frame.count)
            else:
                for key in frame.seen:
                    if member := node.members.get(key):
                        member.present -= 1

    def _is_deep(self) -> bool:
        return self._deep_from is not None and len(self._frames) > self._deep_from

    def _torn_scalar(self) -> bool:
        window = self.window
        rest = window.text[window.at : window.at + 16]
        return window.ended and len(rest) < 16 and rest.strip().lstrip("-").isalnum()
