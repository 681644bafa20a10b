"""What a look at a saved response prints: pieces of text under a bound of tokens, and how to go on where it was cut.

Places are always those of the raw text, whatever of it can be shown, so that they can be given back as options. A byte
that is no UTF-8 is one character, shown as U+FFFD; that keeps characters and bytes convertible both ways.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from lrguard.errors import DONE
from lrguard.intake.sanitize import grapheme_cut, grapheme_start, visible
from lrguard.intake.source import Source
from lrguard.records import dataclass

Count = Callable[[str], int]
"""Tokens of a text."""

BYTES_A_TOKEN = 128
"""No token of o200k_base or cl100k_base has more bytes: a bound in tokens is one in bytes, uncounted."""

_UNBOUNDED_PIECE = 256 * 1024


class Told(str):
    """A piece that tells of the text and is no part of it: the facts, the mark of a cut."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What to print, piece by piece (it may be drawn once only), and what to say about it.

    `notes` are lines for standard error. `go_on` are the options that show the next part, empty where nothing is left.
    `status` is the exit status of the command.
    """

    pieces: Iterable[str]
    notes: tuple[str, ...] = ()
    go_on: tuple[str, ...] = ()
    status: int = DONE


class Page:
    """Collects lines while they fit into `tokens` (0: everything fits), counting exactly only near the bound."""

    def __init__(self, tokens: int, count: Count) -> None:
        self.tokens, self._count = tokens, count
        self.lines: list[str] = []
        self._used = 0
        self._uncounted: list[str] = []
        self._uncounted_bytes = 0

    @property
    def left(self) -> int:
        """Tokens that are certainly left."""
        self._settle()
        return max(0, self.tokens - self._used)

    def _settle(self) -> None:
        if self._uncounted:
            self._used += self._count("".join(self._uncounted))
            self._uncounted, self._uncounted_bytes = [], 0

    def spend(self, text: str) -> None:
        """Count a text that is printed beside the lines."""
        if self.tokens:
            self._used += self._count(text)

    def add(self, line: str) -> bool:
        """Take `line`, which ends itself, if it fits; False if not."""
        if self.tokens:
            size = len(line.encode("utf-8", "replace"))
            if self._used + self._uncounted_bytes + size <= self.tokens:
                self._uncounted.append(line)
                self._uncounted_bytes += size
            elif size > self.tokens * BYTES_A_TOKEN:
                return False
            else:
                self._settle()
                more = self._count(line)
                if self._used + more > self.tokens:
                    return False
                self._used += more
        self.lines.append(line)
        return True


def decode(data: bytes) -> str:
    """Characters one for one with `data`: what is no UTF-8 becomes lone surrogates, which `shown` replaces."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """The bytes that `decode` made `text` of."""
    return text.encode("utf-8", "surrogateescape")


def shown(text: str) -> str:
    """Text from `decode` as it may be printed."""
    if not text.isascii():
        text = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return visible(text)


def head_that_fits(text: str, tokens: int, count: Count) -> int:
    """Characters at the beginning of `text` that take at most `tokens` when shown, in whole grapheme clusters."""
    return _fitting(lambda size: shown(text[:size]), lambda size: grapheme_cut(text, size), len(text), tokens, count)


def tail_that_fits(text: str, tokens: int, count: Count) -> int:
    """Where in `text` the longest tail begins that takes at most `tokens` when shown."""
    length = len(text)
    taken = _fitting(
        lambda size: shown(text[length - size :]),
        lambda size: length - grapheme_start(text, length - size),
        length,
        tokens,
        count,
    )
    return length - taken


def _fitting(part: Callable[[int], str], whole: Callable[[int], int], length: int, tokens: int, count: Count) -> int:
    """The largest size up to `length` whose part fits, within some percent, and cut to whole clusters.

    The first guess is what prose takes; each count corrects it, so few are needed and none is of a much larger text.
    """
    low, high = 0, length
    size = min(length, tokens * 4)
    for _ in range(12):
        text = part(size)
        used = len(text) if len(text) <= tokens and text.isascii() else count(text)
        if used <= tokens:
            low = max(low, size)
            if size == high or used >= tokens * 0.97:
                break
        else:
            high = size - 1
        if high <= low:
            break
        guess = int(size * tokens * 0.99 / max(used, 1))
        size = max(low + 1, min(guess, high)) if low < guess else (low + high + 1) // 2
    # The cut to whole clusters only takes away, so it is not counted anew.
    return whole(low) if low < length else low


def read_characters(text: Source, start: int, end: int, most: int) -> str:
    """The characters between two bytes, of at most about `most` bytes, never ending inside a character."""
    stop = min(end, start + most)
    data = text.read(start, stop)
    if stop < end:
        data = data[: len(data) - _torn(data)]
    return decode(data)


def read_last_characters(text: Source, start: int, end: int, most: int) -> str:
    """As `read_characters`, but the last ones before `end`."""
    first = max(start, end - most)
    data = text.read(first, end)
    if first > start:
        at = 0
        while at < min(3, len(data)) and data[at] & 0xC0 == 0x80:
            at += 1
        data = data[at:]
    return decode(data)


def _torn(data: bytes) -> int:
    """Bytes of an unfinished character at the end of `data`."""
    for back in range(1, min(4, len(data) + 1)):
        byte = data[-back]
        if byte & 0xC0 == 0x80:
            continue
        needs = 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2 if byte >= 0xC0 else 1
        return back if needs > back else 0
    return 0


def everything(text: Source, start: int, end: int) -> Iterator[str]:
    """All of the bytes between two places as they may be shown, in pieces; the last line of it ends."""
    rest, last = "", "\n"
    while start < end:
        piece = read_characters(text, start, end, _UNBOUNDED_PIECE) or decode(text.read(start, min(end, start + 4)))
        start += len(encode(piece))
        piece = rest + piece
        # A terminal sequence and a cluster must not be cut in two; a line feed is in neither.
        cut = len(piece) if start >= end else piece.rfind("\n") + 1 or max(0, len(piece) - 4096)
        cut = cut if cut == len(piece) or piece[cut - 1 : cut] == "\n" else grapheme_cut(piece, cut)
        rest = piece[cut:]
        if cut:
            out = shown(piece[:cut])
            last = out[-1:] or last
            yield out
    if rest:
        yield shown(rest)
        last = rest[-1:]
    if last != "\n":
        yield "\n"
