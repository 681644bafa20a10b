"""The form of lrguard's own configuration: which keys there are, what each may be, and what is said of a wrong one."""

from __future__ import annotations

import os
from collections.abc import Mapping

from lrguard.configuration import checks
from lrguard.configuration.checks import CHECKS, Check
from lrguard.configuration.layer import CONFIGURATION, Configuration, Entry, Layer, Origin
from lrguard.errors import ConfigurationError

Form = Mapping[str, tuple[str, Check]]
"""The keys of one table: the setting that each sets, and its check."""

SECTION = "large_tool_response"
THRESHOLD = "individual_tool_response_token_threshold"
TOTAL = "total_tool_response_token_threshold"
PREVIEW = "preview_number_of_characters"

TOP: Form = {"session": ("session", checks.folder), "encoding": ("encoding", CHECKS["encoding"])}

LARGE_TOOL_RESPONSE: Form = {
    "enabled": ("enabled", checks.switch),
    THRESHOLD: ("threshold", CHECKS["threshold"]),
    TOTAL: ("total_threshold", CHECKS["total_threshold"]),
    PREVIEW: ("preview_chars", CHECKS["preview_chars"]),
}
"""The four fields that agent manifests have too."""

SECTIONS: Mapping[str, Form] = {
    SECTION: LARGE_TOOL_RESPONSE,
    "summarize": {
        "command": ("summarize", checks.command),
        "timeout": ("summary_timeout", checks.seconds),
        "max_input_tokens": ("max_input_tokens", CHECKS["max_input_tokens"]),
    },
    "retention": {"older_than": ("older_than", checks.age), "keep_bytes": ("keep_bytes", checks.size)},
}

NAMED: Form = {
    THRESHOLD: ("threshold", CHECKS["threshold"]),
    PREVIEW: ("preview_chars", CHECKS["preview_chars"]),
    "enabled": ("enabled", checks.switch),
    "summarize": ("summarize", checks.switch),
    "media": ("media", CHECKS["media"]),
}
"""What a profile in `[agents]` and a pattern in `[tools]` may set."""

LONGEST_NAME = 200
"""Characters of a profile's name or of a pattern."""

_SHOWN = 80
_BARE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")


def configuration(document: Mapping[str, object], file: str, environ: Mapping[str, str]) -> Configuration:
    """What a parsed configuration says; a relative session starts from the file's folder. Raises ConfigurationError."""
    general: dict[str, Entry] = {}
    named: dict[str, dict[str, Layer]] = {"agents": {}, "tools": {}}
    for key, value in document.items():
        if key in TOP:
            general.update(read({key: value}, TOP, (), file))
        elif key in SECTIONS:
            general.update(read(table(value, (key,), file), SECTIONS[key], (key,), file))
        elif key in named:
            for name, inner in table(value, (key,), file).items():
                if len(name) > LONGEST_NAME:
                    why = f"{dotted((key, name))} has more than {LONGEST_NAME} characters"
                    raise ConfigurationError(f"cannot use {file}", why)
                named[key][name] = read(table(inner, (key, name), file), NAMED, (key, name), file)
        else:
            raise unknown((key,), [*TOP, *SECTIONS, *named], file)
    if "session" in general:
        entry = general["session"]
        general["session"] = Entry(_absolute(str(entry.value), file, environ), entry.origin)
    return Configuration(general, named["agents"], named["tools"])


def read(values: Mapping[str, object], form: Form, path: tuple[str, ...], file: str) -> dict[str, Entry]:
    """The entries of one table, which lies at `path`; raises ConfigurationError."""
    entries = {}
    for key, value in values.items():
        if key not in form:
            raise unknown((*path, key), list(form), file)
        name, check = form[key]
        written = dotted((*path, key))
        try:
            entries[name] = Entry(check(value), Origin(CONFIGURATION, written, file))
        except ValueError as allowed:
            raise ConfigurationError(f"cannot use {file}", f"{written} is {shown(value)}", f"give {allowed}") from None
    return entries


def table(value: object, path: tuple[str, ...], file: str) -> Mapping[str, object]:
    """The value as a table; raises ConfigurationError."""
    if not isinstance(value, dict):
        raise ConfigurationError(f"cannot use {file}", f"{dotted(path)} is {shown(value)}", f"write [{dotted(path)}]")
    return value


def unknown(path: tuple[str, ...], allowed: list[str], file: str) -> ConfigurationError:
    """The error for a key that there is not."""
    keys = ", ".join(allowed)
    return ConfigurationError(f"cannot use {file}", f"there is no key {dotted(path)}", f"allowed here: {keys}")


def dotted(path: tuple[str, ...]) -> str:
    """A key as TOML writes it, cut where it is too long to be shown."""
    parts = [part if part and _BARE.issuperset(part) else f'"{part}"' for part in (_cut(part) for part in path)]
    return ".".join(parts)


def shown(value: object) -> str:
    """A value as an error shows it: as TOML writes it, cut, and of what has parts only that it has."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "an array"
    return f'"{_cut(value)}"' if isinstance(value, str) else _cut(str(value))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _absolute(path: str, file: str, environ: Mapping[str, str]) -> str:
    home = environ.get("HOME", "")
    if (path == "~" or path.startswith("~/")) and os.path.isabs(home):
        path = home + path[1:]
    return os.path.normpath(os.path.join(os.path.dirname(file), path))
