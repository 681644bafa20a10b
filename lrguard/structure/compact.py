"""Writes a structure in a notation like TypeScript's, for a reader who pays by the token.

`key?` is not in every object, `T[5520]` and `T[1..6]` are arrays with their lengths, `{[uuid]: T} ×3000` is an object
used as a map. A budget is met by saying less, in steps: first what is nice to know goes, then depth, then keys, and
each omission shows as `…`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from lrguard.intake.sanitize import visible
from lrguard.intake.sizes import size_text
from lrguard.records import dataclass, replace
from lrguard.structure.formats import Strings
from lrguard.structure.infer import DEPTH, height
from lrguard.structure.node import KEYS, Node
from lrguard.structure.shapes import Shapes, recurring

_WIDTH = 96
"""Characters up to which an object stays on one line."""

_CHARACTERS = 12
"""Characters a token at most, in what is worth counting."""

_LONG = 1000
"""Characters from which on the length of a string is told."""

_WORD = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]{0,79}").fullmatch


@dataclass(frozen=True, slots=True)
class _Detail:
    """How much is said."""

    ranges: bool = True
    lengths: bool = True
    grouped: bool = False
    """Keys of one type share a line."""
    choices: int = 300
    """Characters an enumeration may take."""
    formats: bool = True
    depth: int = DEPTH
    keys: int = KEYS
    key_length: int = 80


class _TooLargeError(Exception):
    pass


def render(root: Node, max_tokens: int, count: Callable[[str], int]) -> str:
    """The structure below `root` in at most `max_tokens` tokens as `count` counts them (0: no bound)."""
    shapes = recurring(root)
    text = ""
    for detail in _steps(root):
        try:
            text = _Writer(detail, shapes, max_tokens * _CHARACTERS).whole(root)
        except _TooLargeError:
            continue
        if not max_tokens or count(text) <= max_tokens:
            return text
    return "…"


def _steps(root: Node) -> Iterator[_Detail]:
    detail = _Detail()
    yield detail
    yield (detail := replace(detail, ranges=False))
    yield (detail := replace(detail, choices=60))
    yield (detail := replace(detail, grouped=True))
    yield (detail := replace(detail, lengths=False, choices=30))
    yield (detail := replace(detail, choices=0, key_length=40))
    yield (detail := replace(detail, formats=False))
    levels = [depth for depth in (24, 16, 12, 8, 6, 5, 4, 3) if depth < height(root)]
    for keys in (60, 30, 15, 8):
        for depth in [DEPTH, *levels]:
            yield replace(detail, keys=keys, depth=depth)
    for keys in (60, 30, 12, 6, 3):
        for depth in (2, 1):
            yield replace(detail, keys=keys, depth=depth, key_length=24)
    yield replace(detail, keys=1, depth=1, key_length=8)
    yield replace(detail, depth=0)


class _Writer:
    """Writes nodes with one amount of detail; raises `_TooLargeError` past `room` characters (0: any number)."""

    def __init__(self, detail: _Detail, shapes: Shapes, room: int) -> None:
        self.detail = detail
        self.shapes = shapes
        self.room = room
        self.spent = 0
        self.used: list[str] = []

    def whole(self, root: Node) -> str:
        """The root, and below it the shapes that it names."""
        parts = [self.type_of(root, 0, "")]
        definitions = {name: self.shapes.nodes[found] for found, name in self.shapes.names.items()}
        for name in self.used:
            parts.append(f"{name} = {self._object(definitions[name], 1, '')}")
        return "\n".join(parts)

    def type_of(self, node: Node, depth: int, indent: str) -> str:
        """Everything that was seen at `node`, as a union."""
        parts = []
        if node.objects:
            parts.append(self._named_object(node, depth, indent))
        if node.arrays:
            parts.append(self._array(node, depth, indent))
        if node.ints and not node.floats:
            ranged = self.detail.ranges and node.ints > 1 and node.int_low < node.int_high
            parts.append(f"int({_short(node.int_low)}..{_short(node.int_high)})" if ranged else "int")
        if node.floats:
            parts.append("number")
        if node.bools:
            parts.append("boolean")
        if node.strings:
            parts.append(self._string(node, node.strings, depth, indent))
        if node.nulls:
            parts.append("null")
        return "|".join(parts) or "unknown"

    def _named_object(self, node: Node, depth: int, indent: str) -> str:
        name = self.shapes.name(node)
        if name is None or depth > self.detail.depth:
            return self._object(node, depth, indent)
        if name not in self.used:
            self.used.append(name)
        return name

    def _object(self, node: Node, depth: int, indent: str) -> str:
        if node.values is not None:
            return self._map(node, node.values, depth, indent)
        if not node.members:
            return "{…}" if node.most else "{}"
        if depth >= self.detail.depth:
            return "{…}"
        inner = indent + "  "
        lines = self._members(node, depth, inner)
        left_out = len(node.members) - self.detail.keys
        if left_out > 0:
            lines.append(f"… {left_out} more keys")
        flat = "{" + ", ".join(lines) + "}"
        if len(flat) + len(indent) <= _WIDTH and "\n" not in flat:
            return flat
        self._spend(len(lines) * len(inner))
        return "{\n" + "".join(f"{inner}{line}\n" for line in lines) + indent + "}"

    def _members(self, node: Node, depth: int, indent: str) -> list[str]:
        groups: dict[str, list[str]] = {}
        for key, member in list(node.members.items())[: self.detail.keys]:
            kind = self.type_of(member.node, depth + 1, indent)
            name = self._key(key) + ("?" if node.optional(key) else "")
            self._spend(len(name) + 2)
            together = kind if self.detail.grouped and "\n" not in kind else f"{name}: {kind}"
            names = groups.setdefault(together, [])
            if not names:
                self._spend(len(kind))
            names.append(name)
        if not self.detail.grouped:
            return list(groups)
        return [
            together if "\n" in together else f"{', '.join(names)}: {together}" for together, names in groups.items()
        ]

    def _map(self, node: Node, values: Node, depth: int, indent: str) -> str:
        label, size = _label(node), _members(node)
        kind = "…" if depth >= self.detail.depth else self.type_of(values, depth + 1, indent)
        self._spend(len(label) + 12)
        return f"{{[{label}]: {kind}}} ×{size}"

    def _array(self, node: Node, depth: int, indent: str) -> str:
        size = f"[{_span(node.shortest, node.longest, more=node.open)}]"
        if node.element is None:
            return f"…{size}" if node.longest else "[]"
        if depth >= self.detail.depth:
            return f"…{size}"
        kind = self.type_of(node.element, depth + 1, indent)
        return f"({kind}){size}" if _is_union(node.element, kind) else kind + size

    def _string(self, node: Node, strings: Strings, depth: int, indent: str) -> str:
        if strings.assets:
            types = "|".join(sorted(visible(name) for name in list(strings.media_types)[:3]))
            low, high = strings.assets
            return f"<{types} {size_text(low)}>" if low == high else f"<{types} {size_text(low)}..{size_text(high)}>"
        if node.inner is not None and not node.plain:
            if depth >= self.detail.depth:
                return "json<…>"
            return f"json<{self.type_of(node.inner, depth, indent)}>"
        choices = strings.enumeration() if self.detail.choices else None
        if choices:
            quoted = "|".join(visible(json.dumps(choice, ensure_ascii=False)) for choice in choices)
            if len(quoted) <= self.detail.choices:
                return quoted
        if self.detail.formats and strings.formats:
            return strings.formats[0]
        if self.detail.lengths and strings.high >= _LONG:
            return f"string(≤{strings.high} chars)"
        return "string"

    def _key(self, key: str) -> str:
        if _WORD(key) and len(key) <= self.detail.key_length:
            return key
        cut = key[: self.detail.key_length]
        quoted = visible(json.dumps(cut, ensure_ascii=False))
        return quoted if len(cut) == len(key) else quoted + "…"

    def _spend(self, characters: int) -> None:
        self.spent += characters
        if self.room and self.spent > self.room:
            raise _TooLargeError


def scalar_type(node: Node) -> str:
    """What was seen at `node`, without what lies below, each kind as one word."""
    parts = []
    if node.objects:
        parts.append("object" if node.values is None else f"map[{_label(node)}] ×{_members(node)}")
    if node.arrays:
        parts.append(f"array[{_span(node.shortest, node.longest, more=node.open)}]")
    flat = Node()
    flat.ints, flat.int_low, flat.int_high, flat.floats = node.ints, node.int_low, node.int_high, node.floats
    flat.bools, flat.strings, flat.nulls = node.bools, node.strings, node.nulls
    if parts and not flat.kinds():
        return "|".join(parts)
    return "|".join([*parts, _Writer(replace(_Detail(), choices=60), Shapes(), 0).type_of(flat, 0, "")])


def _label(node: Node) -> str:
    return node.keys.formats[0] if node.keys and node.keys.formats else "key"


def _members(node: Node) -> str:
    return _span(node.fewest, node.most, more=node.open)


def _is_union(node: Node, kind: str) -> bool:
    kinds = node.kinds()
    if "number" in kinds:
        kinds -= {"int"}
    return len(kinds) > 1 or (kind.startswith('"') and "|" in kind)


def _span(low: int, high: int, *, more: bool) -> str:
    text = str(low) if low == high else f"{low}..{high}"
    return text + "+" if more else text


def _short(value: int) -> str:
    if -(10**20) < value < 10**20:
        return str(value)
    return "-1e20-" if value < 0 else "1e20+"
