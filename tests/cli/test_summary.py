"""`--summarize`: a model's summary in a message, and every way in which there is none."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import stat
import sys
import termios
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Program
from tests.inputs import log, mcp, text_block

BIG = log(600)
README = Path(__file__).parents[2] / "README.md"
LABEL = "Summary, in a model's words and not checked against the result:"


def asked(lrguard: Program) -> int:
    """How many times a command that counts its calls was called."""
    calls = lrguard.home / "calls"
    return len(calls.read_text()) if calls.exists() else 0


COUNTING = "printf . >> calls; echo It is a log."


def test_the_summary_stands_in_the_place_of_the_preview(lrguard: Program):
    found = lrguard.envelope(BIG, "--summarize", "grep -c handled", "-n", "deploy")
    assert found["summary"] == "done"
    assert f"{LABEL}\n600\n=====" in found["content"]
    assert "characters:" not in found["content"]
    assert Path(found["saved"]).read_bytes() == BIG


def test_what_passes_asks_nobody(lrguard: Program):
    assert lrguard("--summarize", COUNTING, stdin=b"short\n").out == b"short\n"
    lrguard("--summarize", COUNTING, "--check", stdin=BIG, status=1)
    lrguard("--summarize", COUNTING, "--no-summarize", stdin=BIG, env={"LRGUARD_SUMMARIZE": COUNTING})
    assert asked(lrguard) == 0


def test_the_prompt_tells_of_the_call_and_only_the_prompt_does(lrguard: Program):
    command = 'cat > prompt; env > environ; echo "$# $0" >> environ; echo ok'
    lrguard("--summarize", command, "-n", "deploy", "--args", '{"a": 1}', "--intent", "why it fails", stdin=BIG)
    prompt = (lrguard.home / "prompt").read_text()
    for part in ("Tool: deploy", 'Arguments (JSON): {"a": 1}', "why it fails", "600 lines", BIG.decode().strip()):
        assert part in prompt
    environ = (lrguard.home / "environ").read_text()
    assert "LRGUARD_NESTED=1" in environ
    assert "handled request" not in environ
    assert "why it fails" not in environ


def test_arguments_come_from_a_file_too_and_what_is_no_json_costs_no_result(lrguard: Program):
    (lrguard.home / "args.json").write_text('{"path": "/etc"}')
    found = lrguard.envelope(BIG, "--summarize", "grep '^Arguments'", "--args", "@args.json")
    assert '{"path": "/etc"}' in found["content"]
    assert lrguard("--summarize", "cat", "--args", "{", stdin=BIG, status=2).out == BIG


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("true", "the answer is empty"),
        ("echo partial; echo no key >&2; exit 3", "exit status 3: no key"),
        ("no-such-model", "exit status 127: "),
        ("kill -9 $$", "SIGKILL"),
        ("head -c 3000 /dev/urandom", "no text in UTF-8"),
        ("yes", "longer than 64 KiB"),
        ("trap '' TERM; sleep 60", "longer than 0.4 s"),
        ("exec >&- 2>&- <&-; sleep 60", "longer than 0.4 s"),
        ("trap '' TERM; yes >&2", "longer than 0.4 s"),
    ],
)
def test_a_summary_that_fails_gives_the_preview_and_a_note(lrguard: Program, command: str, why: str):
    begun = time.monotonic()
    run = lrguard("--json", "--summarize", command, "--summary-timeout", "0.4", stdin=BIG)
    assert run.json["summary"] == "failed"
    assert "The first 1,000 characters:" in run.json["content"]
    assert LABEL not in run.json["content"]
    assert why in run.err
    assert run.err.count("\n") == 1
    assert time.monotonic() - begun < 15


@pytest.mark.parametrize(
    "command",
    [
        "exec <&-; sleep 0.2; echo fine",
        "head -c 5 > /dev/null; echo fine",
        "(sleep 60 &); echo fine",
        "trap '' TERM; sleep 60 & echo fine",
    ],
)
def test_an_answer_counts_though_the_prompt_is_not_read_or_something_is_left_running(lrguard: Program, command: str):
    found = lrguard.envelope(BIG, "--summarize", command)
    assert found["summary"] == "done"
    assert f"{LABEL}\nfine\n" in found["content"]


def test_nothing_of_the_command_outlives_its_time(lrguard: Program):
    command = "trap '' TERM; (trap '' TERM; echo $$ > pid; sleep 60 & echo $! > child; wait) & wait"
    lrguard("--summarize", command, "--summary-timeout", "0.4", stdin=BIG)
    for name in ("pid", "child"):
        assert _is_gone(int((lrguard.home / name).read_text()))


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_the_command_and_the_preview_is_printed(lrguard: Program, number: int, status: int):
    file = lrguard.home / "big.txt"
    file.write_bytes(BIG)
    with open(file, "rb") as stdin:
        process = lrguard.start("--summarize", "echo $$ > began; mv began pid; sleep 60", stdin=stdin)
        pid = lrguard.home / "pid"
        _wait(pid.exists)
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
    assert process.returncode == status
    assert b"The last 1,000 characters:" in out
    assert b"interrupted by SIG" in err
    assert _is_gone(int(pid.read_text()))
    assert not [path for path in (lrguard.session / ".lrguard").iterdir() if path.name.startswith("tmp-")]


def test_a_summary_is_asked_for_once_for_the_same_content_command_and_intent(lrguard: Program):
    first = lrguard("--summarize", COUNTING, "--intent", "a", stdin=BIG)
    assert lrguard("--summarize", COUNTING, "--intent", "a", "-n", "other", stdin=BIG).text.count(LABEL) == 1
    assert lrguard("--summarize", COUNTING, "--intent", "a", stdin=BIG).out == first.out
    assert asked(lrguard) == 1
    lrguard("--summarize", COUNTING, "--intent", "b", stdin=BIG)
    lrguard("--summarize", COUNTING + " ", "--intent", "a", stdin=BIG)
    lrguard("--summarize", COUNTING, "--intent", "a", stdin=BIG + b"more\n")
    assert asked(lrguard) == 4
    lrguard("purge", "--all")
    assert lrguard.files() == []
    lrguard("--summarize", COUNTING, "--intent", "a", stdin=BIG)
    assert asked(lrguard) == 5


def test_a_summary_that_failed_is_asked_for_again(lrguard: Program):
    command = "[ -e ready ] && echo ok"
    assert lrguard.envelope(BIG, "--summarize", command)["summary"] == "failed"
    (lrguard.home / "ready").touch()
    assert lrguard.envelope(BIG, "--summarize", command)["summary"] == "done"


def test_a_kept_summary_that_was_tampered_with_is_cleaned_and_bounded_again(lrguard: Program):
    saved = lrguard.envelope(BIG, "--summarize", "echo ok")
    record = lrguard.session / ".lrguard" / f"{saved['id']}.json"
    document = json.loads(record.read_text())
    document["summaries"][0]["text"] = "\x1b[2Jforged \u202e" + "word " * 20_000
    record.write_text(json.dumps(document))
    again = lrguard.envelope(BIG, "--summarize", "echo ok")
    assert "forged \\u202e" in again["content"]
    assert again["content_tokens"] <= 1500


def test_a_text_of_too_many_tokens_is_not_summarized(lrguard: Program):
    (lrguard.home / "lrguard.toml").write_text("[summarize]\nmax_input_tokens = 7000\n")
    assert lrguard.envelope(log(2000), "--summarize", COUNTING)["summary"] == "none"
    assert asked(lrguard) == 0


def test_a_result_little_larger_than_its_message_is_replaced_by_a_shorter_one_all_the_same(lrguard: Program):
    found = lrguard.envelope(log(80), "-t", "300", "--summarize", "yes word | head -n 5000")
    assert found["outcome"] == "offloaded"
    assert found["content_tokens"] < found["tokens"]


def test_a_long_summary_is_cut_so_that_the_message_keeps_its_bound(lrguard: Program):
    found = lrguard.envelope(BIG, "--summarize", "yes 'Some words.' | head -n 5000")
    assert found["summary"] == "done"
    assert " […]\n" in found["content"]
    assert found["content_tokens"] <= 1500


def test_an_mcp_result_is_summarized_by_its_text_and_keeps_its_shape(lrguard: Program):
    result = mcp(text_block(BIG.decode()), isError=False)
    run = lrguard("--output", "mcp", "--summarize", "grep -c '^2026'", stdin=result)
    assert f"{LABEL}\n600\n" in run.json["content"][0]["text"]
    assert run.json["isError"] is False


def test_within_the_command_everything_passes(lrguard: Program):
    command = f"{sys.executable} -m lrguard | grep -c 'handled request'"
    run = lrguard("--summarize", command, stdin=BIG, env={"LRGUARD_SUMMARIZE": command})
    assert f"{LABEL}\n600\n" in run.text


def test_results_of_a_batch_are_summarized_within_their_threshold(lrguard: Program):
    entries = [{"id": str(n), "content": (log(500 + n)).decode()} for n in range(3)]
    run = lrguard(
        "batch", "--total-threshold", "2500", "--summarize", "yes 'Some words.' | head -n 5000",
        stdin=json.dumps(entries).encode(),
    )  # fmt: skip
    answers = [json.loads(line) for line in run.text.splitlines()]
    assert sum(answer["lrguard"]["content_tokens"] for answer in answers) <= 2500
    assert all(LABEL in answer["content"] for answer in answers)
    assert {answer["lrguard"]["summary"] for answer in answers} == {"done"}


def test_failures_in_a_batch_are_noted_and_cost_nothing(lrguard: Program):
    entries = [{"id": "a", "content": BIG.decode()}, {"id": "b", "content": "small"}]
    run = lrguard("batch", "--summarize", "exit 1", stdin=json.dumps(entries).encode())
    first, second = (json.loads(line) for line in run.text.splitlines())
    assert first["lrguard"]["summary"] == "failed"
    assert second["content"] == "small"
    assert run.err.count("no summary") == 1


def test_a_command_that_fails_again_and_again_is_left_in_peace(lrguard: Program):
    entries = [{"id": str(n), "content": log(500 + n).decode()} for n in range(5)]
    command = "printf . >> calls; exit 1"
    run = lrguard("batch", "--total-threshold", "9000", "--summarize", command, stdin=json.dumps(entries).encode())
    assert asked(lrguard) == 3
    assert run.err.count("failed 3 times in a row") == 2
    assert len(lrguard.files()) == 5


def test_a_hook_summarizes_with_the_arguments_of_the_call(lrguard: Program):
    response = {"stdout": BIG.decode(), "stderr": "", "interrupted": False, "isImage": False}
    payload = {
        "session_id": "s",
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "make deploy"},
        "tool_response": response,
    }
    run = lrguard("hook", "claude-code", "--summarize", "grep '^Arguments'", stdin=json.dumps(payload).encode())
    text = run.json["hookSpecificOutput"]["updatedToolOutput"]["stdout"]
    assert f'{LABEL}\nArguments (JSON): {{"command": "make deploy"}}\n' in text
    run = lrguard("hook", "claude-code", "--summarize", "exit 1", stdin=json.dumps(payload).encode())
    assert "no summary: the command failed" in run.err


def test_a_terminal_tells_what_is_waited_for_and_is_left_clean(lrguard: Program):
    leader, follower = os.openpty()

    def take_terminal() -> None:
        os.setsid()
        fcntl.ioctl(follower, termios.TIOCSCTTY, 0)

    process = lrguard.start("--summarize", "sleep 1.3; echo ok", stderr=follower, preexec_fn=take_terminal)
    os.close(follower)
    process.communicate(BIG, timeout=20)
    shown = os.read(leader, 100_000).decode()
    os.close(leader)
    assert "waiting for a summary, 1 s of at most 60 s" in shown
    assert shown.endswith("\r")
    assert shown.removesuffix("\r").rpartition("\r")[2].strip() == ""


def test_run_summarizes_what_a_command_prints(lrguard: Program):
    (lrguard.home / "big.txt").write_bytes(BIG)
    run = lrguard("run", "--summarize", "grep '^Arguments'", "--", "cat", "big.txt")
    assert f'{LABEL}\nArguments (JSON): {{"command": ["cat", "big.txt"]}}' in run.text


# The examples of the README


class _Model(BaseHTTPRequestHandler):
    """As much of an OpenAI-compatible server as a summary takes."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        authorized = self.headers["Authorization"] == "Bearer secret" and self.path == "/v1/chat/completions"
        lines = asked["messages"][-1]["content"].count("handled request")
        message = {"role": "assistant", "content": f"{asked['model']} saw {lines} requests"}
        body = json.dumps({"object": "chat.completion", "choices": [{"index": 0, "message": message}]}).encode()
        self.send_response(200 if authorized else 401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def model() -> Iterator[str]:
    """The base URL of a model on this machine."""
    server = HTTPServer(("127.0.0.1", 0), _Model)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


def readme_block(language: str, containing: str) -> str:
    """The code block of the README in that language which contains a text."""
    blocks = README.read_text().split(f"```{language}\n")[1:]
    found = [block.split("```")[0] for block in blocks if containing in block.split("```")[0]]
    if not found:
        pytest.skip(f"the README has no {language} example with {containing}")
    return found[0]


@pytest.mark.skipif(not (shutil.which("jq") and shutil.which("curl")), reason="needs jq and curl")
@pytest.mark.parametrize(("key", "summary"), [("secret", "done"), ("wrong", "failed")])
def test_the_example_for_curl_and_jq_asks_an_openai_compatible_server(
    lrguard: Program, model: str, key: str, summary: str
):
    script = lrguard.home / "summarize.sh"
    script.write_text(readme_block("sh", "#!/bin/sh"))
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    environ = {"OPENAI_BASE_URL": model, "OPENAI_API_KEY": key, "MODEL": "small-model", "NO_PROXY": "127.0.0.1"}
    run = lrguard("--json", "--summarize", "./summarize.sh", stdin=BIG, env=environ)
    assert run.json["summary"] == summary, run.err
    if summary == "done":
        assert f"{LABEL}\nsmall-model saw 600 requests\n" in run.json["content"]
    else:
        assert "401" in run.err


def test_the_example_for_llm_runs_what_is_called_so(lrguard: Program):
    """A stand-in: the options are those that the real program has."""
    line = next(line for line in readme_block("sh", "llm -m").splitlines() if "llm -m" in line)
    programs = lrguard.home / "bin"
    programs.mkdir()
    (programs / "llm").write_text('#!/bin/sh\n[ "$1" = -m ] && echo "model $2 saw $(grep -c handled) requests"\n')
    (programs / "llm").chmod(0o755)
    command = line.split("'")[1]
    run = lrguard("--summarize", command, stdin=BIG, env={"PATH": f"{programs}:{os.environ['PATH']}"})
    assert "saw 600 requests" in run.text


def _is_gone(pid: int) -> bool:
    """Whether a process has ended; one that nobody waited for counts."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        pass
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def _wait(condition: Any, seconds: float = 10) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)
