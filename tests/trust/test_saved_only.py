"""An agent that may run the commands that look back, under `--saved-only`, and tries to read everything else."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from lrguard import LrguardError, Settings, guard
from lrguard.cli.target import Choice, open_target
from lrguard.harness import mcp_tools
from lrguard.session.store import Session
from tests import inputs
from tests.conftest import Program, Run

SECRET = b"password = hunter2\n"
ONLY = {"LRGUARD_SAVED_ONLY": "1"}


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """A session with one saved log, and secrets outside of it that are called like things inside."""
    found = Program(tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("state") / "session")
    guard(inputs.log(1200, 7), Settings(session=str(found.session), tool="search"))
    for name in ("secret", "last"):
        (found.home / name).write_bytes(SECRET)
    (found.session / "long_responses" / "link").symlink_to(found.home / "secret")
    (found.session / "long_responses" / "folder").symlink_to(found.home)
    return found


def the_saved(agent: Program) -> Path:
    (saved,) = (p for p in (agent.session / "long_responses").iterdir() if p.suffix == ".txt")
    return saved


def refused(run: Run) -> bool:
    return run.out == b"" and "hunter2" not in run.err and run.err.count("\n") == 1


def read(agent: Program, reference: str) -> bytes:
    with Session(str(agent.session)) as session:
        choice = Choice(session, saved_only=True, call_id=None, quiet=True)
        with open_target(reference, choice) as target:
            return target.original.read()


def test_what_is_saved_may_be_read(agent: Program, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(agent.home)
    saved = the_saved(agent)
    for reference in ("last", saved.name, str(saved), os.path.relpath(saved, agent.home)):
        assert read(agent, reference) == saved.read_bytes()


@pytest.mark.parametrize(
    "reference",
    [
        "secret",
        "./secret",
        "./last",
        "/etc/passwd",
        "{session}/../../{home}/secret",
        "{session}/long_responses/../../../{home}/secret",
        "{session}/long_responses/link",
        "{session}/long_responses/folder/secret",
        "{session}/.lrguard/lock",
        "/dev/stdin",
        "/proc/self/fd/0",
        "-",
    ],
)
def test_nothing_else_is(agent: Program, monkeypatch: pytest.MonkeyPatch, reference: str):
    monkeypatch.chdir(agent.home)
    with pytest.raises(LrguardError) as error:
        read(agent, reference.format(session=agent.session, home=agent.home.name))
    assert error.value.status == 2 and "hunter2" not in str(error.value)


@pytest.mark.parametrize(
    "command",
    [
        ["peek", "--saved-only", "./secret"],
        ["schema", "./secret"],
        ["grep", "hunter", "./secret"],
        ["grep", "hunter", "last", "./secret"],
        ["grep", "-e", "hunter", "secret"],
        ["peek", "-s", ".", "./secret"],
        ["schema", "-s", "/", "/etc/passwd"],
        ["peek", "--saved-only=false", "./secret"],
        ["peek", "--no-saved-only", "./secret"],
        ["peek", "--config", "./secret", "last"],
        ["grep", "-f", "./secret", "last"],
    ],
)
def test_no_command_and_no_option_undoes_it(agent: Program, command: list[str]):
    env = {} if "--saved-only" in command else ONLY
    assert refused(agent(*command, env=env, status=2))


def test_a_session_of_the_agent_s_own_with_forged_metadata_opens_nothing_else(agent: Program, tmp_path: Path):
    saved = the_saved(agent)
    (record,) = (agent.session / ".lrguard").glob("*.json")
    own = Program(agent.home, tmp_path / "own")
    for name in (".lrguard", "long_responses"):
        (own.session / name).mkdir(0o700, parents=True)
    forged = own.session / ".lrguard" / record.name
    secret = str(agent.home / "secret")
    for file in (f"../../{agent.home.name}/secret", secret, f"long_responses/../{secret}"):
        forged.write_text(record.read_text().replace(f"long_responses/{saved.name}", file))
        with pytest.raises(LrguardError):
            read(own, record.stem)
    forged.write_text(record.read_text())
    (own.session / "long_responses" / saved.name).symlink_to(secret)
    with pytest.raises(LrguardError):
        read(own, record.stem)


@pytest.mark.parametrize(
    "arguments",
    [
        {"id": "./secret"},
        {"id": "-"},
        {"id": "--session=/"},
        {"lines": "1:9 ./secret"},
        {"session": "/"},
        {"id": ["./secret"]},
    ],
)
def test_the_proxy_s_own_tools_read_nothing_else(
    agent: Program, monkeypatch: pytest.MonkeyPatch, arguments: dict[str, object]
):
    monkeypatch.setenv("LRGUARD_SAVED_ONLY", "0")
    given = {name: str(agent.home / "secret") if value == "./secret" else value for name, value in arguments.items()}
    result = json.loads(mcp_tools.answer("lrguard_peek", json.dumps(given), str(agent.session), 6000))
    assert result["isError"] and "hunter2" not in str(result)
