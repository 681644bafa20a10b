"""How a command ends: every way becomes an exit status and at most one line on standard error."""

from __future__ import annotations

import errno
import os

from lrguard.cli import streams
from lrguard.errors import FAILED, LrguardError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

INTERRUPTED = 130


def status_of(work: Callable[[], int]) -> int:
    """What `work` returns, or the status of what it raises, which is told."""
    try:
        return work()
    except (streams.ReaderLeft, BrokenPipeError):
        return streams.PIPE_CLOSED
    except KeyboardInterrupt:
        return INTERRUPTED
    except LrguardError as error:
        return _failed(error)
    except Exception as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            # Help is written by Typer, past the streams.
            return _failed(LrguardError("cannot write the result", error.strerror or str(error)))
        return _failed(LrguardError("internal error", f"{type(error).__name__}: {error}", "please report it"))


def _failed(error: LrguardError) -> int:
    if os.environ.get("LRGUARD_DEBUG") == "1":
        import traceback

        traceback.print_exc()
    streams.note(str(error))
    return error.status or FAILED
