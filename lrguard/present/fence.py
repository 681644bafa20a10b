"""Two lines around what comes from outside, which what stands between them cannot forge.

Whoever wrote a tool result may have meant its reader to take a part of it for somebody else's words. The marker is
derived from all that is written, so it cannot be known beforehand, and it does not occur in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256

DIGITS = 8
"""Hex digits of a marker."""


def marker(texts: Iterable[str]) -> str:
    """Hex digits that occur in none of `texts`; the same texts have the same marker."""
    written = list(texts)
    digest = sha256("\0".join(written).encode("utf-8", "surrogatepass")).hexdigest()
    while True:
        for start in range(len(digest) - DIGITS + 1):
            found = digest[start : start + DIGITS]
            if not any(found in text for text in written):
                return found
        digest = sha256(digest.encode()).hexdigest()


def fenced(name: str, mark: str, inside: Sequence[str]) -> list[str]:
    """The lines of `inside` between the two that carry `mark`."""
    return [f"===== {name} {mark} begin =====", *inside, f"===== {name} {mark} end ====="]
