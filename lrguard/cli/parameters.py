"""The shared options as Typer parameters, made from the one table of options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import typer

from lrguard.options import GROUPS, OPTIONS, Option


def option(name: str) -> typer.models.OptionInfo:
    """Typer's form of one row of the table; environment variables are left to the settings."""
    return made(OPTIONS[name])


def made(row: Option) -> typer.models.OptionInfo:
    """Typer's form of an option; one of no group is a command's own."""
    info: typer.models.OptionInfo = typer.Option(
        *row.flags,
        metavar=row.metavar or None,
        help=row.described(),
        show_default=False,
        rich_help_panel=GROUPS.get(row.group),
    )
    return info


def given(values: Mapping[str, object], *besides: str) -> dict[str, object]:
    """Of a command's arguments, the options that were given; `besides` are those that are none of the table's."""
    return {
        name: value
        for name, value in values.items()
        if name not in besides and value is not None and value is not False
    }


Session = Annotated[str | None, option("session")]
ShowSession = Annotated[str | None, option("show_session")]
Tool = Annotated[str | None, option("tool")]
CallId = Annotated[str | None, option("call_id")]
OfCall = Annotated[
    str | None, typer.Option("--call-id", metavar="ID", help="The response to this tool call, in place of an id.")
]
Args = Annotated[str | None, option("args")]
Intent = Annotated[str | None, option("intent")]
Threshold = Annotated[int | None, option("threshold")]
TotalThreshold = Annotated[int | None, option("total_threshold")]
Agent = Annotated[str | None, option("agent")]
ContextWindow = Annotated[int | None, option("context_window")]
PreviewChars = Annotated[int | None, option("preview_chars")]
Encoding = Annotated[str | None, option("encoding")]
Output = Annotated[str | None, option("output")]
Json = Annotated[bool, option("json")]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print JSON, one object a line.", rich_help_panel=GROUPS["output"])
]
Media = Annotated[str | None, option("media")]
Summarize = Annotated[str | None, option("summarize")]
NoSummarize = Annotated[bool, option("no_summarize")]
SummaryTimeout = Annotated[float | None, option("summary_timeout")]
Config = Annotated[str | None, option("config")]
OnSaveError = Annotated[str | None, option("on_save_error")]
MaxTokens = Annotated[int | None, option("max_tokens")]
SavedOnly = Annotated[bool, option("saved_only")]
Quiet = Annotated[bool, option("quiet")]
