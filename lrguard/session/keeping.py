"""What a session that nobody named keeps."""

from __future__ import annotations

from datetime import timedelta

KEEP_DAYS = timedelta(days=7)
KEEP_BYTES = 2_000_000_000
