"""TOML, held to a shape before it is parsed: `tomllib` takes quadratic time and memory for long dotted keys."""

from __future__ import annotations

from lrguard.configuration.source_file import unreadable

_DOTS = 100
"""Dots in one line that is no comment: no key is that deep."""


def parse(data: bytes, file: str) -> dict[str, object]:
    """The document; raises ConfigurationError, which names the line of a syntax error."""
    import tomllib

    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise unreadable(file, f"line {line} is not UTF-8") from None
    for number, line_text in enumerate(text.split("\n"), 1):
        if line_text.count(".") > _DOTS and not line_text.lstrip().startswith("#"):
            raise unreadable(file, f"line {number} has more than {_DOTS} dots")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise unreadable(file, "it is nested too deeply") from None
    except ValueError as error:
        # One that is no TOMLDecodeError is of a number with more digits than Python converts.
        why = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "a number in it is too long"
        raise unreadable(file, f"it is no valid TOML: {why}") from None
