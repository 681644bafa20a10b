"""JSON as a tree whose nodes know their place in the text, for queries that cannot be answered while it streams by."""

from __future__ import annotations

from lrguard.errors import LrguardError
from lrguard.inspect.json_tokens import (
    CLOSE,
    KEY,
    OPEN,
    SCALAR,
    SCALAR_STARTS,
    STRING,
    TOKEN,
    UNFINISHED,
    Shape,
    uncollected,
)


class Node:
    """A value: its place, the raw names of an object's members, and its children (None for a scalar)."""

    __slots__ = ("children", "end", "names", "start")

    def __init__(self, start: int, end: int) -> None:
        self.start, self.end = start, end
        self.names: list[bytes] | None = None
        self.children: list[Node] | None = None


def tree(data: bytes, shape: Shape) -> Node:
    """The root of `data`: its document, or an array of its documents for a series."""
    with uncollected():
        root = _tree(data, shape)
    if shape is Shape.SERIES:
        return root
    if not root.children:
        raise LrguardError("cannot follow the path", "there is no JSON")
    return root.children[0]


def _tree(data: bytes, shape: Shape) -> Node:
    root = Node(0, len(data))
    root.children = []
    stack, node, names, children = [root], root, None, root.children
    at = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    while True:
        stray = -1
        for match in TOKEN.finditer(data, at):
            kind = match.lastindex
            if kind is None:
                continue
            at, end = match.span(STRING if kind == KEY else kind)
            if kind == KEY and names is not None:
                names.append(data[at:end])
            elif kind == CLOSE and len(stack) > 1 and (data[at] == 93) == (names is None):
                stack.pop().end = end
                node = stack[-1]
                names, children = node.names, node.children or []
            elif kind in (KEY, CLOSE) or kind > UNFINISHED or (kind == SCALAR and data[at] not in SCALAR_STARTS):
                stray = at
                break
            else:
                child = Node(at, len(data) if kind == UNFINISHED else end)
                if names is None or len(names) == len(children) + 1:
                    children.append(child)
                if kind == OPEN:
                    child.end = len(data)
                    child.names = names = [] if data[at] == 123 else None
                    child.children = children = []
                    stack.append(child)
                    node = child
                elif kind == UNFINISHED:
                    return root
        if stray < 0:
            return root
        if shape is Shape.ONE:
            raise LrguardError(
                "cannot follow the path", f"what begins at byte {stray} is no JSON", "try grep or --lines"
            )
        if len(stack) == 1:
            children.append(Node(stray, stray))
        del stack[1:]
        node, names, children = root, None, root.children
        at = data.find(b"\n", stray)
        if at < 0:
            return root
