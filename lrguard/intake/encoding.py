"""Says in which encoding bytes are text, if in any, and turns text into UTF-8 and back.

UTF-8 is proved on the whole input while it is read, never guessed from a piece: that is one `isascii` a piece for most
tool results. Only what is not UTF-8 is guessed at, on a sample that begins at a line with bytes above 127 and ends with
a line, among the encodings that occur; a guess then has to decode the text.
"""

from __future__ import annotations

import codecs
import re
import sys
from collections.abc import Iterator
from io import BytesIO
from itertools import islice

from lrguard.intake.source import CHUNK, Source, Spool

_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_SAMPLE = 64 * 1024
_LINE = 64
_BEFORE = 4096
_CHECKED = 8 * 1024 * 1024
"""Bytes of a guessed encoding that are decoded to check it; of larger inputs, that much in four pieces."""

_NOISE = bytes(byte for byte in range(32) if byte not in b"\t\n\r\x07\x08\x0b\x0c\x1b") + b"\x7f"
"""Control bytes that text has only by accident."""
_BLOCKS = b"\x03\x04\x05\x06"
"""First bytes, in UTF-16, of Greek, Cyrillic, Hebrew and Arabic letters."""

_HIGH = bytes(range(128, 256))


class Utf8Scan:
    """What is to be known of bytes to judge whether they are UTF-8, gathered piece by piece.

    `invalid` counts bytes that no UTF-8 has at their place, `torn` those of a last character that the input cuts short
    (known after `end`). `continuations` counts the further bytes of valid characters, a measure of how much there is
    that only UTF-8 explains. `newlines` counts line feeds, `nuls` NULs. `first_high` is the offset of the first byte
    above 127 (-1: none; the piece's beginning is meant, not the byte).
    """

    __slots__ = (
        "_counts_lines",
        "_pending",
        "continuations",
        "first_high",
        "invalid",
        "newlines",
        "noise",
        "nuls",
        "size",
        "torn",
    )

    def __init__(self, *, counts_lines: bool = True) -> None:
        """Nothing has been read yet; without `counts_lines` there is no number of newlines."""
        self._counts_lines = counts_lines
        self.size = self.invalid = self.torn = self.continuations = self.nuls = self.newlines = self.noise = 0
        self.first_high = -1
        self._pending = b""

    @property
    def ascii(self) -> bool:
        """Whether no byte above 127 has been read."""
        return self.first_high < 0

    @property
    def valid(self) -> bool:
        """Whether all of it is UTF-8, but for a last character that is cut short."""
        return self.invalid == 0

    def feed(self, piece: bytes) -> None:
        """Take `piece` into account, which follows on what was fed before."""
        start, self.size = self.size, self.size + len(piece)
        if self._counts_lines:
            self.newlines += newlines(piece)
        if 0 in piece:  # to look for one is fifty times as fast as to count them
            self.nuls += piece.count(0)
        if piece.isascii() and not self._pending:
            return
        if self.first_high < 0:
            self.first_high = start
        if self.invalid > 65536 and self.invalid > max(self.continuations, start // 100):
            # A gibibyte that is no UTF-8 is not worth counting to its end.
            return
        data = self._pending + piece
        try:
            text, read = codecs.utf_8_decode(data, "strict", False)
        except UnicodeDecodeError:
            text, read = codecs.utf_8_decode(data, "surrogateescape", False)
            # Escaped bytes are the surrogates, which cannot be encoded.
            self.invalid += read - len(text.encode("utf-8", "ignore"))
            self.noise += len(data) - len(data.translate(None, _NOISE))
        self.continuations += read - len(text)
        self._pending = data[read:]

    def end(self) -> None:
        """Say that nothing follows."""
        self.torn, self._pending = len(self._pending), b""


def newlines(piece: bytes) -> int:
    """The line feeds in `piece`.

    `bytes.count` looks at one byte after the other before Python 3.13, so that lines of ordinary length are read in
    half the time; where there are more, the rest is counted.
    """
    if sys.version_info >= (3, 13):
        return piece.count(b"\n")
    file = BytesIO(piece)
    lines = list(islice(file, len(piece) // _LINE))
    unended = bool(lines) and lines[-1][-1:] != b"\n"
    return len(lines) - unended + piece.count(b"\n", file.tell())


def scan(source: Source) -> Utf8Scan:
    """A finished scan of the whole of `source`; its lines are not counted."""
    found = Utf8Scan(counts_lines=False)
    for piece in source.chunks():
        found.feed(piece)
    found.end()
    return found


def detect(source: Source, scanned: Utf8Scan | None = None) -> str | None:
    """The name of the encoding in which `source` is text, as `codecs` spells it; None where it is text in none.

    `scanned` is a finished scan of all of it, where one was made while it was read. ASCII is `utf-8`, and UTF-8 with a
    few invalid bytes is too; a byte order mark changes no name.
    """
    found = scan(source) if scanned is None else scanned
    head = source.read(0, _SAMPLE)
    for mark, name in _MARKS:
        if head.startswith(mark) and _decodes(source, name) and _is_sober(head, name):
            return name
    if found.nuls * 8 > found.size and (wide := _wide_by_nuls(head)) and _decodes(source, wide):
        return wide
    if found.valid and (wide := _wide_by_block(head)) and _decodes(source, wide):
        return wide
    if found.valid:
        # Nearly nothing but NULs: a sparse file or a dump of memory, valid as it may be.
        return None if found.nuls > 32 and found.nuls * 64 > found.size * 63 else "utf-8"
    # Torn characters, as column cutters leave them in every line, among others that are whole: a legacy encoding has
    # valid sequences by accident only.
    if found.noise * 50 <= found.size and found.invalid * 8 <= found.size and found.continuations >= found.invalid:
        return "utf-8"
    from lrguard.intake import legacy

    if wide := legacy.guess_wide(head):
        return wide if _decodes(source, wide) else None
    sample = _sample(source, found.first_high)
    if len(sample) - len(sample.translate(None, _NOISE)) > len(sample) // 50:
        return None
    guess = legacy.guess(sample)
    if guess and _decodes(source, guess):
        return guess
    few = found.invalid <= 1 or found.invalid * 100 <= found.size
    if few and found.noise * 100 <= found.size:
        return "utf-8"
    # Mostly ASCII or in words, and not one control byte: text all the same, in whatever encoding.
    plain = len(sample) - len(sample.translate(None, _HIGH)) < len(sample) // 3
    plain |= len(sample) - len(sample.translate(None, b" \t\r\n")) >= max(2, len(sample) // 20)
    return "iso8859-1" if plain and not len(sample) - len(sample.translate(None, _NOISE)) else None


def _wide_by_nuls(head: bytes) -> str | None:
    """UTF-16 or UTF-32 by where NULs stand: nearly every second byte, or three of four."""
    quarter = len(head) // 4
    if quarter:
        shares = [head[place : quarter * 4 : 4].count(0) / quarter for place in range(4)]
        for name, (low, *high) in (("utf-32-le", shares), ("utf-32-be", shares[::-1])):
            if low < 0.1 and high[0] > 0.5 and min(high[1:]) > 0.95:
                return name
    half = len(head) // 2
    # Short names that end in NULs are no UTF-16 because of one; nor are they of an odd length by chance.
    if half >= (2 if len(head) % 2 == 0 else 8):
        even, odd = (head[place : half * 2 : 2].count(0) / half for place in range(2))
        if odd > 0.7 and even < 0.05:
            return "utf-16-le"
        if even > 0.7 and odd < 0.05:
            return "utf-16-be"
    return None


def _wide_by_block(head: bytes) -> str | None:
    """UTF-16 of a script without NULs whose letters all have the same first byte, a control byte: Greek to Arabic.

    Both bytes of such a letter may be ASCII, so that the whole is valid UTF-8, but no text has that many controls.
    """
    half = len(head) // 2
    if half < 4 or len(head) % 2 or len(head) - len(head.translate(None, _BLOCKS)) < half // 2:
        return None
    for place, name in ((1, "utf-16-le"), (0, "utf-16-be")):
        firsts = head[place::2]
        if len(firsts.translate(None, _BLOCKS + b"\0")) * 20 < half and max(map(firsts.count, _BLOCKS)) * 2 > half:
            return name
    return None


def _is_sober(head: bytes, encoding: str) -> bool:
    """Whether `head` decodes to text with few control characters, as bytes that merely begin like a mark do not."""
    text = head[: len(head) & ~3].decode(encoding, "replace")
    odd = sum(character < " " and character not in "\t\n\r\f\x1b" for character in text) + text.count("\ufffd")
    return odd * 20 <= len(text)


def _sample(source: Source, first_high: int) -> bytes:
    """At most 64 KiB of whole lines around the first bytes above 127 and on from there."""
    start = max(0, first_high - _BEFORE)
    piece = source.read(start, first_high + CHUNK + _SAMPLE)
    high = re.search(rb"[\x80-\xff]", piece)
    begin = max(0, high.start() - _BEFORE) if high else 0
    if start or begin:
        # A line that is longer than what stands before begins in its middle, but not inside a character: all is ASCII.
        begin = piece.find(b"\n", begin, high.start() if high else None) + 1 or begin
    sample = piece[begin : begin + _SAMPLE]
    if start + begin + len(sample) < source.size:
        end = sample.rfind(b"\n") + 1
        sample = sample[:end] if end > _BEFORE else sample
    return sample


def _pieces(source: Source) -> Iterator[tuple[int, int]]:
    if source.size <= _CHECKED:
        yield 0, source.size
        return
    length = _CHECKED // 4
    for part in range(4):
        start = (source.size - length) * part // 3 & ~3
        yield start, start + length


def _decodes(source: Source, encoding: str) -> bool:
    """Whether what is decoded of `source` has no errors to speak of; a torn character at a piece's ends is none."""
    errors = characters = 0
    for start, end in _pieces(source):
        decoder = codecs.getincrementaldecoder(encoding)("replace")
        for piece in source.chunks(start, end):
            text = decoder.decode(piece)
            errors += text.count("\ufffd")
            characters += len(text)
    return errors <= 1 + characters // 200


def byte_order_mark(source: Source, encoding: str) -> bytes:
    """The byte order mark that `source` begins with, which `to_utf8` drops; empty where there is none.

    That of UTF-8 is not among them: there the text is the source itself.
    """
    return next((mark for mark, name in _MARKS if name == encoding and source.read(0, len(mark)) == mark), b"")


def to_utf8(source: Source, encoding: str, spool: Spool) -> Source:
    """`source` as UTF-8, without the byte order mark of UTF-16 or UTF-32; `source` itself where it is UTF-8.

    What cannot be decoded becomes U+FFFD. `spool` takes the text; its errors are raised.
    """
    if encoding == "utf-8":
        return source
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for piece in source.chunks(len(byte_order_mark(source, encoding))):
        spool.write(decoder.decode(piece).encode("utf-8", "replace"))
    spool.write(decoder.decode(b"", True).encode("utf-8", "replace"))
    return spool.source()


def from_utf8(text: Source, encoding: str, spool: Spool, mark: bytes = b"") -> Source:
    """`text`, which is UTF-8, in `encoding` behind `mark`; `text` itself where that is UTF-8.

    A character that `encoding` lacks becomes `?`; none is lacking where `round_trips` said so and only ASCII was added.
    """
    if encoding == "utf-8":
        return text
    spool.write(mark)
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    encoder = codecs.getincrementalencoder(encoding)("replace")
    for piece in text.chunks():
        spool.write(encoder.encode(decoder.decode(piece)))
    spool.write(encoder.encode(decoder.decode(b"", True), True))
    return spool.source()


def round_trips(source: Source, encoding: str) -> bool:
    """Whether the text of `source`, encoded again, is `source` byte for byte."""
    if encoding == "utf-8":
        return True
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    encoder = codecs.getincrementalencoder(encoding)("strict")
    pending = b""
    try:
        for piece in source.chunks(len(byte_order_mark(source, encoding))):
            pending += piece
            again = encoder.encode(decoder.decode(piece))
            if not pending.startswith(again):
                return False
            pending = pending[len(again) :]
        again = encoder.encode(decoder.decode(b"", True), True)
    except UnicodeError:
        return False
    return pending == again
