"""Runs that are killed at random moments while they write.

`python -m tests.trust.test_killed COUNT SEED` does the same to the real program.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from lrguard import Outcome, Settings, guard
from lrguard.session.retention import purge
from lrguard.session.store import Session
from tests import inputs
from tests.conftest import Program
from tests.trust.whole import assert_whole, content_of, sha256, temporaries

ROWS = [{"n": n, "text": "x" * 70} for n in range(1500)]
KINDS = (
    json.dumps({"rows": ROWS, "image": inputs.encoded(inputs.png(1))}).encode(),
    inputs.page(*(inputs.png(n) for n in range(12))) + inputs.log(1500),
    inputs.mcp(inputs.text_block(inputs.words(7000)), inputs.image_block(inputs.png(3))),
    b"\x00\xff" * 200_000,
)


def saved(session: Path, data: bytes) -> Outcome:
    return guard(data, Settings(session=str(session)))


def forked(session: Path, data: bytes) -> int:
    child = os.fork()
    if not child:
        try:
            saved(session, data)
        finally:
            os._exit(0)
    return child


def killed(count: int, seed: int, folder: Path, start: Callable[[Path, bytes], int]) -> int:
    """Kill that many runs in one session at random moments and look at it each time; how many had not ended."""
    draw, session = random.Random(seed), folder / "session"
    results = [KINDS[n % len(KINDS)] + b"\n" * n for n in range(count)]
    whole, longest = set(), 0.0
    for number, data in enumerate(results):
        outcome = saved(folder / "clean", data)
        files = (outcome.saved, outcome.reading_copy)
        whole |= {content_of(Path(file), folder / "clean") for file in files if file}
        if number < len(KINDS):
            began = time.monotonic()
            os.waitpid(start(folder / "timed", data), 0)
            longest = max(longest, time.monotonic() - began)
    hit = 0
    for data in results:
        child = start(session, data)
        time.sleep(draw.random() * longest)
        os.kill(child, signal.SIGKILL)
        hit += os.WIFSIGNALED(os.waitpid(child, 0)[1])
        assert_whole(session, whole)
    for data in results[-8:]:
        outcome = saved(session, data)
        assert outcome.failure is None and outcome.saved and Path(outcome.saved).read_bytes() == data
        assert all(sha256(Path(one.path).read_bytes()) == one.asset.sha256 for one in outcome.assets)
    assert_whole(session, whole)
    with Session(str(session)) as opened:
        purge(opened)
        assert (temporaries(session), opened.survey().broken) == ([], ())
    return hit


def test_no_half_file_has_a_final_name_and_the_next_run_is_right(tmp_path: Path):
    assert killed(20, 1, tmp_path, forked) >= 5


def _program(folder: Path, session: Path, data: bytes) -> int:
    given = folder / "given"
    given.write_bytes(data)
    program = Program(folder, session)
    with given.open("rb") as file:
        return program.start(stdin=file, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).pid


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        hit = killed(int(sys.argv[1]), int(sys.argv[2]), Path(name), partial(_program, Path(name)))
    sys.stderr.write(f"{sys.argv[1]} runs, {hit} killed before they ended\n")
