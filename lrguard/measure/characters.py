"""Characters by the class that the token patterns ask for, each class as one stand-in character.

The patterns of o200k_base and cl100k_base look at nothing but classes, so a text may be translated, character by
character, into one of the same length with a stand-in for everything beyond ASCII, and be cut by the standard
library's `re`. That spares the import of a Unicode-aware engine, and gives the classes one place, where those that the
running Python's Unicode version has differently are put right.
"""

from __future__ import annotations

import re
import unicodedata

# A stand-in is an ASCII character where that one behaves the same in both patterns, else one that `re` tells apart.
UPPER, LOWER, NUMBER, BLANK, OTHER = "X", "x", "0", "\t", "#"
BOTH = "\x80"
"""A letter that is neither upper case nor lower case."""
MARK = "\x81"
"""A combining mark: part of a word for o200k_base, punctuation for cl100k_base."""
LONG_S = "\x82"
"""The lower-case letter that equals `s` where case is ignored, as in a contraction."""

_BY_CATEGORY = {
    "Lu": UPPER,
    "Lt": UPPER,
    "Ll": LOWER,
    "Lm": BOTH,
    "Lo": BOTH,
    "Mn": MARK,
    "Mc": MARK,
    "Me": MARK,
    "Nd": NUMBER,
    "Nl": NUMBER,
    "No": NUMBER,
    "Zs": BLANK,
    "Zl": BLANK,
    "Zp": BLANK,
}

# Code points that Unicode 14 (Python 3.11) and later versions do not class as Unicode 16 does, by which tiktoken 0.14
# and so these counts go. Found by asking tiktoken for `X't`, `XX1` and the like, for every code point.
_UNICODE_16 = {
    UPPER: "1c89 a7cb-a7cc a7da a7dc 10d50-10d65",
    LOWER: "1c8a a7cd a7db 10d70-10d85 1df25-1df2a",
    BOTH: """105c0-105f3 10d4a-10d4f 10d6f 10ec2-10ec4 1123f-11240 11380-11389 1138b 1138e 11390-113b5 113b7 113d1
        113d3 11bc0-11be0 11f02 11f04-11f10 11f12-11f33 1342f 13441-13446 13460-143fa 16100-1611d 16d40-16d6c 18cff
        1b132 1b155 1e030-1e06d 1e4d0-1e4eb 1e5d0-1e5ed 1e5f0 2b739 2ebf0-2ee5d 31350-323af""",
    MARK: """897 cf3 ece 10d69-10d6d 10efc-10eff 11241 113b8-113c0 113c2 113c5 113c7-113ca 113cc-113d0 113d2
        113e1-113e2 11f00-11f01 11f03 11f34-11f3a 11f3e-11f42 11f5a 13440 13447-13455 1611e-1612f 1e08f 1e4ec-1e4ef
        1e5ee-1e5ef""",
    NUMBER: """10d40-10d49 116d0-116e3 11bf0-11bf9 11f50-11f59 16130-16139 16d70-16d79 1ccf0-1ccf9 1d2c0-1d2d3
        1e4f0-1e4f9 1e5f1-1e5fa""",
    OTHER: """558 58b-58c 5c8-5c9 88f b53-b54 c5c cdc 1acf-1af0 208f 209d-209f a7ce-a7cf a7d2 a7d4 a7dd-a7f1 ab6c-ab6d
        107bb-107bf 10940-10959 10ec5-10efb 11b0a-11b67 11db0-11df1 1246f-1247f 12550-12686 16ea0-16ed3 16ff2-16ff6
        187f8-187ff 18cd6-18cda 18d09-191d2 1b123-1b128 1b168 1d127-1d128 1d250-1d281 1d6a6 1df1f-1df24 1df2b-1dfff
        1e6c0-1e6ff 2b73a-2b73f 2b81e 2cea2-2cead 323b0-3fc3f""",
}


class _StandIns(dict[int, str]):
    """The stand-in for each code point, found out when it is first met."""

    def __missing__(self, point: int) -> str:
        found = self[point] = self._find(point)
        return found

    def _find(self, point: int) -> str:
        if point < 0x80:
            return chr(point)
        if point == 0x85:  # a line end of category Cc
            return BLANK
        if point == 0x17F:
            return LONG_S
        for first, last, stand_in in _exceptions():
            if first <= point <= last:
                return stand_in
        return _BY_CATEGORY.get(unicodedata.category(chr(point)), OTHER)


_ranges: list[tuple[int, int, str]] = []


def _exceptions() -> list[tuple[int, int, str]]:
    if not _ranges:
        for stand_in, points in _UNICODE_16.items():
            for span in points.split():
                first, _, last = span.partition("-")
                _ranges.append((int(first, 16), int(last or first, 16), stand_in))
    return _ranges


_stand_ins = _StandIns()


def stand_ins(text: str) -> str:
    """`text` with a stand-in for each character beyond ASCII: as long as `text`, of characters below U+0083."""
    return text if text.isascii() else text.translate(_stand_ins)


def toktok_may_differ(text: str) -> bool:
    """Whether toktok 0.3 may cut `text` into other pieces than tiktoken does.

    It goes by Unicode 17, and does not see the long s of a contraction as an s.
    """
    if text.isascii():
        return False
    if not _differing:
        ranges = [f"{chr(first)}-{chr(last)}" for first, last, stand_in in _exceptions() if stand_in == OTHER]
        _differing.append(re.compile(f"[{''.join(ranges)}]|'\u017f"))
    return _differing[0].search(text) is not None


_differing: list[re.Pattern[str]] = []
