"""A folder in which the examples of the manual can be run: their files, and the programs that they name."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from tests.conftest import Program

ROOT = Path(__file__).resolve().parents[2]
ORDERS = {"orders": [{"id": number, "customer": {"name": f"Customer {number}"}} for number in range(200)]}
LOG = "".join(f"{number} GET /orders Timeout after {number} ms\n" for number in range(2000))
PAYLOAD = {
    "session_id": "one",
    "transcript_path": "/nowhere/one.jsonl",
    "cwd": "/",
    "hook_event_name": "PostToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "true"},
    "tool_response": {"stdout": "ok", "stderr": "", "interrupted": False, "isImage": False},
}
PROGRAMS = {
    "lrguard": f'PYTHONPATH={ROOT} exec {sys.executable} -m lrguard "$@"',
    "kubectl": "cat orders.json",
    "make": "cat build.log 2>/dev/null || echo made",
    "npx": "cat >/dev/null",
    "jq": "cat",
    "git": "echo 3f2a9c1 Start",
}


class ExamplePlace:
    """A folder with two sessions: in one the newest response is a log, in the other it is JSON."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.program = Program(folder / "home", folder / "log")
        home = self.program.home
        for made in (home / "src", home / ".config/fish/completions", folder / "bin"):
            made.mkdir(parents=True)
        (home / "build.log").write_text(LOG)
        (home / "orders.json").write_text(json.dumps(ORDERS))
        (home / "results.jsonl").write_text(json.dumps({"id": "1", "tool": "log", "content": LOG}) + "\n")
        (home / "payload.json").write_text(json.dumps(PAYLOAD))
        for name, line in {**PROGRAMS, "../home/server.sh": PROGRAMS["npx"]}.items():
            program = folder / "bin" / name
            program.write_text(f"#!/bin/sh\n{line}\n")
            program.chmod(0o755)
        self.program("-t", "300", "build.log")
        self.program("-t", "20", "-s", str(folder / "json"), "orders.json")
        (home / "lrguard.toml").write_text('[retention]\nolder_than = "30d"\n')

    def failure(self, number: int, line: str) -> str:
        """How the example fails, empty where it does not. Each one has a copy of a session to itself."""
        session = self.folder / f"session{number}"
        shutil.copytree(self.folder / ("json" if line.startswith("lrguard schema") else "log"), session)
        environ = self.program.environ(LRGUARD_SESSION=str(session))
        environ["PATH"] = f"{self.folder / 'bin'}:{environ['PATH']}"
        done = subprocess.run(
            ["bash" if "bash" in line else "sh", "-c", line],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            cwd=self.program.home,
            env=environ,
            timeout=60,
        )
        return "" if done.returncode == 0 else f"{line}: {done.returncode}: {done.stderr}"
