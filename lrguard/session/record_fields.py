"""The members of metadata that was read, which may have been edited or forged: each is checked when it is asked for."""

from __future__ import annotations

from datetime import UTC, datetime

from lrguard.session import names

TYPE_CHECKING = False  # `typing` takes 4 ms to import
if TYPE_CHECKING:
    from typing import Any

_LARGEST = 2**63


class BrokenRecordError(ValueError):
    """A record that lrguard did not write, or not like this; the message says why."""


class Fields:
    """The members of an object that was read; each raises `BrokenRecordError` where it is not what is asked for."""

    def __init__(self, document: object) -> None:
        if not isinstance(document, dict):
            raise BrokenRecordError("it is no object")
        self._members: dict[str, Any] = document

    def value(self, key: str) -> object:
        """Whatever it is; None where there is none."""
        return self._members.get(key)

    def _typed(self, key: str, kind: type) -> Any:
        value = self._members.get(key)
        if type(value) is not kind:  # a bool would pass for an int
            raise BrokenRecordError(f"{key!r} is missing or of the wrong type")
        return value

    def integer(self, key: str) -> int:
        """A whole number from 0 that fits 63 bits."""
        value: int = self._typed(key, int)
        if not 0 <= value < _LARGEST:
            raise BrokenRecordError(f"{key!r} is out of range")
        return value

    def optional_integer(self, key: str) -> int | None:
        """The same, or None where there is none."""
        return None if self._members.get(key) is None else self.integer(key)

    def text(self, key: str) -> str:
        """A string."""
        value: str = self._typed(key, str)
        return value

    def optional_text(self, key: str) -> str | None:
        """The same, or None where there is none."""
        return None if self._members.get(key) is None else self.text(key)

    def flag(self, key: str) -> bool:
        """True or false."""
        value: bool = self._typed(key, bool)
        return value

    def sha256(self, key: str) -> str:
        """A sha256 in hex."""
        value = self.text(key)
        if not names.is_sha256(value):
            raise BrokenRecordError(f"{key!r} is no sha256")
        return value

    def time(self, key: str) -> datetime:
        """A time, in UTC."""
        try:
            moment = datetime.fromisoformat(self.text(key))
            if moment.tzinfo is not None:
                return moment.astimezone(UTC)
        except (ValueError, OverflowError):
            pass
        raise BrokenRecordError(f"{key!r} is no time in UTC")

    def objects(self, key: str, most: int) -> list[Fields]:
        """An array of at most `most` objects."""
        values = self._typed(key, list)
        if len(values) > most:
            raise BrokenRecordError(f"{key!r} has more than {most} entries")
        return [Fields(value) for value in values]
