"""The page that `--help` prints: plain text, the same on a terminal and in a pipe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from shutil import get_terminal_size
from textwrap import TextWrapper

from lrguard.cli.app import COMMANDS
from lrguard.cli.examples import EXAMPLES
from lrguard.cli.tree import Command, Flag

WIDEST = 100
"""Columns beyond which lines are hard to read."""

NARROWEST = 50
LEFT = 24
"""Columns of the left side, where options stand; a longer one has its text below it."""


def page(command: Command) -> str:
    """The help of one command, for the width of the terminal."""
    width = max(min(get_terminal_size().columns - 1, WIDEST), NARROWEST)
    lines = [f"Usage: {command.usage}", "", *_wrapped(command.about, width, "")]
    if command.arguments:
        rows = ((argument.metavar, _argument_text(argument.about, argument.choices)) for argument in command.arguments)
        lines += ["", "Arguments:", *_columns(rows, width)]
    for title, flags in command.groups():
        lines += ["", f"{title}:", *_columns(((_written(flag), _text(flag)) for flag in flags), width)]
    if not command.name:
        rows = ((name, text) for name, (_, _, text) in COMMANDS.items())
        lines += ["", "Commands:", *_columns(rows, width, max(map(len, COMMANDS)))]
    lines += ["", "Examples:"]
    for example in EXAMPLES[command.name]:
        lines += [f"  # {example.purpose}", f"  {example.line}"]
    more = f"`man {command.program.replace(' ', '-')}`"
    lines += ["", f"More: {more}" if command.name else f"More: `lrguard COMMAND --help`, {more}"]
    return "\n".join(lines) + "\n"


def _written(flag: Flag) -> str:
    """How the option is written, long names below each other whether there is a short one or not."""
    names = ", ".join(flag.names)
    indent = "" if len(flag.names[0]) == 2 else "    "
    return f"{indent}{names} {flag.metavar}".rstrip()


def _text(flag: Flag) -> str:
    return f"{flag.about}  [{flag.facts}]" if flag.facts else flag.about


def _argument_text(about: str, choices: tuple[str, ...]) -> str:
    return f"{about}  [{', '.join(choices)}]" if choices else about


def _columns(rows: Iterable[tuple[str, str]], width: int, widest: int = LEFT) -> Iterator[str]:
    for left, right in rows:
        first, *rest = _wrapped(right, width, " " * (widest + 4)) or [""]
        if len(left) > widest:
            yield f"  {left}"
            yield first
        else:
            yield f"  {left:{widest}}  {first.lstrip()}".rstrip()
        yield from rest


def _wrapped(text: str, width: int, indent: str) -> list[str]:
    wrapper = TextWrapper(width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
    return wrapper.wrap(text)
