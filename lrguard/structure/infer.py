"""Takes parsed values into a tree of nodes, a column at a time.

Values arrive in batches. All objects of a batch are turned into one column a key, all arrays into one column of
elements, and every column goes down at once; so the work for a single value is done by the interpreter's own loops, and
a batch of ten thousand costs little more than the parsing did. The tree is bounded: past `DEPTH` levels, or as many as
`NODES` nodes leave room for, containers are counted and not looked into.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import chain
from operator import itemgetter

from lrguard.structure.formats import Strings
from lrguard.structure.node import KEYS, Member, Node

TYPE_CHECKING = False  # `typing` takes 4 ms to import
if TYPE_CHECKING:
    from typing import Any

DEPTH = 64
"""Levels of containers that are told apart; deeper ones are told to be there."""

NODES = 20_000
"""Nodes in a tree, some 15 MB of them."""

_INNER = 3
"""Levels of documents within strings."""

_SHAPES = 8
"""Distinct sets of keys in a batch up to which objects are turned into columns set by set."""


class Inference:
    """The tree under construction."""

    def __init__(self) -> None:
        self.root = Node()
        self.depth = DEPTH
        self.inner = False
        """A document was found inside a string."""
        self.cut = False
        """Something lies too deep to be told."""
        self._nodes = 1

    def add(self, node: Node, values: Sequence[Any], depth: int, inner: int = 0) -> None:
        """Take `values`, as `json` gives them, into `node`, which lies `depth` containers down."""
        kinds = set(map(type, values))
        for kind in kinds:
            part: Any = values if len(kinds) == 1 else [value for value in values if type(value) is kind]
            if kind is str:
                self._strings(node, part, depth, inner)
            elif kind is dict:
                sizes = list(map(len, part))
                node.count_objects(min(sizes), max(sizes), len(part))
                self.members(node, part, depth, inner)
            elif kind is list:
                sizes = list(map(len, part))
                node.count_arrays(min(sizes), max(sizes), len(part))
                if elements := list(chain.from_iterable(part)):
                    self.elements(node, elements, depth, inner)
            elif kind is int:
                node.count_ints(min(part), max(part), len(part))
            elif kind is float:
                node.floats += len(part)
            elif kind is bool:
                node.bools += len(part)
            else:
                node.nulls += len(part)

    def elements(self, node: Node, elements: Sequence[Any], depth: int, inner: int = 0) -> None:
        """Take in elements of arrays at `node`; the arrays themselves are counted by the caller."""
        if depth < self.depth:
            self.add(self.element_of(node), elements, depth + 1, inner)
            self._prune()
        else:
            self.cut = True

    def members(self, node: Node, objects: Sequence[dict[str, Any]], depth: int, inner: int = 0) -> None:
        """Take in members of objects at `node`; the objects themselves are counted by the caller."""
        if depth >= self.depth:
            self.cut |= any(objects)
            return
        if node.values is None:
            for key, column in _columns(objects):
                if node.values is None:
                    if (member := node.members.get(key)) is None:
                        member = self._member(node, key)
                    if member is not None:
                        member.present += len(column)
                        self.add(member.node, column, depth + 1, inner)
                        continue
                self._folded(node, [key], column, depth, inner)
        elif any(objects):
            keys = list(chain.from_iterable(objects))
            values = list(chain.from_iterable(map(dict.values, objects)))
            self._folded(node, keys, values, depth, inner)
        self._prune()

    def element_of(self, node: Node) -> Node:
        """The node of the elements of `node`."""
        if node.element is None:
            node.element = Node()
            self._nodes += 1
        return node.element

    def member_of(self, node: Node, key: str) -> Node:
        """The node of the values of `key` in `node`, whose presence is counted by this call."""
        member = None
        if node.values is None:
            member = node.members.get(key) or self._member(node, key)
        if member is not None:
            member.present += 1
            return member.node
        assert node.keys is not None and node.values is not None
        node.keys.add([key])
        return node.values

    def _member(self, node: Node, key: str) -> Member | None:
        """A new key of `node`; None when that makes the node a map."""
        if len(node.members) >= KEYS:
            node.fold()
            return None
        member = node.members[key] = Member(Node())
        self._nodes += 1
        return member

    def _folded(self, node: Node, keys: list[str], values: Sequence[Any], depth: int, inner: int) -> None:
        assert node.keys is not None and node.values is not None
        node.keys.add(keys)
        self.add(node.values, values, depth + 1, inner)

    def _strings(self, node: Node, values: Sequence[str], depth: int, inner: int) -> None:
        if node.strings is None:
            node.strings = Strings()
        node.strings.add(values)
        if node.plain:
            return
        documents = _documents(values) if inner < _INNER else None
        if documents is None:
            node.plain, node.inner = True, None
            return
        if node.inner is None:
            node.inner = Node()
            self._nodes += 1
        self.inner = True
        self.add(node.inner, documents, depth, inner + 1)

    def _prune(self) -> None:
        while self._nodes > NODES and self.depth > 1:
            self._nodes = count_nodes(self.root)
            if self._nodes > NODES:
                self.depth = min(self.depth, height(self.root)) - 1
                cut_below(self.root, self.depth)
                self.cut = True


def _columns(objects: Sequence[dict[str, Any]]) -> Iterable[tuple[str, Sequence[Any]]]:
    """The values of each key, for every object that has it."""
    if len(objects) == 1:
        return [(key, (value,)) for key, value in objects[0].items()]
    shapes = dict.fromkeys(map(tuple, objects))
    if len(shapes) <= _SHAPES:
        present = dict.fromkeys(chain.from_iterable(shapes))
        everywhere = set.intersection(*map(set, shapes))
        return [
            (key, list(map(itemgetter(key), objects)))
            if key in everywhere
            else (key, [value[key] for value in objects if key in value])
            for key in present
        ]
    columns: dict[str, list[Any]] = {}
    for value in objects:
        for key, item in value.items():
            try:
                columns[key].append(item)
            except KeyError:
                columns[key] = [item]
    return columns.items()


def _documents(values: Sequence[str]) -> list[Any] | None:
    """The documents that all of `values` are; None where one is not."""
    documents = []
    for value in values:
        if value[:1] not in ("{", "[") and value[:1] not in (" ", "\n", "\r", "\t"):
            return None
        try:
            document = json.loads(value, strict=False)
        except (ValueError, RecursionError):
            return None
        if type(document) is not dict and type(document) is not list:
            return None
        documents.append(document)
    return documents


def count_nodes(root: Node) -> int:
    """Nodes in the tree below and with `root`."""
    count, waiting = 0, [root]
    while waiting:
        node = waiting.pop()
        count += 1
        waiting.extend(node.children())
    return count


def height(root: Node) -> int:
    """The depth of the deepest node, in containers."""
    deepest, waiting = 0, [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        deepest = max(deepest, depth)
        waiting.extend((child, depth if child is node.inner else depth + 1) for child in node.children())
    return deepest


def cut_below(root: Node, depth: int) -> None:
    """Drop the nodes that lie more than `depth` containers down."""
    waiting = [(root, 0)]
    while waiting:
        node, at = waiting.pop()
        if at >= depth:
            node.members, node.values, node.element = {}, None, None
        waiting.extend((child, at if child is node.inner else at + 1) for child in node.children())
