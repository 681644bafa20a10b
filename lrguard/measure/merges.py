"""How many tokens byte pair encoding makes of a piece, from ranks that are looked up one by one.

Of all neighbouring parts the pair with the lowest rank is joined, of equals the first, until no pair has a rank. What
was looked up is remembered, as most pieces and pairs recur.
"""

from __future__ import annotations

from collections import Counter
from heapq import heapify, heappop, heappush

from lrguard.measure.rank_table import RankTable

_NO_RANK = 1 << 30
_REMEMBERED = 200_000
"""Pairs and pieces after which memory is given back; some 30 MB."""


class _Memory(dict[bytes, int]):
    """Ranks that were looked up; `_NO_RANK` for what is no token."""

    def __init__(self, table: RankTable) -> None:
        super().__init__()
        self._rank = table.rank

    def __missing__(self, token: bytes) -> int:
        rank = self._rank(token)
        if rank < 0:
            rank = _NO_RANK
        self[token] = rank
        return rank


class Merges:
    """Counts the tokens of pieces by a table of ranks."""

    def __init__(self, table: RankTable) -> None:
        """Look ranks up in `table`, each one once."""
        self._ranks = _Memory(table)
        self._counts: dict[str, int] = {}

    def count(self, pieces: list[str]) -> tuple[int, int]:
        """The tokens of all `pieces`, and how many bytes had to be joined pair by pair were nothing remembered."""
        counts = self._counts
        total = joined = 0
        for piece, times in Counter(pieces).items():
            tokens = counts.get(piece)
            if tokens is None:
                tokens = counts[piece] = self._tokens(piece.encode())
            total += tokens * times
            if tokens > 1:
                joined += len(piece)
        if len(counts) + len(self._ranks) > _REMEMBERED:
            counts.clear()
            self._ranks.clear()
        return total, joined

    def _tokens(self, piece: bytes) -> int:
        return 1 if len(piece) == 1 or self._ranks[piece] != _NO_RANK else _merge(piece, self._ranks)


def _merge(piece: bytes, ranks: dict[bytes, int]) -> int:
    """The parts of `piece` that are left; n log n, and for a few bytes hardly slower than searching a list."""
    size = len(piece)
    following = list(range(1, size + 1))  # start of the part after the one that starts here
    previous = list(range(-1, size - 1))
    lowest = [ranks[piece[at : at + 2]] for at in range(size - 1)]
    lowest.append(_NO_RANK)
    # The rank above the place in one integer: the lowest is the pair to join next, the first of equal ones.
    heap = [rank * size + at for at, rank in enumerate(lowest) if rank != _NO_RANK]
    heapify(heap)
    parts = size
    while heap:
        rank, at = divmod(heappop(heap), size)
        if lowest[at] != rank:  # the pair changed since
            continue
        joined = following[at]
        end = following[at] = following[joined]
        lowest[joined] = _NO_RANK
        parts -= 1
        if end < size:
            previous[end] = at
            rank = lowest[at] = ranks[piece[at : following[end]]]
            if rank != _NO_RANK:
                heappush(heap, rank * size + at)
        else:
            lowest[at] = _NO_RANK
        before = previous[at]
        if before >= 0:
            rank = lowest[before] = ranks[piece[before:end]]
            if rank != _NO_RANK:
                heappush(heap, rank * size + before)
    return parts
