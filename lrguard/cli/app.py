"""Chooses the command and runs it.

Each command is a Typer application of its own in its own module, so that a call imports one command and not all.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

import typer

from lrguard import __version__
from lrguard.cli import streams
from lrguard.errors import DONE, FAILED, NO, LrguardError
from lrguard.instant import Begun

FILTER = ("lrguard.cli.filter", "app", "")
COMMANDS = {
    "batch": ("lrguard.cli.batch", "app", "results that came back together, under one combined threshold"),
    "run": ("lrguard.cli.run", "app", "run a command, guard what it prints, return its exit status"),
    "hook": ("lrguard.cli.hook", "app", "a harness's hook: hook JSON in, hook JSON (or nothing) out"),
    "mcp": ("lrguard.cli.mcp", "app", "stdio proxy in front of an MCP server: guards tools/call results"),
    "peek": ("lrguard.cli.peek", "app", "read a part of a saved response"),
    "schema": ("lrguard.cli.schema", "app", "infer its structure"),
    "grep": ("lrguard.cli.grep", "app", "search it, with bounded output"),
    "list": ("lrguard.cli.sessions", "listing", "what a session holds"),
    "purge": ("lrguard.cli.sessions", "purging", "remove old responses"),
    "count": ("lrguard.cli.count", "app", "tokens of texts, as wc counts words"),
    "config": ("lrguard.cli.config", "configuring", "effective settings and where they come from"),
    "trust": ("lrguard.cli.config", "trusting", "approve a configuration of the working tree"),
}
"""Where each command's application is, and what it does in a few words."""

INTERRUPTED = 130


def main(arguments: list[str], begun: Begun) -> int:
    """Run the command that `arguments` name, the filter where they name none; the exit status.

    Every way a command can end becomes a status and at most one line on standard error.
    """
    streams.claim()
    streams.begun = begun
    name = arguments[0] if arguments and arguments[0] in COMMANDS else None
    program = f"lrguard {name}" if name else "lrguard"
    try:
        status = _run(name, program, arguments[1:] if name else arguments)
    except (streams.ReaderLeft, BrokenPipeError):
        return streams.PIPE_CLOSED
    except LrguardError as error:
        status = _failed(error)
    except typer.TyperException as error:
        status = _failed(LrguardError(error.format_message().rstrip("."), remedy=f"see `{program} --help`"))
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        status = _failed(LrguardError("internal error", f"{type(error).__name__}: {error}", "please report it"))
    return NO if name == "hook" and status == FAILED else status  # to several harnesses 2 means to block the call


def _run(name: str | None, program: str, arguments: list[str]) -> int:
    if arguments[:1] == ["--version"]:
        streams.write(f"lrguard {__version__}\n".encode())
        return DONE
    module, variable, _ = COMMANDS[name] if name else FILTER
    app: typer.Typer = getattr(import_module(module), variable)
    status = typer.main.get_command(app).main(arguments, prog_name=program, standalone_mode=False)
    if sys.stdout:  # None where the program was started with it closed
        sys.stdout.flush()
    return status if isinstance(status, int) else DONE


def application() -> typer.Typer:
    """An empty application for one command, with plain help and no shell machinery."""
    return typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def _failed(error: LrguardError) -> int:
    if os.environ.get("LRGUARD_DEBUG") == "1":
        import traceback

        traceback.print_exc()
    streams.note(str(error))
    return error.status or FAILED
