"""Runs whole processes and says what they took, by the system's own accounts."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

NOWHERE = subprocess.DEVNULL


@dataclass(frozen=True)
class Command:
    """One way to do a row's work: `stages` piped into each other, the last of them is what is measured.

    `{scratch}` in an argument is a folder that is new for each run; `feed` is a file for standard input, with `pipe`
    through `cat`.
    """

    stages: tuple[tuple[str, ...], ...]
    feed: Path | None = None
    pipe: bool = False
    cwd: Path | None = None


@dataclass(frozen=True)
class Took:
    """What one run took: seconds on the clock and of processors, bytes of the last stage's memory at its peak.

    A process begins as a copy of this one, so that memory is never less than what this one has, some 16 MiB.
    """

    wall: float
    cpu: float
    memory: int


@dataclass(frozen=True)
class Medians:
    """What several runs took."""

    wall: float
    cpu: float
    memory: int

    @classmethod
    def of(cls, runs: Sequence[Took]) -> Medians:
        return cls(median(run.wall for run in runs), median(run.cpu for run in runs), max(run.memory for run in runs))


def side_by_side(ours: Command, theirs: Command, runs: int, scratch: Path) -> tuple[Medians, Medians]:
    """Both commands in turn, after one run of each that does not count, each with a new folder in `scratch`.

    What a run leaves there is emptied and not removed: a file system passes over inodes that were just freed when it
    looks for one (ext4 for minutes), which would charge a run for the files of the one before.
    """
    taken: tuple[list[Took], list[Took]] = ([], [])
    for number in range(runs + 1):
        for command, into in zip((ours, theirs), taken, strict=True):
            folder = Path(tempfile.mkdtemp(dir=scratch))
            took = run(command, folder)
            _empty(folder)
            if number:
                into.append(took)
    return Medians.of(taken[0]), Medians.of(taken[1])


def run(command: Command, scratch: Path) -> Took:
    """One run; raises RuntimeError where a stage fails in a way that a search without a match does not."""
    stages = [[argument.replace("{scratch}", str(scratch)) for argument in stage] for stage in command.stages]
    if command.pipe and command.feed:
        stages.insert(0, ["cat", str(command.feed)])
    first = open(command.feed, "rb") if command.feed and not command.pipe else None  # noqa: SIM115
    begun = time.perf_counter()
    processes: list[subprocess.Popen[bytes]] = []
    for number, stage in enumerate(stages):
        source = processes[-1].stdout if processes else first or NOWHERE
        sink = subprocess.PIPE if number < len(stages) - 1 else NOWHERE
        processes.append(
            subprocess.Popen(stage, stdin=source, stdout=sink, stderr=NOWHERE, cwd=command.cwd, env=environ())
        )
        if number and processes[-2].stdout:
            processes[-2].stdout.close()
    cpu, memory = 0.0, 0
    for process, stage in zip(processes, stages, strict=True):
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            raise RuntimeError(f"{' '.join(stage)[:200]} ended with {process.returncode}")
        if not (command.pipe and process is processes[0]):
            cpu += used.ru_utime + used.ru_stime
        memory = used.ru_maxrss * (1 if os.uname().sysname == "Darwin" else 1024)
    wall = time.perf_counter() - begun
    if first:
        first.close()
    return Took(wall, cpu, memory)


def _empty(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file() and path.stat().st_size:
            os.truncate(path, 0)


def environ() -> dict[str, str]:
    """The environment of every process: nothing that speaks to lrguard."""
    return {name: value for name, value in os.environ.items() if not name.startswith("LRGUARD_")}
