"""Many programs at once in one session, and one that purges it meanwhile.

`python -m tests.trust.test_at_once COUNT` does it with more of them.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tests import inputs
from tests.conftest import Program
from tests.trust.whole import assert_whole, content_of, temporaries

PICTURE = inputs.png(5)
SAME = inputs.page(PICTURE) + inputs.log(900)


def at_once(program: Program, count: int) -> None:
    """Half of them save the same result, the others each its own with the same picture; nothing may be lost."""
    given = program.home / "given"
    given.mkdir()
    results = [SAME if n % 2 else inputs.page(PICTURE) + inputs.log(900, n + 1) for n in range(count)]
    started = []
    for number, data in enumerate(results):
        (given / str(number)).write_bytes(data)
        with (given / str(number)).open("rb") as file:
            started.append(program.start("--json", "--call-id", str(number), stdin=file))
        if number % 10 == 5:
            started.append(program.start("purge", "--older-than", "7d", "--json", stdin=subprocess.DEVNULL))
    told = []
    for process in started:
        out, err = process.communicate(timeout=120)
        assert (process.returncode, err) == (0, b"")
        told.append(json.loads(out))
    told = [one for one in told if "outcome" in one]
    for data, one in zip(results, told, strict=True):
        assert one["outcome"] == "offloaded" and Path(one["saved"]).read_bytes() == data
        assert Path(one["reading_copy"]).is_file()
        assert [Path(asset["path"]).read_bytes() for asset in one["assets"]] == [PICTURE]
    ids = {one["id"] for one in told}
    assert len(ids) == len(set(results)) == len({one["saved"] for one in told})
    files = [path for one in told for path in (one["saved"], one["reading_copy"])]
    assert_whole(program.session, {content_of(Path(path), program.session) for path in files})
    assert temporaries(program.session) == []
    listed = [json.loads(line) for line in program("list", "--json", "--max-tokens", "0").out.splitlines()]
    assert {one["id"]: one["seen"] for one in listed}[told[1]["id"]] == count // 2
    assert {one["id"] for one in listed} == ids


def test_nothing_is_lost_and_the_same_is_saved_once(lrguard: Program):
    at_once(lrguard, 20)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        home = Path(name, "home")
        home.mkdir()
        at_once(Program(home, Path(name, "session")), int(sys.argv[1]))
    sys.stderr.write(f"{sys.argv[1]} at once: nothing lost\n")
