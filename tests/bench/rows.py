"""The rows of the table: lrguard's work, what it is compared with, and how many times as long it may take."""

from __future__ import annotations

import random
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.bench.inputs import KINDS, MB, hook_payload, made
from tests.bench.timing import Command

PATTERNS = ("status=500", r"worker-1[0-5] .*POST", "orders/123", r"duration=8\d\dms", "no such thing at all")
SLACK = 1.15
"""What twice the input may take beyond twice the time."""


@dataclass(frozen=True)
class Row:
    """One comparison. `needs` is a program that has to be installed.

    `most` is the ratio that must not be passed, None where the row only tells.
    """

    name: str
    ours: Command
    theirs: Command
    most: float | None
    peer: str
    runs: int = 15
    needs: str = ""


@dataclass(frozen=True)
class Programs:
    """What is run: the interpreter and the script of the environment that lrguard is installed in."""

    python: str
    lrguard: str


def rows(programs: Programs, folder: Path) -> Iterator[Row]:
    """Every row; inputs are made in `folder` when they are not there."""
    yield from _small(programs, folder)
    yield from _piped(programs, folder)
    yield from _looking_back(programs, folder)
    yield from _growth(programs, folder)


def _small(programs: Programs, folder: Path) -> Iterator[Row]:
    nothing = Command(((programs.python, "-c", "pass"),))
    guard = (programs.lrguard, "--session", "{scratch}/session", "--tool", "tool")
    below = folder / "configured" / "below"
    below.mkdir(parents=True, exist_ok=True)
    (below.parent / ".git").mkdir(exist_ok=True)
    (below.parent / "lrguard.toml").write_text('encoding = "o200k_base"\n')
    payload = folder / "payload.json"
    payload.write_bytes(hook_payload(random.Random("payload")))

    def row(name: str, feed: Path, most: float, *, cwd: Path = folder, command: tuple[str, ...] = guard) -> Row:
        return Row(name, Command((command,), feed, cwd=cwd), nothing, most, "python -c pass", 25)

    yield row("2 KB of text", made(folder, "prose", 2000), 1.3)
    yield row("2 KB of text, lrguard.toml above", made(folder, "prose", 2000), 3, cwd=below)
    yield row("24 KB of prose, counted", made(folder, "prose", 24_000), 12)
    yield row("60 KB of log, message", made(folder, "log", 60_000), 8)
    yield row("60 KB of JSON, message with schema", made(folder, "json", 60_000), 10)
    yield row("hook claude-code, small result", payload, 2.5, command=(programs.lrguard, "hook", "claude-code"))


def _piped(programs: Programs, folder: Path) -> Iterator[Row]:
    guard = (programs.lrguard, "--session", "{scratch}/session", "--tool", "tool")
    for name, kind, size, most in (
        ("1 GiB of log from a pipe", "log", 1 << 30, 2.5),
        ("200 MB of JSON, 2,000 images, from a pipe", "pictures", 200 * MB, 8),
    ):
        feed = made(folder, kind, size)
        ours = Command((guard,), feed, pipe=True)
        yield Row(name, ours, Command((("tee", "{scratch}/copy"),), feed, pipe=True), most, "tee", 5, "tee")


def _looking_back(programs: Programs, folder: Path) -> Iterator[Row]:
    document = str(made(folder, "json", 100 * MB))
    infer = (
        "import json, sys, genson\n"
        "builder = genson.SchemaBuilder()\n"
        "builder.add_object(json.load(open(sys.argv[1])))\n"
        "print(builder.to_json())"
    )
    yield Row(
        "schema of 100 MB of JSON objects",
        Command(((programs.lrguard, "schema", document),)),
        Command(((programs.python, "-c", infer, document),)),
        0.5,
        "genson",
        3,
    )
    log = str(made(folder, "log", 100 * MB))
    yield Row(
        "grep in 100 MB of log, five patterns in turn",
        Command((_in_turn([programs.lrguard, "grep", pattern, log] for pattern in PATTERNS),)),
        Command((_in_turn(["rg", "-n", pattern, log] for pattern in PATTERNS),)),
        6,
        "rg",
        5,
        "rg",
    )
    one_line = str(made(folder, "json", 3 * MB))
    yield Row(
        "grep in 3 MB of JSON on one line",
        Command(((programs.lrguard, "grep", "Oslo", one_line),)),
        Command((("gron", one_line), ("rg", "Oslo"))),
        0.6,
        "gron | rg",
        5,
        "gron",
    )

    yield Row(
        "peek --path $[200000].email, 100 MB of JSON",
        Command(((programs.lrguard, "peek", "--path", "$[200000].email", document),)),
        Command((("jq", ".[200000].email", document),)),
        None,
        "jq",
        5,
        "jq",
    )
    prose = made(folder, "prose", MB)
    ttok = str(Path(programs.lrguard).with_name("ttok"))
    yield Row(
        "count of 1 MB of prose",
        Command(((programs.lrguard, "count", "--encoding", "cl100k_base"),), prose),
        Command(((ttok,),), prose),
        None,
        "ttok",
        5,
        ttok,
    )


def _in_turn(commands: Iterable[list[str]]) -> tuple[str, ...]:
    return ("sh", "-c", "; ".join(map(shlex.join, commands)) + "; true")


def _growth(programs: Programs, folder: Path) -> Iterator[Row]:
    """Twice the input against the input; both are large, so that starting counts little."""
    guard = (programs.lrguard, "--session", "{scratch}/session", "--tool", "tool")
    for kind in KINDS:
        sizes = (16 * MB, 8 * MB) if kind in ("redrawn", "latin-1", "utf-16") else (32 * MB, 16 * MB)
        twice, once = (Command((guard,), made(folder, kind, size), pipe=True) for size in sizes)
        yield Row(f"{kind}: {sizes[0] // MB} MB", twice, once, 2 * SLACK, f"{sizes[1] // MB} MB", 5)
