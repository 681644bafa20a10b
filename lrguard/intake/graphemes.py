"""Where text may be cut so that no grapheme cluster is: no emoji family, flag, accented letter or syllable in two.

Only a bounded piece around the cut is looked at, and `regex`, which knows the boundaries, is imported only where the
neighbors are not of scripts whose letters stand alone.
"""

from __future__ import annotations

from lrguard.patterns import pattern

_WINDOW = 256
"""Characters looked at on each side of a cut; a longer cluster is cut at this distance."""

_FLAGS = 1 << 16
"""Regional indicators looked back over; they pair from the beginning of their run."""

_INDICATORS = "".join(map(chr, range(0x1F1E6, 0x1F200)))

_PLAIN = pattern(
    "[\x09\x0a\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0391-\u03ff\u0400-\u0482\u048a-\u052f\u3001-\u3029\u3041-\u3096"
    "\u30a0-\u30ff\u4e00-\u9fff\uff01-\uff5e]{2}"
)


def grapheme_cut(text: str, at: int) -> int:
    """The last place up to `at` where a head of `text` may end without cutting a grapheme cluster in two."""
    return _boundary(text, at, after=False)


def grapheme_start(text: str, at: int) -> int:
    """The first place from `at` on where a tail of `text` may begin without cutting a grapheme cluster in two."""
    return _boundary(text, at, after=True)


def _boundary(text: str, at: int, *, after: bool) -> int:
    if at <= 0 or at >= len(text):
        return max(0, min(at, len(text)))
    if _PLAIN.match(text, at - 1):
        return at
    import regex

    start, end = max(0, at - _WINDOW), min(len(text), at + _WINDOW)
    before = text[max(0, start - _FLAGS) : start]
    # An odd number of regional indicators before the window: its first one ends a pair.
    start -= (len(before) - len(before.rstrip(_INDICATORS))) % 2
    place = start
    for cluster in regex.finditer(r"\X", text, pos=start, endpos=end):
        if cluster.end() > at:
            return place if not after or place == at else cluster.end()
        place = cluster.end()
    return place
