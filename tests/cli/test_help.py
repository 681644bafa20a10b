"""Help that a person can read, and errors that suggest."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from lrguard import __version__
from lrguard.cli.app import COMMANDS
from lrguard.cli.tree import Command, all_commands
from lrguard.options import GROUPS, OPTIONS
from tests.conftest import Program


@pytest.fixture(scope="module")
def commands() -> dict[str, Command]:
    return {command.name: command for command in all_commands()}


def rows(help: str) -> Iterator[tuple[str, list[str]]]:
    """Each option's row of a page: its group, and its names."""
    group = ""
    for line in help.splitlines():
        if match := re.fullmatch(r"(\w.*):", line):
            group = match[1]
        elif re.match(r"  (    --|-)", line):
            yield group, re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", re.split(r" {2,}", line.strip())[0])


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_is_plain_fits_80_columns_and_tells_every_option(
    name: str, lrguard: Program, commands: dict[str, Command]
) -> None:
    text = lrguard(*name.split(), "--help").text
    assert text.isascii()
    assert "\x1b" not in text
    examples = text.index("\nExamples:\n")
    assert all(len(line) <= 80 for line in text[:examples].splitlines())
    assert {tuple(names) for _, names in rows(text)} == {flag.names for flag in commands[name].flags}


def test_options_are_grouped(lrguard: Program) -> None:
    groups = dict(rows(lrguard("--help").text))
    assert [*groups] == ["Options", *GROUPS.values(), "General"]


def test_defaults_and_variables_are_told(lrguard: Program) -> None:
    text = " ".join(lrguard("--help").text.split())
    assert "[env: LRGUARD_THRESHOLD; default: 6000]" in text
    assert "[default: 120]" in lrguard("grep", "--help").text


def test_every_shared_option_is_in_a_group_that_help_shows() -> None:
    assert {option.group for option in OPTIONS.values()} == set(GROUPS)


def test_the_page_of_the_program_lists_the_commands_one_a_line(lrguard: Program) -> None:
    text = lrguard("--help").text
    listed = re.findall(r"^  ([a-z]+)  +\S", text[text.index("\nCommands:") : text.index("\nExamples:")], re.MULTILINE)
    assert listed == [*COMMANDS]


@pytest.mark.parametrize("words", [["-h"], ["peek", "-h"], ["run", "-h"]])
def test_the_short_form_helps_too(words: list[str], lrguard: Program) -> None:
    assert lrguard(*words).text.startswith("Usage: lrguard")


@pytest.mark.parametrize(
    "words", [["--version"], ["peek", "--version"], ["peek", "last", "--version"], ["-q", "--version"]]
)
def test_the_version_can_be_asked_for_anywhere(words: list[str], lrguard: Program) -> None:
    assert lrguard(*words).text == f"lrguard {__version__}\n"


def test_help_of_what_is_run_is_its_own(lrguard: Program) -> None:
    assert lrguard("run", "--", "echo", "--help", "--version").text == "--help --version\n"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["--sesion", "x"], "`--session`"),
        (["--treshold=3"], "`--threshold`"),
        (["peek", "--lnes", "1:2"], "`--lines`"),
        (["pek"], "`lrguard peek`"),
        (["shema", "last"], "`lrguard schema`"),
        (["gerp", "-i", "x"], "`lrguard grep`"),
        (["help"], "`lrguard --help`"),
    ],
)
def test_what_is_nearly_right_is_suggested(words: list[str], meant: str, lrguard: Program) -> None:
    err = lrguard(*words, status=2).err
    assert err.endswith(f"did you mean {meant}?\n")
    assert err.count("\n") == 1


def test_a_file_with_a_name_like_a_command_is_read(lrguard: Program) -> None:
    (lrguard.home / "pek").write_text("text\n")
    assert lrguard("pek").text == "text\n"


@pytest.mark.parametrize("words", [["missing.log"], ["./pek"], ["--nothing-like-it"]])
def test_what_is_like_nothing_gets_no_suggestion(words: list[str], lrguard: Program) -> None:
    assert "did you mean" not in lrguard(*words, status=2).err
