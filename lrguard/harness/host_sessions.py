"""Sessions of hosts that have ended: nobody saves in them any more, so another one sees to what they keep too long."""

from __future__ import annotations

import os
import time
from contextlib import suppress

from lrguard.session.keeping import KEEP_BYTES, KEEP_DAYS
from lrguard.session.reader import SessionReader
from lrguard.session.retention import automatic

AT_ONCE = 5
"""Sessions that one call looks after; a host waits for it."""


def retire_ended(session: str) -> None:
    """Drop old responses from the sessions beside `session` in which nothing happened for as long as one is kept."""
    folder = os.path.dirname(session)
    before = time.time() - KEEP_DAYS.total_seconds()
    left = AT_ONCE
    with suppress(OSError), os.scandir(folder) as beside:
        for entry in beside:
            if (
                left
                and entry.path != session
                and entry.is_dir(follow_symlinks=False)
                and _last_use(entry.path) < before
            ):
                left -= 1
                with SessionReader(entry.path) as ended:
                    automatic(ended, older_than=KEEP_DAYS, keep_bytes=KEEP_BYTES)


def _last_use(session: str) -> float:
    try:
        return os.stat(os.path.join(session, ".lrguard"), follow_symlinks=False).st_mtime
    except OSError:
        return time.time()
