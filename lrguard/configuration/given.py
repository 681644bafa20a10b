"""What the command line and the environment say of the settings, each value held to its check."""

from __future__ import annotations

from collections.abc import Mapping

from lrguard.configuration.checks import CHECKS
from lrguard.configuration.layer import ENVIRONMENT, OPTION, Entry, Layer, Origin
from lrguard.errors import ConfigurationError, LrguardError
from lrguard.options import OPTIONS

NUMBERS = ("threshold", "total_threshold", "context_window", "preview_chars")
"""Settings whose text in the environment is a whole number."""

LARGEST_ARGUMENTS = 1024 * 1024
"""Bytes of a call's arguments that are read from a file."""

_SHOWN = 80


def from_options(options: Mapping[str, object]) -> Layer:
    """What options say, by the names of the settings; None and False count as not given. Raises LrguardError.

    Arguments of a call that are no JSON are a ConfigurationError: they come from a model, not from who set this up.
    """
    layer = {}
    for name, value in options.items():
        if value is not None and value is not False:
            flag = OPTIONS[name].flags[-1]
            layer[name] = Entry(_checked(name, value, flag, LrguardError), Origin(OPTION, flag))
    if "json" in layer:
        layer["output"] = Entry("json", layer["json"].origin)
    if "no_summarize" in layer:
        layer["summarize"] = Entry(value=False, origin=layer["no_summarize"].origin)
    if "args" in layer:
        layer["args"] = Entry(_arguments(str(layer["args"].value)), layer["args"].origin)
    return layer


def from_environment(environ: Mapping[str, str]) -> Layer:
    """What the environment says; an empty variable says nothing. Raises ConfigurationError."""
    layer = {}
    for name, option in OPTIONS.items():
        text = environ.get(option.environment) if option.environment else None
        if not text:
            continue
        value: object = text
        if name in NUMBERS:
            try:
                value = int(text)
            except ValueError:
                pass  # the check says what is allowed
        checked = _checked(name, value, option.environment, ConfigurationError)
        layer[name] = Entry(checked, Origin(ENVIRONMENT, option.environment))
    return layer


def _checked(name: str, value: object, written: str, error: type[LrguardError]) -> object:
    try:
        return CHECKS[name](value) if name in CHECKS else value
    except ValueError as allowed:
        raise error(f"cannot use {written}", f"{str(value)[:_SHOWN]!r} is not allowed", f"give {allowed}") from None


def _arguments(given: str) -> str:
    """The JSON text of a call's arguments, out of a file where `@FILE` is given."""
    import json

    text = given
    if given.startswith("@"):
        from lrguard.configuration.source_file import read_named

        try:
            text = read_named(given[1:], LARGEST_ARGUMENTS, "the arguments").decode("utf-8-sig")
        except UnicodeDecodeError:
            raise ConfigurationError("cannot use --args", f"{given} is not UTF-8", "give JSON or @FILE") from None
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        shown = given if given.startswith("@") else repr(given[:_SHOWN])
        raise ConfigurationError("cannot use --args", f"{shown} is no JSON", "give JSON or @FILE") from None
    return text
