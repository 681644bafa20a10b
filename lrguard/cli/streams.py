"""Standard output and error as a filter needs them.

Data goes to the descriptor as bytes, past every layer that would wrap, color or re-encode it. A reader that left ends
the command with 141 as SIGPIPE would; a full disk or a closed descriptor is an error with status 2.
"""

from __future__ import annotations

import os
import sys
from select import select

from lrguard.errors import LrguardError
from lrguard.instant import Begun

TYPE_CHECKING = False  # a hook pays for every import
if TYPE_CHECKING:
    from collections.abc import Iterable

INPUT, OUTPUT, ERRORS = 0, 1, 2
PIPE_CLOSED = 141
PIECE = 1024 * 1024


class ReaderLeft(Exception):
    """The reader of standard output closed it."""


closed: set[int] = set()


begun = Begun()
"""What the instant path has read of standard input."""


def claim() -> None:
    """Put /dev/null in the place of closed standard descriptors, so that no file of ours takes their number."""
    for descriptor in (INPUT, OUTPUT, ERRORS):
        try:
            os.fstat(descriptor)
        except OSError:
            closed.add(descriptor)
            null = os.open(os.devnull, os.O_RDWR)
            if null != descriptor:
                os.dup2(null, descriptor)
                os.close(null)


def readable(name: str, opened: list[int]) -> int:
    """The descriptor of a file, or of standard input for `-`; what had to be opened is added to `opened`.

    Raises LrguardError where there is nothing to read.
    """
    if name == "-":
        if INPUT in closed:
            raise LrguardError("cannot read standard input", "it is closed")
        return INPUT
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise LrguardError(f"cannot read {name}", error.strerror or str(error)) from None
    opened.append(descriptor)
    return descriptor


def write(data: bytes, to: int = OUTPUT) -> None:
    """Write all of `data` to standard output. Raises ReaderLeft, or LrguardError when it cannot be written."""
    if to in closed and data:
        raise LrguardError("cannot write the result", f"standard {'output' if to == OUTPUT else 'error'} is closed")
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(to, view[:PIECE]) :]
        except BlockingIOError:
            select([], [to], [])
        except BrokenPipeError:
            raise ReaderLeft from None
        except OSError as error:
            raise LrguardError("cannot write the result", error.strerror or str(error)) from None


def write_all(pieces: Iterable[bytes]) -> None:
    """Write one piece after the other; see `write`."""
    for piece in pieces:
        write(piece)


def note(text: str) -> None:
    """One line on standard error, control characters in it shown as escapes; nothing where it cannot be written."""
    from lrguard.intake.sanitize import visible

    line = f"lrguard: {visible(text)}".replace("\n", "\\n").replace("\t", "\\t")
    try:
        os.write(ERRORS, line.encode("utf-8", "backslashreplace") + b"\n")
    except OSError:
        pass


def notes(texts: Iterable[str], *, quiet: bool) -> None:
    """One line for each text, see `note`; none where they are not wanted."""
    for text in () if quiet else texts:
        note(text)


def is_terminal(descriptor: int) -> bool:
    """Whether a person sits behind the descriptor."""
    return descriptor not in closed and os.isatty(descriptor)


def is_for_people(descriptor: int) -> bool:
    """Whether what is printed there may have colors: on a terminal, and where FORCE_COLOR asks for them."""
    return is_terminal(descriptor) or os.environ.get("FORCE_COLOR", "") not in ("", "0")


def leave(status: int) -> None:
    """End the process at once: unloading a vocabulary costs more than reading it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            pass
    os._exit(status)


def report(error: LrguardError) -> int:
    """Say what failed on standard error; the exit status."""
    note(str(error))
    return error.status
