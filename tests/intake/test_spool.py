"""What is collected piece by piece is whole, in memory and in a file, however small the pieces are."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from lrguard.intake.source import CHUNK, IN_MEMORY, Spool, gathered


@pytest.mark.parametrize("size", [0, 1000, IN_MEMORY, IN_MEMORY + 1, 2 * IN_MEMORY])
def test_a_million_small_pieces_are_the_text_that_they_came_from(size: int, make_file: Callable[[], int]):
    spool = Spool(make_file)
    text = (b"%07d" % 1234567 * (size // 7 + 1))[:size]
    for at in range(0, size, 7):
        spool.write(text[at : at + 7])
    assert spool.size == size and spool.source().read() == text


def test_what_could_not_be_written_is_kept(make_file: Callable[[], int], monkeypatch: pytest.MonkeyPatch):
    spool = Spool(make_file)
    spool.write(b"a" * IN_MEMORY)
    room = [IN_MEMORY - 10, 5]

    def write(descriptor: int, data: bytes) -> int:
        if not room:
            raise OSError(28, "No space left on device")
        return real(descriptor, bytes(data)[: room.pop(0)])

    real = os.write
    monkeypatch.setattr(os, "write", write)
    with pytest.raises(OSError, match="No space left"):
        spool.write(b"bc")
    assert b"".join(spool.rescue()) == b"a" * IN_MEMORY + b"bc"


def test_gathered_pieces_are_large_and_add_up():
    pieces = list(gathered([b"x" * 1000] * 1000))
    assert b"".join(pieces) == b"x" * 1_000_000
    assert all(len(piece) >= CHUNK for piece in pieces[:-1])
