"""JSONPaths: reading the plain ones, and writing the path of a value.

A plain path (names, indexes, wildcards) is read here, because the library that reads the others costs 50 ms to import.
Paths are written with dots where RFC 9535 allows it and otherwise with double quotes, which survive the single quotes
of a shell.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from lrguard.inspect.json_tokens import decoded
from lrguard.patterns import pattern

MAX_PATH = 100_000
"""Characters of a plain path above which it is refused."""


class Name(NamedTuple):
    """A member's name."""

    name: str


class Index(NamedTuple):
    """An element's place, from the end where negative."""

    number: int


class Wildcard(NamedTuple):
    """Every child."""


Segment = Name | Index | Wildcard

_FIRST = r"A-Za-z_\x80-\ud7ff\ue000-\U0010ffff"
_BLANK = r"[ \t\n\r]*+"
_SEGMENT = pattern(
    rf"{_BLANK}(?:\.(?:(\*)|([{_FIRST}][{_FIRST}0-9]*+))"
    rf"|\[{_BLANK}(?:(\*)|(0|-?[1-9][0-9]{{0,15}}+)"
    r"""|"((?:[^"\\\x00-\x1f]++|\\.)*+)"|'((?:[^'\\\x00-\x1f]++|\\.)*+)')"""
    rf"{_BLANK}\])",
    re.DOTALL,
)
_ESCAPE = pattern(
    r"""\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(["'/\\bfnrt]))|\\""",
    re.DOTALL,
)
_LETTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_SHORT = pattern(r"[A-Za-z_\x80-\ud7ff\ue000-\U0010ffff][A-Za-z_0-9\x80-\ud7ff\ue000-\U0010ffff]*+\Z")


def plain_path(path: str) -> tuple[Segment, ...] | None:
    """The segments of a path made of names, indexes and wildcards alone; None where it is something else or invalid."""
    if not path.startswith("$") or len(path) > MAX_PATH:
        return None
    segments: list[Segment] = []
    at = 1
    while at < len(path):
        match = _SEGMENT.match(path, at)
        if match is None:
            return None
        dot_star, dot_name, star, index, double, single = match.groups()
        if dot_star or star:
            segments.append(Wildcard())
        elif dot_name is not None:
            segments.append(Name(dot_name))
        elif index is not None:
            if abs(int(index)) >= 2**53:
                return None
            segments.append(Index(int(index)))
        else:
            name = _unquoted(double, '"') if double is not None else _unquoted(single, "'")
            if name is None:
                return None
            segments.append(Name(name))
        at = match.end()
    return tuple(segments)


def _unquoted(text: str, quote: str) -> str | None:
    """What a quoted name says; as in `decoded`, half of a surrogate pair stays an escape. RFC 9535 has none."""
    if "\\" not in text:
        return text
    bad = False

    def replace(match: re.Match[str]) -> str:
        nonlocal bad
        high, low, unit, letter = match.groups()
        if high:
            return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
        if unit:
            code = int(unit, 16)
            return match[0] if 0xD800 <= code < 0xE000 else chr(code)
        bad |= letter is None or (letter in "\"'" and letter != quote)
        return _LETTERS.get(letter or "", letter or "")

    name = _ESCAPE.sub(replace, text)
    return None if bad else name


def name_step(name: str) -> str:
    """A name as it stands in a path: `.note`, or `["two words"]` where a dot cannot introduce it."""
    if _SHORT.match(name) and name.isprintable():
        return "." + name
    if name.isprintable() and '"' not in name and "\\" not in name:
        return f'["{name}"]'
    return '["' + "".join(map(_escaped, name)) + '"]'


def _escaped(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if char.isprintable():
        return char
    code = ord(char)
    if code >= 0x10000:
        code -= 0x10000
        return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
    return f"\\u{code:04x}"


class Place:
    """A container on the way to its leaves; `step` is its key's bytes, its index, or None for a root.

    `start` is the byte where it begins.
    """

    __slots__ = ("_record", "anchor", "depth", "general", "parent", "start", "step")

    def __init__(self, parent: Place | None, step: bytes | int | None, start: int) -> None:
        self.parent, self.step, self.start = parent, step, start
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.general: str | None = "$" if parent is None else None
        self.anchor: Place | None = None
        # None for this place itself: a cycle would stay in memory for as long as nothing is collected.
        self._record: Place | None = None
        if parent is not None and parent.parent is not None and not isinstance(step, int):
            self._record = parent.record
        if parent is not None and self.depth > GENERAL_DEPTH:
            self.anchor = parent.anchor or parent

    @property
    def record(self) -> Place:
        """The nearest place from here up that is an element of an array, or else the document."""
        return self._record or self


GENERAL_DEPTH = 40
"""Levels below which generalized paths are not told apart, so that each costs a bounded time."""

_GENERAL_NAME = 60
_PATH_STEPS = 400


def path_of(place: Place, step: bytes | int | None) -> str | None:
    """The path of a child of `place`; None where it has over 400 steps or 4,000 characters, and would help nobody."""
    if place.depth > _PATH_STEPS:
        return None
    steps = [_step_text(step)]
    at: Place | None = place
    while at is not None:
        steps.append(_step_text(at.step))
        at = at.parent
    path = "$" + "".join(reversed(steps))
    return path if len(path) <= 4000 else None


def _step_text(step: bytes | int | None) -> str:
    if step is None:
        return ""
    return f"[{step}]" if isinstance(step, int) else name_step(decoded(step))


def general_path(place: Place, step: bytes | int | None) -> str:
    """The path of a child of `place` with every index as `[*]`; what is very deep or very long ends in `…`."""
    if place.anchor is not None:
        return _general(place.anchor) + "…"
    return _general(place) + _general_step(step)


def _general(place: Place) -> str:
    waiting = []
    at = place
    while at.general is None:
        waiting.append(at)
        assert at.parent is not None
        at = at.parent
    general = at.general
    for at in reversed(waiting):
        general = at.general = general + _general_step(at.step)
    return general


def _general_step(step: bytes | int | None) -> str:
    if step is None:
        return ""
    if isinstance(step, int):
        return "[*]"
    return _general_name(step[: 6 * _GENERAL_NAME])


@lru_cache
def _general_name(raw: bytes) -> str:
    name = decoded(raw)
    return name_step(name if len(name) <= _GENERAL_NAME else name[:_GENERAL_NAME] + "…")
