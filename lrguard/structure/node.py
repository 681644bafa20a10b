"""One place of a structure: everything that was ever seen there, in a form that does not depend on the order.

A node only counts, takes minima and maxima, and keeps sets that give up once they are too large; so whatever order the
elements come in, the result is the same, and two nodes can be merged into the one that would have seen it all.
"""

from __future__ import annotations

from collections.abc import Iterator

from lrguard.structure.formats import KEY_FORMATS, Strings

KEYS = 1000
"""Distinct keys past which an object is a map and its values are one place."""


class Member:
    """One key of an object: in how many objects it was, and its values."""

    __slots__ = ("node", "present")

    def __init__(self, node: Node) -> None:
        self.present = 0
        self.node = node


class Node:
    """All values of one place."""

    __slots__ = (
        "arrays",
        "bools",
        "element",
        "fewest",
        "floats",
        "inner",
        "int_high",
        "int_low",
        "ints",
        "keys",
        "longest",
        "members",
        "most",
        "nulls",
        "objects",
        "open",
        "plain",
        "shortest",
        "strings",
        "values",
    )

    def __init__(self) -> None:
        self.nulls = self.bools = self.ints = self.floats = self.arrays = self.objects = 0
        self.int_low = self.int_high = 0
        self.strings: Strings | None = None
        self.inner: Node | None = None
        """The documents inside the strings, while every string is one, and an object or an array."""
        self.plain = False
        """A string was no document."""
        self.element: Node | None = None
        self.shortest = self.longest = 0
        self.members: dict[str, Member] = {}
        self.fewest = self.most = 0
        self.values: Node | None = None
        """The values of an object that has too many keys; `members` is then empty and `keys` knows the keys."""
        self.keys: Strings | None = None
        self.open = False
        """The document ended inside an array or object of this place."""

    def kinds(self) -> frozenset[str]:
        """The names of the JSON types seen, `int` and `number` apart."""
        seen = {
            "null": self.nulls,
            "boolean": self.bools,
            "int": self.ints,
            "number": self.floats,
            "string": self.strings,
            "array": self.arrays,
            "object": self.objects,
        }
        return frozenset(name for name, count in seen.items() if count)

    def children(self) -> Iterator[Node]:
        """The nodes directly below."""
        yield from (member.node for member in self.members.values())
        yield from (node for node in (self.values, self.element, self.inner) if node is not None)

    def optional(self, key: str) -> bool:
        """Whether some object does not have `key`."""
        return self.members[key].present < self.objects

    def count_arrays(self, shortest: int, longest: int, arrays: int = 1) -> None:
        """Take in `arrays` arrays with `shortest` to `longest` elements."""
        first = not self.arrays
        self.shortest = shortest if first else min(self.shortest, shortest)
        self.longest = longest if first else max(self.longest, longest)
        self.arrays += arrays

    def count_objects(self, fewest: int, most: int, objects: int = 1) -> None:
        """Take in `objects` objects with `fewest` to `most` members."""
        first = not self.objects
        self.fewest = fewest if first else min(self.fewest, fewest)
        self.most = most if first else max(self.most, most)
        self.objects += objects

    def count_ints(self, low: int, high: int, ints: int) -> None:
        """Take in `ints` integers from `low` to `high`."""
        first = not self.ints
        self.int_low = low if first else min(self.int_low, low)
        self.int_high = high if first else max(self.int_high, high)
        self.ints += ints

    def fold(self) -> None:
        """Make the object a map: its keys become strings and its values one place."""
        if self.values is not None:
            return
        self.values, self.keys = Node(), Strings(KEY_FORMATS)
        if self.members:
            self.keys.add(list(self.members))
        for member in self.members.values():
            self.values.merge(member.node)
        self.members = {}

    def merge(self, other: Node) -> None:
        """Take in all that `other` has taken in, which stays as it is or is folded."""
        self.nulls += other.nulls
        self.bools += other.bools
        self.floats += other.floats
        self.open |= other.open
        if other.ints:
            self.count_ints(other.int_low, other.int_high, other.ints)
        if other.strings:
            self._merge_strings(other)
        if other.arrays:
            self.count_arrays(other.shortest, other.longest, other.arrays)
        if other.element:
            self.element = _merged(self.element, other.element)
        if other.objects:
            self.count_objects(other.fewest, other.most, other.objects)
        if other.values is not None or other.members:
            self._merge_members(other)

    def _merge_strings(self, other: Node) -> None:
        assert other.strings is not None
        if self.strings is None:
            self.strings = Strings()
        self.strings.merge(other.strings)
        self.plain |= other.plain
        if self.plain:
            self.inner = None
        elif other.inner is not None:
            self.inner = _merged(self.inner, other.inner)

    def _merge_members(self, other: Node) -> None:
        if other.values is not None or self.values is not None:
            self.fold()
            other.fold()
            assert self.values and other.values and self.keys is not None and other.keys is not None
            self.values.merge(other.values)
            self.keys.merge(other.keys)
            return
        for key, theirs in other.members.items():
            if (mine := self.members.get(key)) is None:
                mine = self.members[key] = Member(Node())
            mine.present += theirs.present
            mine.node.merge(theirs.node)
        if len(self.members) > KEYS:
            self.fold()


def _merged(mine: Node | None, theirs: Node) -> Node:
    merged = mine or Node()
    merged.merge(theirs)
    return merged
