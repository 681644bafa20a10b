"""`python -m tests.bench [--folder DIR] [--only WORD] [--json FILE]`: the table of the README.

The wheel is built from this tree and installed by a current pip into an environment of its own, with the peers that
Python's registry has; `rg`, `gron` and `jq` come from the system's. What is missing is said and left out. The folder
keeps the inputs, the environment and what the runs left behind, all of it emptied: remove it minutes before another
series or not at all, since a file system that has just freed thousands of files is slow to make new ones.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

from tests.bench.rows import Programs, Row, rows
from tests.bench.timing import Medians, environ, side_by_side

TREE = Path(__file__).parents[2]
PEERS = ("genson", "ttok")
VOCABULARY = """
import base64, toktok, tiktoken, tiktoken.load
tokens = toktok._encoding("cl100k_base").token_byte_values()
lines = (b"%s %d" % (base64.b64encode(token), rank) for rank, token in enumerate(tokens))
tiktoken.load.read_file = lambda _: b"\\n".join(lines) + b"\\n"
tiktoken.get_encoding("cl100k_base")
"""
"""Puts the vocabulary of `ttok` into its cache as if it had been fetched; its sha256 is checked there."""


def main() -> int:
    """Measure and print every row; the exit status is 1 where one takes longer than it may."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "lrguard-bench")
    parser.add_argument("--only", default="", help="rows whose names, or peers, hold this")
    parser.add_argument("--json", type=Path, help="where the figures go, besides")
    parser.add_argument("--keep", action="store_true", help="use the installed lrguard of an earlier run")
    given = parser.parse_args()
    folder: Path = given.folder
    inputs = folder / "inputs"
    inputs.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix="scratch-", dir=folder))
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder / "vocabularies")
    programs = _installed(folder, keep=given.keep)
    _say(_machine(programs))
    figures = []
    for row in rows(programs, inputs):
        if given.only not in f"{row.name} / {row.peer}":
            continue
        if row.needs and not shutil.which(row.needs):
            _say(f"{row.name:44} not run: {row.needs} is not installed")
            continue
        ours, theirs = side_by_side(row.ours, row.theirs, row.runs, scratch)
        figures.append(_figures(row, ours, theirs))
        _say(_line(figures[-1]))
    if given.json:
        given.json.write_text(json.dumps({"machine": _machine(programs), "rows": figures}, indent=1) + "\n")
    return int(any(map(_is_missed, figures)))


def _installed(folder: Path, *, keep: bool) -> Programs:
    place = folder / "environment"
    programs = Programs(str(place / "bin" / "python"), str(place / "bin" / "lrguard"))
    if keep and Path(programs.lrguard).exists():
        return programs
    shutil.rmtree(folder / "wheel", ignore_errors=True)
    venv.create(place, clear=True, with_pip=True)

    def pip(*arguments: str) -> None:
        subprocess.run([programs.python, "-m", "pip", "-q", *arguments], check=True)

    pip("install", "--upgrade", "pip")
    pip("wheel", "--no-deps", "-w", str(folder / "wheel"), str(TREE))
    pip("install", *map(str, (folder / "wheel").glob("*.whl")), *PEERS)
    subprocess.run([programs.python, "-c", VOCABULARY], env=environ(), check=True)
    # lrguard's own tables are built at the first count, which is no row.
    for encoding in ("o200k_base", "cl100k_base"):
        count = [programs.lrguard, "count", "--encoding", encoding]
        subprocess.run(count, input=b"a word " * 2000, stdout=subprocess.DEVNULL, check=True)
    return programs


def _machine(programs: Programs) -> str:
    version = subprocess.run([programs.python, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return f"{platform.system()} {platform.machine()}, {_processors()} processors, {version}"


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _figures(row: Row, ours: Medians, theirs: Medians) -> dict[str, Any]:
    return {
        "name": row.name,
        "peer": row.peer,
        "seconds": round(ours.wall, 4),
        "peer_seconds": round(theirs.wall, 4),
        "ratio": round(ours.wall / theirs.wall, 2),
        "cpu_ratio": round(ours.cpu / max(theirs.cpu, 1e-4), 2),
        "most": row.most,
        "mib": round(ours.memory / 2**20, 1),
        "peer_mib": round(theirs.memory / 2**20, 1),
    }


def _is_missed(figure: dict[str, Any]) -> bool:
    return figure["most"] is not None and bool(figure["ratio"] > figure["most"])


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _line(figure: dict[str, Any]) -> str:
    name = f"{figure['name']} / {figure['peer']}"
    within = "  MISSED" if _is_missed(figure) else ""
    most = "" if figure["most"] is None else f"of {figure['most']:.4g}"
    return (
        f"{name:64} {figure['seconds']:8.3f} s {figure['peer_seconds']:8.3f} s  ratio {figure['ratio']:6.2f} "
        f"(cpu {figure['cpu_ratio']:6.2f}) {most:8} {figure['mib']:6.1f} MiB{within}"
    )


if __name__ == "__main__":
    sys.exit(main())
