"""The program as a host runs it: status, streams, hostile input, what it prints to paste, and OpenCode's plugin."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from lrguard.harness import hook
from lrguard.harness.call import OtherEventError
from lrguard.harness.hosts import NAMES
from tests.conftest import COMMAND, Program
from tests.harness.hook_calls import RECORDED, lines

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
) + bytes(300)


def bash(text: str, **changes: Any) -> bytes:
    payload = json.loads((RECORDED / "claude-PostToolUse-Bash.json").read_text()) | changes
    payload["tool_response"]["stdout"] = text
    return json.dumps(payload).encode()


@pytest.mark.parametrize("asked", ["strict", "parse_float"])
def test_a_json_scanner_that_asks_for_more_than_it_is_told_is_done_without(
    asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(hook._Scanning, asked)
    assert hook._loaded('{"a": [1.5, "\t"]}') == {"a": [1.5, "\t"]}


def test_a_small_result_is_silence_and_leaves_nothing(lrguard: Program) -> None:
    run = lrguard("hook", "claude-code", stdin=bash("ok\n" * 50))
    assert (run.out, run.err, lrguard.session.exists()) == (b"", "", False)


def test_a_large_result_is_answered_and_can_be_looked_at(lrguard: Program) -> None:
    text = lines(900)
    run = lrguard("hook", "claude-code", stdin=bash(text))
    message = run.json["hookSpecificOutput"]["updatedToolOutput"]["stdout"]
    assert run.err == "" and "of Bash has" in message
    assert lrguard("peek", "--raw", "last", "-q").out == text.encode()


def test_without_a_named_session_each_host_session_has_its_own(lrguard: Program) -> None:
    for session in ("abc-1", "../../evil/\x07" + "x" * 300):
        run = lrguard("hook", "claude-code", stdin=bash(lines(900), session_id=session), env={"LRGUARD_SESSION": ""})
        assert run.out
    hosts = lrguard.home / ".local" / "state" / "lrguard" / "hosts"
    assert sorted(path.name for path in hosts.iterdir())[-1] == "claude-code-abc-1"
    assert len(list(hosts.iterdir())) == 2


@pytest.mark.parametrize(
    "data",
    [
        b"", b"  \n", b"{", b"nonsense", b"[1, 2]", b"null", b'"text"', b"\xff\xfe{}", b'{"a": 1} x', b"{}",
        b"[" * 200_000, b'{"a":' * 100_000, b'{"hook_event_name": "Stop"}', b'{"hook_event_name": 7}',
        b'{"hook_event_name": "PostToolUse", "tool_name": {}, "tool_response": 1e999, "turn_id": []}',
        b'{"hook_event_name": "AfterTool", "tool_response": {"llmContent": [[[]]]}}',
        b'{"toolResult": []}', b'{"input": {"sessionID": 1, "tool": 2}, "output": 3}', b'{"n": ' + b"9" * 10_000 + b"}",
    ],
)  # fmt: skip
def test_what_is_no_result_of_a_tool_is_silence_or_one_known_error(data: bytes) -> None:
    try:
        assert hook.answer(data, {}, {"HOME": "/nowhere"}, lambda call, room: None) == b""
    except OtherEventError as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize("data", [b"", b"nonsense", b"[" * 200_000, b'{"hook_event_name": "Stop\\n\x1b"}'])
@pytest.mark.parametrize("words", [[], ["-q"]])
def test_whatever_arrives_the_status_is_0_and_one_line_says_why(
    lrguard: Program, words: list[str], data: bytes
) -> None:
    run = lrguard("hook", "codex", *words, stdin=data, status=0)
    assert run.out == b"" and run.err.count("\n") == 1 and run.err.startswith("lrguard: the hook's input is left alone")


def test_a_huge_payload(lrguard: Program) -> None:
    run = lrguard("hook", "claude-code", stdin=bash("0123456789 abcdef\n" * 1_000_000))
    message = run.json["hookSpecificOutput"]["updatedToolOutput"]["stdout"]
    assert len(message) < 10_000
    [saved] = lrguard.files()
    assert saved.stat().st_size == 18 * 1_000_000


@pytest.mark.parametrize(
    "words", [["nope"], [], ["codex", "--bogus"], ["codex", "-t", "0"], ["codex", "extra"], ["codex", "--agent", "x"]]
)
def test_bad_options_are_status_1(lrguard: Program, words: list[str]) -> None:
    run = lrguard("hook", *words, stdin=bash(lines(900)), status=1)
    assert run.out == b"" and run.err.startswith("lrguard: ")


@pytest.mark.parametrize("words", [[], ["-q"]])
def test_a_bad_environment_is_said_and_changes_nothing(lrguard: Program, words: list[str]) -> None:
    run = lrguard("hook", "codex", *words, stdin=bash(lines(900)), env={"LRGUARD_THRESHOLD": "many"}, status=1)
    assert run.out == b"" and "LRGUARD_THRESHOLD" in run.err


def test_what_cannot_be_saved_stays_as_it_is(lrguard: Program) -> None:
    lrguard.session.write_text("a file in its place")
    run = lrguard("hook", "claude-code", stdin=bash(lines(900)))
    assert run.out == b"" and run.err.startswith("lrguard: cannot save")


def test_a_summarizer_s_own_hooks_do_nothing(lrguard: Program) -> None:
    assert lrguard("hook", "claude-code", stdin=bash(lines(900)), env={"LRGUARD_NESTED": "1"}).out == b""


def test_switched_off_is_silence(lrguard: Program) -> None:
    (lrguard.home / "lrguard.toml").write_text("[large_tool_response]\nenabled = false\n")
    assert lrguard("hook", "claude-code", stdin=bash(lines(900))).out == b""


def test_base64_in_a_small_result_becomes_a_file(lrguard: Program) -> None:
    text = "<img src='data:image/png;base64," + base64.b64encode(PNG).decode() + "'>"
    stdout = lrguard("hook", "claude-code", stdin=bash(text)).json["hookSpecificOutput"]["updatedToolOutput"]["stdout"]
    assert stdout.startswith("<img src='[asset: ") and "image/png" in stdout


def test_an_answer_never_is_what_the_host_would_cut(lrguard: Program) -> None:
    # With its image taken out it has under 6,000 tokens but over the 10,000 bytes that Codex takes.
    payload = json.loads((RECORDED / "codex-PostToolUse-Bash.json").read_text())
    image = "data:image/png;base64," + base64.b64encode(PNG).decode()
    payload["tool_response"] = "some words of prose that cost few tokens each " * 300 + image
    reason = lrguard("hook", "codex", stdin=json.dumps(payload).encode()).json["reason"]
    assert reason.startswith("[lrguard] ") and len(reason.encode()) <= 10_000


def test_lone_surrogates_do_no_harm(lrguard: Program) -> None:
    run = lrguard("hook", "claude-code", stdin=bash("\ud800 " + lines(900)))
    assert run.json and b"\\ud800" not in run.out


@pytest.mark.parametrize("host", NAMES)
def test_what_is_to_be_pasted(lrguard: Program, host: str) -> None:
    run = lrguard("hook", host, "--print-config")
    assert f"lrguard hook {host}" in run.text or '["hook", "opencode"]' in run.text
    assert "LRGUARD_SAVED_ONLY" in run.text
    assert all(f"lrguard {name}" in run.text or f'"{name}"' in run.text for name in ("peek", "schema", "grep"))
    assert any(letter.isdigit() for letter in run.text + run.err)  # from which version on
    if host == "claude-code":
        assert run.json["hooks"]["PostToolUse"][0]["matcher"] == "^(Bash|mcp__.*)$"
    if host == "codex":
        assert tomllib.loads(run.text)["hooks"]["PostToolUse"][0]["hooks"][0]["command"] == "lrguard hook codex"


def test_terminals_are_told_what_to_do(lrguard: Program) -> None:
    controller, terminal = os.openpty()
    run = subprocess.run(
        [*COMMAND, "hook", "codex"], stdin=terminal, capture_output=True, env=lrguard.environ(), timeout=20, check=False
    )
    os.close(controller)
    os.close(terminal)
    assert run.returncode == 1 and b"--print-config" in run.stderr


@pytest.mark.skipif(not shutil.which("node"), reason="there is no Node")
def test_the_plugin_of_opencode_run_by_node(lrguard: Program, tmp_path: Path) -> None:
    binaries = tmp_path / "bin"
    binaries.mkdir()
    (binaries / "lrguard").write_text(f'#!/bin/sh\nexec {sys.executable} -m lrguard "$@"\n')
    (binaries / "lrguard").chmod(0o755)
    (tmp_path / "lrguard.mjs").write_bytes(lrguard("hook", "opencode", "--print-config").out)
    (tmp_path / "host.mjs").write_text(
        """
        import { Lrguard } from "./lrguard.mjs"
        import { readFileSync } from "node:fs"
        const hooks = await Lrguard({})
        const results = []
        for (const { input, output } of JSON.parse(readFileSync(0, "utf8"))) {
          await hooks["tool.execute.after"](input, output)
          results.push(output)
        }
        results.push(process.env.LRGUARD_SAVED_ONLY)
        console.log(JSON.stringify(results))
        """
    )
    built_in = {"title": "t", "metadata": {"output": "shown", "exit": 3}, "output": lines(900)}
    mcp = {
        "content": [{"type": "image", "data": "AAAA", "mimeType": "image/png"}, {"type": "text", "text": lines(900)}]
    }
    small = {"title": "t", "metadata": {}, "output": "small"}
    odd = {"something": "else"}
    calls = [
        {"input": {"tool": "bash", "sessionID": "ses_1", "callID": f"call_{number}", "args": {}}, "output": output}
        for number, output in enumerate((built_in, mcp, small, odd))
    ]

    def run_by_node(path: str) -> Any:
        done = subprocess.run(
            ["node", "host.mjs"],
            input=json.dumps(calls),
            capture_output=True,
            text=True,
            cwd=tmp_path,
            timeout=60,
            check=True,
            env=lrguard.environ(PATH=path),
        )
        return json.loads(done.stdout)

    replaced, blocks, unchanged, left, saved_only = run_by_node(f"{binaries}:{os.environ['PATH']}")
    assert replaced["output"].startswith("[lrguard] ") and "exit status 3" in replaced["output"]
    assert replaced["metadata"] == built_in["metadata"]
    assert blocks["content"][0] == mcp["content"][0] and blocks["content"][1]["text"].startswith("[lrguard] ")
    assert (unchanged, left, saved_only) == (small, odd, "1")
    (binaries / "lrguard").unlink()
    assert run_by_node(f"{binaries}:/usr/bin:/bin")[0] == built_in
