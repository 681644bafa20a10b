"""The options that several commands share: one table for the parser, the settings, help and the instant path.

It imports nothing, so that a call that has nothing to do pays nothing for it.
"""

from __future__ import annotations


class Option:
    """One option: how it is written, which environment variable stands for it, its default and its help.

    `choices` are the values that it takes, or those of them that have a name; `group` is a key of `GROUPS`.
    """

    __slots__ = ("choices", "default", "environment", "flags", "group", "help", "metavar")

    def __init__(
        self,
        flags: str,
        metavar: str,
        help: str,
        *,
        environment: str = "",
        default: object = None,
        choices: tuple[str, ...] = (),
        group: str = "",
    ) -> None:
        self.flags = tuple(flags.split())
        self.metavar, self.help, self.environment = metavar, help, environment
        self.default, self.choices, self.group = default, choices, group

    def described(self) -> str:
        """The help text with the environment variable and the default behind it."""
        extra = [f"env: {self.environment}"] if self.environment else []
        extra += [f"default: {self.default}"] if self.default is not None else []
        return f"{self.help}  [{'; '.join(extra)}]" if extra else self.help


ENCODINGS = ("o200k_base", "cl100k_base", "estimate")
OUTPUTS = ("text", "json", "mcp")
MEDIA = ("extract", "keep")
ON_SAVE_ERROR = ("pass", "preview")

PROFILES = {"root": 6000, "subagent": 12000}
"""Thresholds of the built-in agent profiles, in tokens."""

WINDOW_SHARE, WINDOW_LEAST, WINDOW_MOST = 0.10, 2000, 12000
"""The threshold that a context window gives: this share of it, within these tokens."""

GROUPS = {
    "call": "The tool call",
    "size": "Size",
    "output": "Output",
    "session": "Session",
    "summary": "Summary",
    "settings": "Configuration",
}
"""Titles of the groups of options, in the order in which help has them."""

OPTIONS = {
    "session": Option(
        "-s --session",
        "DIR",
        "Session directory, made when first needed. Without it there is one for each repository or folder.",
        environment="LRGUARD_SESSION",
        group="session",
    ),
    "show_session": Option(
        "--show-session",
        "DIR",
        "How messages write the session's path (another mount of it).",
        environment="LRGUARD_SHOW_SESSION",
        group="session",
    ),
    "tool": Option(
        "-n --tool",
        "NAME",
        "The tool's name, for file names and the message.",
        environment="LRGUARD_TOOL",
        group="call",
    ),
    "call_id": Option("--call-id", "ID", "The tool call's id, kept as metadata.", group="call"),
    "args": Option(
        "--args", "JSON", "The call's arguments, or @FILE with them, for a summary's prompt; not kept.", group="call"
    ),
    "intent": Option(
        "--intent", "TEXT", "What the agent is after, for the prompt of a summary; not kept.", group="call"
    ),
    "threshold": Option(
        "-t --threshold",
        "N",
        "Tokens above which a result is offloaded.",
        environment="LRGUARD_THRESHOLD",
        default=6000,
        group="size",
    ),
    "agent": Option(
        "--agent",
        "NAME",
        "Profile that sets the threshold: root (6000), subagent (12000) or one from the configuration.",
        environment="LRGUARD_AGENT",
        default="root",
        choices=tuple(PROFILES),
        group="size",
    ),
    "context_window": Option(
        "--context-window", "N", "Threshold = 10 % of this window, between 2000 and 12000.", group="size"
    ),
    "total_threshold": Option(
        "--total-threshold", "N", "Combined threshold of results that came back together.", default=6000, group="size"
    ),
    "preview_chars": Option(
        "--preview-chars", "N", "Characters shown at each end in a message (0: none).", default=1000, group="size"
    ),
    "encoding": Option(
        "--encoding",
        "NAME",
        "Vocabulary that counts: o200k_base, cl100k_base or estimate.",
        environment="LRGUARD_ENCODING",
        default="o200k_base",
        choices=ENCODINGS,
        group="size",
    ),
    "output": Option(
        "--output", "FORM", "What is printed: text, json or mcp.", default="text", choices=OUTPUTS, group="output"
    ),
    "json": Option("--json", "", "Short for --output json: one object with everything known.", group="output"),
    "media": Option(
        "--media",
        "MODE",
        "Images and audio of MCP results: extract into files, or keep for the model to see.  "
        "[default: extract; with --output mcp: keep]",
        choices=MEDIA,
        group="output",
    ),
    "on_save_error": Option(
        "--on-save-error",
        "MODE",
        "When saving fails: pass the result unchanged, or preview its head and tail.",
        default="pass",
        choices=ON_SAVE_ERROR,
        group="output",
    ),
    "summarize": Option(
        "--summarize",
        "CMD",
        "Shell command that turns a prompt on standard input into a summary on standard output.",
        environment="LRGUARD_SUMMARIZE",
        group="summary",
    ),
    "no_summarize": Option("--no-summarize", "", "Never summarize, whatever the configuration says.", group="summary"),
    "summary_timeout": Option(
        "--summary-timeout", "S", "Seconds that a summary may take.  [default: 60, for hooks 15]", group="summary"
    ),
    "config": Option(
        "--config",
        "FILE",
        "Read this configuration, or agent manifest, alone.",
        environment="LRGUARD_CONFIG",
        group="settings",
    ),
    "max_tokens": Option(
        "--max-tokens",
        "N",
        "Tokens of output (0: no bound).  [default: 2000, or the threshold if that is smaller]",
        group="output",
    ),
    "saved_only": Option(
        "--saved-only",
        "",
        "Accept only ids and paths inside the session.",
        environment="LRGUARD_SAVED_ONLY",
        group="session",
    ),
    "quiet": Option("-q --quiet", "", "No notes on standard error, errors only.", group="output"),
}
