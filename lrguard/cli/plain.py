"""The plain forms of the command lines of the filter and of `grep`, understood without a parser.

Typer takes 60 ms to import and to set up, more than most results take. So options of a table that are written as the
table has them, each value a word of its own or behind `=`, are read here; whatever else there is, also anything that is
wrong, is left to Typer.
"""

from __future__ import annotations

from lrguard.cli import streams
from lrguard.instant import Begun
from lrguard.options import OPTIONS, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    Work = Callable[[], int]

NUMBERS = ("threshold", "context_window", "preview_chars")
"""Options of the filter whose values are whole numbers."""

OTHERS = ("total_threshold", "max_tokens", "saved_only", "summary_timeout")
"""Options that are not the filter's, or whose values take more to read."""

_DIGITS = 15


def begin(arguments: list[str], begun: Begun) -> None:
    """Do the work and end the process, where `arguments` are plain."""
    work = _search(arguments[1:]) if arguments[:1] == ["grep"] else _filter(arguments)
    if work is None:
        return
    from lrguard.cli.ending import status_of

    streams.claim()
    streams.begun = begun
    streams.leave(status_of(work))


def _filter(arguments: list[str]) -> Work | None:
    given = options(arguments)
    if given is None:
        return None
    from lrguard.cli.filtered import filtered

    return lambda: filtered(given)


def _search(arguments: list[str]) -> Work | None:
    given = search_options(arguments)
    if given is None:
        return None

    def work() -> int:
        from lrguard.cli.searched import Wanted, searched

        return searched(Wanted(**given))

    return work


def options(arguments: list[str]) -> dict[str, object] | None:
    """The filter's options that `arguments` give, by the names of the table; None where they are not plain."""
    read = _read(arguments, {name: option for name, option in OPTIONS.items() if name not in OTHERS}, NUMBERS)
    return None if read is None or read[1] else {name: values[-1] for name, values in read[0].items()}


def search_options(arguments: list[str]) -> dict[str, Any] | None:
    """What `grep` is given, by the names of its parameters; None where it is not plain."""
    from lrguard.cli import grep_options

    read = _read(arguments, grep_options.ALL, grep_options.NUMBERS)
    if read is None:
        return None
    given, words = read
    found: dict[str, Any] = {name: values if name == "patterns" else values[-1] for name, values in given.items()}
    return found | ({"words": words} if words else {})


def _read(
    arguments: list[str], table: Mapping[str, Option], numbers: Sequence[str]
) -> tuple[dict[str, list[object]], list[str]] | None:
    """The values of each option that is given, in order, and the words between; None where anything is not plain."""
    flags = {flag: name for name, option in table.items() for flag in option.flags}
    given: dict[str, list[object]] = {}
    between: list[str] = []
    words = iter(arguments)
    for word in words:
        if word == "-" or not word.startswith("-"):
            between.append(word)
            continue
        flag, equals, text = word.partition("=") if word.startswith("--") else (word, "", "")
        name = flags.get(flag)
        if name is None:
            return None
        value: object = True
        if table[name].metavar:
            text = text if equals else next(words, "-")
            if text.startswith("-") and not equals:
                return None
            value = _number(text) if name in numbers else text
        elif equals:
            return None
        if value is None:
            return None
        given.setdefault(name, []).append(value)
    return given, between


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _DIGITS else None
