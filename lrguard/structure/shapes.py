"""Finds what a reader would not want to see key by key: objects used as maps, and shapes that recur.

Both are judged on the finished tree, so that the order of the records plays no part.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from lrguard.patterns import pattern
from lrguard.records import dataclass, field
from lrguard.structure.formats import KEY_FORMATS, Strings
from lrguard.structure.node import Node

_ALIKE = 0.6
"""Share of the keys of objects that most of them must have for the objects to be alike."""

_VOCABULARY = 4
"""Or else, times that a key must occur on average: what the objects have differs, what they may have is the same."""

_FORMATTED_KEYS = 3
_NUMBERED_KEYS = 4
_OBJECT_KEYS = 10
_ARRAY_KEYS = 20
_SCALAR_KEYS = 40
"""Keys from which on an object is a map, when its keys are formatted (ids, dates, …), are one name with a number, or
when its values are alike: objects, arrays, other values. The less a value says, the more its key does."""

_SPARSE_KEYS = 30
_SPARSE = 0.2
"""Objects of which each has few of many keys are maps, whatever the keys are."""

_RECORDS = 5
_WIDE = 0.9
"""A table with many columns is no map: its rows are at least so many, and nearly every one has every key."""

_STEM = re.compile(r"([^0-9]+)[0-9]+").fullmatch
_WORD = pattern(r"[A-Za-z][a-z0-9]*|[A-Z]+")

Signature = frozenset[object]


def fold_maps(root: Node) -> None:
    """Fold every object in the tree that is used as a map."""
    waiting = [(root, False)]
    while waiting:
        node, below_done = waiting.pop()
        if not below_done:
            waiting.append((node, True))
            waiting.extend((child, False) for child in node.children())
        elif node.members and _is_map(node):
            node.fold()
            assert node.values is not None
            waiting.append((node.values, False))


def _is_map(node: Node) -> bool:
    count = len(node.members)
    if count < _FORMATTED_KEYS:
        return False
    values = [member.node for member in node.members.values()]
    kinds = {value.kinds() - {"null"} for value in values} - {frozenset[str]()}
    if len(kinds) > 1 and kinds != {frozenset({"int"}), frozenset({"number"})}:
        return False
    kind = next(iter(kinds), frozenset[str]())
    if len(kind) > 1:
        return False
    if _formatted(node.members):
        return True
    alike = kind != {"object"} or _alike(values)
    stems = {stem.group(1) if (stem := _STEM(key)) else key for key in node.members}
    if count >= _NUMBERED_KEYS and len(stems) == 1 and alike:
        return True
    fill = sum(member.present for member in node.members.values()) / max(1, node.objects * count)
    if node.objects >= _RECORDS and fill >= _WIDE:
        return False
    if node.objects >= _RECORDS and count >= _SPARSE_KEYS and fill <= _SPARSE:
        return True
    enough = {frozenset({"object"}): _OBJECT_KEYS, frozenset({"array"}): _ARRAY_KEYS}.get(kind, _SCALAR_KEYS)
    return alike and count >= enough


def _formatted(keys: Iterable[str]) -> bool:
    sample = Strings(KEY_FORMATS)
    sample.add(list(keys))
    return bool(sample.formats)


def _alike(values: list[Node]) -> bool:
    if any(value.values is not None for value in values):
        return all(value.values is not None or not value.members for value in values)
    frequency = Counter(key for value in values for key in value.members)
    total = sum(frequency.values())
    shared = sum(count for count in frequency.values() if count >= _ALIKE * len(values))
    return not total or shared >= _ALIKE * total or total >= _VOCABULARY * len(frequency)


@dataclass(slots=True)
class Shapes:
    """The shapes that recur: for each signature a name and everything seen in its places, merged."""

    names: dict[Signature, str] = field(default_factory=dict)
    nodes: dict[Signature, Node] = field(default_factory=dict)

    def name(self, node: Node) -> str | None:
        """The name of the shape that the objects at `node` have, where it recurs."""
        return self.names.get(signature(node)) if self.names and node.members else None


def signature(node: Node) -> Signature:
    """What makes two objects the same shape: their keys, and of few keys the types as well."""
    if len(node.members) >= 4:
        return frozenset(node.members)
    return frozenset((key, member.node.kinds() - {"null"}) for key, member in node.members.items())


def recurring(root: Node) -> Shapes:
    """The shapes of three keys or more that are found in several places of the tree."""
    places: dict[Signature, list[tuple[str, Node]]] = {}
    for key, node in _named(root):
        if len(node.members) >= 3:
            places.setdefault(signature(node), []).append((key, node))
    shapes = Shapes()
    for found, where in places.items():
        if len(where) > 1:
            shapes.names[found] = _name([key for key, _ in where], shapes.names.values())
            merged = shapes.nodes[found] = Node()
            for _, node in where:
                merged.merge(node)
    return shapes


def _named(root: Node) -> Iterator[tuple[str, Node]]:
    """Every node, with the key that leads to it."""
    waiting = [("", root)]
    while waiting:
        key, node = waiting.pop()
        yield key, node
        below = [(name, member.node) for name, member in node.members.items()]
        below += [(_singular(key), child) for child in (node.values, node.element) if child is not None]
        below += [(key, node.inner)] if node.inner is not None else []
        waiting.extend(reversed(below))


def _singular(key: str) -> str:
    if len(key) > 4 and key.endswith("ies"):
        return key[:-3] + "y"
    return key[:-1] if len(key) > 3 and key.endswith("s") and not key.endswith("ss") else key


def _name(keys: list[str], taken: Iterable[str]) -> str:
    words = ["".join(word[:1].upper() + word[1:] for word in _WORD.findall(key[:40])) for key in keys]
    names = sorted({word for word in words if len(word) > 2}, key=lambda word: (len(word), word))
    name = names[0] if names else "Shape"
    number, used = 1, set(taken)
    unique = name
    while unique in used:
        number += 1
        unique = f"{name}{number}"
    return unique
