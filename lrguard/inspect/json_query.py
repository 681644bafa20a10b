"""Every JSONPath of RFC 9535, over a tree whose nodes know their place in the text.

The library that passes the standard's compliance suite reads and checks the path; what it read is evaluated here, since
its own evaluation works on plain values (which have no place and lose duplicate names), recurses over the depth of the
document, and matches with a backtracking engine. The number of steps is bounded: a path of a few descents can ask for
more values than a document has bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from jsonpath_rfc9535 import JSONPathEnvironment, JSONPathError
from jsonpath_rfc9535 import filter_expressions as filters
from jsonpath_rfc9535 import selectors as select
from jsonpath_rfc9535.segments import JSONPathRecursiveDescentSegment

from lrguard.errors import LrguardError
from lrguard.inspect.json_tokens import Shape, Span, decoded
from lrguard.inspect.json_tree import Node, tree
from lrguard.inspect.locate import says
from lrguard.intake.source import Source

STEPS = 20_000_000
"""Nodes a query may visit, the same one counted each time; some ten seconds."""

_SEGMENTS = 300
"""Segments of a path: each is one generator that draws from the one before."""

_PATH_CHARS = 10_000
_INT_DIGITS = 4000
"""Digits Python turns into an integer without complaint; more are compared as a decimal."""


class Query:
    """A path that has been read. Raises `LrguardError` with the place of the mistake where it is invalid."""

    def __init__(self, path: str) -> None:
        if len(path) > _PATH_CHARS:
            raise _invalid(path, f"it is longer than {_PATH_CHARS} characters")
        try:
            self._segments = JSONPathEnvironment().compile(path).segments
        except JSONPathError as error:
            at = f" at character {error.token.index}" if error.token else ""
            raise _invalid(path, f"{error.args[0] if error.args else 'a mistake'}{at}") from None
        except (RecursionError, ValueError):
            raise _invalid(path, "it is nested too deeply") from None
        if len(self._segments) > _SEGMENTS:
            raise _invalid(path, f"it has more than {_SEGMENTS} segments")

    def spans(self, text: Source, shape: Shape) -> Iterator[Span]:
        """The places of the values in `text`, in the order of the standard."""
        data = text.read()
        yield from (Span(node.start, node.end) for node in _Evaluation(data, tree(data, shape)).run(self._segments))


def _invalid(path: str, why: str) -> LrguardError:
    shown = path if len(path) <= 80 else path[:80] + "…"
    return LrguardError(f"{shown} is no JSONPath", why, "for example $.orders[0].note or $..id")


class _Evaluation:
    """One run of a query over `data`."""

    def __init__(self, data: bytes, root: Node) -> None:
        self._data, self._root, self._steps = data, root, 0
        self._patterns: dict[tuple[str, str], Any] = {}

    def run(self, segments: tuple[Any, ...], start: Node | None = None) -> Iterator[Node]:
        nodes = iter((start or self._root,))
        for segment in segments:
            nodes = self._segment(segment, nodes)
        return nodes

    def _count(self, steps: int) -> None:
        self._steps += steps
        if self._steps > STEPS:
            raise LrguardError("the path takes too long", f"it visits more than {STEPS} values", "ask for less at once")

    def _segment(self, segment: Any, nodes: Iterator[Node]) -> Iterator[Node]:
        descends = isinstance(segment, JSONPathRecursiveDescentSegment)
        for node in nodes:
            for inner in self._descendants(node) if descends else (node,):
                for selector in segment.selectors:
                    yield from self._select(selector, inner)

    def _descendants(self, node: Node) -> Iterator[Node]:
        waiting = [node]
        while waiting:
            node = waiting.pop()
            yield node
            if node.children:
                self._count(len(node.children))
                waiting += [child for child in reversed(node.children) if child.children is not None]

    def _select(self, selector: Any, node: Node) -> Iterator[Node]:
        children, names = node.children, node.names
        self._count(1)
        if children is None:
            return
        if isinstance(selector, select.NameSelector):
            if names is not None:
                self._count(len(names))
                yield from (child for name, child in zip(names, children, strict=False) if says(name, selector.name))
        elif isinstance(selector, select.IndexSelector):
            if names is None and -len(children) <= selector.index < len(children):
                yield children[selector.index]
        elif isinstance(selector, select.SliceSelector):
            if names is None and selector.slice.step != 0:
                chosen = children[selector.slice]
                self._count(len(chosen))
                yield from chosen
        elif isinstance(selector, select.WildcardSelector):
            self._count(len(children))
            yield from children
        else:
            self._count(len(children))
            for child in children:
                if self._holds(selector.expression.expression, child):
                    yield child

    def _holds(self, expression: Any, current: Node) -> bool:
        """Whether a logical expression is true of `current`."""
        if isinstance(expression, filters.LogicalExpression):
            left = self._holds(expression.left, current)
            if left == (expression.operator == "||"):
                return left
            return self._holds(expression.right, current)
        if isinstance(expression, filters.PrefixExpression):
            return not self._holds(expression.right, current)
        if isinstance(expression, filters.ComparisonExpression):
            left_value = self._value(expression.left, current)
            return self._compares(left_value, expression.operator, self._value(expression.right, current))
        if isinstance(expression, filters.FunctionExtension):
            return self._matches(expression, current)
        if isinstance(expression, filters.FilterQuery):
            return next(self._nodes(expression, current), None) is not None
        return bool(self._holds(expression.expression, current))

    def _nodes(self, query: Any, current: Node) -> Iterator[Node]:
        start = current if isinstance(query, filters.RelativeFilterQuery) else self._root
        return self.run(query.query.segments, start)

    def _value(self, expression: Any, current: Node) -> object:
        """A comparable: what `_scalar` returns, a container's `Node`, or `_NOTHING`."""
        if isinstance(expression, filters.FilterExpressionLiteral):
            return expression.value
        if isinstance(expression, filters.FilterQuery):
            nodes = list(self._nodes(expression, current))
            # A duplicate name makes a singular query name several; the last is the one that other readers take.
            return self._scalar(nodes[-1]) if nodes else _NOTHING
        argument = expression.args[0]
        if expression.name == "count":
            return sum(1 for _ in self._nodes(argument, current))
        if expression.name == "value":
            nodes = list(self._nodes(argument, current))
            return self._scalar(nodes[0]) if len(nodes) == 1 else _NOTHING
        value = self._value(argument, current)
        if isinstance(value, Node):
            return len(value.children or ())
        return len(value) if isinstance(value, str) else _NOTHING

    def _scalar(self, node: Node) -> object:
        if node.children is not None:
            return node
        raw = self._data[node.start : node.end]
        if raw[:1] == b'"':
            return decoded(raw)
        return _CONSTANTS[raw] if raw in _CONSTANTS else _number(raw)

    def _compares(self, left: object, operator: str, right: object) -> bool:
        if operator in ("==", "<=", ">=") and self._equal(left, right):
            return True
        if operator == "!=":
            return not self._equal(left, right)
        if operator in (">", ">="):
            left, right = right, left
        elif operator == "==":
            return False
        if isinstance(left, str) and isinstance(right, str):
            return left < right
        return _is_number(left) and _is_number(right) and bool(left < right)  # type: ignore[operator]

    def _equal(self, left: object, right: object) -> bool:
        waiting = [(left, right)]
        while waiting:
            left, right = waiting.pop()
            self._count(1)
            if not isinstance(left, Node) or not isinstance(right, Node):
                alike = (_is_number(left) and _is_number(right)) or type(left) is type(right)
                if not alike or left != right:
                    return False
                continue
            ours, theirs = left.children or [], right.children or []
            if len(ours) != len(theirs) or (left.names is None) != (right.names is None):
                return False
            if left.names is None or right.names is None:
                pairs = zip(ours, theirs, strict=True)
            else:
                ours_by_name, theirs_by_name = _members(left), _members(right)
                if ours_by_name.keys() != theirs_by_name.keys():
                    return False
                pairs = zip(ours_by_name.values(), map(theirs_by_name.__getitem__, ours_by_name), strict=True)
            waiting += [(self._scalar(a), self._scalar(b)) for a, b in pairs]
        return True

    def _matches(self, function: Any, current: Node) -> bool:
        text, pattern = (self._value(argument, current) for argument in function.args)
        if not isinstance(text, str) or not isinstance(pattern, str):
            return False
        key = (function.name, pattern)
        if key not in self._patterns:
            self._patterns[key] = _interoperable(pattern, whole=function.name == "match")
        self._count(1 + len(text) // 100)
        found = self._patterns[key]
        return found is not None and found.search(text.encode("utf-8", "replace")) is not None


_NOTHING = object()
_CONSTANTS = {b"true": True, b"false": False, b"null": None}


def _is_number(value: object) -> bool:
    from decimal import Decimal

    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _number(raw: bytes) -> object:
    from decimal import Decimal

    text = raw.decode("ascii", "replace")
    try:
        if text.lstrip("-").isdigit():
            return int(text) if len(text) < _INT_DIGITS else Decimal(text)
        return float(text)
    except (ValueError, ArithmeticError):
        return _NOTHING


def _members(node: Node) -> dict[str, Node]:
    return {decoded(name): child for name, child in zip(node.names or (), node.children or (), strict=False)}


def _interoperable(pattern: str, *, whole: bool) -> Any:
    """A compiled RFC 9485 pattern, in linear time; None where it is none."""
    import re2
    from iregexp_check import check

    if not check(pattern):
        return None
    options = re2.Options()
    options.log_errors, options.never_capture = False, True
    # A dot is anything but a line feed or a carriage return, unless it stands in a class or behind a backslash.
    plain = re.sub(r"\\.|\[\^?\]?(?:[^\]\\]|\\.)*+\]|\.", lambda m: r"[^\n\r]" if m[0] == "." else m[0], pattern)
    try:
        return re2.compile(rf"\A(?:{plain})\z" if whole else plain, options)
    except re2.error:
        return None
