"""Guesses in which of the encodings other than UTF-8 a sample of text is.

charset-normalizer is asked only among those that occur, and only for text that is mostly not ASCII: a few accented
letters in English fit every code page, so there the letters' own places decide.
"""

from __future__ import annotations

import codecs
import re

from lrguard.patterns import pattern

_OCCURRING = [
    "cp1252", "latin_1", "cp1250", "cp1251", "koi8_r", "cp1253", "cp1254", "cp1255", "cp1256",
    "cp866", "cp874", "gb18030", "big5", "cp932", "euc_jp", "euc_kr",
]  # fmt: skip

_RUN = pattern(rb"[\x80-\xff]+")
_FRAMES = (
    b"\xb0\xb1\xb2\xb3\xb4\xba\xbb\xbc\xbf\xc0\xc1\xc2\xc3\xc4\xc5\xc8\xc9\xca\xcb\xcc\xcd\xce\xd9\xda\xdb\xdc\xdf\xfe"
)
"""Lines and blocks in the code pages of a Windows console; `tree` draws with them."""


def guess(sample: bytes) -> str | None:
    """The name of the encoding that fits `sample` best, as `codecs` spells it; None where none is likely.

    `sample` holds bytes above 127, is not UTF-8, and should be whole lines, at most 64 KiB.
    """
    runs = _RUN.findall(sample)
    high = b"".join(runs)
    if (b"\xc4\xc4\xc4" in high or b"\xcd\xcd\xcd" in high) and len(high.translate(None, _FRAMES)) * 20 <= len(high):
        return "cp437"
    # Western letters stand alone among ASCII; a language written in another script fills its words with high bytes.
    if runs and sum(len(run) <= 2 for run in runs) >= 0.95 * len(runs) and len(high) * 4 <= len(sample):
        return _latin(sample, len(high))
    if len(sample) < 512:
        # Letters are compared with a language's only where there are some hundred of them.
        sample += (b"\n" + sample) * (512 // len(sample))
    # It gives up on some long samples of which it knows a part.
    parts = (sample[: sample.rfind(b"\n", 0, length) + 1] for length in (8192, 1024) if length < len(sample))
    return next((name for part in (sample, *parts) if part and (name := _vouched(part))), None)


def _vouched(sample: bytes) -> str | None:
    """What charset-normalizer thinks likeliest."""
    from charset_normalizer import from_bytes

    found = from_bytes(sample, cp_isolation=_OCCURRING, preemptive_behaviour=False, language_threshold=0.1)
    names = [codecs.lookup(match.encoding).name for match in found]
    likely = [name for name in names if name not in ("euc_jp", "cp932") or _has_kana(sample, name)]
    best = next(iter(likely or names), None)
    # What Windows writes for Korean is EUC-KR and eight thousand syllables more.
    return "cp949" if best == "euc_kr" else best


_KANA = pattern("[\u3041-\u30fe]")


def _has_kana(sample: bytes, encoding: str) -> bool:
    """Whether text that decodes as Japanese has the syllables without which no Japanese sentence can do."""
    text = sample.decode(encoding, "replace")
    return len(_KANA.findall(text)) * 20 >= sum(character > "\x7f" for character in text)


_LETTER = pattern(rb"[A-Za-z\xc0-\xff][\xc0-\xd6\xd8-\xf6\xf8-\xfe]|[\xc0-\xd6\xd8-\xf6\xf8-\xfe][a-z]")
_SIGN = pattern(rb"(?<![\x80-\xff])[\x80\x85\x91-\x97\x99\xa0-\xbf\xd7](?![\xc0-\xff])")
_CONSOLE = pattern(rb"[a-z][\x80-\x89\x8b-\x8d\x8f\x90\x93-\x99\x9b\x9d\xa0-\xa5][a-z]")
_SIGN_IN_WORD = pattern(rb"[A-Za-z\xe0-\xff][\xb3\xb9\xba\xbe\xbf][a-z\xb3\xb9\xbf]")
_CARON = pattern(rb"[A-Za-z\xe0-\xff][\x9a\x9e]|[\x9a\x9e][a-z]")
_WITH_CARON = pattern(rb"[\xe6\xe8\xec\xef\xf0\xf2\xf8\xf9]")
_HUNGARIAN = pattern(rb"[\xf5\xfb]")
_NOT_HUNGARIAN = pattern(rb"[\xe0\xe2-\xe8\xea-\xec\xee-\xf2\xf4\xf8\xf9]")
_TURKISH = pattern(rb"[\xd0\xdd\xde\xf0\xfd\xfe]")
_ICELANDIC = pattern(rb"[\xc1\xc9\xcd\xd3\xda\xe1\xe9\xed\xf3\xfa\xc6\xe6]")


def _latin(sample: bytes, high: int) -> str | None:
    """The code page of a text in Latin letters, by the letters that only one of them has at their places.

    None where most of the `high` bytes above 127 are neither letters beside letters nor signs: those are stray bytes.
    """
    letters = len(_LETTER.findall(sample))
    if len(_CONSOLE.findall(sample)) > letters:
        return "cp850"
    if _SIGN_IN_WORD.search(sample) or (_CARON.search(sample) and _WITH_CARON.search(sample)):
        return "cp1250"
    if len(_HUNGARIAN.findall(sample)) > 1 and not _NOT_HUNGARIAN.search(sample):
        return "cp1250"
    if (letters + len(_SIGN.findall(sample))) * 2 < high:
        return None
    turkish = len(_TURKISH.findall(sample))
    return "cp1254" if turkish > 1 and turkish > 8 * len(_ICELANDIC.findall(sample)) else "cp1252"


_LETTERS = pattern(
    "[\t\n\r\x1b\x20-\x7e\u00a0-\u024f\u0370-\u06ff\u0900-\u0e7f\u1100-\u11ff\u1e00-\u206f\u20a0-\u22ff\u2500-\u25ff"
    "\u3000-\u318f\u4e00-\u9fff\uac00-\ud7a3\uff00-\uffef]"
)


def guess_wide(head: bytes) -> str | None:
    """UTF-16 without a mark, of a script that has few NULs there: nearly all of `head` are letters of living scripts.

    Of random bytes 60 in 100 pairs are; of the other byte order, at most as many.
    """
    for name in ("utf-16-le", "utf-16-be"):
        text = head[: 8192 & ~1].decode(name, "replace")
        if (
            len(text) >= 16
            and len(_LETTERS.findall(text)) >= 0.98 * len(text)
            and re.search("[\n\r \u3000-\u3002]", text)
        ):
            return name
    return None
