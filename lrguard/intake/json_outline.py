"""Where in a JSON document the values stand that a plan asks for, found in one pass without decoding the others.

Offsets rather than values, so that a document can be changed at a few places and keep every other byte. What a plan
does not name is stepped over by a pattern that takes whole flat containers at once; it is not validated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from lrguard.patterns import pattern
from lrguard.records import dataclass

TYPE_CHECKING = False  # `typing` takes 4 ms to import
if TYPE_CHECKING:
    from mmap import mmap
    from typing import TypeAlias

MOST_VALUES = 100_000
"""Planned values beyond which a document is not outlined."""

Buffer: TypeAlias = "bytes | mmap"
"""Where a document is: in memory, or in a file that is read where it is looked at."""

Plan: TypeAlias = "Mapping[str, Plan] | list[Plan] | None"
"""What to look at in a value: members of an object by name, the items of an array, or nothing inside of it."""

_STRING = rb'"(?:[^"\\]++|\\.)*+"'
_PLAIN = rb'[^"\[\]{}]++'
# Containers of up to eight levels are one token: each attempt that fails reads on eight levels at most, so the whole
# stays linear.
_NESTED = _STRING
for _ in range(8):
    _NESTED = rb"(?:" + _STRING + rb"|[\[{](?:" + _PLAIN + rb"|" + _NESTED + rb")*+[\]}])"
_INSIDE = pattern(rb"(?:" + _PLAIN + rb"|" + _NESTED + rb")*+", re.DOTALL)
_WHOLE_STRING = pattern(_STRING, re.DOTALL)
_SCALAR = pattern(rb'[^\s,\]}"\[{:]++')
_BLANK = pattern(rb"[ \t\r\n]*+")
_NAMES_READ = 256

DEEPEST = 10_000
"""Levels below which a document is not followed."""


class NotOutlined(Exception):
    """The document is not what the plan asks for: broken, cut short, or with more values than are followed."""


@dataclass(slots=True)
class Value:
    """One value of a document, `start` to `end` in bytes.

    `members` and `items` hold what the plan asked for, each None where the value is no object or no array. `others`
    counts the members that the plan does not name. Without the bytes of `cut` a member is gone.
    """

    start: int
    end: int = 0
    members: dict[str, Value] | None = None
    items: list[Value] | None = None
    others: int = 0
    repeated: bool = False
    """A planned name occurs twice, so that readers may disagree on what the value is."""
    name_at: int = 0
    """Where the name of a member begins."""
    cut: tuple[int, int] = (0, 0)

    def get(self, name: str) -> Value | None:
        """The member of that name, None where there is none."""
        return self.members.get(name) if self.members else None


def outline(data: Buffer, plan: Plan, at: int = 0) -> Value:
    """The value that `data` holds from `at` to its end, and what `plan` asks for in it; raises NotOutlined."""
    reader = _Reader(data)
    value = reader.value(reader.skip(at), plan)
    if reader.skip(value.end) != len(data):
        raise NotOutlined
    return value


class _Reader:
    def __init__(self, data: Buffer) -> None:
        self._data = data
        self._left = MOST_VALUES

    def skip(self, at: int) -> int:
        """Where the blanks at `at` end."""
        return _BLANK.match(self._data, at).end()  # type: ignore[union-attr]

    def value(self, at: int, plan: Plan) -> Value:
        """The value that begins at `at`. Recursion goes as deep as the plan."""
        self._left -= 1
        if self._left < 0:
            raise NotOutlined
        opening = self._data[at : at + 1]
        if opening == b"{" and isinstance(plan, Mapping):
            return self._object(Value(at, members={}), plan)
        if opening == b"[" and isinstance(plan, list):
            return self._array(Value(at, items=[]), plan[0])
        return Value(at, self._end(at, opening))

    def _object(self, value: Value, plan: Mapping[str, Plan]) -> Value:
        data, members = self._data, value.members
        assert members is not None
        before = value.start + 1
        at = self.skip(before)
        first: Value | None = None
        while data[at : at + 1] != b"}":
            name_at, name_end = at, self._string_end(at)
            colon = self.skip(name_end)
            if data[colon : colon + 1] != b":":
                raise NotOutlined
            name = _name(data[name_at:name_end])
            start = self.skip(colon + 1)
            if name in plan:
                member = self.value(start, plan[name])
                value.repeated = value.repeated or name in members
                members[name] = member
            else:
                member = Value(start, self._end(start, data[start : start + 1]))
                value.others += 1
            member.name_at = name_at
            if first is None:
                first = member
                member.cut = (name_at, member.end)
            else:
                member.cut = (before, member.end)
                if first.cut[1] == first.end:
                    first.cut = (first.cut[0], name_at)
            before = member.end
            at = self._next(member.end, b"}")
        value.end = at + 1
        return value

    def _array(self, value: Value, plan: Plan) -> Value:
        data, items = self._data, value.items
        assert items is not None
        at = self.skip(value.start + 1)
        while data[at : at + 1] != b"]":
            item = self.value(at, plan)
            items.append(item)
            at = self._next(item.end, b"]")
        value.end = at + 1
        return value

    def _next(self, at: int, closing: bytes) -> int:
        """Where the next member or item, or the closing bracket, stands."""
        at = self.skip(at)
        mark = self._data[at : at + 1]
        if mark == closing:
            return at
        after = self.skip(at + 1)
        if mark != b"," or self._data[after : after + 1] == closing:
            raise NotOutlined
        return after

    def _string_end(self, at: int) -> int:
        found = _WHOLE_STRING.match(self._data, at)
        if not found:
            raise NotOutlined
        return found.end()

    def _end(self, at: int, opening: bytes) -> int:
        if opening == b'"':
            return self._string_end(at)
        if opening not in (b"{", b"["):
            found = _SCALAR.match(self._data, at)
            if not found:
                raise NotOutlined
            return found.end()
        depth = 0
        while True:
            mark = self._data[at : at + 1]
            if mark in (b"{", b"["):
                depth += 1
                if depth > DEEPEST:
                    raise NotOutlined
            elif mark in (b"}", b"]"):
                depth -= 1
                if not depth:
                    return at + 1
            else:
                raise NotOutlined
            at = _INSIDE.match(self._data, at + 1).end()  # type: ignore[union-attr]


def _name(lexeme: bytes) -> str:
    """The name that `lexeme` spells; what is long or broken is no name that a plan asks for."""
    if len(lexeme) > _NAMES_READ:
        return ""
    if b"\\" not in lexeme:
        return lexeme[1:-1].decode("utf-8", "replace")
    import json

    try:
        return str(json.loads(lexeme.decode("utf-8", "replace"), strict=False))
    except ValueError:
        return ""
