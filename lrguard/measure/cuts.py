"""Places where a text may be cut without changing the number of its tokens.

Between a letter or digit and a character of another kind a piece always ends, whatever stands farther left or right,
but for marks, which may belong to the letter, and apostrophes, which may begin a contraction. So a text can be counted
window by window, in bounded memory, and be left when enough is known.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from lrguard.intake.source import CHUNK, Source
from lrguard.measure.characters import stand_ins
from lrguard.patterns import pattern

LONGEST = 4 * 1024 * 1024
"""Characters without such a place, after which the text is cut all the same; then a count is no longer exact."""

_CUT = pattern(r"(?<=[A-Za-z\x80\x82])[^A-Za-z\x80-\x82']|(?<=[0-9])[^0-9\x81']")
_TAIL = 256

_ASCII_CUT = pattern(rb"(?<=[A-Za-z])[^A-Za-z\x80-\xff']|(?<=[0-9])[^0-9\x80-\xff']")
_CONTINUATION = bytes(range(0x80, 0xC0))


def last_cut(text: str, start: int = 0) -> int | None:
    """The last place after `start` where `text` may be cut; None where there is none."""
    end, length = len(text), _TAIL
    while end > start + 1:
        begin = max(start, end - length)
        cuts = [found.start() for found in _CUT.finditer(stand_ins(text[begin:end]))]
        if cuts:
            return begin + cuts[-1]
        end, length = begin + 1, 2 * length  # the character that a cut stands before is looked at again
    return None


def windows(source: Source, size: int = CHUNK) -> Iterator[tuple[str, bool]]:
    """The text of `source` in windows of about `size` bytes, and whether each one's end is exact.

    The pieces of the windows are those of the whole text, as far as the ends are exact. What is no UTF-8 is replaced.
    """
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    kept = ""
    read = 0
    for chunk in source.chunks(size=size):
        read += len(chunk)
        last = read >= source.size
        known = max(len(kept) - 1, 0)
        kept += decode(chunk, last)
        if last:
            break
        cut = last_cut(kept, known)
        if cut is not None:
            yield kept[:cut], True
            kept = kept[cut:]
        elif len(kept) > LONGEST:
            yield kept, False
            kept = ""
    if kept:
        yield kept, True


def between_cuts(sample: bytes) -> bytes:
    """`sample` from its first place to its last one where a text may be cut; else without characters cut in half."""
    cuts = [found.start() for found in _ASCII_CUT.finditer(sample)]
    if cuts and cuts[-1] - cuts[0] >= len(sample) // 2:
        return sample[cuts[0] : cuts[-1]]
    start = len(sample) - len(sample[:3].lstrip(_CONTINUATION) + sample[3:])
    end = len(sample[:-4] + sample[-4:].rstrip(_CONTINUATION))
    if end > start and sample[end - 1] >= 0xC0:
        end -= 1
    return sample[start:end]
