"""What the README says to type is what the checks run."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from lrguard.options import OPTIONS
from tests import inputs
from tests.conftest import COMMAND, Program

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"(?ms)^```(\w+)\n(.*?)^```$", README)

ELSEWHERE = {"-m pytest": "the checks", "#!/bin/sh": "tests of summaries"}
"""What is in blocks of commands that something else runs, with what does."""

SHOWS = {
    "pydoc builtins": ("[lrguard] This tool result was replaced: ",),
    "get pods": ("the result of kubectl has ~178,000 tokens", "/.agent/session/long_responses/"),
    "./export.json": ("orders: {\n", "timeout", '"id": 10000'),
    "lrguard run": ("made\n", "2 passed\n"),
    "--print-config": ('"PostToolUse"', "Bash(lrguard peek:*)"),
    "lrguard batch": (r'"content": "a\nb\n"', '"outcome": "passed"'),
    "get events": ("the result of kubectl has", "The pod restarts: why does the pod restart"),
}
"""What is in every other block of commands, with what it prints."""

PROGRAMS = {
    "kubectl": """if [ "$2" = events ]; then cat server.log; else cat orders.json; fi""",
    "curl": "printf '['; cat orders.json; printf ']'",
    "make": "echo made",
    "pytest": "echo 2 passed",
    "llm": "printf 'The pod restarts: '; grep -o 'why does the pod restart'",
    "npx": "cat",
    "python3": ":",
    "lrguard": f'exec {shlex.join(COMMAND)} "$@"',
    "../.venv/bin/pip": ":",
    "../.venv/bin/python": f'exec {sys.executable} "$@"',
    "../.venv/bin/lrguard": f'exec {shlex.join(COMMAND)} "$@"',
}
"""The programs that the README names, as far as the examples need them."""


def blocks(language: str) -> list[str]:
    return [text for kind, text in BLOCKS if kind == language]


def timeless(text: str) -> str:
    """The text with the README's time in the place of every other."""
    return re.sub(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ", "2026-07-03T14-05-09Z", text)


class Place:
    """A folder in which the examples can be run."""

    def __init__(self, program: Program) -> None:
        self.home = program.home
        for name in ("bin", ".venv/bin"):
            (self.home / name).mkdir(parents=True)
        for name, line in PROGRAMS.items():
            path = self.home / "bin" / name
            path.write_text(f"#!/bin/sh\n{line}\n")
            path.chmod(0o755)
        for name in ("orders.json", "export.json"):
            (self.home / name).write_bytes(inputs.orders())
        (self.home / "server.log").write_bytes(b"12:00:01 the connection had a timeout\n" + inputs.log(1000))
        path = f"{self.home / 'bin'}:{os.environ['PATH']}"
        self.environ = program.environ(PATH=path, LRGUARD_SESSION="", PYTHONPATH=str(ROOT))

    def run(self, *command: str, stdin: bytes = b"") -> str:
        """What a command prints, which must end well."""
        done = subprocess.run(command, input=stdin, capture_output=True, cwd=self.home, env=self.environ, timeout=120)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()


@pytest.fixture
def place(lrguard: Program) -> Place:
    return Place(lrguard)


def test_the_checks_run_the_readmes_test_command():
    if not (ROOT / ".ci" / "run").exists():
        pytest.skip("not a checkout")
    command = next(line for block in blocks("sh") for line in block.splitlines() if line.endswith("-m pytest"))
    assert command in (ROOT / ".ci" / "run").read_text().splitlines()


def test_the_console_block_shows_true_output(place: Place):
    (block,) = blocks("console")
    shown = ""
    for command in re.findall(r"(?m)^\$ (.*)$", block):
        shown += f"$ {command}\n{place.run('sh', '-c', command)}"
    assert timeless(shown.replace(str(place.home), "/home/me")) == block
    session = place.home / ".agent"
    files = {timeless(str(path.relative_to(session))) for path in session.rglob("*.json")}
    (layout,) = blocks("text")
    assert files == {name for name in layout.split() if name.endswith(".json")}


def test_every_block_is_of_a_kind_that_is_run():
    assert {kind for kind, _ in BLOCKS} == {"console", "sh", "json", "toml", "python", "text"}
    for block in blocks("sh"):
        assert len([words for words in (*ELSEWHERE, *SHOWS) if words in block]) == 1, block


@pytest.mark.parametrize("words", SHOWS)
def test_a_block_of_commands_does_what_it_is_there_for(words: str, place: Place):
    (block,) = [block for block in blocks("sh") if words in block]
    shown = place.run("sh", "-ec", block)
    assert [part for part in SHOWS[words] if part not in shown] == []


def test_the_configuration_is_one(place: Place):
    (block,) = blocks("toml")
    (place.home / "lrguard.toml").write_text(block)
    shown = place.run("lrguard", "config", "--config", "lrguard.toml", "--agent", "subagent")
    assert re.search(r"^threshold +12000 +.* in /.*/lrguard.toml$", shown, re.MULTILINE)
    assert re.search(r"^summarize +llm -m gpt-4.1-mini ", shown, re.MULTILINE)
    shown = place.run("lrguard", "config", "--config", "lrguard.toml", "--tool", "github_search")
    assert re.search(r"^summarize +- ", shown, re.MULTILINE)


def test_the_client_s_configuration_starts_a_server_behind_the_proxy(place: Place):
    (block,) = blocks("json")
    (server,) = json.loads(block)["mcpServers"].values()
    line = b'{"jsonrpc": "2.0", "method": "notifications/message"}\n'
    assert place.run(server["command"], *server["args"], stdin=line) == line.decode()


def test_every_variable_is_told_of():
    assert [row.environment for row in OPTIONS.values() if f"`{row.environment}" not in README] == []
