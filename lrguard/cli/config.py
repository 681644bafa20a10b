"""`lrguard config` and `lrguard trust`: the effective settings and their sources; approval of a configuration."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated

import typer

from lrguard.cli import parameters as p
from lrguard.cli import streams
from lrguard.cli.app import application
from lrguard.configuration.discovery import PROJECT, project_file
from lrguard.configuration.layer import Entry, Origin
from lrguard.configuration.load import Project, read_project
from lrguard.configuration.quantities import written
from lrguard.errors import DONE, LrguardError
from lrguard.intake.sanitize import escaped
from lrguard.session.location import default_session
from lrguard.settings import gather

configuring = application()
trusting = application()

SHOWN = (
    "enabled", "session", "show_session", "tool", "agent", "threshold", "total_threshold", "preview_chars", "encoding",
    "output", "media", "on_save_error", "summarize", "summary_timeout", "max_input_tokens", "older_than", "keep_bytes",
)  # fmt: skip
"""The settings in the order in which they are shown, by the names that `--json` has."""


@configuring.command(help="Print every effective setting and where it comes from.")
def config(
    session: p.Session = None,
    show_session: p.ShowSession = None,
    tool: p.Tool = None,
    threshold: p.Threshold = None,
    agent: p.Agent = None,
    context_window: p.ContextWindow = None,
    total_threshold: p.TotalThreshold = None,
    preview_chars: p.PreviewChars = None,
    encoding: p.Encoding = None,
    output: p.Output = None,
    json: p.AsJson = False,
    media: p.Media = None,
    on_save_error: p.OnSaveError = None,
    summarize: p.Summarize = None,
    no_summarize: p.NoSummarize = False,
    summary_timeout: p.SummaryTimeout = None,
    config: p.Config = None,
    quiet: p.Quiet = False,
) -> int:
    """Print the settings."""
    given = p.given(locals(), "json")
    sources = gather(given, os.environ)
    settings = sources.settings()
    streams.notes(settings.notes, quiet=quiet)
    rows = _rows(sources.entries())
    if json:
        import json as _json

        described = {name: _described(*row) for name, row in rows.items()}
        document = {"settings": described, "files": sources.loaded.files, "notes": settings.notes}
        streams.write(_json.dumps(document).encode() + b"\n")
        return DONE
    width, most = max(map(len, rows)), max(min(len(_shown(value)), 40) for value, _ in rows.values())
    for name, (value, origin) in rows.items():
        streams.write(f"{name:{width}}  {_shown(value):{most}}  {_from(origin)}\n".encode("utf-8", "replace"))
    return DONE


@trusting.command(
    help="""Approve a configuration of a working tree, by default the one that holds here, as it is now: what it names
as a command, a retention and a session elsewhere counts from then on, until the file changes.""",
)
def trust(
    file: Annotated[str | None, typer.Argument(metavar="[FILE]", help="The configuration to approve.")] = None,
    revoke: Annotated[bool, typer.Option("--revoke", help="Take the approval back.")] = False,
) -> int:
    """Approve a configuration, and show what that allows."""
    from lrguard.configuration.trust import approve
    from lrguard.configuration.trust import revoke as take_back

    path = file or project_file(_here())
    if path is None:
        raise LrguardError(f"there is no {PROJECT} here", remedy="name the file to approve")
    if revoke:
        folder, name = os.path.split(os.path.abspath(path))
        path = os.path.join(os.path.realpath(folder), name)
        said = "no longer approved" if take_back(path, os.environ) else "was not approved"
        streams.write(f"{_one_line(path)}: {said}\n".encode("utf-8", "replace"))
        return DONE
    project = read_project(path, os.environ)
    if project is None:
        raise LrguardError(f"cannot approve {path}", "it belongs to another user")
    if project.guarded:
        approve(project.file, project.approved, os.environ)
    streams.write(_approval(project).encode("utf-8", "replace"))
    return DONE


def _approval(project: Project) -> str:
    """What was approved, on lines that nothing in the file can forge."""
    file = _one_line(project.file)
    if not project.guarded:
        return f"{file}: nothing in it needs an approval\n"
    lines = [f"{entry.origin.name} = {_shown(_plain(entry.value))}" for entry in project.guarded.values()]
    return f"approved {file}, as long as it does not change:\n" + "".join(f"  {line}\n" for line in lines)


def _rows(entries: Mapping[str, Entry]) -> dict[str, tuple[object, Origin]]:
    """What is shown of each setting: its value as JSON can have it, and where it comes from."""
    from lrguard.configuration.layer import DEFAULT
    from lrguard.settings import Settings

    defaults = Settings()
    rows = {}
    for name in SHOWN:
        entry = entries.get(name) or Entry(getattr(defaults, name, None), Origin(DEFAULT))
        value = _plain(entry.value)
        if name == "session" and value is None:
            value = default_session(os.environ, _here())
        rows[name] = (os.path.abspath(str(value)) if name == "session" else value, entry.origin)
    return rows


def _here() -> str:
    try:
        return os.getcwd()
    except OSError as error:
        raise LrguardError("cannot tell the working directory", error.strerror or str(error)) from None


def _plain(value: object) -> object:
    return written(value) if isinstance(value, timedelta) else value


def _described(value: object, origin: Origin) -> dict[str, object]:
    return {"value": value, "source": origin.source, "name": origin.name or None, "file": origin.file or None}


def _from(origin: Origin) -> str:
    parts = [origin.name or origin.source, *([f"in {origin.file}"] if origin.file else [])]
    return _one_line(" ".join(parts))


def _shown(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else _one_line(str(value))


def _one_line(text: str) -> str:
    """Text with everything that is no plain character as an escape. Nothing is dropped: a shell reads it all."""
    return "".join(char if char.isprintable() else escaped(char) for char in text.replace("\\", "\\\\"))
