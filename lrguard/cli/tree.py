"""Every command as its help, the manual and the completions tell of it, read from the Typer commands themselves.

What is parsed and what is described can so never differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any, get_type_hints

import typer

from lrguard.cli.app import COMMANDS, command_of
from lrguard.options import GROUPS, OPTIONS
from lrguard.records import dataclass

PROGRAM = "lrguard"
OWN = "Options"
"""The group of what only this command has."""

GENERAL = "General"
"""The group of what every command has."""

FLAG = ""
"""The metavar of an option that takes no value."""


@dataclass(frozen=True, slots=True)
class Argument:
    """A word that is no option: how usage writes it, what it means, and the values it takes where they are few."""

    metavar: str
    about: str
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Flag:
    """One option: `facts` are its environment variable and its default, `repeats` whether it may be given again."""

    names: tuple[str, ...]
    metavar: str
    about: str
    facts: str
    choices: tuple[str, ...]
    group: str
    repeats: bool


@dataclass(frozen=True, slots=True)
class Command:
    """One command; the filter's `name` is empty."""

    name: str
    about: str
    arguments: tuple[Argument, ...]
    flags: tuple[Flag, ...]
    runs_another: bool
    """Options end at the first other word, which is a command with its own options."""

    @property
    def program(self) -> str:
        """What is typed to run it."""
        return f"{PROGRAM} {self.name}" if self.name else PROGRAM

    @property
    def summary(self) -> str:
        """What it does, in a few words."""
        return COMMANDS[self.name][2] if self.name else "keep large tool results out of a model's context"

    @property
    def usage(self) -> str:
        """How it is called."""
        words = [argument.metavar for argument in self.arguments]
        return " ".join([self.program, "[OPTIONS]", *(["--"] if self.runs_another else []), *words])

    def groups(self) -> Iterator[tuple[str, list[Flag]]]:
        """Its options by groups, its own ones first, those of every command last."""
        order = dict.fromkeys([OWN, *(flag.group for flag in self.flags if flag.group not in GROUPS.values())])
        order.pop(GENERAL)
        for title in (*order, *GROUPS.values(), GENERAL):
            if members := [flag for flag in self.flags if flag.group == title]:
                yield title, members


def all_commands() -> list[Command]:
    """The filter, then every command in the order of the list of commands."""
    return [described(name, command_of(name)) for name in ("", *COMMANDS)]


def described(name: str, command: Any) -> Command:
    """The Typer command `command` as it is told of."""
    context = typer.Context(command, **command.context_settings)
    types = get_type_hints(command.callback)
    arguments = []
    flags = []
    for parameter in command.get_params(context):
        choices = _values(types.get(str(parameter.name)))
        if parameter.param_type_name == "argument":
            metavar = parameter.metavar or str(parameter.name).upper()
            arguments.append(Argument(metavar, parameter.help or "", choices or _named(metavar)))
        else:
            flags.append(_flag(parameter, choices))
    runs_another = not command.context_settings.get("allow_interspersed_args", True)
    return Command(name, " ".join((command.help or "").split()), tuple(arguments), tuple(flags), runs_another)


def _flag(parameter: Any, choices: tuple[str, ...]) -> Flag:
    is_help = "--help" in parameter.opts
    about, _, facts = ("Print this help and exit." if is_help else parameter.help or "").partition("  [")
    row = OPTIONS.get(str(parameter.name))
    shared = row is not None and row.described() == parameter.help
    if row is not None and shared:
        choices = choices or row.choices
    elif parameter.default and not parameter.is_flag:
        facts = f"default: {getattr(parameter.default, 'value', parameter.default)}"
    group = parameter.rich_help_panel or (GENERAL if {"--help", "--version"} & {*parameter.opts} else OWN)
    names = tuple(sorted(parameter.opts, key=len))
    metavar = FLAG if parameter.is_flag else parameter.metavar or str(parameter.name).upper()
    return Flag(names, metavar, about, facts.removesuffix("]"), choices, group, bool(parameter.multiple))


def _values(type_: object) -> tuple[str, ...]:
    """The words that a parameter of this type takes, where they are few.

    They come from the annotation: how Typer keeps a parameter's type differs between its versions.
    """
    return tuple(type_) if isinstance(type_, type) and issubclass(type_, StrEnum) else ()


def _named(metavar: str) -> tuple[str, ...]:
    if metavar != "HOST":
        return ()
    from lrguard.harness.hosts import NAMES

    return NAMES
