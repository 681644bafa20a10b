"""The plain forms of the filter's command line, understood without a parser.

Typer takes 60 ms to import and to set up, more than most results take. So options of the table that are written as the
table has them, each value a word of its own or behind `=`, are read here; whatever else there is, also anything that is
wrong, is left to Typer.
"""

from __future__ import annotations

from lrguard.cli import streams
from lrguard.instant import Begun
from lrguard.options import OPTIONS

NUMBERS = ("threshold", "context_window", "preview_chars")
"""Options of the filter whose values are whole numbers."""

OTHERS = ("total_threshold", "max_tokens", "saved_only", "summary_timeout")
"""Options that are not the filter's, or whose values take more to read."""

_DIGITS = 15


def begin(arguments: list[str], begun: Begun) -> None:
    """Filter standard input and end the process, where `arguments` are plain."""
    given = options(arguments)
    if given is None:
        return
    from lrguard.cli.ending import status_of
    from lrguard.cli.filtered import filtered

    streams.claim()
    streams.begun = begun
    streams.leave(status_of(lambda: filtered(given)))


def options(arguments: list[str]) -> dict[str, object] | None:
    """The options that `arguments` give, by the names of the table; None where they are not plain."""
    flags = {flag: name for name, option in OPTIONS.items() if name not in OTHERS for flag in option.flags}
    given: dict[str, object] = {}
    words = iter(arguments)
    for word in words:
        flag, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        name = flags.get(flag)
        if name is None:
            return None
        if not OPTIONS[name].metavar:
            if equals:
                return None
            given[name] = True
            continue
        if not equals:
            value = next(words, "-")
            if value.startswith("-"):
                return None
        if name not in NUMBERS:
            given[name] = value
        elif value.isascii() and value.isdecimal() and len(value) <= _DIGITS:
            given[name] = int(value)
        else:
            return None
    return given
