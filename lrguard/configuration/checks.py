"""What each setting may be, said once for options, environment and files.

A check takes a value and returns it in the form that the settings hold; it raises ValueError, whose text says what is
allowed and ends the sentence "give ...".
"""

from __future__ import annotations

from collections.abc import Callable

from lrguard.configuration import quantities
from lrguard.options import ENCODINGS, MEDIA, ON_SAVE_ERROR, OUTPUTS

Check = Callable[[object], object]

LONGEST_SUMMARY = 86400
"""Seconds that a summary may take at most: a time limit that is none would hold an agent for ever."""


def whole(least: int) -> Check:
    """A whole number from `least` on."""

    def check(value: object) -> object:
        if type(value) is not int or value < least:
            raise ValueError(f"a whole number of {least} or more")
        return value

    return check


def one_of(choices: tuple[str, ...]) -> Check:
    """One of a closed set of words."""

    def check(value: object) -> object:
        if value not in choices:
            raise ValueError(" or ".join(choices))
        return value

    return check


def switch(value: object) -> object:
    """True or false."""
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return value


def seconds(value: object) -> object:
    """A time limit, as a float."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= LONGEST_SUMMARY:
        raise ValueError(f"seconds, more than 0 and at most {LONGEST_SUMMARY}")
    return float(value)


def command(value: object) -> object:
    """A command line for the shell."""
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise ValueError("a command for the shell")
    return value


def folder(value: object) -> object:
    """A path that can be printed, since messages carry it."""
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise ValueError("the path of a folder, of printable characters")
    return value


def age(value: object) -> object:
    """A period such as `7d`, as a timedelta."""
    if not isinstance(value, str):
        raise ValueError(quantities.AGE)
    return quantities.age(value)


def size(value: object) -> object:
    """A number of bytes, or one such as `2GB`, as an int."""
    if type(value) is int and value >= 0:
        return value
    if not isinstance(value, str):
        raise ValueError(quantities.SIZE)
    return quantities.size(value)


CHECKS: dict[str, Check] = {
    "threshold": whole(1),
    "total_threshold": whole(1),
    "context_window": whole(1),
    "preview_chars": whole(0),
    "max_input_tokens": whole(1),
    "encoding": one_of(ENCODINGS),
    "output": one_of(OUTPUTS),
    "on_save_error": one_of(ON_SAVE_ERROR),
    "media": one_of(MEDIA),
    "summarize": command,
    "summary_timeout": seconds,
    "enabled": switch,
}
"""The check of each setting by its name; a setting that is not here may be any text."""
