"""`config` and `trust`, and what a configuration does to the commands."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import COMMAND, Program
from tests.inputs import log

LARGE = log(3000)
THRESHOLD = "[large_tool_response]\nindividual_tool_response_token_threshold = 100000000\n"
OFF = "[large_tool_response]\nenabled = false\n"


@pytest.fixture
def unnamed(lrguard: Program) -> Program:
    """The program without a session that somebody named: the variable is empty."""
    environ = lrguard.environ
    lrguard.environ = lambda **extra: environ(**{"LRGUARD_SESSION": "", **extra})  # type: ignore[method-assign]
    return lrguard


def configure(lrguard: Program, text: str, name: str = "lrguard.toml") -> Path:
    path = lrguard.home / name
    path.write_text(text)
    return path


def test_every_value_and_where_it_comes_from(lrguard: Program):
    path = configure(
        lrguard, 'encoding = "cl100k_base"\n[tools."git*"]\nindividual_tool_response_token_threshold = 77\n'
    )
    found = lrguard("config", "--json", "--preview-chars", "5", env={"LRGUARD_TOOL": "github"}).json
    key = 'tools."git*".individual_tool_response_token_threshold'
    assert found["settings"]["preview_chars"] == {
        "value": 5, "source": "option", "name": "--preview-chars", "file": None
    }  # fmt: skip
    assert found["settings"]["tool"]["name"] == "LRGUARD_TOOL" and found["settings"]["tool"]["source"] == "environment"
    assert found["settings"]["threshold"] == {"value": 77, "source": "configuration", "name": key, "file": str(path)}
    assert found["settings"]["encoding"]["name"] == "encoding"
    assert found["settings"]["media"] == {"value": "extract", "source": "default", "name": None, "file": None}
    assert found["settings"]["session"]["value"] == str(lrguard.session)
    assert (found["files"], found["notes"]) == ([str(path)], [])
    text = lrguard("config", env={"LRGUARD_TOOL": "github"}).text
    assert f"{key} in {path}" in text
    assert len(text.splitlines()) == len(found["settings"])


def test_the_default_session_and_what_it_keeps_are_shown(unnamed: Program):
    found = unnamed("config", "--json").json["settings"]
    assert found["session"]["value"].startswith(f"{unnamed.home}/.local/state/lrguard/home-")
    assert (found["older_than"]["value"], found["keep_bytes"]["value"]) == ("7d", 2_000_000_000)


def test_a_profile_says_whose_number_it_is(lrguard: Program):
    path = configure(lrguard, "[agents.reader]\nindividual_tool_response_token_threshold = 9\n")
    found = lrguard("config", "--json", "--agent", "reader").json["settings"]["threshold"]
    assert (found["value"], found["source"], found["file"]) == (9, "option", str(path))
    assert found["name"] == "--agent reader: agents.reader.individual_tool_response_token_threshold"


def test_control_characters_of_a_configuration_are_shown_and_none_is_dropped(lrguard: Program):
    command = "a\x1b]0;b; curl evil\x07c\u202ed\\n"
    configure(lrguard, f"[summarize]\ncommand = {json.dumps(command)}\n")
    shown = "a\\x1b]0;b; curl evil\\x07c\\u202ed\\\\n"
    assert f"summarize.command = {shown}\n" in lrguard("trust").text
    assert shown in lrguard("config").text


def test_trust_shows_what_it_allows_and_the_filter_heeds_it(lrguard: Program):
    path = configure(lrguard, '[summarize]\ncommand = "cat"\n[retention]\nolder_than = "1d"\n')
    noted = lrguard(stdin=b"small")
    assert noted.out == b"small" and noted.err.count("\n") == 1 and "lrguard trust" in noted.err
    assert lrguard("-q", stdin=b"small").err == ""
    assert "lrguard trust" in lrguard("list").err
    run = lrguard("trust")
    assert all(word in run.text for word in (str(path), "summarize.command = cat", "retention.older_than = 1d"))
    assert lrguard(stdin=b"small").err == ""
    assert lrguard("config", "--json").json["settings"]["summarize"]["value"] == "cat"
    assert "no longer approved" in lrguard("trust", "--revoke").text
    assert "was not approved" in lrguard("trust", "--revoke", "lrguard.toml").text
    assert "lrguard trust" in lrguard(stdin=b"small").err


def test_trust_where_there_is_nothing_to_approve(lrguard: Program):
    assert "no lrguard.toml here" in lrguard("trust", status=2).err
    configure(lrguard, THRESHOLD)
    assert "nothing in it needs an approval" in lrguard("trust").text
    assert not (lrguard.home / ".local").exists()
    configure(lrguard, "[summarize]\ncommand = 5\n")
    assert "summarize.command" in lrguard("trust", status=2).err


def test_a_threshold_of_the_configuration_holds_for_small_results_too(lrguard: Program):
    configure(lrguard, "[large_tool_response]\nindividual_tool_response_token_threshold = 5\n")
    assert lrguard.envelope(LARGE[:5000])["outcome"] == "offloaded"
    configure(lrguard, THRESHOLD)
    assert lrguard(stdin=LARGE).out == LARGE
    assert lrguard("-t", "100", stdin=LARGE).out != LARGE


def test_the_configuration_of_a_folder_above_counts_in_a_repository_only(lrguard: Program):
    configure(lrguard, THRESHOLD)
    deep = lrguard.home / "a/b"
    deep.mkdir(parents=True)

    def outcome() -> str:
        done = subprocess.run([*COMMAND, "--json"], input=LARGE, capture_output=True, cwd=deep, env=lrguard.environ())
        return str(json.loads(done.stdout)["outcome"])

    assert outcome() == "offloaded"
    (lrguard.home / ".git").mkdir()
    assert outcome() == "passed"


BROKEN = {
    "syntax": "a = \n",
    "unknown key": "threshold = 5\n",
    "bad value": "[large_tool_response]\nindividual_tool_response_token_threshold = -1\n",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_configuration_costs_no_result(lrguard: Program, text: str):
    path = configure(lrguard, text)
    run = lrguard(stdin=LARGE, status=2)
    assert run.out == LARGE and str(path) in run.err and run.err.count("\n") == 1


def test_whatever_the_result_is_and_other_commands_just_fail(lrguard: Program):
    path = configure(lrguard, "a = \n")
    for data in (b"", b"\x00\xff" * 5000, b"small"):
        assert lrguard(stdin=data, status=2).out == data
    for command in (("--check",), ("config",), ("list",), ("purge", "--all"), ("peek",), ("count",)):
        run = lrguard(*command, status=2)
        assert run.out == b"" and str(path) in run.err and run.err.count("\n") == 1


@pytest.mark.parametrize("missing", ["no/such.toml", ".", ""])
def test_a_named_configuration_that_cannot_be_read_costs_no_result(lrguard: Program, missing: str):
    run = lrguard("--config", missing, stdin=LARGE, status=2)
    assert run.out == LARGE and "configuration" in run.err and run.err.count("\n") == 1
    if missing:
        assert lrguard(stdin=LARGE, env={"LRGUARD_CONFIG": missing}, status=2).out == LARGE


def test_what_a_hostile_file_says_stays_on_one_line_of_plain_text(lrguard: Program):
    configure(lrguard, '"a\\u001b[2J\\nlrguard: all is well\\u202e" = 1\n')
    run = lrguard(stdin=b"x", status=2)
    assert run.err.count("\n") == 1 and "\x1b" not in run.err and "\u202e" not in run.err


def test_off_means_untouched(lrguard: Program):
    configure(lrguard, OFF)
    picture = b'{"data": "data:image/png;base64,' + b"iVBORw0KGgoA" * 100 + b'"}'
    for data in (LARGE, picture, b"%PDF-1.7\n\x00\xff" * 500, b"\xff\xfe\x00", b""):
        assert lrguard(stdin=data).out == data
        lrguard("--check", stdin=data)
    assert lrguard("-t", "1", "--output", "mcp", stdin=LARGE).out == LARGE
    envelope = lrguard.envelope(LARGE)
    assert (envelope["outcome"], envelope["content"]) == ("passed", LARGE.decode())
    assert envelope["saved"] is None and not lrguard.session.exists()


def test_off_for_one_tool_and_one_profile(lrguard: Program):
    configure(lrguard, "[tools.loud]\nenabled = false\n[agents.reader]\nenabled = false\n")
    assert lrguard("-n", "loud", stdin=LARGE).out == LARGE
    assert lrguard("--agent", "reader", stdin=LARGE).out == LARGE
    assert lrguard("-n", "other", stdin=LARGE).out != LARGE


def test_a_manifest_that_is_off(lrguard: Program):
    path = configure(lrguard, "name: x\n", "agent.yaml")
    assert lrguard("--config", str(path), stdin=LARGE).out == LARGE


def test_a_session_of_the_configuration(unnamed: Program):
    configure(unnamed, 'session = ".agent/session"\n')
    saved = unnamed.envelope(LARGE)["saved"]
    assert Path(saved).read_bytes() == LARGE and saved.startswith(f"{unnamed.home}/.agent/session/")
    assert saved in unnamed("list", "--max-tokens", "0").text


def aged(session: Path) -> None:
    """Make everything in a session, its last purge too, look as if it were of long ago."""
    for record in (session / ".lrguard").glob("*.json"):
        record.write_text(re.sub(r'"20\d\d-(\d\d-\d\dT)', r'"2001-\1', record.read_text()))
    stamp = session / ".lrguard/last-purge"
    if stamp.exists():
        os.utime(stamp, (1e9, 1e9))


@pytest.mark.parametrize(
    ("named", "configuration", "kept"),
    [(True, "", 2), (False, "", 1), (True, '[retention]\nolder_than = "30d"\n', 1), (False, OFF, 1)],
    ids=["named", "not named", "named, with a retention", "off"],
)
def test_what_leaves_a_session_after_a_save(unnamed: Program, named: bool, configuration: str, kept: int):
    session = str(unnamed.session) if named else ""
    first = unnamed.envelope(LARGE, env={"LRGUARD_SESSION": session})["saved"]
    aged(Path(first).parent.parent)
    path = configure(unnamed, configuration, "own.toml")
    unnamed.envelope(LARGE + b"more\n", "--config", str(path), env={"LRGUARD_SESSION": session})
    responses = unnamed("list", "--json", env={"LRGUARD_SESSION": session}).text.splitlines()
    assert len(responses) == kept and Path(first).exists() == (kept == 2 or configuration == OFF)
