"""Numbers of bytes as people read them."""

from __future__ import annotations


def size_text(size: int) -> str:
    """A number of bytes as people read it: `312 B`, `10.7 KB`, `3.4 MB`; the units are powers of 1024."""
    if size < 1024:
        return f"{size} B"
    amount, unit = size / 1024, "KB"
    for larger in ("MB", "GB"):
        # What would be rounded to 1024.0 belongs to the next unit.
        if amount < 1023.95:
            break
        amount, unit = amount / 1024, larger
    return f"{amount:.1f} {unit}"
