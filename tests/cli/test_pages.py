"""The manual: complete, up to date, clean, and with examples that work."""

from __future__ import annotations

import shutil
import subprocess
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lrguard.cli.app import COMMANDS
from lrguard.cli.examples import EXAMPLES
from lrguard.cli.tree import all_commands
from tests.cli.example_place import ExamplePlace
from tests.pages.all import written

ROOT = Path(__file__).resolve().parents[2]
MAN = sorted((ROOT / "man").iterdir())
SECTIONS = [
    "NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES", "SEE ALSO",
]  # fmt: skip


def test_what_is_committed_is_what_the_commands_say_now():
    stale = [name for name, text in written().items() if not _is(ROOT / name, text)]
    assert not stale, "run `python -m tests.pages`"


def _is(file: Path, text: str) -> bool:
    return file.is_file() and file.read_text() == text


def test_the_wheel_has_it_where_man_and_shells_look():
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["shared-data"] == {
        "man": "share/man/man1",
        "completions/lrguard.bash": "share/bash-completion/completions/lrguard",
        "completions/_lrguard": "share/zsh/site-functions/_lrguard",
        "completions/lrguard.fish": "share/fish/vendor_completions.d/lrguard.fish",
    }
    assert wheel["force-include"] == {"completions": "lrguard/completions"}


def test_there_is_nothing_else_beside_it():
    there = {f"{path.parent.name}/{path.name}" for path in [*MAN, *(ROOT / "completions").iterdir()]}
    assert there == set(written())


def test_every_command_has_a_page():
    assert [path.name for path in MAN] == sorted(["lrguard.1", *(f"lrguard-{name}.1" for name in COMMANDS)])


@pytest.mark.parametrize("path", MAN, ids=lambda path: path.stem)
def test_sections_are_those_of_man_pages_in_their_order(path: Path):
    found = [line[4:] for line in path.read_text().splitlines() if line.startswith(".SH ")]
    assert [title for title in found if title in SECTIONS] == SECTIONS


def test_every_option_and_its_variable_are_on_the_commands_page():
    for command in all_commands():
        text = (ROOT / "man" / f"{command.program.replace(' ', '-')}.1").read_text().replace("\\-", "-")
        for flag in command.flags:
            assert all(f"\\fB{name}\\fR" in text for name in flag.names), flag
            assert "env: " not in flag.facts or flag.facts.split("env: ")[1].split(";")[0] in text


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
@pytest.mark.parametrize("path", MAN, ids=lambda path: path.stem)
def test_groff_has_nothing_to_say(path: Path):
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", path], capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.skipif(not shutil.which("mandoc"), reason="mandoc is not installed")
def test_mandoc_has_nothing_to_say():
    done = subprocess.run(["mandoc", "-Tlint", *MAN], capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_every_command_has_two_examples_or_more():
    assert set(EXAMPLES) == {"", *COMMANDS}
    assert all(len(examples) >= 2 for examples in EXAMPLES.values())


def test_an_example_is_of_its_command():
    for name, examples in EXAMPLES.items():
        for example in examples:
            assert f"lrguard {name}".strip() in example.line


def test_every_example_works(tmp_path: Path):
    lines = [example.line for examples in EXAMPLES.values() for example in examples]
    place = ExamplePlace(tmp_path)
    with ThreadPoolExecutor(2) as pool:
        failures = pool.map(place.failure, range(len(lines)), lines)
    assert not [*filter(None, failures)]
