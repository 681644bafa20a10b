"""The filter as a process: what passes, what is refused, and every way a run can end."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests import inputs
from tests.conftest import COMMAND, Program

LARGE = inputs.log(2000, error_at=1999)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"  \t \n\n",
        b"plain\n",
        b"no line end",
        "Grüße, 日本語 ✓ 👩‍👩‍👧\n".encode(),
        b"torn \xe6\x97",
        b"one \xff invalid byte\n",
        b"a\0b\0c\0",
        b"\x1b[31mred\x1b[0m\r\n",
        b'{"a": 1e400, "a": 2, "b": "\\ud83d", "c": NaN}',
        b'{"cut": ["short',
        b"[" * 500 + b"]" * 500,
        b"<|endoftext|>",
        "Grüße\n".encode("utf-16"),
    ],
)
def test_small_results_pass_byte_for_byte_and_leave_nothing(lrguard: Program, data: bytes):
    run = lrguard(stdin=data)
    assert (run.out, run.err, lrguard.session.exists()) == (data, "", False)


def test_a_file_is_read_like_standard_input(lrguard: Program):
    (lrguard.home / "peek").write_bytes(b"a file named like a command\n")
    assert lrguard("./peek").out == b"a file named like a command\n"
    assert lrguard("-", stdin=b"piped\n").out == b"piped\n"


def test_a_message_names_what_was_saved_and_the_error_in_it(lrguard: Program):
    run = lrguard("--tool", "deploy", stdin=LARGE)
    saved = re.search(r"(?m)^Saved: (.+)$", run.text)
    assert saved and Path(saved[1]).read_bytes() == LARGE
    assert "deploy" in run.text.splitlines()[0] and "6,000" in run.text.splitlines()[0]
    assert "1999: 2026-07-03T14:05:19Z ERROR worker-3 could not open" in run.text
    assert run.err == ""


def test_the_same_result_again_gives_the_same_message(lrguard: Program):
    first = lrguard("-n", "x", stdin=LARGE)
    time.sleep(1.1)
    assert lrguard("-n", "x", stdin=LARGE).out == first.out
    assert len(lrguard.files()) == 1


def test_a_smaller_preview_and_none(lrguard: Program):
    some = lrguard("--preview-chars", "100", stdin=LARGE).text
    none = lrguard("--preview-chars", "0", stdin=LARGE).text
    assert "handled request 1 in" in some and "handled request 1 in" not in none
    assert len(none) < len(some) < 3000


def test_check_prints_and_saves_nothing(lrguard: Program):
    assert lrguard("--check", stdin=b"small\n").out == b""
    assert lrguard("--check", stdin=LARGE, status=1).out == b""
    assert lrguard("--check", stdin=inputs.png(), status=1).out == b""
    assert lrguard("--check", stdin=inputs.notebook(inputs.png()), status=1).out == b""
    assert not lrguard.session.exists()


def test_the_envelope_has_every_key_whatever_the_outcome(lrguard: Program):
    known = """version outcome content content_exact id saved reading_copy tool call_id media_type encoding bytes lines
        sha256 tokens tokens_exact content_tokens threshold is_error assets summary incomplete"""
    keys = set(known.split())
    for data in (b"", b"small", LARGE, inputs.png(), inputs.notebook(inputs.png())):
        assert keys <= lrguard.envelope(data, "--call-id", "c1").keys()


def test_json_output_keeps_what_it_cannot_show(lrguard: Program):
    envelope = lrguard.envelope(b"latin \xff in utf-8 " + b"text " * 100)
    assert envelope["outcome"] == "passed" and envelope["content_exact"] is False and "\ufffd" in envelope["content"]
    assert Path(envelope["saved"]).read_bytes().startswith(b"latin \xff")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--no-such-option",), "--no-such-option"),
        (("-t", "many"), "-t"),
        (("-t", "0"), "--threshold"),
        (("--encoding", "gpt2"), "cl100k_base"),
        (("--agent", "nobody"), "subagent"),
        (("-t", "5", "count"), "lrguard count"),
        (("one", "two"), "two"),
    ],
)
def test_bad_usage_is_one_line_and_reads_nothing(lrguard: Program, args: tuple[str, ...], words: str):
    run = lrguard(*args, stdin=b"data", status=2)
    assert run.out == b"" and run.err.startswith("lrguard: ") and words in run.err and run.err.count("\n") == 1


def test_a_bad_environment_costs_no_result(lrguard: Program):
    run = lrguard(stdin=LARGE, env={"LRGUARD_THRESHOLD": "lots"}, status=2)
    assert run.out == LARGE and "LRGUARD_THRESHOLD" in run.err and run.err.count("\n") == 1


@pytest.mark.parametrize("name", ["missing", "."])
def test_a_file_that_cannot_be_read_is_named(lrguard: Program, name: str):
    run = lrguard(name, status=2)
    assert run.out == b"" and re.match(rf"lrguard: cannot read .*{re.escape(name)}?", run.err)


def test_options_beat_the_environment(lrguard: Program):
    env = {"LRGUARD_THRESHOLD": "1000000", "LRGUARD_TOOL": "outer"}
    assert lrguard(stdin=LARGE, env=env).out == LARGE
    envelope = lrguard.envelope(LARGE, "-t", "500", "-n", "inner", env=env)
    assert (envelope["outcome"], envelope["threshold"], envelope["tool"]) == ("offloaded", 500, "inner")


@pytest.mark.parametrize(
    ("args", "env", "threshold"),
    [
        ((), {}, 6000),
        (("--agent", "subagent"), {"LRGUARD_THRESHOLD": "9"}, 12000),
        (("--agent", "subagent", "--context-window", "40000"), {}, 4000),
        (("--context-window", "1000000"), {}, 12000),
        (("--context-window", "1"), {}, 2000),
        (("--context-window", "40000", "-t", "77"), {}, 77),
        ((), {"LRGUARD_AGENT": "subagent"}, 12000),
        ((), {"LRGUARD_AGENT": "subagent", "LRGUARD_THRESHOLD": "88"}, 88),
    ],
)
def test_where_the_threshold_comes_from(lrguard: Program, args: tuple[str, ...], env: dict[str, str], threshold: int):
    assert lrguard.envelope(b"x", *args, env=env)["threshold"] == threshold


def test_a_session_shown_by_another_name(lrguard: Program):
    text = lrguard("--show-session", "/mnt/agent", stdin=LARGE).text
    assert re.search(r"(?m)^Saved: /mnt/agent/long_responses/", text) and str(lrguard.session) not in text


def test_without_a_session_the_state_folder_is_used(lrguard: Program):
    envelope = lrguard.envelope(LARGE, env={"LRGUARD_SESSION": ""})
    assert Path(envelope["saved"]).is_relative_to(lrguard.home / ".local" / "state" / "lrguard")


@pytest.mark.parametrize("name", ["it's here", 'a "quoted" $HOME', "blänk 日本", "-dash", "a;b&c"])
def test_commands_can_be_pasted_whatever_the_session_is_called(lrguard: Program, tmp_path: Path, name: str):
    session = tmp_path / name
    text = lrguard("-s", str(session), stdin=LARGE).text
    offered = re.findall(r"(?m)^\s+(lrguard (?:peek|grep|schema) .*)$", text)
    assert offered
    for command in offered:
        words = subprocess.run(["sh", "-c", f'set -- {command}; printf "%s\\n" "$@"'], capture_output=True, check=True)
        assert str(session) in words.stdout.decode().splitlines()


def test_a_session_path_with_a_line_break_is_refused_and_costs_nothing(lrguard: Program, tmp_path: Path):
    run = lrguard("-s", f"{tmp_path}/a\nb", stdin=LARGE, status=2)
    assert run.out == LARGE and run.err.count("\n") == 1


def test_a_result_that_cannot_be_saved_may_be_previewed(lrguard: Program, tmp_path: Path):
    (tmp_path / "file").write_bytes(b"in the way")
    args = ("-s", str(tmp_path / "file"), "--on-save-error", "preview")
    run = lrguard(*args, stdin=LARGE, status=2)
    assert "NOT kept" in run.text and "handled request 1 in" in run.text and "request 2000 in" in run.text
    assert len(run.out) < 4000 and run.err.count("\n") == 1
    envelope = lrguard("--json", "-s", str(tmp_path / "file"), stdin=LARGE, status=2).json
    assert (envelope["outcome"], envelope["saved"], envelope["content"]) == ("passed", None, LARGE.decode())


def test_a_small_result_needs_no_session(lrguard: Program, tmp_path: Path):
    (tmp_path / "file").write_bytes(b"in the way")
    assert lrguard("-s", str(tmp_path / "file" / "below"), stdin=b"small\n").out == b"small\n"


def test_a_terminal_is_told_how_it_is_used(lrguard: Program):
    leader, follower = pty.openpty()
    run = subprocess.run(COMMAND, stdin=follower, capture_output=True, env=lrguard.environ(), timeout=60)
    os.close(leader)
    os.close(follower)
    assert (run.returncode, run.stdout, run.stderr.count(b"\n")) == (2, b"", 2)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_what_arrived_before_a_signal_is_kept(lrguard: Program, number: int):
    process = lrguard.start("--json")
    assert process.stdin
    process.stdin.write(LARGE)
    process.stdin.flush()
    time.sleep(1.0)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    envelope = json.loads(out)
    assert process.returncode == 128 + number and err == b""
    assert envelope["incomplete"] is True and Path(envelope["saved"]).read_bytes() == LARGE
    assert "incomplete" in envelope["content"]


def test_a_writer_that_dies_is_an_end(lrguard: Program):
    pipeline = f"(yes 'a line of a log that goes on' | head -n 3000; kill -9 $$) | {' '.join(COMMAND)} --json"
    run = subprocess.run(["sh", "-c", pipeline], capture_output=True, env=lrguard.environ(), timeout=60)
    envelope = json.loads(run.stdout)
    assert envelope["lines"] == 3000 and envelope["incomplete"] is False


def test_a_full_disk_behind_standard_output_is_an_error(lrguard: Program):
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    with open("/dev/full", "wb") as full:
        process = lrguard.start(stdout=full)
        _, err = process.communicate(LARGE, timeout=60)
    assert process.returncode == 2 and err.startswith(b"lrguard: cannot write") and err.count(b"\n") == 1
    assert [path.read_bytes() for path in lrguard.files()] == [LARGE]


@pytest.mark.parametrize("data", [LARGE, inputs.log(100)])
def test_a_reader_that_left_ends_it_with_141(lrguard: Program, data: bytes):
    read, write = os.pipe()
    os.close(read)
    process = lrguard.start(stdout=write)
    os.close(write)
    _, err = process.communicate(data, timeout=60)
    assert (process.returncode, err) == (141, b"")


def test_a_nested_lrguard_passes_everything(lrguard: Program):
    assert lrguard(stdin=LARGE, env={"LRGUARD_NESTED": "1"}).out == LARGE


def test_guarding_a_message_changes_nothing(lrguard: Program):
    message = lrguard(stdin=LARGE).out
    assert lrguard("-t", "1500", stdin=message).out == message


def test_a_reading_copy_is_not_offloaded_again(lrguard: Program):
    data = json.dumps([{"id": number, "name": f"row {number}"} for number in range(3000)]).encode()
    first = lrguard.envelope(data)
    again = lrguard.envelope(Path(first["reading_copy"]).read_bytes())
    assert again["id"] == first["id"] and len(lrguard.files()) == 2


def test_a_torn_last_character_is_told_and_the_bytes_are_saved(lrguard: Program):
    data = "Grüße 日".encode()[:-1]
    told = lrguard.envelope(data)
    assert (told["outcome"], told["content"], told["content_exact"]) == ("passed", "Grüße \ufffd", False)
    assert Path(told["saved"]).read_bytes() == data
