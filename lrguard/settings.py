"""Options, environment, configuration and defaults become one frozen `Settings`.

The most specific source wins: option, environment, configuration (the tool's part, then the agent's, then the general
one), default. The threshold has a rule of its own: within one source a threshold beats a context window, which beats an
agent; and a profile that is named beats the general number.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import timedelta

from lrguard.configuration.given import from_environment, from_options
from lrguard.configuration.layer import DEFAULT, Configuration, Entry, Layer, Origin
from lrguard.configuration.load import Loaded, load
from lrguard.errors import ConfigurationError, LrguardError
from lrguard.options import PROFILES, WINDOW_LEAST, WINDOW_MOST, WINDOW_SHARE
from lrguard.records import dataclass
from lrguard.session.keeping import KEEP_BYTES, KEEP_DAYS

ROOT = "root"
"""The profile in force where none is named."""


@dataclass(frozen=True, slots=True)
class Retention:
    """What leaves a session after a save: what was last seen longer ago, and the oldest beyond so many bytes."""

    older_than: timedelta | None = None
    keep_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that decides what becomes of one tool result."""

    session: str | None = None
    """The session directory; None: nobody named one, so it is the default one of the working directory."""
    show_session: str | None = None
    tool: str | None = None
    call_id: str | None = None
    args: str | None = None
    """The call's arguments, a JSON text, for the prompt of a summary alone; so is `intent`."""
    intent: str | None = None
    agent: str = ROOT
    enabled: bool = True
    """Whether anything is done at all; False: every result passes untouched."""
    threshold: int = 6000
    total_threshold: int = 6000
    preview_chars: int = 1000
    encoding: str = "o200k_base"
    output: str = "text"
    media: str = "extract"
    declared_mcp: bool = False
    """Whoever hands the result over says that it is an MCP result, or an array of content blocks."""
    keeps_schema: bool = False
    """Structured content stays as its tool's schema has it, in a short form, since somebody may check."""
    offers_tools: bool = False
    """Who reads a message has lrguard's own MCP tools, and perhaps no shell."""
    on_save_error: str = "pass"
    combined: int | None = None
    """The combined threshold, where that is why a result is offloaded."""
    summarize: str | Callable[[str], str] | None = None
    """The shell command that summarizes, or a function from a prompt to a summary; None: nothing does.

    A function is called as it is: its time limit is its own.
    """
    summary_timeout: float = 60.0
    """Seconds."""
    summary_tokens: int = 1000
    """Tokens that a summary may have in a message (contract, section 8); fewer where room is scarce."""
    max_input_tokens: int = 100_000
    """Tokens of a text that is still summarized."""
    retention: Retention | None = None
    """None: the session keeps everything, as one does that somebody named."""
    quiet: bool = False
    notes: tuple[str, ...] = ()
    """What to tell on standard error: what a configuration says and was not heeded."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Everything that speaks of the settings, read once: what one call asks of them, and what a thousand ask."""

    given: Layer
    ambient: Layer
    loaded: Loaded
    defaults: Layer

    def settings(self, *, tool: str | None = None) -> Settings:
        """The settings for a result of `tool`, by default of the one that option or environment name."""
        values = {name: entry.value for name, entry in self.entries(tool=tool).items()}
        older_than, keep_bytes = values.pop("older_than", None), values.pop("keep_bytes", None)
        if older_than is not None or keep_bytes is not None:
            values["retention"] = Retention(older_than, keep_bytes)  # type: ignore[arg-type]
        return Settings(**values, notes=tuple(self._notes()))  # type: ignore[arg-type]

    def entries(self, *, tool: str | None = None) -> dict[str, Entry]:
        """Every value and where it comes from, by the names of the settings; of retention its two parts."""
        named_tool = Entry(tool, Origin(DEFAULT)) if tool else _first("tool", (self.given, self.ambient))
        agent = _first("agent", (self.given, self.ambient))
        says = self.loaded.configuration
        parts = (
            says.for_tool(str(named_tool.value) if named_tool else None),
            says.for_agent(str(agent.value) if agent else ROOT),
            says.general,
        )
        layers = (self.given, self.ambient, *parts)
        below = (*parts, self.defaults)
        entries = {name: entry for name in _NAMES if (entry := _first(name, (*layers, self.defaults)))}
        named = _threshold(self.given, says) or _threshold(self.ambient, says)
        entries["threshold"] = named or _first("threshold", below) or _ROOT_THRESHOLD
        if named_tool:
            entries["tool"] = named_tool
        entries.setdefault("media", _media(entries.get("output")))
        entries["summarize"] = _summarizer(layers)
        if "session" not in entries:
            entries = _RETENTION | entries
        return entries

    def _notes(self) -> Iterator[str]:
        """What a configuration says and was not heeded, but for what options or environment say anyway."""
        if self.loaded.foreign:
            yield f"{self.loaded.foreign} is not read: it belongs to another user"
        ignored = [entry for name, entry in self.loaded.ignored.items() if not _first(name, (self.given, self.ambient))]
        if ignored:
            keys = ", ".join(entry.origin.name for entry in ignored)
            yield f"{ignored[0].origin.file}: {keys} ignored: not approved; `lrguard trust` shows and approves it"


def gather(
    options: Mapping[str, object],
    environ: Mapping[str, str],
    *,
    cwd: str | None = None,
    defaults: Mapping[str, object] | None = None,
) -> Sources:
    """What `options` (by the names of their table; None: not given), the environment and the configuration say.

    `cwd` is where the search for a configuration begins, else the working directory; `defaults` are a command's own,
    by the names of the settings. Raises LrguardError for a bad option, and ConfigurationError for a value in the
    environment or a configuration that cannot be used, and for arguments of a call that are no JSON.
    """
    given, ambient = from_options(options), from_environment(environ)
    named = _first("config", (given, ambient))
    loaded = load(str(named.value) if named else None, environ, cwd or _working_directory())
    _check_agent(given, loaded.configuration, LrguardError)
    _check_agent(ambient, loaded.configuration, ConfigurationError)
    own = {name: Entry(value, Origin(DEFAULT)) for name, value in (defaults or {}).items()}
    return Sources(given, ambient, loaded, own)


def resolve(
    options: Mapping[str, object],
    environ: Mapping[str, str],
    *,
    cwd: str | None = None,
    defaults: Mapping[str, object] | None = None,
) -> Settings:
    """The settings that hold for one call; see `gather`."""
    return gather(options, environ, cwd=cwd, defaults=defaults).settings()


def _check_agent(layer: Layer, configured: Configuration, error: type[LrguardError]) -> None:
    """Raise `error` where a layer names a profile that there is not."""
    entry = layer.get("agent")
    if entry and entry.value not in PROFILES and entry.value not in configured.agents:
        profiles = [name[:80] for name in dict.fromkeys([*PROFILES, *configured.agents])][:20]
        why = f"there is no profile {str(entry.value)[:80]!r}"
        raise error(f"cannot use {entry.origin.name}", why, f"use {' or '.join(profiles)}")


def _first(name: str, layers: Iterable[Layer]) -> Entry | None:
    return next((layer[name] for layer in layers if name in layer), None)


def _threshold(layer: Layer, configured: Configuration) -> Entry | None:
    """The threshold that options or environment give, None where they say nothing of it."""
    if "threshold" in layer:
        return layer["threshold"]
    if "context_window" in layer:
        window = layer["context_window"]
        share = int(min(int(str(window.value)), WINDOW_MOST / WINDOW_SHARE) * WINDOW_SHARE)
        return Entry(max(share, WINDOW_LEAST), window.origin)
    agent = layer.get("agent")
    if agent is None:
        return None
    own = configured.for_agent(str(agent.value)).get("threshold")
    if own:
        written = f"{agent.origin.name} {agent.value}: {own.origin.name}"
        return Entry(own.value, Origin(agent.origin.source, written, own.origin.file))
    return Entry(PROFILES[str(agent.value)], agent.origin) if agent.value in PROFILES else None


def _summarizer(layers: Iterable[Layer]) -> Entry:
    """The command that summarizes. A tool or a profile may turn it off; one that says true lets the command stand."""
    is_on = False
    for layer in layers:
        entry = layer.get("summarize")
        if entry is None or (is_on and entry.value is False):
            continue
        if entry.value is not True:
            return Entry(entry.value or None, entry.origin)
        is_on = True
    return Entry(None, Origin(DEFAULT))


def _media(output: Entry | None) -> Entry:
    """What becomes of media where nobody says: a host that takes an MCP result shows them."""
    return Entry("keep" if output and output.value == "mcp" else "extract", Origin(DEFAULT))


def _working_directory() -> str | None:
    try:
        return os.getcwd()
    except OSError:
        return None


_NAMES = (*(name for name in Settings.__slots__ if name not in ("retention", "notes")), "older_than", "keep_bytes")
_RETENTION = {"older_than": Entry(KEEP_DAYS, Origin(DEFAULT)), "keep_bytes": Entry(KEEP_BYTES, Origin(DEFAULT))}
_ROOT_THRESHOLD = Entry(PROFILES[ROOT], Origin(DEFAULT))
