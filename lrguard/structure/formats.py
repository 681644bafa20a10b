"""What every string of one place has in common: a format, a few values, lengths, or JSON inside.

A format is a claim about every value, so a place starts with the formats of its first string and only ever loses some;
most places lose all of them at once, and from then on strings cost no more than their lengths.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Sequence

from lrguard.patterns import pattern

CHOICES = 8
"""Distinct values up to which a place is an enumeration."""

CHOICE_LENGTH = 40
"""Characters past which a value is text and no name out of an enumeration."""

_BASE64_LENGTH = 256
_HEAD = 5464
_SNIFFED = 4096

_YEAR_TO_DAY = (
    r"[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    r"|02-(?:0[1-9]|1[0-9]|2[0-8]))"
)
_CLOCK = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,12})?"
_ZONE = r"(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"

_Table = dict[str, Callable[[str], object]]

FORMATS: _Table = {
    name: re.compile(pattern).fullmatch
    for name, pattern in {
        "date-time": f"{_YEAR_TO_DAY}T{_CLOCK}{_ZONE}",
        "local-date-time": f"{_YEAR_TO_DAY}[T ]{_CLOCK}",
        "date": _YEAR_TO_DAY,
        "time": f"{_CLOCK}{_ZONE}?",
        "uuid": r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}",
        "email": r"[A-Za-z0-9_+-](?:[A-Za-z0-9._%+-]{0,62}[A-Za-z0-9_%+-])?"
        r"@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}",
        "uri": r"(?:https?|ftp|file|wss?|ssh|git|s3|gs)://"
        r"(?:[A-Za-z0-9._~:/?#@!$&'()*+,;=\[\]-]++|%[0-9A-Fa-f]{2})++",
    }.items()
}
"""Formats by name. A leap day and a URI template (`{id}`) are left out on purpose: too little is better than wrong."""

KEY_FORMATS: _Table = FORMATS | {
    name: re.compile(pattern).fullmatch
    for name, pattern in {
        "id": r"-?[0-9]{1,40}",
        "hash": r"(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{7,128}",
        "path": r"(?:\S*/\S*)?",
    }.items()
}
"""What the keys of an object that is used as a map look like, besides."""

STANDARD = frozenset({"date-time", "date", "uuid", "email", "uri"})
"""The formats that JSON Schema knows under the same name and means the same by."""

_BASE64_HEAD = re.compile(r"[A-Za-z0-9+/_-]{200}").match
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]*+={0,2}").fullmatch
_DATA_URL = pattern(r"data:([a-z]+/[A-Za-z0-9.+-]{1,80})(?:;[A-Za-z0-9=._-]{1,80}){0,4};base64,")


class Strings:
    """The strings of one place in a document."""

    __slots__ = ("assets", "choices", "count", "formats", "high", "low", "media_types", "opaque", "table")

    def __init__(self, table: _Table = FORMATS) -> None:
        self.table = table
        self.count = 0
        self.low = self.high = 0
        self.choices: set[str] | None = set()
        self.formats: tuple[str, ...] | None = None
        self.media_types: set[str] = set()
        self.assets: tuple[int, int] | None = None
        """Decoded sizes of the smallest and the largest, while every string is base64 of a known type."""
        self.opaque = 0
        """Strings too long to be looked at; nothing is known of them but that they are there."""

    def add(self, values: Sequence[str]) -> None:
        """Take in the strings `values`, which is not empty."""
        lengths = list(map(len, values))
        low, high = min(lengths), max(lengths)
        first = not self.count
        if self.choices is not None:
            self._choose(values, high)
        if first:
            self.low, self.high = low, high
            self.formats = tuple(name for name, matches in self.table.items() if matches(values[0]))
        else:
            self.low, self.high = min(self.low, low), max(self.high, high)
        if self.formats:
            self.formats = tuple(name for name in self.formats if all(map(self.table[name], values)))
        if first or self.assets:
            self._look_for_assets(values)
        self.count += len(values)

    def add_opaque(self, length: int) -> None:
        """Take in one string of `length` bytes that nobody looked at."""
        self.low, self.high = (min(self.low, length), max(self.high, length)) if self.count else (length, length)
        self.count += 1
        self.opaque += 1
        self.choices, self.formats, self.assets = None, (), None

    def merge(self, other: Strings) -> None:
        """Take in all that `other` has taken in."""
        if not other.count:
            return
        if not self.count:
            self.low, self.formats, self.assets = other.low, other.formats, other.assets
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)
        self.formats = tuple(name for name in self.formats or () if name in (other.formats or ()))
        if self.choices is not None:
            joined = None if other.choices is None else self.choices | other.choices
            self.choices = None if joined is None or len(joined) > CHOICES else joined
        both = self.assets and other.assets
        self.assets = (min(self.assets[0], other.assets[0]), max(self.assets[1], other.assets[1])) if both else None  # type: ignore[index]
        self.media_types |= other.media_types
        self.count += other.count
        self.opaque += other.opaque

    def enumeration(self) -> list[str] | None:
        """The values, sorted, where they are few, repeated, and no format says more."""
        few = self.choices is not None and self.count >= 3 and self.count >= 2 * len(self.choices)
        return sorted(self.choices) if few and self.choices and not self.formats else None

    def _choose(self, values: Sequence[str], high: int) -> None:
        assert self.choices is not None
        if high <= CHOICE_LENGTH:
            self.choices.update(values[:64])
            if len(self.choices) <= CHOICES:
                self.choices.update(values)
            if len(self.choices) <= CHOICES:
                return
        self.choices = None

    def _look_for_assets(self, values: Sequence[str]) -> None:
        sizes = []
        for value in values:
            found = _asset(value)
            if found is None:
                self.assets = None
                return
            self.media_types.add(found[0])
            sizes.append(found[1])
        low, high = min(sizes), max(sizes)
        self.assets = (min(self.assets[0], low), max(self.assets[1], high)) if self.assets else (low, high)


def _asset(value: str) -> tuple[str, int] | None:
    """The media type and the decoded size of a string that is base64 of a known type or a `data:` URL."""
    declared, start = None, 0
    if value.startswith("data:") and (prefix := _DATA_URL.match(value)):
        declared, start = prefix.group(1), prefix.end()
    elif len(value) < _BASE64_LENGTH or not _BASE64_HEAD(value):
        return None
    compact = value[start:] if "\n" not in value else "".join(value[start:].split())
    if not _BASE64(compact):
        return None
    digits = len(compact.rstrip("="))
    size = digits * 3 // 4
    known = _sniff(compact[:_HEAD], size)
    if known is None and declared is None:
        return None
    return known or declared or "", size


def _sniff(head: str, size: int) -> str | None:
    from lrguard.intake.media_type import sniff

    digits = head.rstrip("=").translate({45: 43, 95: 47})
    try:
        data = binascii.a2b_base64(digits[: len(digits) - len(digits) % 4])
    except ValueError:
        return None
    found = sniff(data[:_SNIFFED] if size > len(data) else data, size)
    return found.name if found else None
