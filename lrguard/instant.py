"""Passes what is small and plain before anything heavy is imported.

A filter runs at every tool call, and most results need nothing done. Here only what can be proved cheaply passes; every
doubt, an option that is not in the short list, an odd byte, a file of settings, leaves the result to the filter, with
what has been read of it. Nothing but built-in modules is imported.
"""

from __future__ import annotations

import _signal  # what `signal` wraps, without its enumerations
import os

from lrguard.configuration.discovery import project_file, user_file
from lrguard.intake.alphabet import ALPHABET, ESCAPES, NARROWEST, SHORTEST
from lrguard.options import OPTIONS

NEUTRAL = (
    *("session", "show_session", "tool", "call_id", "preview_chars"),
    *("intent", "summarize", "no_summarize", "quiet"),
)
"""Options that change nothing for a result that passes; `threshold` is the only other one that is read here."""

LARGEST = 64 * 1024
"""Bytes up to which a result is looked at here."""

PATIENCE = 0.5
"""Seconds without a byte after which a person at a terminal is told of the waiting, which is the filter's to do."""

BINARY_BEGINNINGS = (b"BZh", b"dex\n", b"bplist", b"wOF", b"GIF8", b"BM", b"!<arch>", b"0707", b"PK")
"""Beginnings of binary files that have no byte which text does not have; whether they are any, the filter says."""

_CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\r") + b"\x7f"
_IN_LINE = bytes(120 if byte in ALPHABET + ESCAPES else 32 for byte in range(256))
_IN_REGION = bytes(120 if byte in ALPHABET + ESCAPES + b"\r\n" else 32 for byte in range(256))


class Begun:
    """What has been read of standard input, and the descriptor that tells of a signal since; both for the filter."""

    __slots__ = ("data", "wake")

    def __init__(self, data: bytes = b"", wake: int | None = None) -> None:
        self.data, self.wake = data, wake


def passed(arguments: list[str]) -> Begun | None:
    """Print standard input when it is sure to pass; None when that was done, else what was begun."""
    threshold = _threshold(arguments)
    if not threshold or is_configured() or _is_closed_or_terminal():
        return Begun()
    return passed_below(threshold)


def passed_below(threshold: int) -> Begun | None:
    """Print standard input when it is sure to pass a threshold of so many tokens; see `passed`."""
    wake = _waking()
    data, complete = _read(min(threshold, LARGEST), wake)
    if complete and is_plain(data) and _written(data):
        return None
    return Begun(data, wake)


def is_plain(data: bytes) -> bool:
    """Whether `data` is text in UTF-8 without control characters, and has no place for base64 or a binary type."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    if data.translate(None, _CONTROLS) != data or data.startswith(BINARY_BEGINNINGS) or b"%PDF-" in data:
        return False
    long = b"x" * SHORTEST in data.translate(_IN_REGION)
    return not long or b"x" * NARROWEST not in data.translate(_IN_LINE)


def _threshold(arguments: list[str]) -> int:
    """The threshold in force where nothing but it and neutral options are given, 0 where there is anything else."""
    takes = {flag: name for name in (*NEUTRAL, "threshold") for flag in OPTIONS[name].flags}
    value = os.environ.get(OPTIONS["threshold"].environment) or str(OPTIONS["threshold"].default)
    words = iter(arguments)
    for word in words:
        flag, equals, given = word.partition("=") if word.startswith("--") else (word, "", "")
        name = takes.get(flag)
        takes_value = name is not None and bool(OPTIONS[name].metavar)
        if takes_value and not equals:
            following = next(words, None)
            if following is None:
                return 0
            equals, given = "=", following
        if name is None or bool(equals) != takes_value:
            return 0
        if name == "threshold":
            value = given
        elif name == "preview_chars" and not given.isdecimal():
            return 0
    others = (option.environment for name, option in OPTIONS.items() if name not in (*NEUTRAL, "threshold"))
    if not value.isdecimal() or len(value) > 9 or any(name and os.environ.get(name) for name in others):
        return 0
    return int(value)


def is_configured() -> bool:
    """Whether there is a configuration, of the project or of the user."""
    try:
        return user_file(os.environ) is not None or project_file(os.getcwd()) is not None
    except OSError:  # the working directory is gone
        return True


def _is_closed_or_terminal() -> bool:
    try:
        for descriptor in (0, 1, 2):
            os.fstat(descriptor)
        return os.isatty(0)
    except OSError:
        return True


def _waking() -> int:
    """A descriptor that an ending signal makes readable; nothing that was read is lost to one.

    See `cli.signals`; `signal` itself imports what a tenth of the whole call takes.
    """
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    for number in (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP):
        if _signal.getsignal(number) != _signal.SIG_IGN:
            _signal.signal(number, nothing)
    _signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    return reader


def nothing(number: int, frame: object) -> None:
    """The descriptor tells."""


def _read(limit: int, wake: int) -> tuple[bytes, bool]:
    """At most a little over `limit` bytes, and whether that is all there is."""
    from select import select

    data, patience = b"", PATIENCE if os.isatty(2) else None
    try:
        while len(data) <= limit:
            ready = select([0, wake], [], [], patience)[0]
            if wake in ready or not ready:
                return data, False
            piece = os.read(0, LARGEST)
            if not piece:
                return data, wake not in select([wake], [], [], 0)[0]
            data += piece
    except OSError:
        pass  # the filter meets the same error, and knows what to say
    return data, False


def _written(data: bytes) -> bool:
    """Whether all of `data` was printed; False where not even a part of it was, and the filter is to say why.

    A reader that left, and a disk that is full in the middle, end the process here, as they end the commands.
    """
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(1, view) :]
        except BlockingIOError:
            from select import select

            select([], [1], [])
        except BrokenPipeError:
            os._exit(141)
        except OSError as error:
            if len(view) == len(data):
                return False
            os.write(2, f"lrguard: cannot write the result: {error.strerror}\n".encode())
            os._exit(2)
    return True
