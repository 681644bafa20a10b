"""Options, environment and defaults become one frozen `Settings`.

The most specific source wins: option, environment, default. The threshold is the exception that has a rule of its own:
within one source a threshold beats a context window, which beats an agent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lrguard.errors import LrguardError
from lrguard.options import (
    ENCODINGS,
    MEDIA,
    ON_SAVE_ERROR,
    OPTIONS,
    OUTPUTS,
    PROFILES,
    WINDOW_LEAST,
    WINDOW_MOST,
    WINDOW_SHARE,
)

CHOICES = {
    "encoding": ENCODINGS,
    "output": OUTPUTS,
    "media": MEDIA,
    "on_save_error": ON_SAVE_ERROR,
    "agent": tuple(PROFILES),
}
LEAST = {"threshold": 1, "context_window": 1, "preview_chars": 0}


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that decides what becomes of one tool result."""

    session: str | None = None
    """The session directory; None: the default one of the working directory."""
    show_session: str | None = None
    tool: str | None = None
    call_id: str | None = None
    threshold: int = 6000
    preview_chars: int = 1000
    encoding: str = "o200k_base"
    output: str = "text"
    media: str = "extract"
    declared_mcp: bool = False
    """Whoever hands the result over says that it is an MCP result, or an array of content blocks."""
    on_save_error: str = "pass"
    quiet: bool = False


class BadEnvironment(LrguardError):
    """An environment variable that cannot be read: never at the cost of the tool result."""


def resolve(options: Mapping[str, object], environ: Mapping[str, str]) -> Settings:
    """The settings that `options` (by the names of the table; None: not given) and `environ` give.

    Raises LrguardError for a bad option and BadEnvironment for a bad environment value.
    """
    given = {name: value for name, value in options.items() if value is not None}
    for name, value in given.items():
        _check(name, value, OPTIONS[name].flags[-1], LrguardError)
    ambient = _from_environment(environ)
    merged = {**ambient, **given}
    threshold = _threshold(given) or _threshold(ambient) or PROFILES["root"]
    kept = {name: merged[name] for name in Settings.__slots__ if name in merged and name != "threshold"}
    if merged.get("json"):
        kept["output"] = "json"
    kept.setdefault("media", "keep" if kept.get("output") == "mcp" else "extract")
    return Settings(**kept, threshold=threshold)  # type: ignore[arg-type]


def _from_environment(environ: Mapping[str, str]) -> dict[str, object]:
    values: dict[str, object] = {}
    for name, option in OPTIONS.items():
        text = environ.get(option.environment) if option.environment else None
        if not text:
            continue
        value: object = text
        if name in LEAST:
            try:
                value = int(text)
            except ValueError:
                raise BadEnvironment(f"cannot use {option.environment}", f"{text[:80]!r} is no whole number") from None
        _check(name, value, option.environment, BadEnvironment)
        values[name] = value
    return values


def _check(name: str, value: object, written: str, error: type[LrguardError]) -> None:
    if name in LEAST and isinstance(value, int) and value < LEAST[name]:
        raise error(f"cannot use {written}", f"{value} is too small", f"give {LEAST[name]} or more")
    if name in CHOICES and value not in CHOICES[name]:
        raise error(f"cannot use {written}", f"there is no {str(value)[:80]!r}", f"use {' or '.join(CHOICES[name])}")


def _threshold(source: Mapping[str, object]) -> int | None:
    """The threshold that one source of settings gives, None where it says nothing of it."""
    threshold, window, agent = source.get("threshold"), source.get("context_window"), source.get("agent")
    if isinstance(threshold, int):
        return threshold
    if isinstance(window, int):
        return min(max(int(window * WINDOW_SHARE), WINDOW_LEAST), WINDOW_MOST)
    return PROFILES[str(agent)] if agent is not None else None
