"""Writes a structure as one `path: type` a line; the paths are JSONPath queries that `peek --path` takes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from lrguard.intake.sanitize import visible
from lrguard.structure.compact import scalar_type
from lrguard.structure.node import Node

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*").fullmatch


def to_paths(root: Node, max_tokens: int, count: Callable[[str], int]) -> str:
    """The paths in at most `max_tokens` tokens (0: no bound); what did not fit is counted in a last line."""
    lines = list(_lines(root))
    if max_tokens:
        del lines[max_tokens:]
    fitting, low, high = "\n".join(lines), 0, len(lines)
    if _total(root) == high and (not max_tokens or count(fitting) <= max_tokens):
        return fitting
    total = _total(root)
    while low < high:
        middle = (low + high + 1) // 2
        if not max_tokens or count(_cut(lines, middle, total)) <= max_tokens:
            low = middle
        else:
            high = middle - 1
    return _cut(lines, low, total)


def _cut(lines: list[str], shown: int, total: int) -> str:
    rest = f"… {total - shown} more paths"
    return "\n".join([*lines[:shown], rest]) if shown < total else "\n".join(lines)


def _total(root: Node) -> int:
    total, waiting = 0, [root]
    while waiting:
        node = waiting.pop()
        total += 1
        waiting.extend(node.children())
    return total


def _lines(root: Node) -> Iterator[str]:
    waiting = [("$", root, "")]
    while waiting:
        path, node, mark = waiting.pop()
        yield f"{path}: {scalar_type(node)}{mark}"
        below = []
        for key, member in node.members.items():
            below.append((_step(path, key), member.node, " (optional)" if node.optional(key) else ""))
        if node.values is not None:
            below.append((f"{path}.*", node.values, ""))
        if node.element is not None:
            below.append((f"{path}[*]", node.element, ""))
        if node.inner is not None and not node.plain:
            below.append((f"{path} as JSON: $", node.inner, ""))
        waiting.extend(reversed(below))


def _step(path: str, key: str) -> str:
    if _NAME(key):
        return f"{path}.{key}"
    return f"{path}[{visible(json.dumps(key, ensure_ascii=True))}]"
