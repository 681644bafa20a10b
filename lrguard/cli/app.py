"""Chooses the command and runs it.

Each command is a Typer application of its own in its own module, so that a call imports one command and not all.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from lrguard import __version__
from lrguard.cli import streams
from lrguard.cli.ending import status_of
from lrguard.errors import DONE, FAILED, NO, LrguardError
from lrguard.instant import Begun

FILTER = ("lrguard.cli.filter", "app", "")
COMMANDS = {
    "batch": ("lrguard.cli.batch", "app", "results that came back together, under one combined threshold"),
    "run": ("lrguard.cli.run", "app", "run a command, guard what it prints, return its exit status"),
    "hook": ("lrguard.cli.hook", "app", "a harness's hook: hook JSON in, hook JSON (or nothing) out"),
    "mcp": ("lrguard.cli.mcp", "app", "stdio proxy in front of an MCP server: guards tools/call results"),
    "peek": ("lrguard.cli.peek", "app", "read a part of a saved response"),
    "schema": ("lrguard.cli.schema", "app", "infer the structure of a saved response"),
    "grep": ("lrguard.cli.grep", "app", "search saved responses, with bounded output"),
    "list": ("lrguard.cli.sessions", "listing", "what a session holds"),
    "purge": ("lrguard.cli.sessions", "purging", "remove old responses"),
    "count": ("lrguard.cli.count", "app", "tokens of texts, as wc counts words"),
    "config": ("lrguard.cli.config", "configuring", "effective settings and where they come from"),
    "trust": ("lrguard.cli.config", "trusting", "approve a configuration of the working tree"),
    "completion": ("lrguard.cli.completion", "app", "print the completion script for bash, zsh or fish"),
}
"""Where each command's application is, and what it does in a few words."""

USAGE: Any = typer.BadParameter.__base__
"""What every error in the options is; Typer gives it no name of its own."""


def main(arguments: list[str], begun: Begun) -> int:
    """Run the command that `arguments` name, the filter where they name none; the exit status.

    Every way a command can end becomes a status and at most one line on standard error.
    """
    streams.claim()
    streams.begun = begun
    name = arguments[0] if arguments and arguments[0] in COMMANDS else None
    program = f"lrguard {name}" if name else "lrguard"
    status = status_of(lambda: _run(name, program, arguments[1:] if name else arguments))
    return NO if name == "hook" and status == FAILED else status  # to several harnesses 2 means to block the call


def _run(name: str | None, program: str, arguments: list[str]) -> int:
    try:
        status = command_of(name or "").main(arguments, prog_name=program, standalone_mode=False)
    except USAGE as error:
        usage = _usage(error, program)
        raise usage if name else _with_command(usage, arguments) from None
    except LrguardError as error:
        if name:
            raise
        raise _with_command(error, arguments) from error
    if sys.stdout:  # None where the program was started with it closed
        sys.stdout.flush()
    return status if isinstance(status, int) else DONE


def command_of(name: str) -> Any:
    """The Typer command of this name, the filter for an empty one; imports its module."""
    module, variable, _ = COMMANDS[name] if name else FILTER
    command = typer.main.get_command(getattr(import_module(module), variable))
    command.name = name
    return command


def application() -> typer.Typer:
    """An empty application for one command, with help of our own and no shell machinery."""
    return _Application(
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


class _Application(typer.Typer):
    def command(self, *names: Any, **settings: Any) -> Any:
        return super().command(*names, cls=_Command, **settings)


class _Command(TyperCommand):
    """A command with `--version`, and with its options grouped in its help."""

    def __init__(self, name: str | None, **settings: Any) -> None:
        super().__init__(name, **settings)
        self._version = _version_option()

    def get_params(self, ctx: Any) -> list[Any]:
        return [*super().get_params(ctx), self._version]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        from lrguard.cli.help import page
        from lrguard.cli.tree import described

        formatter.write(page(described(self.name or "", self)))


def _print_version(value: bool) -> None:
    if value:
        streams.write(f"lrguard {__version__}\n".encode())
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option(
        "--version", is_eager=True, expose_value=False, callback=_print_version, help="Print the version and exit."
    ),
]


def _version_option() -> Any:
    """Typer's option, taken from a command that has no other: its constructor differs between versions of Typer."""

    def only(version: Version = False) -> None: ...

    alone = typer.Typer(add_completion=False)
    alone.command()(only)
    (option,) = typer.main.get_command(alone).params
    return option


def _usage(error: Any, program: str) -> LrguardError:
    """An error in the options, with the option that was probably meant."""
    see = f"see `{program} --help`"
    option, near = getattr(error, "option_name", None), getattr(error, "possibilities", None)
    if not option or near is None:
        return LrguardError(" ".join(error.format_message().split()).rstrip("."), remedy=see)
    closest = _closest(option, near)
    return LrguardError(f"no such option: {option}", remedy=f"did you mean `{closest}`?" if closest else see)


def _with_command(error: LrguardError, arguments: list[str]) -> LrguardError:
    """The error with the command that was probably meant, where the first word is no file and nearly one's name."""
    word = arguments[0] if arguments else "-"
    if word.startswith("-") or "/" in word or os.path.lexists(word):
        return error
    meant = f"--{word}" if word in ("help", "version") else _closest(word, COMMANDS)
    return (
        LrguardError(error.what, error.why, f"did you mean `lrguard {meant}`?", status=error.status) if meant else error
    )


def _closest(word: str, words: Iterable[str]) -> str | None:
    from difflib import get_close_matches

    return next(iter(get_close_matches(word[:100], words, 1)), None)
