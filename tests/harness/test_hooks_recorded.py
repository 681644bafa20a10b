"""Every recorded payload is answered as the host was seen to accept it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lrguard.harness.call import OtherEventError
from tests import inputs
from tests.harness.hook_calls import LARGE, RECORDED, SMALL, Hooks, hooks, is_message, lines

__all__ = ["hooks"]

OTHER_EVENTS = [
    "claude-PostToolBatch-Bash", "claude-PostToolUseFailure-Bash", "claude-PostToolUseFailure-Bash-big",
    "claude-PostToolUseFailure-mcp", "claude-PreToolUse-Bash", "codex-PreToolUse-Bash",
    "copilot-PascalCase-PreToolUse-Bash",
    "copilot-postToolUseFailure-mcp", "copilot-preToolUse-bash", "gemini-BeforeTool-run_shell_command",
    "opencode-tool.execute.before-bash",
]  # fmt: skip

ALWAYS_SMALL = [
    "claude-PostToolUse-Bash-background", "claude-PostToolUse-Bash-grepnomatch", "claude-PostToolUse-Bash-timedout",
    "claude-PostToolUse-mcp-image", "claude-PostToolUse-mcp-resources", "codex-PostToolUse-Bash-yielded-tail",
    "codex-PostToolUse-apply_patch", "codex-PostToolUse-mcp-image", "codex-PostToolUse-mcp-resources",
    "gemini-AfterTool-mcp-image", "gemini-AfterTool-mcp-resources", "gemini-AfterTool-run_shell_command-tail",
    "gemini-AfterTool-read_file-via-tailToolCall", "copilot-postToolUse-bash-spilled",
    "copilot-postToolUse-mcp-structured-spilled",
]  # fmt: skip

RESULTS = sorted({path.stem for path in RECORDED.glob("*.json")} - set(OTHER_EVENTS))
REPLACED = [name for name in RESULTS if name not in ALWAYS_SMALL]


def replacement(payload: Any, answer: Any) -> str:
    """What the model reads, by what was measured of each host; fails where the host would not take the answer."""
    if "toolResult" in payload or "tool_result" in payload:
        assert list(answer) == ["modifiedResult"]
        assert answer["modifiedResult"]["resultType"] == "success"
        return str(answer["modifiedResult"]["textResultForLlm"])
    if "input" in payload:
        assert list(answer) == ["output"]
        output = answer["output"]
        if "content" in payload["output"]:
            assert list(output) == ["content"]
            return str(output["content"][0]["text"])
        return str(output["output"])
    if payload["hook_event_name"] == "AfterTool":
        assert set(answer) == {"decision", "reason"} and answer["decision"] == "deny"
        return str(answer["reason"])
    if "turn_id" in payload:
        assert set(answer) == {"continue", "stopReason", "reason"} and answer["continue"] is False
        assert len(answer["reason"].encode()) <= 10_000
        return str(answer["reason"])
    assert list(answer) == ["hookSpecificOutput"]
    assert set(answer["hookSpecificOutput"]) == {"hookEventName", "updatedToolOutput"}
    assert answer["hookSpecificOutput"]["hookEventName"] == "PostToolUse"
    given, output = payload["tool_response"], answer["hookSpecificOutput"]["updatedToolOutput"]
    assert type(output) is type(given)
    if isinstance(given, str):
        return str(output)
    if isinstance(given, list):
        return str(output[0]["text"])
    assert output.keys() == given.keys() - {"persistedOutputPath", "persistedOutputSize"}
    return str(output["file"]["content"] if "file" in output else output["stdout"])


def test_all_recordings_are_accounted_for() -> None:
    assert set(OTHER_EVENTS) <= {path.stem for path in RECORDED.glob("*.json")}
    assert set(ALWAYS_SMALL) <= set(RESULTS) and len(REPLACED) > 25


@pytest.mark.parametrize("name", OTHER_EVENTS)
def test_other_events_are_left_alone(hooks: Hooks, name: str) -> None:
    with pytest.raises(OtherEventError):
        hooks.ask(hooks.recorded(name))
    assert not hooks.saved()


@pytest.mark.parametrize("name", RESULTS)
def test_small_results_are_met_with_silence(hooks: Hooks, name: str) -> None:
    assert hooks.ask(hooks.recorded(name, more=SMALL)) is None
    assert not hooks.saved()


@pytest.mark.parametrize("name", ALWAYS_SMALL)
def test_notices_and_short_results_stay_as_they_are(hooks: Hooks, name: str) -> None:
    assert hooks.ask(hooks.recorded(name, more=1)) is None


@pytest.mark.parametrize("name", REPLACED)
def test_a_large_result_is_replaced_in_the_host_s_own_shape(hooks: Hooks, name: str) -> None:
    payload = hooks.recorded(name)
    text = replacement(payload, hooks.ask(payload))
    text = text.split("not an error of the call.\n", 1)[-1]
    assert is_message(text)
    [saved] = [path for path in hooks.saved() if ".reading." not in path.name]
    assert f"Saved: {saved}\n" in text
    assert lines(LARGE).encode() in saved.read_bytes() or name.endswith("mcp-error") or "structured" in name


@pytest.mark.parametrize("name", ["claude-PostToolUse-Bash", "codex-PostToolUse-mcp", "copilot-postToolUse-bash"])
def test_the_payload_s_shape_decides_and_not_the_command_line(hooks: Hooks, name: str) -> None:
    # Which host is named is not even known here.
    payload = hooks.recorded(name)
    assert is_message(replacement(payload, hooks.ask(payload)))


def test_copilot_gets_its_own_names_for_hooks_of_claude_s_settings(hooks: Hooks) -> None:
    answer = hooks.ask(hooks.recorded("copilot-claudesettings-PostToolUse-Bash"))
    assert answer["modifiedResult"].keys() == {"resultType", "textResultForLlm"}


def test_claude_images_stay_and_texts_become_one_message(hooks: Hooks) -> None:
    payload = hooks.recorded("claude-PostToolUse-mcp-image")
    payload["tool_response"][0]["text"] = lines(LARGE)
    image = payload["tool_response"][1]
    output = hooks.ask(payload)["hookSpecificOutput"]["updatedToolOutput"]
    assert is_message(output[0]["text"]) and output[1:] == [image]


@pytest.mark.parametrize("name", ["codex-PostToolUse-mcp-image", "gemini-AfterTool-mcp-image"])
def test_where_only_text_can_be_answered_images_become_files(hooks: Hooks, name: str) -> None:
    payload = hooks.recorded(name)
    parts = payload["tool_response"].get("content") or payload["tool_response"]["llmContent"]
    parts[0]["text"] = lines(LARGE)
    big = json.loads(json.dumps(parts).replace("iVBORw0KGgo", "iVBORw0KGgo" + "AAAA" * 100))
    parts[:] = big
    text = replacement(payload, hooks.ask(payload))
    assert "Assets taken out: 1" in text
    assert list(hooks.sessions.rglob("downloads/assets/*.png"))


def test_opencode_s_other_members_are_not_touched(hooks: Hooks) -> None:
    answer = hooks.ask(hooks.recorded("opencode-tool.execute.after-bash"))
    assert list(answer["output"]) == ["output"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("opencode-tool.execute.after-bash-exit3", "The command failed: exit status 3."),
        ("copilot-postToolUse-bash-exit3", "The command failed: exit status 3."),
        ("gemini-AfterTool-run_shell_command-exit3", "The command failed: exit status 3."),
        ("gemini-AfterTool-mcp-error", "the error result of mcp_lab_biglist"),
        ("codex-PostToolUse-Bash-truncated", "partial: Codex had cut it"),
        ("codex-PostToolUse-Bash-truncated-unknownmodel", "partial: Codex had cut it"),
        ("claude-PostToolUse-Bash-persisted", "partial: the beginning"),
        ("opencode-tool.execute.after-bash-truncated", "partial: OpenCode had cut it"),
    ],
)
def test_the_message_says_what_the_host_knows(hooks: Hooks, name: str, said: str) -> None:
    payload = hooks.recorded(name)
    assert said in replacement(payload, hooks.ask(payload))


def test_gemini_is_told_that_the_result_is_no_error(hooks: Hooks) -> None:
    reason = hooks.ask(hooks.recorded("gemini-AfterTool-run_shell_command"))["reason"]
    assert reason.startswith("The tool ran;")
    assert "<untrusted_context>" not in reason and "Output: bash line" not in reason
    failed = hooks.ask(hooks.recorded("gemini-AfterTool-mcp-error"))["reason"]
    assert failed.startswith("[lrguard] ")


def test_older_claude_payloads_have_no_prompt_id(hooks: Hooks) -> None:
    payload = hooks.recorded("claude-PostToolUse-Bash")
    del payload["prompt_id"], payload["effort"], payload["duration_ms"]
    assert is_message(replacement(payload, hooks.ask(payload)))


def test_a_sub_agent_has_its_own_profile(hooks: Hooks) -> None:
    payload = hooks.recorded("claude-PostToolUse-Bash", more=600)
    assert hooks.ask(payload) is not None
    payload = hooks.recorded("claude-PostToolUse-Bash", more=600, agent_id="a1", agent_type="Explore")
    assert hooks.ask(payload) is None
    assert hooks.ask(hooks.recorded("claude-PostToolUse-Bash", agent_id="a2"), threshold=300) is not None


def test_cursor_replaces_results_of_mcp_tools_alone(hooks: Hooks) -> None:
    common = {"conversation_id": "c1", "cursor_version": "2026.09.18", "hook_event_name": "postToolUse", "duration": 5}
    result = {"content": [{"type": "text", "text": lines(LARGE)}]}
    mcp = {**common, "tool_name": "MCP:search", "tool_output": json.dumps(result)}
    output = hooks.ask(mcp)["updated_mcp_tool_output"]
    assert [block["type"] for block in output["content"]] == ["text"] and is_message(output["content"][0]["text"])
    shell = {**common, "tool_name": "Shell", "tool_output": json.dumps({"output": lines(LARGE), "exitCode": 0})}
    assert hooks.ask(shell) is None
    with pytest.raises(OtherEventError):
        hooks.ask({**mcp, "hook_event_name": "afterMCPExecution"})


def test_codex_is_not_given_the_data_of_an_embedded_resource(hooks: Hooks):
    payload = hooks.recorded("codex-PostToolUse-mcp-resources")
    blob = inputs.encoded(b"%PDF-1.7\n" + inputs.random_bytes(60_000))
    resource = {"uri": "file:///report.pdf", "mimeType": "application/pdf", "blob": blob}
    payload["tool_response"]["content"].append({"type": "resource", "resource": resource})
    reason = hooks.ask(payload)["reason"]
    (file,) = hooks.sessions.rglob("assets/*.pdf")
    assert str(file) in reason and "embedded text" in reason and blob[:100] not in reason


@pytest.mark.parametrize("rows", [SMALL, LARGE])
def test_data_of_an_embedded_resource_becomes_a_file_in_whatever_array_of_blocks(hooks: Hooks, rows: int) -> None:
    blob = inputs.encoded(b"%PDF-1.7\n" + inputs.random_bytes(60_000))
    resource = {"uri": "file:///report.pdf", "mimeType": "application/pdf", "blob": blob}
    picture = inputs.image_block(inputs.png(1, 200, 200))
    blocks = [inputs.text_block(lines(rows)), {"type": "resource", "resource": resource}, picture]
    opencode = hooks.recorded("opencode-tool.execute.after-mcp")
    opencode["output"]["content"] = blocks
    cursor = {"hook_event_name": "postToolUse", "tool_name": "MCP:t", "conversation_id": "c", "tool_output": blocks}
    for payload, members in ((opencode, ("output",)), (cursor, ("updated_mcp_tool_output",))):
        answer = hooks.ask(payload)
        content = answer[members[0]]["content"]
        (file,) = (path for path in hooks.sessions.rglob("assets/*.pdf") if str(path) in json.dumps(content))
        assert content[-1] == picture and all(block["type"] in ("text", "image") for block in content)
        assert is_message(content[0]["text"]) if rows == LARGE else content[0] == blocks[0]
        if payload is opencode:
            payload["output"] = {"content": content}
            assert hooks.ask(payload) is None
    assert file.read_bytes().startswith(b"%PDF-1.7")


def test_an_embedded_resource_without_data_or_with_next_to_none_stays(hooks: Hooks) -> None:
    payload = hooks.recorded("opencode-tool.execute.after-mcp", SMALL)
    for resource in ({"uri": "file:///x", "blob": "QUJD"}, {"uri": "file:///x", "blob": 5}, "text"):
        payload["output"]["content"].append({"type": "resource", "resource": resource})
    assert hooks.ask(payload) is None and hooks.saved() == []
