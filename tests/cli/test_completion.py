"""Completion in real shells, and `lrguard completion`."""

from __future__ import annotations

import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lrguard.cli.app import COMMANDS
from tests.cli.shells import COMPLETIONS, ZSH_READ, Bash, Fish, Zsh
from tests.conftest import Program

SHELLS = {"bash": Bash, "zsh": Zsh, "fish": Fish}
FILES = {"bash": "lrguard.bash", "zsh": "_lrguard", "fish": "lrguard.fish"}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """A session with one response, another with one too, and files to be found."""
    base = tmp_path_factory.mktemp("completion")
    home = base / "home"
    (home / "folder").mkdir(parents=True)
    (home / "notes.toml").write_text("")
    program = Program(home, base / "session")
    program("-t", "50", stdin=b"some words\n" * 500)
    program("-t", "50", "-s", "other", stdin=b"other words\n" * 500)
    command = base / "bin" / "lrguard"
    command.parent.mkdir()
    root = Path(__file__).resolve().parents[2]
    command.write_text(f'#!/bin/sh\nPYTHONPATH={root} exec {sys.executable} -m lrguard "$@"\n')
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    return program


@pytest.fixture(scope="module", params=SHELLS)
def shell(request: pytest.FixtureRequest, program: Program) -> Iterator[Bash | Zsh | Fish]:
    if not shutil.which(request.param):
        pytest.skip(f"{request.param} is not installed")
    environ = program.environ()
    environ["PATH"] = f"{program.session.parent / 'bin'}:{environ['PATH']}"
    started = SHELLS[request.param](program.home, environ)
    yield started
    started.close()


def ids(program: Program, *options: str) -> set[str]:
    return {line.split()[0] for line in program("list", *options).text.splitlines()[1:]}


def test_the_first_word_is_a_command(shell: Bash | Zsh | Fish) -> None:
    assert set(COMMANDS) <= set(shell.proposed("lrguard "))
    assert shell.proposed("lrguard sch") == ["schema"]


def test_a_word_behind_the_filters_options_is_no_command(shell: Bash | Zsh | Fish) -> None:
    assert "schema" not in shell.proposed("lrguard --quiet sch")


def test_options_are_those_of_the_command(shell: Bash | Zsh | Fish) -> None:
    assert "--record" in shell.proposed("lrguard grep --rec")
    assert "--record" not in shell.proposed("lrguard peek --rec")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("lrguard --output ", {"text", "json", "mcp"}),
        ("lrguard schema --format ", {"compact", "json-schema", "paths"}),
        ("lrguard hook ", {"claude-code", "codex", "gemini-cli", "opencode", "copilot-cli", "cursor"}),
        ("lrguard completion ", {"bash", "zsh", "fish"}),
    ],
)
def test_choices_are_proposed(shell: Bash | Zsh | Fish, line: str, expected: set[str]) -> None:
    assert set(shell.proposed(line)) == expected


def test_a_choice_is_completed_behind_an_equals_sign(shell: Bash | Zsh | Fish) -> None:
    assert shell.proposed("lrguard --media=ex")[0].removeprefix("--media=") == "extract"


def test_files_and_folders_are_proposed_where_they_are_meant(shell: Bash | Zsh | Fish) -> None:
    assert "notes.toml" in shell.proposed("lrguard --config ")
    folders = {name.rstrip("/") for name in shell.proposed("lrguard --session ")}
    assert "folder" in folders
    assert "notes.toml" not in folders


def test_ids_come_from_the_session(shell: Bash | Zsh | Fish, program: Program) -> None:
    assert {"last"} | ids(program) <= set(shell.proposed("lrguard peek "))
    assert ids(program) <= set(shell.proposed("lrguard grep words "))


def test_ids_come_from_the_session_that_the_line_names(shell: Bash | Zsh | Fish, program: Program) -> None:
    other = ids(program, "-s", "other")
    for named in ("-s other", "--session=other"):
        proposed = set(shell.proposed(f"lrguard schema {named} "))
        assert other <= proposed
        assert not ids(program) & proposed


def test_a_session_on_the_line_is_never_run(shell: Bash | Zsh | Fish, program: Program) -> None:
    shell.proposed("lrguard peek -s 'x; touch made; $(touch made) `touch made`' ")
    assert not (program.home / "made").exists()


def test_what_run_starts_completes_its_own_words(shell: Bash | Zsh | Fish) -> None:
    assert "mkfifo" in shell.proposed("lrguard run -- mkfif")
    assert "notes.toml" in shell.proposed("lrguard run -- cat not")


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh_can_read_the_script_too_in_place_of_finding_it(program: Program) -> None:
    environ = program.environ()
    environ["PATH"] = f"{program.session.parent / 'bin'}:{environ['PATH']}"
    shell = Zsh(program.home, environ, ZSH_READ)
    assert shell.proposed("lrguard sch") == ["schema"]
    assert b"compdef:" not in shell.shown
    shell.close()


@pytest.mark.parametrize("name", SHELLS)
def test_the_command_prints_the_script(name: str, lrguard: Program) -> None:
    assert lrguard("completion", name).out == (COMPLETIONS / FILES[name]).read_bytes()


def test_another_shell_is_an_error_that_names_those_there_are(lrguard: Program) -> None:
    assert "'bash', 'zsh', 'fish'" in lrguard("completion", "tcsh", status=2).err
