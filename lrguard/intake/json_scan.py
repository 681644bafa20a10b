"""Whether bytes are JSON: one document, one a line, several in a row, or a document that was cut short.

`json.loads` builds what it reads, gives up at a depth of a thousand and refuses long numbers. Here a window of the text
is reduced by replacements that run in C: keys and scalars become one byte each, members and flat containers do, again
and again. Only what is still open after that is followed bracket by bracket on a stack. So depth costs a byte a level,
memory is one window and what is open, and time is linear, about that of `json.loads`. Leading zeros are let through.
"""

from __future__ import annotations

from lrguard.intake.source import Source
from lrguard.patterns import pattern
from lrguard.records import dataclass

_WINDOW = 128 * 1024
_TOKEN = 64 * 1024
"""Bytes beyond which a scalar that is no string is not JSON, and a string is dropped while it is read."""

# What a window is reduced to; JSON has none of these bytes, neither in strings nor between them.
_KEY, _SCALAR, _CONTAINER, _MEMBER = b"\x01", b"\x02", b"\x03", b"\x04"

_FOREIGN = bytes(byte for byte in range(32) if byte not in b"\t\n\r\x1e")
_BAD_ESCAPE = pattern(rb"\\(?:[^/bfnrtu]|u(?![0-9a-fA-F]{4}|[0-9a-fA-F]{0,3}\Z))")
_WORDS = (b"true", b"false", b"null", b"NaN", b"-Infinity", b"Infinity")
_WORD_BYTES = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz.+-"
_SAME_DIGIT = bytes.maketrans(b"123456789E", b"000000000e")
_CUT_NUMBER = pattern(rb"-?(?:[0-9]++(?:\.[0-9]*+)?+(?:[eE][+-]?[0-9]*+)?+)?\Z")


@dataclass(frozen=True, slots=True)
class JsonScan:
    """How the objects and arrays stand that a text is made of.

    `documents` is 0, 1 or 2 (two or more), not counting one that is cut short. `one_a_line`: no document spans lines
    and no line has two. `cut`: the end stands inside a document, behind its first key or value.
    """

    documents: int
    one_a_line: bool
    cut: bool


def scan_json(source: Source, limit: int | None = None) -> JsonScan | None:
    """What JSON the first `limit` bytes of `source` are (all of it where None); None where they are anything else.

    A byte order mark at the beginning is allowed, and so are NaN and Infinity, invalid UTF-8 inside strings, and record
    separators between documents (RFC 7464). A text of scalars alone is not JSON here.
    """
    end = source.size if limit is None else min(limit, source.size)
    reading = _Reading()
    carried = b""
    for start in range(0, end, _WINDOW):
        piece = source.read(start, min(end, start + _WINDOW))
        if len(piece.translate(None, _FOREIGN)) < len(piece):
            return None
        piece = piece.removeprefix(b"\xef\xbb\xbf") if start == 0 else piece
        reduced = _scalars_reduced(carried + piece)
        if reduced is None:
            return None
        window, carried = reduced
        if not reading.follow(window):
            return None
    if carried and not (reading.depth and _may_go_on(carried)):
        return None
    cut = reading.depth > 0
    if (cut and not reading.filled) or not (cut or reading.documents):
        return None
    return JsonScan(min(2, reading.documents), reading.one_a_line, cut)


def _scalars_reduced(window: bytes) -> tuple[bytes, bytes] | None:
    """`window` with keys and scalars as one byte each and no blanks but line breaks, and its end where that is cut.

    None where strings are not what JSON allows.
    """
    if b"\\" in window:
        window = window.replace(b"\\\\", b"??").replace(b'\\"', b"??")
        if _BAD_ESCAPE.search(window):
            return None
    parts = window.split(b'"')
    outside = _SCALAR.join(parts[::2])
    if any(window.count(blank) != outside.count(blank) for blank in (b"\n", b"\t", b"\r")):
        return None
    if len(parts) % 2 == 0:
        rest = b'"' + (parts[-1] if len(parts[-1]) < _TOKEN else b"\\" * parts[-1].endswith(b"\\"))
    else:
        at = len(outside.rstrip(_WORD_BYTES))
        outside, rest = outside[:at], outside[at:]
        # The colon that makes a string a key may be still to come.
        blank = outside.rstrip(b" \t\r\n")
        if not rest and blank.endswith(_SCALAR):
            outside, rest = blank[:-1], b'""' + outside[len(blank) :]
    if len(rest) > _TOKEN + 1:
        return None
    return _numbers_reduced(outside), rest


def _numbers_reduced(outside: bytes) -> bytes:
    for word in _WORDS:
        outside = outside.replace(word, b"\x00")
    outside = outside.translate(_SAME_DIGIT)
    for run in (64, 8, 2):
        outside = outside.replace(b"0" * run, b"0")
    while b"00" in outside:
        outside = outside.replace(b"00", b"0")
    for exponent in (b"0e-0", b"0e+0", b"0e0"):
        outside = outside.replace(exponent, b"\x05")
    outside = outside.replace(b"0.\x05", b"\x05").replace(b"0.0", b"0")
    outside = outside.replace(b"-\x05", b"\x00").replace(b"-0", b"\x00").translate(None, b" \t\r")
    # Only strings are keys, so they come before what else is a scalar.
    outside = outside.replace(b"\n:", b":").replace(_SCALAR + b":", _KEY)
    return outside.replace(b"0", _SCALAR).replace(b"\x05", _SCALAR).replace(b"\x00", _SCALAR)


def _may_go_on(rest: bytes) -> bool:
    """Whether `rest` is the beginning of a scalar."""
    return rest.startswith(b'"') or any(word.startswith(rest) for word in _WORDS) or bool(_CUT_NUMBER.match(rest))


_STEPS = (
    (_KEY + _SCALAR, _MEMBER),
    (_KEY + _CONTAINER, _MEMBER),
    (b"," + _CONTAINER, b"," + _SCALAR),
    (b"[" + _CONTAINER, b"[" + _SCALAR),
    *((b",".join([token] * count), token) for token in (_MEMBER, _SCALAR) for count in (16, 4, 2, 2)),
    (b"{" + _MEMBER + b"}", _CONTAINER),
    (b"[" + _SCALAR + b"]", _CONTAINER),
    (b"{}", _CONTAINER),
    (b"[]", _CONTAINER),
)


def _containers_reduced(window: bytes) -> bytes:
    before = len(window) + 1
    while len(window) < before:
        # Another round is worth it only while it takes away a good part of what is left.
        before = len(window) - len(window) // 8
        for found, instead in _STEPS:
            window = window.replace(found, instead)
    for count in (64, 8, 3):
        # Of many documents one a line two are enough.
        window = window.replace(b"\x03\n" * count, b"\x03\n" * 2)
    return window


# Where reading stands, 128 apart so that a byte can be added: between documents; in an object at its beginning, behind
# a comma, a key, a member; in an array at its beginning, behind a comma, an element.
_TOP, _O_FIRST, _O_NEXT, _O_KEY, _O_DONE, _A_FIRST, _A_NEXT, _A_DONE = range(0, 1024, 128)
# Moves that are more than a new place.
_BAD, _PUSH, _POP, _WHOLE, _BREAK, _RECORD = range(1024, 1030)


def _moves() -> list[int]:
    moves = [_BAD] * 1024
    for bracket in b"{[":
        for place in (_TOP, _O_KEY, _A_FIRST, _A_NEXT):
            moves[place + bracket] = _PUSH
    moves[_TOP + 3] = _WHOLE
    for place, token, then in (
        (_O_FIRST, 1, _O_KEY), (_O_NEXT, 1, _O_KEY), (_O_FIRST, 4, _O_DONE), (_O_NEXT, 4, _O_DONE),
        (_O_KEY, 2, _O_DONE), (_O_KEY, 3, _O_DONE), (_O_DONE, 0x2C, _O_NEXT), (_A_DONE, 0x2C, _A_NEXT),
        (_A_FIRST, 2, _A_DONE), (_A_FIRST, 3, _A_DONE), (_A_NEXT, 2, _A_DONE), (_A_NEXT, 3, _A_DONE),
        (_O_FIRST, 0x7D, _POP), (_O_DONE, 0x7D, _POP), (_A_FIRST, 0x5D, _POP), (_A_DONE, 0x5D, _POP),
        (_TOP, 0x1E, _RECORD),
    ):  # fmt: skip
        moves[place + token] = then
    for place in range(0, 1024, 128):
        moves[place + 0x0A] = _BREAK
    return moves


_MOVES = _moves()


class _Reading:
    """What is open, and what was seen, at the end of the windows that were followed."""

    def __init__(self) -> None:
        self.documents = 0
        self.one_a_line = True
        self.filled = False
        self._stack = bytearray()
        self._place = _TOP
        self._on_new_line = True

    @property
    def depth(self) -> int:
        return len(self._stack)

    def follow(self, window: bytes) -> bool:
        """Take in the tokens of one window; False where they are no JSON."""
        left: bytes | None = window
        while left:
            left = left if self.one_a_line else left.replace(b"\n", b"")
            # The value of a key that came before must not be taken for the first of a run of elements.
            apart = 1 if self._place == _O_KEY else 0
            left = self._follow(left[:apart] + _containers_reduced(left[apart:]))
        return left is not None

    def _follow(self, tokens: bytes) -> bytes | None:
        """Follow `tokens` to their end; what is left where a document turns out to span lines; None for no JSON."""
        if not tokens.isascii():
            return None
        stack, place = self._stack, self._place
        filled = self.filled
        for at, token in enumerate(tokens):
            move = _MOVES[place + token]
            if move < 1024:
                place = move
                filled = True
            elif move == _PUSH:
                if not stack:
                    self._begin()
                    filled = False
                stack.append(token)
                place = _O_FIRST if token == 0x7B else _A_FIRST
            elif move == _POP:
                stack.pop()
                place = (_O_DONE if stack[-1] == 0x7B else _A_DONE) if stack else _TOP
                self.documents += not stack
            elif move == _WHOLE:
                self._begin()
                self.documents += 1
            elif move == _BAD:
                return None
            else:
                self._on_new_line = True
                if move == _RECORD or (stack and self.one_a_line):
                    self.one_a_line, self._place, self.filled = False, place, filled
                    return tokens[at + 1 :]
        self._place, self.filled = place, filled
        return b""

    def _begin(self) -> None:
        if self.documents and not self._on_new_line:
            self.one_a_line = False
        self._on_new_line = False
