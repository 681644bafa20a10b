"""What is read from a pipe is hashed and written beside the reading, in order, and nothing is lost where that fails."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from hashlib import sha256

import pytest

from lrguard.intake import source
from lrguard.intake.receive import Unspooled, receive
from lrguard.intake.source import IN_MEMORY

DATA = b"".join(b"line %d\n" % number for number in range(IN_MEMORY // 4))


def piped(data: bytes) -> int:
    reader, writer = os.pipe()

    def write() -> None:
        with os.fdopen(writer, "wb") as file:
            file.write(data)

    threading.Thread(target=write, daemon=True).start()
    return reader


def test_a_large_result_is_whole_and_its_facts_are_right(make_file: Callable[[], int]):
    received = receive(piped(DATA), make_file)
    assert b"".join(received.source.chunks()) == DATA
    assert received.sha256 == sha256(DATA).hexdigest()
    assert received.scan.newlines == DATA.count(b"\n")
    assert received.source.size == len(DATA) > 2 * IN_MEMORY


@pytest.mark.parametrize("room", [0, 100_000, IN_MEMORY + 1_000_000])
def test_what_arrived_before_a_disk_was_full_is_rescued(
    room: int, make_file: Callable[[], int], monkeypatch: pytest.MonkeyPatch
):
    written = 0

    def write(descriptor: int, data: bytes) -> int:
        nonlocal written
        if written >= room:
            raise OSError(28, "No space left on device")
        done = os.write(descriptor, data[: room - written])
        written += done
        return done

    monkeypatch.setattr(source, "os", type("Disk", (), {"write": staticmethod(write), "pread": os.pread}))
    reader = piped(DATA)
    with pytest.raises(Unspooled, match="No space left") as caught:
        receive(reader, make_file)
    rest = b"".join(iter(lambda: os.read(reader, 1 << 20), b""))
    assert b"".join(caught.value.spool.rescue()) + rest == DATA
