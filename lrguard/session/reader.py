"""What a session holds, looked up and opened: the half of a session that writes nothing.

A response is found through its metadata alone; a file that no valid record names is none. What is opened is compared
with the sha256 that was saved, since a person or a program may have changed it, and an answer drawn from another text
than the tool gave would mislead.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from enum import Enum
from types import TracebackType

from lrguard.errors import LrguardError
from lrguard.intake.source import FileSource
from lrguard.records import dataclass
from lrguard.session import names
from lrguard.session.folder import sha256_of
from lrguard.session.metadata import LIMIT, Record, read_record
from lrguard.session.record_fields import BrokenRecordError
from lrguard.session.tree import Tree

TYPE_CHECKING = False  # `typing` takes 4 ms to import
if TYPE_CHECKING:
    from typing import Self

_CANDIDATES = 10
_PREFIX = 4


class Part(Enum):
    """Which of a response's texts is meant."""

    ORIGINAL = "original"
    READING_COPY = "reading copy"


@dataclass(frozen=True, slots=True)
class Saved:
    """A saved response: its record, and its paths as messages write them."""

    record: Record
    path: str
    reading_copy: str | None

    @property
    def id(self) -> str:
        """The short handle."""
        return self.record.id


@dataclass(frozen=True, slots=True)
class Survey:
    """All that a session holds, the last seen first, and the metadata files that are none, each with the reason."""

    responses: tuple[Saved, ...]
    broken: tuple[tuple[str, str], ...]


class SessionReader:
    """A session directory that is read; not for several threads at once. `close` gives its descriptors back."""

    def __init__(self, path: str, *, shown_as: str | None = None) -> None:
        """`shown_as` is how messages write the path. Nothing is looked at on disk yet."""
        self.tree = Tree(path)
        self.shown = (shown_as.rstrip("/") or "/") if shown_as else self.tree.path

    def __enter__(self) -> Self:
        """The session itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Give the descriptors of the directories back; the session can be used again."""
        self.tree.forget()

    @property
    def name(self) -> str:
        """How an error names the session."""
        return _plain(self.shown or "the session")

    def shown_path(self, file: str) -> str:
        """How messages write the path of `file`, a name relative to the session."""
        return os.path.join(self.shown, file)

    def survey(self) -> Survey:
        """Everything that the session holds; raises `LrguardError` where its directory cannot be read."""
        found: list[Record] = []
        broken: list[tuple[str, str]] = []
        for identifier in self._identifiers():
            try:
                found.append(self.record(identifier))
            except FileNotFoundError:
                continue  # purged since it was listed
            except (OSError, BrokenRecordError) as error:
                broken.append((names.record_name(identifier), reason(error)))
        found.sort(key=lambda record: (record.last_seen, record.first_seen, record.id), reverse=True)
        return Survey(tuple(map(self.saved, found)), tuple(sorted(broken)))

    def responses(self) -> tuple[Saved, ...]:
        """The saved responses, the last seen first."""
        return self.survey().responses

    def find(self, reference: str | None = None, *, call_id: str | None = None) -> Saved:
        """The response meant by `reference`: `last` (as None), an id, the beginning of just one, a file's name or path.

        With `call_id` only what came in that call counts, and without a reference that must be one response. Raises
        `LrguardError` that lists candidates.
        """
        if reference is None and call_id is not None:
            return self._only(f"call id {_plain(call_id)!r}", self._of_call(self.responses(), call_id))
        reference = reference or "last"
        if reference == "last":
            matches = self._of_call(self.responses(), call_id)
            return matches[0] if matches else self._only("last", ())
        return self._only(repr(_plain(reference)), self._of_call(self._matching(reference), call_id))

    def find_reading_copy(self, sha256: str, size: int) -> Saved | None:
        """The response whose reading copy has this content, if there is one."""
        try:
            self.tree.refresh()
            folder = self.tree.folder(names.LONG_RESPONSES)
            for name in folder.names():
                parsed = names.parse_response(name)
                if parsed and parsed.is_reading_copy and folder.facts(name).st_size == size:
                    record = self.record(parsed.id)
                    reading = record.reading
                    if reading and reading.sha256 == sha256 and self.tree.is_intact(reading.file, size, sha256):
                        return self.saved(record)
        except (OSError, BrokenRecordError):
            pass
        return None

    def open(self, saved: Saved, part: Part = Part.ORIGINAL) -> FileSource:
        """That text of the response; the descriptor is the caller's.

        Raises `LrguardError` where there is no such text, or where it was removed or changed since it was saved.
        """
        record = saved.record
        file, sha256 = record.file, record.sha256
        if part is Part.READING_COPY:
            if record.reading is None:
                raise LrguardError(f"{record.id} has no reading copy")
            file, sha256 = record.reading.file, record.reading.sha256
        what = f"cannot read the {part.value} of {record.id}"
        try:
            self.tree.refresh()
            source = FileSource(self.tree.open(file))
        except FileNotFoundError:
            why = f"{self.shown_path(file)} was removed since it was saved"
            raise LrguardError(what, why, "run the tool again") from None
        except OSError as error:
            raise LrguardError(what, reason(error), "run the tool again") from None
        now = sha256_of(source.descriptor)
        if now != sha256:
            os.close(source.descriptor)
            why = f"{self.shown_path(file)} was changed since it was saved (its sha256 is {now}, was {sha256})"
            raise LrguardError(what, why, "run the tool again, or give the path to read what is there now")
        return source

    def contains_path(self, path: str) -> bool:
        """Whether `path` is a regular file, and no link, that lies where the session keeps responses or assets."""
        try:
            os.close(self._open_inside(path).descriptor)
        except OSError:
            return False
        return True

    def open_path(self, path: str) -> FileSource:
        """The file at `path`, only where `contains_path` holds, never another; the descriptor is the caller's.

        Raises `LrguardError`.
        """
        try:
            return self._open_inside(path)
        except OSError as error:
            raise LrguardError(
                f"cannot read {_plain(path)}", reason(error), "only saved responses may be read"
            ) from None

    def _identifiers(self) -> list[str]:
        try:
            self.tree.refresh()
            listed = self.tree.folder(names.RECORDS).names()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise LrguardError(f"cannot read the session {self.name}", reason(error)) from None
        return [identifier for name in listed if (identifier := names.id_of_record(name))]

    def record(self, identifier: str) -> Record:
        """The record of that id. Raises `OSError` and `BrokenRecordError`."""
        return read_record(self.tree.folder(names.RECORDS).read(names.record_name(identifier), LIMIT), identifier)

    def saved(self, record: Record) -> Saved:
        """The response with that record."""
        reading = self.shown_path(record.reading.file) if record.reading else None
        return Saved(record, self.shown_path(record.file), reading)

    def _matching(self, reference: str) -> list[Saved]:
        if "/" in reference:
            reference = _name(self._file_at(reference) or "")
        if parsed := names.parse_response(reference):
            return [one for one in self._load([parsed.id]) if reference in (_name(f) for f in one.record.files)]
        wanted = reference.lower()
        known = self._identifiers()
        if wanted in known:
            return self._load([wanted])
        return self._load(sorted(one for one in known if one.startswith(wanted))) if len(wanted) >= _PREFIX else []

    def _load(self, identifiers: Iterable[str]) -> list[Saved]:
        found = []
        for identifier in identifiers:
            try:
                found.append(self.saved(self.record(identifier)))
            except FileNotFoundError:
                continue
            except (OSError, BrokenRecordError) as error:
                why = f"its metadata cannot be used: {reason(error)}"
                raise LrguardError(f"cannot look up {identifier}", why, "give the path of its file") from None
        return found

    @staticmethod
    def _of_call(responses: Iterable[Saved], call_id: str | None) -> list[Saved]:
        if call_id is None:
            return list(responses)
        wanted = call_id[:1024]
        return [one for one in responses if any(seen.call_id == wanted for seen in one.record.sightings)]

    def _only(self, what: str, matches: Iterable[Saved]) -> Saved:
        found = list(matches)
        if len(found) == 1:
            return found[0]
        among = found or self.responses()
        if not among:
            raise LrguardError(f"no saved response {what}", f"nothing is saved in {self.name}")
        listed = ", ".join(_candidate(one) for one in among[:_CANDIDATES])
        if len(among) > _CANDIDATES:
            listed += f" and {len(among) - _CANDIDATES} more"
        if found:
            raise LrguardError(f"{what} is ambiguous", f"it may be {listed}", "give more of the id")
        raise LrguardError(f"no saved response {what}", f"there are {listed}", "`lrguard list` shows them")

    def _open_inside(self, path: str) -> FileSource:
        file = self._file_at(path)
        if file is None:
            raise OSError(errno.EACCES, "it is not a file of the session")
        return FileSource(self.tree.open(file))

    def _file_at(self, path: str) -> str | None:
        root = self.shown.rstrip("/") + "/"
        if self.shown != self.tree.path and path.startswith(root):
            path = os.path.join(self.tree.path, path[len(root) :])
        return self.tree.inside(path)


def reason(error: Exception) -> str:
    """Why it failed, in words, on one line."""
    return _plain((error.strerror if isinstance(error, OSError) else None) or str(error))


def _plain(text: str) -> str:
    shown = text if len(text) <= 200 else text[:199] + "…"
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in shown)


def _name(file: str) -> str:
    return file.rpartition("/")[2]


def _candidate(saved: Saved) -> str:
    tool = names.tool_part(saved.record.sightings[-1].tool)
    return f"{saved.id} ({tool})" if tool else saved.id
