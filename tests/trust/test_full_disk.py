"""A disk on which no more can be written: whatever is asked for, the result is there, and nothing of it half saved."""

from __future__ import annotations

import json
import resource
from functools import partial

import pytest

from tests import inputs
from tests.conftest import Program

LOG = inputs.log(3000)
PAGE = inputs.page(*(inputs.png(n) for n in range(8))) + inputs.log(900)
BINARY = b"\x00\xff" * 120_000
HUGE = inputs.log(90_000)


def full(at: int) -> partial[None]:
    """No file may grow beyond so many bytes."""
    return partial(resource.setrlimit, resource.RLIMIT_FSIZE, (at, at))


def left(lrguard: Program) -> list[str]:
    return [str(p.relative_to(lrguard.session)) for p in lrguard.session.rglob("*") if p.is_file() and p.name != "lock"]


@pytest.mark.parametrize(
    ("data", "at"),
    [
        (LOG, 0),
        (LOG, len(LOG) - 1),
        (PAGE, 0),
        (PAGE, 6000),
        (PAGE, len(PAGE) - 1),
        (BINARY, 4096),
        (HUGE, 0),
        (HUGE, 5_000_000),
    ],
    ids=["log 0", "log", "page 0", "page 6000", "page", "binary", "huge 0", "huge"],
)
def test_the_filter_prints_the_result_unchanged(lrguard: Program, data: bytes, at: int):
    run = lrguard(stdin=data, status=2, preexec_fn=full(at))
    assert run.out == data
    assert run.err.count("\n") == 1 and ("File too large" in run.err or data is HUGE)
    assert left(lrguard) == []


def test_json_names_nothing_that_is_not_there(lrguard: Program):
    told = lrguard.envelope(PAGE, status=2, preexec_fn=full(4096))
    assert (told["outcome"], told["saved"], told["id"], told["assets"]) == ("passed", None, None, [])
    assert told["content"].encode() == PAGE and left(lrguard) == []


def test_a_preview_says_that_the_rest_was_not_kept(lrguard: Program):
    run = lrguard("--on-save-error", "preview", stdin=LOG, status=2, preexec_fn=full(4096))
    assert "the rest was NOT kept" in run.text and len(run.out) < 10_000 and "Saved:" not in run.text


def test_the_results_of_a_batch_stay_in_their_places(lrguard: Program):
    given = [LOG.decode(), "small", PAGE.decode()]
    lines = "".join(json.dumps({"id": n, "content": text}) + "\n" for n, text in enumerate(given))
    run = lrguard("batch", stdin=lines.encode(), status=2, preexec_fn=full(4096))
    assert [json.loads(line)["content"] for line in run.out.splitlines()] == given
    assert left(lrguard) == []


def test_a_batch_that_cannot_be_read_in_is_printed_unchanged(lrguard: Program):
    lines = json.dumps({"id": 1, "content": HUGE.decode()}).encode() + b"\n"
    run = lrguard("batch", stdin=lines * 2, status=2, preexec_fn=full(5_000_000))
    assert run.out == lines * 2 and "it was printed unchanged" in run.err


def test_a_result_of_a_coprocess_that_cannot_be_kept_stays(lrguard: Program):
    line = json.dumps({"id": 1, "content": HUGE.decode()}).encode() + b"\n"
    run = lrguard("batch", "--each", stdin=line, status=2, preexec_fn=full(5_000_000))
    assert json.loads(run.out)["content"].encode() == HUGE and "File too large" in run.err


def test_standard_input_among_the_files_of_a_batch_stays(lrguard: Program):
    run = lrguard("batch", "-", stdin=HUGE, status=2, preexec_fn=full(5_000_000))
    assert json.loads(run.out)["content"].encode() == HUGE and "File too large" in run.err


@pytest.mark.parametrize("at", [0, 5_000_000])
def test_a_message_of_a_server_is_passed_on_and_that_is_said(lrguard: Program, at: int):
    answer = {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": HUGE.decode()}]}}
    (lrguard.home / "answer").write_text(json.dumps(answer) + "\n")
    call = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "log", "arguments": {}}}\n'
    server = ["--", "sh", "-c", "read call; cat answer"]
    run = lrguard("mcp", *server, stdin=call, preexec_fn=full(at))
    assert run.out == (lrguard.home / "answer").read_bytes()
    assert run.err.count("\n") == 1 and "it was passed on unchanged" in run.err


def test_a_hook_leaves_the_result_as_it_is(lrguard: Program):
    response = {"stdout": LOG.decode(), "stderr": "", "interrupted": False, "isImage": False}
    payload = {"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "x"}}
    given = json.dumps(payload | {"tool_use_id": "t", "tool_response": response}).encode()
    assert lrguard("hook", "claude-code", stdin=given).out != b""
    run = lrguard("hook", "claude-code", "-s", str(lrguard.home / "full"), stdin=given, preexec_fn=full(4096))
    assert run.out == b"" and "File too large" in run.err


def test_a_wrapped_command_s_output_and_status_are_its_own(lrguard: Program):
    (lrguard.home / "log").write_bytes(LOG)
    run = lrguard("run", "--", "sh", "-c", "cat log; exit 3", status=3, preexec_fn=full(4096))
    assert run.out == LOG and "File too large" in run.err and left(lrguard) == []
