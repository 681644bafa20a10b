"""Plain command lines are understood without Typer, exactly as Typer understands them; and what each path imports."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import get_type_hints

import pytest
import typer

from lrguard.cli import filter as typer_filter
from lrguard.cli import grep as typer_grep
from lrguard.cli import grep_options
from lrguard.cli.plain import OTHERS, options, search_options
from lrguard.cli.searched import Wanted
from lrguard.options import OPTIONS
from tests.conftest import Program
from tests.inputs import log

HEAVY = {
    "typer",
    "dataclasses",
    "inspect",
    "typing",
    "pathlib",
    "subprocess",
    "tempfile",
    "logging",
    "importlib.metadata",
}
GUARDING = {"lrguard.guarding", "lrguard.offload", "lrguard.assets.link", "lrguard.measure.tokens", "re2", "json"}


def by_typer(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    seen: list[dict[str, object]] = []
    monkeypatch.setattr(typer_filter, "filtered", lambda given, file, *, check: seen.append(given) or 0)
    typer.main.get_command(typer_filter.app).main(arguments, standalone_mode=False)
    return seen[0]


def test_every_shared_option_is_one_of_the_filter():
    parameters = {parameter.name for parameter in typer.main.get_command(typer_filter.app).params}
    assert set(OPTIONS) - set(OTHERS) <= parameters
    assert parameters - set(OPTIONS) == {"file", "check"}


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["-s", "dir", "-n", "tool"],
        ["--session=dir", "--tool=", "--intent", "what for"],
        ["-t", "100", "--preview-chars", "007", "--context-window=9000"],
        ["--json", "-q", "--no-summarize", "--quiet"],
        ["--tool", "a", "--tool", "b"],
        ["--args={}", "--config", "x.toml", "--media", "keep", "--output", "mcp"],
        [
            word
            for name, row in OPTIONS.items()
            if name not in OTHERS
            for word in (row.flags[-1], *["5"][: len(row.metavar)])
        ],
    ],
)
def test_plain_words_mean_what_typer_takes_them_for(arguments: list[str], monkeypatch: pytest.MonkeyPatch):
    given = options(arguments)
    assert given is not None
    assert given == by_typer(arguments, monkeypatch)


@pytest.mark.parametrize(
    "arguments",
    [
        ["file.txt"],
        ["-"],
        ["--"],
        ["--help"],
        ["--check"],
        ["-t", "ten"],
        ["-t", "-5"],
        ["-t", "1_0"],
        ["-t", "٣"],
        ["-t3"],
        ["-qn", "x"],
        ["--sess", "x"],
        ["--quiet=1"],
        ["--tool"],
        ["--tool", "-x"],
        ["--total-threshold", "5"],
        ["--summary-timeout", "1.5"],
    ],
)
def test_everything_else_is_left_to_typer(arguments: list[str]):
    assert options(arguments) is None


def searched_by_typer(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> Wanted:
    seen: list[Wanted] = []
    monkeypatch.setattr(typer_grep, "searched", lambda wanted: seen.append(wanted) or 0)
    typer.main.get_command(typer_grep.app).main(arguments, standalone_mode=False)
    return seen[0]


def test_every_option_of_grep_is_in_its_table():
    parameters = {parameter.name: parameter for parameter in typer.main.get_command(typer_grep.app).params}
    parameters.pop("words")
    hints = get_type_hints(typer_grep.command)
    assert set(parameters) == set(grep_options.ALL)
    for name, option in grep_options.ALL.items():
        parameter = parameters[name]
        assert tuple(parameter.opts) == option.flags
        assert parameter.is_flag == (not option.metavar)
        assert (hints[name] in (int, int | None)) == (name in grep_options.NUMBERS)
        assert parameter.multiple == (name == "patterns")


SEARCHES = [
    [],
    ["pattern"],
    ["a b", "last", "-"],
    ["", "./file"],
    ["pattern", "-i", "file", "-c"],
    ["-e", "a", "file", "--regexp=b", "-e", ""],
    ["-m", "3", "-m", "007", "--max-count=5", "x"],
    ["--path", "$.a", "--path=-", "x", "--json", "--all"],
    [word for name, row in grep_options.ALL.items() for word in (row.flags[0], *["5"][: len(row.metavar)], f"w{name}")],
]


@pytest.mark.parametrize("arguments", SEARCHES)
def test_a_plain_search_means_what_typer_takes_it_for(arguments: list[str], monkeypatch: pytest.MonkeyPatch):
    given = search_options(arguments)
    assert given is not None
    assert Wanted(**given) == searched_by_typer(arguments, monkeypatch)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--", "x"],
        ["--help"],
        ["-h"],
        ["--version"],
        ["-in", "x"],
        ["-C3", "x"],
        ["-m", "-1"],
        ["-m", "ten"],
        ["-e", "-x"],
        ["x", "--max"],
        ["x", "--json=1"],
        ["x", "-e"],
        ["x", "-n5"],
        ["x", "--window", "1e3"],
    ],
)
def test_every_other_search_is_left_to_typer(arguments: list[str]):
    assert search_options(arguments) is None


@pytest.mark.parametrize(
    ("options", "words", "status"),
    [
        ([], ["request 1", "log.txt"], 0),
        (["-c"], ["request 1", "log.txt"], 0),
        (["-m", "3", "-C", "1"], ["worker-[12]|request 7", "log.txt", "data.json"], 0),
        (["-e", "a", "-e", "user", "--json", "--max-tokens", "300"], ["data.json"], 0),
        (["--path", "$[1]", "--record"], ["a", "data.json"], 0),
        ([], ["no such thing", "log.txt"], 1),
        ([], ["x", "missing.txt"], 2),
        ([], ["x", "picture.png"], 2),
        (["-q"], ["(", "log.txt"], 1),
        (["--skip", "5"], ["(?=r)req", "log.txt"], 0),
        (["--path", "$."], ["x", "data.json"], 2),
        ([], [], 2),
    ],
)
def test_a_search_prints_the_same_either_way(lrguard: Program, options: list[str], words: list[str], status: int):
    (lrguard.home / "log.txt").write_bytes(log(300))
    (lrguard.home / "data.json").write_text('[{"name": "user a", "n": 1}, {"name": "b", "user": [null, "a"]}]')
    (lrguard.home / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 50)
    assert search_options([*options, *words]) is not None
    plain = lrguard("grep", *options, *words, status=status)
    # A double dash changes nothing but who reads the command line.
    assert search_options([*options, "--", *words]) is None
    typed = lrguard("grep", *options, "--", *words, status=status)
    assert (plain.out, plain.err) == (typed.out, typed.err)


def test_a_search_imports_no_parser_of_command_lines(lrguard: Program):
    (lrguard.home / "log.txt").write_bytes(log(300))
    modules = imported(lrguard, b"", arguments=["grep", "request 1", "log.txt"])
    assert "lrguard.inspect.grep_text" in modules
    assert not modules & (HEAVY - {"typing"})


def imported(
    program: Program, data: bytes, *, cwd: Path | None = None, arguments: Sequence[str] = ("--tool", "y")
) -> set[str]:
    """The modules that one call imports, beyond those of a bare interpreter."""
    code = (
        f"import sys; before = set(sys.modules); sys.argv = ['lrguard', *{arguments!r}]\n"
        "import os; leave = os._exit\n"
        "def tell(status): os.write(2, ' '.join(set(sys.modules) - before).encode()); leave(status)\n"
        "os._exit = tell\n"
        "import lrguard.__main__ as entry; entry.main()"
    )
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, input=data, capture_output=True, cwd=cwd or program.home, env=program.environ())
    assert run.returncode == 0
    return set(run.stderr.decode().split())


def test_a_message_for_a_log_is_made_without_what_costs_most(lrguard: Program):
    lrguard("--tool", "y", stdin=log(600))  # the table of ranks is made by the first count
    modules = imported(lrguard, log(600))
    assert GUARDING - {"json"} <= modules
    assert not modules & HEAVY
    assert not {name for name in modules if name.startswith(("lrguard.structure.schema", "lrguard.inspect"))}


def test_a_small_result_under_a_configuration_imports_nothing_that_guards(lrguard: Program):
    below = lrguard.home / "below"
    below.mkdir()
    (lrguard.home / ".git").mkdir()
    (lrguard.home / "lrguard.toml").write_text('encoding = "o200k_base"\n')
    modules = imported(lrguard, b"small\n", cwd=below)
    assert "tomllib" in modules
    assert not modules & (GUARDING | HEAVY - {"typing"})
