"""Ages and sizes as people write them: `7d`, `2GB`."""

from __future__ import annotations

import re
from datetime import timedelta

AGE = "an age such as 12h, 7d or 2w"
SIZE = "a size such as 500MB or 2GB"

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_PERIODS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def age(text: str) -> timedelta:
    """The period that `7d`, `12h` or `90s` means; raises ValueError with what is allowed."""
    found = re.fullmatch(r"(\d{1,9})([smhdw])", text.strip())
    if not found:
        raise ValueError(AGE)
    try:
        return timedelta(seconds=int(found[1]) * _PERIODS[found[2]])
    except OverflowError:
        return timedelta.max


def written(period: timedelta) -> str:
    """A period as `age` reads it, in the largest unit that divides it."""
    seconds = period.days * 86400 + period.seconds
    unit = next(unit for unit in "dhms" if not seconds % _PERIODS[unit])
    return f"{seconds // _PERIODS[unit]}{unit}"


def size(text: str) -> int:
    """The number of bytes that `500MB`, `2GB` or `1048576` means, in powers of ten as disks have it; raises ValueError
    with what is allowed.
    """
    found = re.fullmatch(r"(\d{1,18})\s*([KMGT]?)B?", text.strip(), re.IGNORECASE)
    if not found:
        raise ValueError(SIZE)
    return int(found[1]) * _UNITS[found[2].upper()]
