"""Locks that writers of one session hold for a moment, and that tell a running lrguard from one that crashed.

They are a service, not what safety stands on: nothing is ever published over another file, locked or not. So a lock
that cannot be had (no `flock` on this file system, or its holder was stopped) is waited for, and then done without.
"""

from __future__ import annotations

import fcntl
import os
import time
from types import TracebackType

from lrguard.session.folder import Folder

LOCK = "lock"
PATIENCE = 10.0
"""Seconds that a writer waits for another one."""


class Lock:
    """The lock of one session, a context.

    `held` tells that it was had, `busy` that another has kept it for `PATIENCE` seconds; neither, that there is none.
    """

    def __init__(self, folder: Folder) -> None:
        """`folder` is where the file lies that is locked."""
        self._folder = folder
        self._descriptor = -1
        self.held = self.busy = False

    def __enter__(self) -> Lock:
        """Wait for the lock. Raises `FileNotFoundError` where the folder is gone."""
        try:
            self._descriptor = self._folder.open_lock(LOCK)
        except FileNotFoundError:
            raise
        except OSError:
            return self
        had = self._wait()
        self.held, self.busy = had is True, had is False
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Let go of it."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self.held = False

    def _wait(self) -> bool | None:
        end, pause = time.monotonic() + PATIENCE, 0.001
        while (had := try_lock(self._descriptor)) is False and time.monotonic() < end:
            time.sleep(pause)
            pause = min(pause * 1.5, 0.02)
        return had


def try_lock(descriptor: int) -> bool | None:
    """True: locked until the descriptor is closed; False: another has it; None: this file system has no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True
