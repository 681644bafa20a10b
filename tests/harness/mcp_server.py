"""A small MCP server made with the official SDK, for tests to start."""

from __future__ import annotations

import asyncio
import sys

from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel

from tests import inputs

server = MCPServer("sample")


class Row(BaseModel):
    number: int
    name: str
    ratio: float


class Table(BaseModel):
    title: str
    rows: list[Row]


@server.tool()
def echo(text: str) -> str:
    """Say it again."""
    return text


@server.tool()
def journal(lines: int) -> str:
    """A log."""
    return inputs.log(lines).decode()


@server.tool()
def table(rows: int) -> Table:
    """Rows with a declared schema."""
    return Table(title="t", rows=[Row(number=n, name=f"row {n}", ratio=n / 7) for n in range(rows)])


@server.tool(structured_output=False)
def picture(size: int) -> list[object]:
    """A caption and an image."""
    return ["look at this", Image(data=inputs.png(1, size, size), format="png")]


@server.tool()
def failing() -> str:
    """Fails at length."""
    raise ToolError(inputs.log(3000).decode())


@server.tool()
async def slow(seconds: float, context: Context) -> str:
    """Takes its time, and tells how far it is."""
    for step in range(3):
        await context.report_progress(step, 3, f"step {step}")
        await asyncio.sleep(seconds / 3)
    return "done"


if __name__ == "__main__":
    sys.stderr.write("the sample server starts\n")
    server.run("stdio")
