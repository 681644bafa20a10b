"""Feeds lrguard mutated results of every kind, in one process, and looks for a crash, a loss or too large an output.

    python -m tests.trust.fuzz [SEED] [COUNT] [FIRST]

An input is made from SEED and its number alone, so a finding is repeated with COUNT 1 and its number as FIRST. Not run
by pytest.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
import traceback
import urllib.parse
from collections import Counter as Tally
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lrguard.text
from lrguard import Kind, Outcome, Settings, guard, guard_batch
from lrguard.assets.link import Linked
from lrguard.intake.source import Source
from lrguard.measure.tokens import Counter
from tests.trust.corpus import made

COUNTER = Counter("o200k_base", None)
PATIENCE = 20
"""Seconds after which one input counts as a hang."""

linked: list[tuple[Source, Linked]] = []
"""What was taken out of the texts of the last input."""


def main(seed: int = 1, count: int = 1000, first: int = 0) -> int:
    """Run that many inputs; the number of findings."""
    real = lrguard.text.link

    def recording(text: Source, *rest: Any, **named: Any) -> Linked | None:
        found = real(text, *rest, **named)
        if found:
            linked.append((text, found))
        return found

    lrguard.text.link = recording
    signal.signal(signal.SIGALRM, _late)
    tally: Tally[str] = Tally()
    findings, began = 0, time.monotonic()
    place = Path(tempfile.mkdtemp(prefix="lrguard-fuzz-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    os.chdir(place)
    _clean_environment(place)
    for number in range(first, first + count):
        draw = random.Random(f"{seed}:{number}")
        kind, data = made(draw)
        signal.alarm(PATIENCE)
        try:
            tally[_one(draw, data, place / "session")] += 1
        except Exception as error:
            findings += 1
            name = Path(tempfile.gettempdir(), f"lrguard-fuzz-{seed}-{number}")
            name.write_bytes(data)
            where = traceback.extract_tb(error.__traceback__)[-1]
            found = f"{type(error).__name__}: {str(error)[:300]} at {where.name}:{where.lineno}"
            _say(f"FOUND seed {seed} number {number} ({kind}, {name}): {found}")
        finally:
            signal.alarm(0)
            linked.clear()
            shutil.rmtree(place / "session", ignore_errors=True)
        if (number + 1 - first) % 1000 == 0:
            _say(f"{number + 1 - first} inputs, {findings} findings, {time.monotonic() - began:.0f} s, {dict(tally)}")
    shutil.rmtree(place)
    _say(f"seed {seed}: {count} inputs from {first}, {findings} findings, {dict(tally)}")
    return findings


def _one(draw: random.Random, data: bytes, session: Path) -> str:
    threshold = draw.choice((1500, 1500, 1500, 2000, 6000))
    settings = Settings(session=str(session), threshold=threshold, tool=draw.choice((None, "search", "../x\n")))
    outcome = guard(data, settings)
    _kept(data, outcome, settings, session)
    turn = draw.randrange(48)
    if turn == 0:
        _again(data, settings, outcome)
    elif turn == 1:
        _as_mcp(data, session, threshold)
    elif turn == 2:
        _as_json(data, session, threshold)
    elif turn == 3:
        _together(draw, data, session)
    elif turn == 4:
        _hooked(data, session)
    elif turn == 5 and outcome.saved:
        _looked_at(draw, data, outcome, session)
    return outcome.kind.value


def _kept(data: bytes, outcome: Outcome, settings: Settings, session: Path) -> None:
    """Nothing is lost, and what is printed keeps its bounds."""
    check((outcome.sha256, outcome.size) == (digest(data), len(data)), "facts of the input")
    check(outcome.failure is None, f"not saved: {outcome.failure}")
    if outcome.kind is Kind.PASSED:
        check(outcome.data == data, "passed, but not as it came")
        check(not session.exists(), "passed, but left something on disk")
        return
    check(outcome.saved is not None and Path(outcome.saved).read_bytes() == data, "saved is not the input")
    check(
        all("/" not in os.path.relpath(p, session / "long_responses") for p in [outcome.reading_copy] if p),
        "reading copy outside",
    )
    _assets(outcome, session)
    printed = outcome.data
    if outcome.kind is not Kind.EXTRACTED:
        tokens = COUNTER.text(printed.decode())
        check(tokens <= 1500 and len(printed) < 10_000, f"message of {tokens} tokens, {len(printed)} bytes")
        check(not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]", printed), "control character in a message")
        if outcome.kind is Kind.OFFLOADED:
            check(tokens == outcome.content_tokens, "tokens of the message")
            check(outcome.tokens is not None and outcome.tokens > settings.threshold, "offloaded under the threshold")
            check(tokens < (outcome.tokens or 0), "message larger than the result")
    elif _is_json(data):
        check(_is_json(printed), "JSON is no JSON any more")
    if outcome.kind is Kind.EXTRACTED and (outcome.encoding != "utf-8" or not outcome.content_exact or b"\0" in data):
        return  # an encoding that was guessed may be guessed otherwise of what is left
    if outcome.kind is Kind.EXTRACTED and re.match(rb'\s*\{"(content|jsonrpc)"', data):
        return  # of an MCP result the texts are measured, and a reference only while it is known to be ours
    other = f"{session}/again"
    again = guard(printed, Settings(session=other, threshold=settings.threshold))
    check((again.kind, again.data) == (Kind.PASSED, printed), f"guarded again it is {again.kind.value}")


def _assets(outcome: Outcome, session: Path) -> None:
    contents = {}
    for stored in outcome.assets:
        check(Path(stored.path).parent == session / "downloads" / "assets", "asset outside")
        contents[stored.path] = Path(stored.path).read_bytes()
        check(digest(contents[stored.path]) == stored.asset.sha256, "asset's sha256")
    for text, found in linked:
        check(b"".join(found.restored(text)) == text.read(), "put back it is another text")
        for place in found.replaced:
            taken = text.read(place.start, place.end)
            check(decodings(taken) & set(contents.values()), f"no asset holds {taken[:60]!r}…{taken[-20:]!r}")


def decodings(taken: bytes) -> set[bytes]:
    """What a run may stand for, decoded by rules of this file alone."""
    text = taken.decode("ascii", "replace").strip("\"'")
    text = re.sub(r"\\+u00([0-9a-fA-F]{2})", lambda found: chr(int(found[1], 16)), text)
    text = re.sub(r"\\+[nr]|\s", "", re.sub(r"\\+/", "/", text)).replace("\\", "").strip("\"'")
    if "," in text:
        text = text.partition(",")[2]
    found = set()
    for form in (text, urllib.parse.unquote(text)):
        data = re.sub(r"\s", "", form).encode("ascii", "replace")
        for _ in range(4):
            data = data.translate(bytes.maketrans(b"-_", b"+/"), b" \r\n\t").rstrip(b"=")
            try:
                data = base64.b64decode(data + b"=" * (-len(data) % 4))
            except (binascii.Error, ValueError):
                break
            found.add(data)
    return found


def _again(data: bytes, settings: Settings, outcome: Outcome) -> None:
    again = guard(data, settings)
    check(
        (again.kind, again.data, again.saved) == (outcome.kind, outcome.data, outcome.saved),
        "another answer to the same",
    )


def _as_mcp(data: bytes, session: Path, threshold: int) -> None:
    for media in ("keep", "extract"):
        outcome = guard(data, Settings(session=f"{session}-mcp", threshold=threshold, output="mcp", media=media))
        shutil.rmtree(f"{session}-mcp", ignore_errors=True)
        if outcome.kind is Kind.PASSED and outcome.data == data:
            continue
        result = json.loads(outcome.data.decode("utf-8", "surrogateescape"))
        result = result.get("result", result) if "jsonrpc" in result else result
        check(
            isinstance(result["content"], list) and all(isinstance(b["type"], str) for b in result["content"]),
            "MCP shape",
        )


def _as_json(data: bytes, session: Path, threshold: int) -> None:
    status, out, err = program(["--json", "-t", str(threshold), "-s", f"{session}-json"], data)
    told = json.loads(out)
    check(status == 0 and out.count(b"\n") == 1, f"--json: status {status}: {err[:200]!r}")
    check(told["sha256"] == digest(data) and told["bytes"] == len(data), "--json: facts")
    if told["saved"]:
        check(Path(told["saved"]).read_bytes() == data, "--json: saved is not the input")
    else:
        check(
            told["content_exact"]
            and told["content"].encode(told["encoding"] or "utf-8", "surrogatepass").endswith(data[-9:]),
            "--json: lost",
        )
    shutil.rmtree(f"{session}-json", ignore_errors=True)


def _together(draw: random.Random, data: bytes, session: Path) -> None:
    total = draw.choice((100, 1500, 3000))
    others = [made(draw)[1][:9000] for _ in range(3)]
    settings = Settings(session=f"{session}-batch", threshold=1500, total_threshold=total)
    for given, outcome in zip([data, *others], guard_batch([data, *others], settings), strict=True):
        check(outcome.failure is None and outcome.sha256 == digest(given), "batch: facts")
        if outcome.kind is Kind.PASSED:
            check(outcome.data == given, "batch: passed, but not as it came")
        else:
            check(Path(outcome.saved or "").read_bytes() == given, "batch: saved is not the input")
    entries = [{"id": n, "tool": "t", "content": one.decode("utf-8", "replace")} for n, one in enumerate(others)]
    lines = b"".join(json.dumps(entry).encode() + b"\n" for entry in entries)
    at = draw.randrange(len(lines))
    lines = lines[:at] + draw.choice((b"", b"\x00", b"\xff", b'"', b"}")) + lines[at:]
    status, out, err = program(["batch", "-s", f"{session}-batch"], lines)
    check(status in (0, 2) and len(out.splitlines()) <= 6, f"batch: status {status}: {err[:200]!r}")
    for line in out.splitlines():
        json.loads(line.decode("utf-8", "replace"), strict=False)  # lexemes stay what they were
    shutil.rmtree(f"{session}-batch", ignore_errors=True)


def _hooked(data: bytes, session: Path) -> None:
    text = data.decode("utf-8", "replace")
    shapes: tuple[object, ...] = (
        text,
        {"stdout": text, "stderr": "", "interrupted": False},
        {"content": [{"type": "text", "text": text}]},
    )
    for shape in shapes:
        payload = {
            "session_id": "s",
            "hook_event_name": "PostToolUse",
            "tool_name": "Bash",
            "tool_input": {},
            "tool_use_id": "1",
            "tool_response": shape,
        }
        status, out, err = program(
            ["hook", "claude-code", "-t", "1500", "-s", f"{session}-hook"], json.dumps(payload).encode()
        )
        check(status == 0 and len(out) < 40_000 and (not out or json.loads(out)), f"hook: {status} {err[:200]!r}")
    status, out, err = program(["hook", "claude-code", "-s", f"{session}-hook"], data)
    check(status == 0 and b"internal" not in err, f"hook: {status} {err[:200]!r}")
    shutil.rmtree(f"{session}-hook", ignore_errors=True)


def _looked_at(draw: random.Random, data: bytes, outcome: Outcome, session: Path) -> None:
    number = str(draw.randrange(-50, 4000))
    commands = [
        ["peek"],
        ["peek", f"--lines={number}:+40"],
        ["peek", f"--chars={number}:"],
        ["peek", "--path", "$..*"],
        ["peek", "--tail", "20"],
        ["grep", draw.choice(("a", "e.*o", "(a+)+$", "\\d{3}", "[", "")), "last"],
        ["grep", "-c", "-i", "E", "last"],
        ["grep", "--json", "o", "last"],
        ["schema"],
        ["schema", "--format", "json-schema"],
        ["schema", "--format", "paths"],
        ["list"],
    ]
    for command in draw.sample(commands, 4):
        status, out, err = program([*command, "-q", "-s", str(session)], b"")
        check(status in (0, 1, 2), f"{command}: status {status}")
        check(b"internal error" not in err, f"{command}: {err[:300]!r}")
        check(COUNTER.text(out.decode()) <= 2000, f"{command}: over its bound")
        check(not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]", out), f"{command}: control character")
    status, out, err = program(["peek", "--raw", "-q", "-s", str(session), str(outcome.id)], b"")
    check((status, out) == (0, data), "peek --raw is not the input")


def program(arguments: list[str], data: bytes) -> tuple[int, bytes, bytes]:
    """Run a command in this process: its status, standard output and standard error."""
    from lrguard.cli import app, streams
    from lrguard.instant import Begun

    streams.begun = Begun()
    kept = [os.dup(n) for n in range(3)]
    files = [tempfile.TemporaryFile(dir=os.getcwd()) for _ in range(3)]  # noqa: SIM115
    files[0].write(data)
    files[0].seek(0)
    sys.stdout.flush()
    try:
        for n, file in enumerate(files):
            os.dup2(file.fileno(), n)
        status = app.main(arguments, Begun())
    finally:
        for n, descriptor in enumerate(kept):
            os.dup2(descriptor, n)
            os.close(descriptor)
    out, err = (os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0) for file in files[1:])
    for file in files:
        file.close()
    check(b"internal error" not in err and b"Traceback" not in err, f"{arguments}: {err[:300]!r}")
    return status, out, err


def check(holds: object, what: str) -> None:
    if not holds:
        raise AssertionError(what)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data.decode())
    except (ValueError, RecursionError):
        return False
    return True


def _late(*_: object) -> None:
    raise TimeoutError("a hang")


def _clean_environment(home: Path) -> None:
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    for name in [name for name in os.environ if name.startswith(("LRGUARD_", "XDG_"))]:
        del os.environ[name]
    os.environ |= {"HOME": str(home), "XDG_CACHE_HOME": cache}


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")


_: Callable[[int, int, int], int] = main

if __name__ == "__main__":
    sys.exit(min(main(*map(int, sys.argv[1:4])), 1))
