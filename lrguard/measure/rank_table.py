"""The ranks of an encoding's tokens as a hash table that is used as it lies in its file.

What is trusted: a regular file of this user that nobody else may write to, whose first line gives this layout, this
encoding, the length and the CRC-32 of all that follows. Checking takes 3 ms and finds what a crash, a full disk or
another version left; against this very user no checksum would help. The file is read rather than mapped, so that one
that is cut short meanwhile cannot end the process.
"""

from __future__ import annotations

import os
import stat
import sys
import zlib
from array import array
from collections.abc import Sequence

_FIRST_LINE = 64
_LARGEST = 16 * 1024 * 1024
_RANK_BITS = 18
_RANK = (1 << _RANK_BITS) - 1
_TAG = 0xFFFFFFFF ^ _RANK


class RankTable:
    """The ranks of all tokens: an open-addressing table of slots, with the tokens' bytes beside it.

    A slot holds rank + 1 in its low 18 bits and the upper 14 bits of the token's CRC-32 above them; 0 is an empty one.
    At least half the slots are empty, so that a search ends soon whatever is looked for.
    """

    __slots__ = ("_mask", "_slots", "_starts", "_tokens")

    def __init__(self, slots: Sequence[int], starts: Sequence[int], tokens: bytes) -> None:
        """`starts` has one entry more than there are tokens; the number of slots is a power of two."""
        self._slots, self._starts, self._tokens = slots, starts, tokens
        self._mask = len(slots) - 1

    def rank(self, token: bytes) -> int:
        """The rank of `token`, -1 where it is none."""
        hashed = zlib.crc32(token)
        slots, mask = self._slots, self._mask
        at, tag = hashed & mask, hashed & _TAG
        while slot := slots[at]:
            if slot & _TAG == tag:
                rank = (slot & _RANK) - 1
                if self._tokens[self._starts[rank] : self._starts[rank + 1]] == token:
                    return rank
            at = (at + 1) & mask
        return -1


def pack(encoding: str, tokens: Sequence[bytes]) -> bytes:
    """The file for `tokens`, which are in the order of their ranks: first line, slots, starts, bytes."""
    count = 2 << (len(tokens) - 1).bit_length()
    slots = array("I", bytes(4 * count))
    mask = count - 1
    starts = array("I", [0])
    end = 0
    for number, token in enumerate(tokens, 1):
        hashed = zlib.crc32(token)
        at = hashed & mask
        while slots[at]:
            at = (at + 1) & mask
        slots[at] = hashed & _TAG | number
        end += len(token)
        starts.append(end)
    body = b"".join([slots.tobytes(), starts.tobytes(), *tokens])
    return _first_line(encoding, len(tokens), body) + body


def _first_line(encoding: str, tokens: int, body: bytes | memoryview) -> bytes:
    line = f"lrguard-ranks-1 {encoding} {sys.byteorder} {tokens} {len(body)} {zlib.crc32(body):08x}"
    return f"{line:<{_FIRST_LINE - 1}}\n".encode()


def read(path: str, encoding: str, tokens: int) -> RankTable | None:
    """The table in the file at `path`, for so many `tokens`; None where there is none that can be trusted."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
            return None
        data = os.read(descriptor, min(found.st_size, _LARGEST))
    except OSError:
        return None
    finally:
        os.close(descriptor)
    body = memoryview(data)[_FIRST_LINE:]
    if data[:_FIRST_LINE] != _first_line(encoding, tokens, body):
        return None
    slots = 4 * (2 << (tokens - 1).bit_length())
    starts = slots + 4 * (tokens + 1)
    return RankTable(body[:slots].cast("I"), body[slots:starts].cast("I"), bytes(body[starts:]))
