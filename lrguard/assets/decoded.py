"""What base64 stands for: bytes in memory, or, of what is large, a source that decodes what is read of it.

So a document or a film inside of an API's answer takes no more memory than any other text of that size.
"""

from __future__ import annotations

import errno

from lrguard.intake.alphabet import ALPHABET, decode
from lrguard.intake.source import Source

STEP = 256 * 1024
"""Characters that are decoded at once, about; a multiple of four."""

_TO_STANDARD = bytes.maketrans(b"-_", b"+/")
_SIX_BITS = {byte: value for two in (b"+/", b"-_") for value, byte in enumerate(ALPHABET[:62] + two)}


def decoded(encoded: bytes) -> bytes | None:
    """The bytes that `encoded`, in either alphabet and without padding, stands for; None where it is no base64."""
    if b"-" in encoded or b"_" in encoded:
        if b"+" in encoded or b"/" in encoded:
            return None
        encoded = encoded.translate(_TO_STANDARD)
    return decode(encoded + b"=" * (-len(encoded) % 4) if len(encoded) % 4 else encoded)


def is_whole(last: bytes, length: int, padding: int) -> bool:
    """Whether so many characters, the last of them given, can be all that an encoder made."""
    extra = length % 4
    if extra == 1 or (padding and (extra + padding) % 4):
        return False
    # Bits that an encoder leaves zero: what sets them was cut, or is no base64.
    return not extra or not _SIX_BITS[last[0]] & (15 if extra == 2 else 3)


class Decoded(Source):
    """What `characters` of base64 stand for that begin at `start` of a text.

    They are in one alphabet, on one line or, with a `width`, a multiple of four, on lines of so many.
    """

    def __init__(self, text: Source, start: int, characters: int, width: int = 0, line_break: bytes = b"") -> None:
        """Nothing is read yet; `one_line` and `full_lines` tell whether all of it is base64."""
        self._text, self._start, self._characters = text, start, characters
        self._width, self._line_break = width, line_break
        self.size = characters * 3 // 4

    def read(self, start: int = 0, end: int | None = None) -> bytes:
        """See `Source.read`."""
        end = self.size if end is None else min(end, self.size)
        pieces = []
        while start < end:
            first = start // 3 * 4
            last = min(first + STEP, -(-end // 3) * 4, self._characters)
            encoded = self._text.read(self._place(first), self._place(last - 1) + 1)
            piece = decoded(encoded.replace(self._line_break, b"") if self._width else encoded)
            if not piece:
                raise OSError(errno.EIO, "the text changed while it was read")
            begun = first // 4 * 3
            pieces.append(piece[start - begun : end - begun])
            start = begun + len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _place(self, character: int) -> int:
        if not self._width:
            return self._start + character
        line, column = divmod(character, self._width)
        return self._start + line * (self._width + len(self._line_break)) + column


class Alphabet:
    """The one alphabet, of two, that all of a run is in."""

    def __init__(self) -> None:
        """Either one so far."""
        self._standard = self._for_urls = False

    def spells(self, encoded: bytes) -> bool:
        """Whether `encoded` is base64 in it, as all that was looked at before."""
        self._standard |= b"+" in encoded or b"/" in encoded
        self._for_urls |= b"-" in encoded or b"_" in encoded
        return not (self._standard and self._for_urls) and decoded(encoded) is not None


def one_line(text: Source, start: int, end: int) -> bool:
    """Whether there is nothing but base64 of one alphabet between `start` and `end`."""
    alphabet = Alphabet()
    return all(alphabet.spells(piece) for piece in text.chunks(start, end, STEP))


def full_lines(text: Source, start: int, end: int, width: int, line_break: bytes, alphabet: Alphabet) -> int:
    """How many lines from `start` on have `width` characters of base64 and that end."""
    period = width + len(line_break)
    most = STEP // period
    lines = 0
    for piece in text.chunks(start, end, most * period):
        columns = (piece[width + at :: period] for at in range(len(line_break)))
        whole = min(len(column) - len(column.lstrip(line_break[at : at + 1])) for at, column in enumerate(columns))
        encoded = piece[: whole * period].replace(line_break, b"")
        if len(encoded) == whole * width and alphabet.spells(encoded):
            lines += whole
        if whole < most:
            break
    return lines
