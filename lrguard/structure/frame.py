"""A container of JSON that is being read: what it is, what is expected next, and what was read but not counted yet."""

from __future__ import annotations

from lrguard.structure.node import Node

TYPE_CHECKING = False  # `typing` takes 4 ms to import
if TYPE_CHECKING:
    from typing import Any

VALUE, KEY, COLON, COMMA = range(4)
"""What may come next."""


class Frame:
    """A container that was entered and has not ended."""

    __slots__ = (
        "array",
        "boundary",
        "count",
        "depth",
        "elements",
        "flushed",
        "key",
        "members",
        "node",
        "seen",
        "state",
    )

    def __init__(self, node: Node, depth: int, at: int, kind: str) -> None:
        self.node = node
        self.depth = depth
        self.array = kind == "["
        self.state = VALUE if self.array else KEY
        self.boundary: str | None = None
        self.count = 0
        self.key = ""
        self.elements: list[Any] = []
        self.members: dict[str, Any] = {}
        self.seen: set[str] = set()
        self.flushed = at
