"""Writes a structure as JSON Schema 2020-12.

The schema accepts every document it was made from and says no more than that: keys that every object had are required,
enumerations are those of the compact notation, formats are annotations, and keys that never occurred stay allowed.
Past the budget deeper parts become `true`, which accepts everything, so that what is printed is always a valid schema.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from lrguard.intake.sizes import size_text
from lrguard.structure.formats import STANDARD, Strings
from lrguard.structure.infer import DEPTH, height
from lrguard.structure.node import Node

TYPE_CHECKING = False  # `typing` takes 4 ms to import
if TYPE_CHECKING:
    from typing import Any

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_CHARACTERS = 12
"""Characters a token at most, in what is worth counting."""


class _TooLargeError(Exception):
    pass


def to_json_schema(root: Node, max_tokens: int, count: Callable[[str], int], *, comment: str = "") -> str:
    """The schema of the values at `root`, as JSON text in at most `max_tokens` tokens (0: no bound)."""
    levels = [depth for depth in (24, 16, 12, 10, 8, 7, 6, 5, 4, 3, 2, 1) if depth < height(root)]
    for depth in [DEPTH, *levels]:
        for indent in (2, None):
            try:
                schema = _Writer(depth, max_tokens * _CHARACTERS).schema(root, 0)
            except _TooLargeError:
                break
            text = _text(schema, comment, indent)
            if not max_tokens or count(text) <= max_tokens:
                return text
    return _text(_outermost(root), "", None)


def _text(schema: Any, comment: str, indent: int | None) -> str:
    head = {"$schema": DIALECT} | ({"$comment": comment} if comment else {})
    body = head | schema if isinstance(schema, dict) else head
    return json.dumps(body, ensure_ascii=True, indent=indent)


def _outermost(root: Node) -> dict[str, Any]:
    kinds = _kinds(root)
    return {"type": kinds[0] if len(kinds) == 1 else kinds} if kinds else {}


def _kinds(node: Node) -> list[str]:
    seen = node.kinds()
    names = {"int": "integer"}
    kinds = [
        names.get(kind, kind)
        for kind in ("object", "array", "string", "int", "number", "boolean", "null")
        if kind in seen
    ]
    return [kind for kind in kinds if not (kind == "integer" and "number" in kinds)]


class _Writer:
    def __init__(self, depth: int, room: int) -> None:
        self.depth = depth
        self.room = room
        self.spent = 0

    def schema(self, node: Node, depth: int) -> Any:
        """The schema of the values at `node`, which lies `depth` containers down."""
        kinds = _kinds(node)
        if not kinds or depth > self.depth:
            return True
        choices = _choices(node)
        if choices is not None:
            kinds.remove("string")
        self._spend(30)
        keywords: dict[str, Any] = {}
        if kinds:
            keywords["type"] = kinds[0] if len(kinds) == 1 else kinds
        if node.objects:
            self._object(node, depth, keywords)
        if node.arrays and node.element is not None:
            keywords["items"] = self.schema(node.element, depth + 1)
        if node.strings and choices is None:
            _string(node.strings, keywords)
        if choices is None:
            return keywords
        self._spend(sum(map(len, choices)) + 4 * len(choices))
        one_of: dict[str, Any] = {"type": "string", "enum": choices}
        return {"anyOf": [one_of, keywords]} if kinds else one_of

    def _object(self, node: Node, depth: int, keywords: dict[str, Any]) -> None:
        if node.values is not None:
            keywords["additionalProperties"] = self.schema(node.values, depth + 1)
            return
        names = [key for key in node.members if _writable(key)]
        if depth >= self.depth or not names:
            return
        properties = keywords["properties"] = {}
        for key in names:
            self._spend(len(key) + 6)
            properties[key] = self.schema(node.members[key].node, depth + 1)
        required = [key for key in names if not node.optional(key)]
        if required:
            self._spend(sum(map(len, required)) + 4 * len(required))
            keywords["required"] = required

    def _spend(self, characters: int) -> None:
        self.spent += characters
        if self.room and self.spent > self.room:
            raise _TooLargeError


def _choices(node: Node) -> list[str] | None:
    choices = node.strings.enumeration() if node.strings else None
    return choices if choices and all(map(_writable, choices)) else None


def _string(strings: Strings, keywords: dict[str, Any]) -> None:
    standard = [name for name in strings.formats or () if name in STANDARD]
    if standard:
        keywords["format"] = standard[0]
    if strings.assets:
        keywords["contentEncoding"] = "base64"
        keywords["description"] = f"base64, {size_text(strings.assets[1])}"
        if len(strings.media_types) == 1:
            keywords["contentMediaType"] = next(iter(strings.media_types))


def _writable(text: str) -> bool:
    """Half of a surrogate pair cannot be written in JSON that everyone reads; such keys stay unmentioned."""
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)
