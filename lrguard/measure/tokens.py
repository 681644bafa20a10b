"""Tokens of texts: how many, and whether more than a threshold.

Bounds come first (`bounds`), then exact counting up to the threshold, in windows that end where a cut changes nothing.
A large text that is over is not counted to its end: samples tell about how much it is.

Two exact counters stand behind that. A table of ranks needs no setting up and is used while a text asks little of it;
toktok takes 0.6 s to set up and then counts 50 to 400 MB a second. Where neither can be had the estimate stands in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lrguard.errors import LrguardError
from lrguard.intake.source import BytesSource, Source
from lrguard.measure import bounds, vocabulary
from lrguard.measure.characters import toktok_may_differ
from lrguard.measure.cuts import between_cuts, windows
from lrguard.measure.merges import Merges
from lrguard.measure.pieces import split
from lrguard.records import dataclass

ENCODINGS = ("o200k_base", "cl100k_base", "estimate")

_WINDOW = 64 * 1024
_WHOLE = 256 * 1024
"""Bytes up to which a text that is over may be counted to its end: as many as the samples have."""
_SAMPLES, _SAMPLE, _ROUNDS = 32, 2 * 1024, 4

# What counting with the table costs, in microseconds (measured): a piece that is met again, a byte joined pair by pair.
_PIECE, _JOINED = 0.5, 2.0
_SET_UP = 700_000
"""What setting up toktok costs, in microseconds: from that much work ahead it is worth it."""
_PATIENCE = 100_000
"""The work, in microseconds, for a number that decides nothing any more."""
_LONG_PIECE = 128 * 1024
"""Bytes of a piece that take less long to join than toktok takes to set up."""


@dataclass(frozen=True, slots=True)
class Count:
    """A number of tokens, and whether a tokenizer counted all of them."""

    tokens: int
    exact: bool


@dataclass(frozen=True, slots=True)
class Measurement:
    """Whether a text has more tokens than a threshold, and how many it has, exactly or about."""

    over: bool
    tokens: int
    exact: bool


@dataclass(frozen=True, slots=True)
class _Step:
    """The tokens of one window, the bytes after it, and about how many microseconds of work those are."""

    tokens: int
    exact: bool
    left: int
    ahead: float


class Counter:
    """Counts in one encoding. What it sets up or looks up is kept for the next text."""

    def __init__(self, encoding: str = "o200k_base", cache: str | None = None) -> None:
        """`cache` is the folder for tables of ranks, made when needed; raises LrguardError for an unknown encoding."""
        if encoding not in ENCODINGS:
            raise LrguardError(f"encoding {encoding}", "is not known", f"use one of {', '.join(ENCODINGS)}")
        self.encoding = encoding
        self._vocabulary = ENCODINGS[0] if encoding == "estimate" else encoding
        self._cache = cache
        self._effort = 0.0
        self._table: Merges | None = None
        self._tokenizer: Callable[[str], int] | None = None
        self._may_have_table = encoding != "estimate" and cache is not None
        self._may_have_tokenizer = encoding != "estimate"

    def text(self, text: str | bytes) -> int:
        """The tokens of `text`: exact where a vocabulary can be had, else estimated."""
        return self.whole(BytesSource(text if isinstance(text, bytes) else _utf8(text))).tokens

    def whole(self, source: Source) -> Count:
        """The tokens of all of `source`, in bounded memory; a large one is sampled where there is no vocabulary."""
        tokens, exact = 0, True
        for step in self._steps(source):
            tokens += step.tokens
            exact = exact and step.exact
            if not self.has_vocabulary and source.size > _WHOLE:
                return Count(self._sampled(source), exact=False)
        return Count(tokens, exact)

    def against(self, source: Source, threshold: int, *, exact_up_to: int = 0) -> Measurement:
        """Whether `source` has more than `threshold` tokens; without a vocabulary only an estimate decides.

        The number is exact when it was needed to decide, where it comes at little cost, and for a source of at most
        `exact_up_to` bytes; else it is estimated, from samples if the source is large.
        """
        wanted = source.size <= exact_up_to
        if source.size <= threshold and not wanted:
            return Measurement(False, self._about(source), exact=False)
        over = bounds.is_over(source, threshold)
        if over and source.size > _WHOLE and not wanted:
            return Measurement(True, self._more_than(threshold, source), exact=False)
        tokens, exact = 0, True
        for step in self._steps(source):
            tokens += step.tokens
            exact = exact and step.exact
            over = over or tokens > threshold
            if over and step.left and not wanted and (source.size > _WHOLE or step.ahead > _PATIENCE):
                return Measurement(True, self._more_than(threshold, source), exact=False)
        return Measurement(over, max(tokens, threshold + 1) if over else tokens, exact)

    def _steps(self, source: Source) -> Iterator[_Step]:
        effort = self._effort
        ahead = 0.0
        left = source.size
        for window, ends_exactly in windows(source, _WINDOW):
            tokens = self._tokens(window, ahead)
            left = max(left - len(window.encode()), 0)
            ahead = (self._effort - effort) * left / max(source.size - left, 1)
            yield _Step(tokens, ends_exactly and self.has_vocabulary, left, ahead)

    def _tokens(self, text: str, ahead: float = 0.0) -> int:
        """The tokens of `text`, by whatever is quickest when about `ahead` microseconds of work are still to come."""
        # Set up or not, toktok is not asked for what the table can do: how far a number goes, and so a message, must
        # not depend on what was counted before.
        if ahead < _SET_UP and (table := self._ranks()):
            pieces = split(text, self._vocabulary)
            if len(max(pieces, key=len, default="").encode()) <= _LONG_PIECE:
                return self._joined(table, pieces)
        if tokenizer := self._toktok():
            pieces = split(text, self._vocabulary) if toktok_may_differ(text) else [text]
            return sum(map(tokenizer, pieces))
        if table := self._ranks():
            return self._joined(table, split(text, self._vocabulary))
        return self._estimate(text)

    def _joined(self, table: Merges, pieces: list[str]) -> int:
        tokens, joined = table.count(pieces)
        self._effort += _PIECE * len(pieces) + _JOINED * joined
        return tokens

    def _ranks(self) -> Merges | None:
        if self._may_have_table:
            self._may_have_table = False
            if table := vocabulary.ranks(self._vocabulary, self._cache):
                self._table = Merges(table)
        return self._table

    def _toktok(self) -> Callable[[str], int] | None:
        if self._may_have_tokenizer:
            self._may_have_tokenizer = False
            self._tokenizer = vocabulary.tokenizer(self._vocabulary)
        return self._tokenizer

    @property
    def has_vocabulary(self) -> bool:
        """Whether what was counted so far was counted by a vocabulary."""
        return self._table is not None or self._tokenizer is not None

    def _about(self, source: Source) -> int:
        """About how many tokens `source` has, without any vocabulary."""
        if source.size <= _WHOLE:
            return self._estimate(source.read().decode("utf-8", "replace"))
        return self._sampled(source, self._estimate)

    def _estimate(self, text: str) -> int:
        from lrguard.measure.estimate import estimate  # its patterns take 6 ms to compile

        return estimate(text, self._vocabulary)

    def _more_than(self, threshold: int, source: Source) -> int:
        return min(max(self._sampled(source), threshold + 1), source.size)

    def _sampled(self, source: Source, tokens_of: Callable[[str], int] | None = None) -> int:
        """About how many tokens `source` has, from samples spread evenly over it.

        Every sample is read a part at a time, the first parts of all before the second ones, so that a text that
        takes much work is judged by less of it, but by all its regions.
        """
        effort = self._effort
        tokens = taken = 0
        step = (source.size - _ROUNDS * _SAMPLE) / (_SAMPLES - 1)
        for part in range(_ROUNDS):
            for number in range(_SAMPLES):
                start = int(number * step) + part * _SAMPLE
                sample = between_cuts(source.read(start, start + _SAMPLE))
                taken += len(sample)
                tokens += (tokens_of or self._tokens)(sample.decode("utf-8", "replace"))
            if self._effort - effort > _PATIENCE / 2:
                break
        return max(round(tokens * source.size / max(taken, 1)), bounds.fewest(source.size))


def count_text(text: str, encoding: str = "o200k_base") -> int:
    """The tokens of `text`, by a counter that is shared by all callers in this process and has no cache folder."""
    counter = _shared.get(encoding)
    if counter is None:
        counter = _shared[encoding] = Counter(encoding)
    return counter.text(text)


_shared: dict[str, Counter] = {}


def _utf8(text: str) -> bytes:
    """`text` in UTF-8, with U+FFFD for each lone surrogate, as tiktoken has it."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
