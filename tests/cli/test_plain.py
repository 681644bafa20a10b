"""Plain command lines are understood without Typer, exactly as Typer understands them; and what each path imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import typer

from lrguard.cli import filter as typer_filter
from lrguard.cli.plain import OTHERS, options
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


def imported(program: Program, data: bytes, *, cwd: Path | None = None) -> set[str]:
    """The modules that one call of the filter imports, beyond those of a bare interpreter."""
    code = (
        "import sys; before = set(sys.modules); sys.argv = ['lrguard', '--tool', 'y']\n"
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
