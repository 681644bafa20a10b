"""The official MCP client, through `lrguard mcp`, to a server made with the same SDK."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests import inputs
from tests.conftest import COMMAND, Program

pytest.importorskip("mcp.server.mcpserver", reason="the MCP SDK is not installed")

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

REPOSITORY = Path(__file__).resolve().parents[2]
SERVER = [sys.executable, "-m", "tests.harness.mcp_server"]

Work = Callable[[Client], Awaitable[Any]]


def with_client(
    program: Program, work: Work, *options: str, server: list[str] = SERVER, proxy: bool = True, mode: str = "auto"
) -> Any:
    """What `work` returns, done with a client of `server`, by default the sample server."""
    command = [*COMMAND, "mcp", *options, "--", *server] if proxy else server
    environ = program.environ(PYTHONPATH=str(REPOSITORY))
    parameters = StdioServerParameters(command=command[0], args=command[1:], env=environ, cwd=program.home)

    async def session() -> Any:
        async with Client(stdio_client(parameters), mode=mode) as client:
            return await work(client)

    return asyncio.run(asyncio.wait_for(session(), 60))


def text_of(result: Any) -> str:
    return result.content[0].text


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_small_results_are_the_same_with_and_without_the_proxy(lrguard: Program, mode: str):
    async def everything(client: Client) -> list[Any]:
        calls = [("echo", {"text": "é \U0001f98a"}), ("table", {"rows": 3}), ("picture", {"size": 5}), ("echo", {})]
        return [(await client.call_tool(*call)).model_dump() for call in calls]

    assert with_client(lrguard, everything, mode=mode) == with_client(lrguard, everything, proxy=False, mode=mode)
    assert lrguard.files() == []


def test_large_results_become_messages_and_errors_stay_errors(lrguard: Program):
    async def calls(client: Client) -> list[Any]:
        wanted = [("journal", {"lines": 3000}), ("failing", {}), ("picture", {"size": 300})]
        return await asyncio.gather(*(client.call_tool(*call) for call in wanted))

    journal, failing, picture = with_client(lrguard, calls)
    assert "[lrguard] This tool result was replaced: the result of journal" in text_of(journal)
    assert len(text_of(journal)) < 10_000 and not journal.is_error
    assert failing.is_error and "the error result of failing" in text_of(failing)
    assert [block.type for block in picture.content] == ["text", "image"]
    assert picture.content[1].data == inputs.encoded(inputs.png(1, 300, 300))
    reading = [path for path in lrguard.files() if ".reading." in path.name and "journal" in path.name]
    assert reading[0].read_bytes() == inputs.log(3000)


def test_structured_content_goes_with_its_schema(lrguard: Program):
    async def work(client: Client) -> Any:
        listed = (await client.list_tools()).tools
        return listed, await client.call_tool("table", {"rows": 2000})

    listed, result = with_client(lrguard, work)
    assert len(listed) == 6 and all(tool.output_schema is None for tool in listed)
    assert result.structured_content is None and "[2000]" in text_of(result)


def test_with_the_schema_kept_structured_content_is_short_and_still_valid(lrguard: Program):
    async def work(client: Client) -> Any:
        listed = (await client.list_tools()).tools
        return listed, await client.call_tool("table", {"rows": 2000})

    listed, result = with_client(lrguard, work, "--keep-output-schema")
    assert any(tool.output_schema for tool in listed)
    rows = result.structured_content["rows"]
    assert 0 < len(rows) < 200 and rows[1]["ratio"] == 1 / 7
    assert len(json.dumps(result.structured_content)) < 5000


def test_calls_overlap_and_progress_comes_while_they_run(lrguard: Program):
    async def work(client: Client) -> Any:
        told: list[float] = []

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            told.append(progress)

        slow = asyncio.create_task(client.call_tool("slow", {"seconds": 0.6}, progress_callback=on_progress))
        quick = await client.call_tool("echo", {"text": "quick"})
        assert not slow.done()
        return text_of(quick), text_of(await slow), told

    assert with_client(lrguard, work, mode="legacy") == ("quick", "done", [0, 1, 2])


def test_own_tools_read_what_was_saved(lrguard: Program):
    async def work(client: Client) -> Any:
        listed = [tool.name for tool in (await client.list_tools()).tools]
        message = text_of(await client.call_tool("journal", {"lines": 3000}))
        calls = [
            ("lrguard_peek", {"lines": "1999:2000"}),
            ("lrguard_grep", {"pattern": "request 2345 ", "fixed": True}),
            ("lrguard_schema", {}),
            ("lrguard_peek", {"id": "/etc/passwd"}),
            ("lrguard_peek", {"lines": 5}),
            ("lrguard_grep", {"pattern": "--nothing-like-this"}),
        ]
        return listed, message, [await client.call_tool(*call) for call in calls]

    listed, message, answers = with_client(lrguard, work, "--tools")
    assert listed[-3:] == ["lrguard_peek", "lrguard_schema", "lrguard_grep"]
    assert 'lrguard_peek {"id": "' in message and "lrguard peek" not in message
    peek, grep, schema, outside, wrong, nothing = answers
    assert "request 1999 in" in text_of(peek) and "request 2001 in" not in text_of(peek)
    assert text_of(grep).startswith("2345:") or "2345:" in text_of(grep)
    assert not schema.is_error
    assert outside.is_error and "root:" not in text_of(outside)
    assert wrong.is_error and "has to be of type string" in text_of(wrong)
    assert not nothing.is_error and "no match" in text_of(nothing).lower()


def test_every_tool_of_the_reference_server_answers_the_same(lrguard: Program):
    """With `npm install @modelcontextprotocol/server-everything` in a folder that NODE_PATH names."""
    if not shutil.which("node"):
        pytest.skip("no Node here")
    found = subprocess.run(
        ["node", "-p", "require.resolve('@modelcontextprotocol/server-everything/package.json')"],
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode:
        pytest.skip("the reference server is not installed")
    server = ["node", str(Path(found.stdout.strip()).parent / "dist" / "index.js"), "stdio"]
    arguments = {
        "echo": {"message": "héllo"},
        "get-sum": {"a": 1, "b": 2},
        "get-annotated-message": {"messageType": "success", "includeImage": True},
        "get-resource-links": {"count": 3},
        "get-structured-content": {"location": "Chicago"},
    }

    async def work(client: Client) -> list[Any]:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names >= arguments.keys()
        calls = [*arguments.items(), *((name, {}) for name in ("get-tiny-image", "no-such-tool"))]
        return [(await client.call_tool(*call)).model_dump() for call in calls]

    with_proxy = with_client(lrguard, work, server=server, mode="legacy")
    assert with_proxy == with_client(lrguard, work, server=server, mode="legacy", proxy=False)
    assert lrguard.files() == []
