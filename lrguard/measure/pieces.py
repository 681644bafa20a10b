"""The pieces that a text falls into before byte pair encoding, as the o200k_base and cl100k_base patterns cut it.

The patterns are those of tiktoken_ext/openai_public.py, rewritten for stand-ins (`characters`) and without look-ahead
over unbounded stretches. Each alternative is a sequence of runs of one class, so no piece is looked at more than a few
times, and none depends on what came before it.
"""

from __future__ import annotations

import re

from lrguard.measure.characters import stand_ins

_CONTRACTION = r"'(?:[sS\x82tTmMdD]|[lL][lL]|[vV][eE]|[rR][eE])"
_BEFORE_LETTERS = r"[^\r\nA-Za-z0-9\x80\x82]?"
_SPACE = r"[\t-\r ]"
_SYMBOLS = r" ?[^\t-\r A-Za-z0-9\x80\x82]+"
_NUMBER = r"[0-9]{1,3}"
_UPPERS, _LOWERS = r"[A-Z\x80\x81]", r"[a-z\x80\x81\x82]"

_PATTERNS = {
    "o200k_base": (
        rf"(?:{_BEFORE_LETTERS}{_UPPERS}*{_LOWERS}+|{_BEFORE_LETTERS}{_UPPERS}+{_LOWERS}*)(?:{_CONTRACTION})?",
        _NUMBER,
        rf"{_SYMBOLS}[\r\n/]*",
        rf"{_SPACE}*[\r\n]+",
        rf"{_SPACE}+(?![^\t-\r ])",
        rf"{_SPACE}+",
    ),
    "cl100k_base": (
        _CONTRACTION,
        rf"{_BEFORE_LETTERS}[A-Za-z\x80\x82]+",
        _NUMBER,
        rf"{_SYMBOLS}[\r\n]*",
        rf"{_SPACE}+\Z",
        rf"{_SPACE}*[\r\n]",
        rf"{_SPACE}+(?![^\t-\r ])",
        _SPACE,
    ),
}

_compiled: dict[str, re.Pattern[str]] = {}


def split(text: str, encoding: str) -> list[str]:
    """The pieces of `text` in order, which together are `text`, as the pattern of `encoding` cuts it."""
    pattern = _compiled.get(encoding)
    if pattern is None:
        pattern = _compiled[encoding] = re.compile("|".join(_PATTERNS[encoding]))
    if text.isascii():
        return pattern.findall(text)
    pieces = []
    at = 0
    for length in map(len, pattern.findall(stand_ins(text))):
        pieces.append(text[at : at + length])
        at += length
    return pieces
