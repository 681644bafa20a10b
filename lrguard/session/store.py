"""A session directory that is written: the one place where results and assets are put on disk.

Everything is written to a temporary file first and then published, all of one response together: assets, the original,
the reading copy, and last the metadata that makes them count. So an asset's path may be printed only once the response
that refers to it is saved. Nothing is synced to the disk: that would cost 5 to 30 ms a file on a plain disk, and what a
power failure may take is noticed by its sha256 and said.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime

from lrguard.errors import SaveError
from lrguard.intake.source import FileSource, Source
from lrguard.records import dataclass, replace
from lrguard.session import names
from lrguard.session.facts import Facts, merged_assets, new_record, original_file, reading_extension, reading_files
from lrguard.session.folder import sha256_of, write_all
from lrguard.session.lock import Lock
from lrguard.session.metadata import BrokenRecordError, ReadingRecord, Record, Sighting, SummaryRecord, sighting
from lrguard.session.pending import PendingAssets, Publication, relative
from lrguard.session.reader import Saved, SessionReader, reason
from lrguard.session.temporaries import Temporaries
from lrguard.session.tree import refuse_unprintable

TYPE_CHECKING = False  # `typing` takes 4 ms to import
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")

__all__ = ["Facts", "Session"]

_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class _Text:
    """A text that is ready to be published: a temporary file and what it holds."""

    temporary: str
    bytes: int
    sha256: str


_Slot = tuple[str, Record | None]
"""An id that a response may get, and the record of the same content that it would replace."""


class Session(SessionReader):
    """A session directory, made when first needed. Whoever uses it calls `close`, or uses it as a context."""

    def __init__(self, path: str, *, shown_as: str | None = None) -> None:
        """See `SessionReader`."""
        super().__init__(path, shown_as=shown_as)
        self.has_saved = False
        self._temporaries = Temporaries(lambda: self.tree.make_folder(names.RECORDS))
        self._assets = PendingAssets(self.tree, self._temporaries)

    def close(self) -> None:
        """Remove what was not saved, and give the descriptors of the directories back."""
        self.discard_temporaries()
        super().close()

    def make_temporary(self) -> int:
        """A descriptor, the caller's, for reading and writing a private file whose name is gone after `close`.

        Saving a source that is in it costs no copy. Raises `SaveError`.
        """
        return self._attempt(lambda: self._temporaries.create()[1])

    def discard_temporaries(self) -> None:
        """Remove the temporary files, assets that no saved response refers to, and directories made for nothing."""
        self.discard_new_assets()
        self._temporaries.clear()
        self.tree.unmake()

    def save_asset(self, data: bytes, sha256: str, extension: str) -> str:
        """Keep one asset, to be published with the response whose `Facts.assets` name it; returns its path to print.

        Content that the session has already is not written again. Raises `SaveError`.
        """
        return self.shown_path(self._attempt(lambda: self._assets.add(data, sha256, extension)))

    def asset_path(self, sha256: str, extension: str) -> str:
        """The path that `save_asset` would return; nothing is written. Raises `SaveError`."""
        return self.shown_path(self._attempt(lambda: self._assets.file(sha256, extension)))

    def discard_new_assets(self) -> None:
        """Forget the assets that no saved response refers to."""
        with suppress(OSError):  # what cannot be removed is what a crash leaves: `purge` finds it
            self._assets.discard()

    def save(
        self, original: Source, facts: Facts, reading: Source | None = None, *, now: datetime | None = None
    ) -> Saved:
        """Save a result, or note one more sighting where the session has the same content already.

        The path, the id and the first time of the same content stay, as long as its file is what was saved. Raises
        `SaveError`; nothing of the result is left in the session then.
        """
        seen = sighting(now or datetime.now(UTC), facts.tool, facts.call_id)
        facts = replace(facts, assets=tuple(relative(asset, self.shown) for asset in facts.assets))
        used: list[str] = []
        try:
            self._attempt(self._assets.settle)
            record = self._attempt(lambda: self._save(original, facts, reading, seen, used))
            used += self._assets.published(facts.assets)
        finally:
            self._drop(used)
        self.tree.keep_made()
        self.has_saved = True
        return self.saved(record)

    def foresee(self, facts: Facts, reading: Source | None = None, *, now: datetime | None = None) -> Saved:
        """What `save` would return, but for the sha256 of a new reading copy; nothing is written.

        Where the session cannot be read it is what would be returned in an empty one, since a result that needs no
        saving is none of its business.
        """
        seen = sighting(now or datetime.now(UTC), facts.tool, facts.call_id)
        known, slots = self._slots(facts)
        record = known
        if record is None:
            free = (one for one, _ in slots if not self._is_taken(original_file(facts, one, seen)))
            identifier = next(free, facts.sha256[: names.ID_DIGITS[0]])
            record = new_record(identifier, original_file(facts, identifier, seen), facts, seen)
        if not self._has_reading(record):
            copy = None
            if reading is not None:
                files = reading_files(record, reading_extension(facts), seen)
                free = (one for one in files if not self._is_taken(one))
                copy = ReadingRecord(next(free, record.file), reading.size, "")
            record = replace(record, reading=copy)
        return self.saved(record)

    def save_reading_copy(self, saved: Saved, reading: Source, extension: str) -> Saved:
        """Give a saved response the reading copy that it lacks. Raises `SaveError`."""
        used: list[str] = []
        try:
            record = self._attempt(lambda: self._add_reading(saved, reading, extension, used))
        except BrokenRecordError as error:
            raise SaveError(f"cannot save a reading copy of {saved.id}", reason(error)) from None
        finally:
            self._drop(used)
        return self.saved(record)

    def keep_summary(self, saved: Saved, summary: SummaryRecord) -> None:
        """Note a summary of a saved response beside what else is known of it. Raises `SaveError`."""
        used: list[str] = []
        try:
            self._attempt(lambda: self._add_summary(saved, summary, used))
        except BrokenRecordError as error:
            raise SaveError(f"cannot keep a summary of {saved.id}", reason(error)) from None
        finally:
            self._drop(used)

    def failure(self, error: OSError) -> SaveError:
        """The error to report when the session could not be written because of `error`."""
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        remedy = "free some space there or name another directory" if full else "name another directory"
        return SaveError(f"cannot save in {self.name}", reason(error), f"{remedy} with --session")

    def _attempt(self, work: Callable[[], T]) -> T:
        """What `work` returns, tried again where another process made or removed a file or directory in between."""
        try:
            refuse_unprintable(self.shown)
            for _ in range(_ATTEMPTS):
                try:
                    return work()
                except (FileNotFoundError, FileExistsError):
                    self.tree.forget()
            return work()
        except OSError as error:
            raise self.failure(error) from None

    def _save(self, original: Source, facts: Facts, reading: Source | None, seen: Sighting, used: list[str]) -> Record:
        self.tree.refresh()
        holder = self.tree.make_folder(names.RECORDS)
        # Files are hashed and written before the lock is taken; under it, what is known of them by then costs little.
        known, _ = self._slots(facts)
        text = self._text(original, facts.sha256, used) if known is None else None
        copy = None
        if reading is not None and (known is None or not self._has_reading(known)):
            copy = self._text(reading, None, used)
        with Lock(holder) as lock:
            known, slots = self._slots(facts)
            publication = Publication(holder)
            try:
                for asset in facts.assets:
                    self._assets.publish(asset, publication)
                if known is not None:
                    return self._save_again(known, facts, copy, seen, used, publication)
                text = text or self._text(original, facts.sha256, used)
                return self._save_new(text, facts, copy, seen, slots, used, publication)
            except BaseException:
                # Without the lock another run may have come to rely on an asset.
                if lock.held or not facts.assets:
                    publication.take_back()
                raise

    def _add_reading(self, saved: Saved, reading: Source, extension: str, used: list[str]) -> Record:
        self.tree.refresh()
        holder = self.tree.make_folder(names.RECORDS)
        text = self._text(reading, None, used)
        with Lock(holder):
            record = self.record(saved.id)
            if record.sha256 != saved.record.sha256 or self._has_reading(record):
                return record
            publication = Publication(holder)
            try:
                record = self._publish_reading(record, text, extension, record.sightings[0], publication)
                self._write_record(record, used, None)
            except BaseException:
                publication.take_back()
                raise
            return record

    def _add_summary(self, saved: Saved, summary: SummaryRecord, used: list[str]) -> None:
        self.tree.refresh()
        with Lock(self.tree.make_folder(names.RECORDS)):
            record = self.record(saved.id)
            if record.sha256 == saved.record.sha256:
                self._write_record(record.summarized(summary), used, None)

    def _slots(self, facts: Facts) -> tuple[Record | None, list[_Slot]]:
        """The record of the same content where its file is intact; else the ids it may get, the shortest first."""
        slots: list[_Slot] = []
        for digits in names.ID_DIGITS:
            identifier = facts.sha256[:digits]
            try:
                record = self.record(identifier)
            except FileNotFoundError:
                slots.append((identifier, None))
                continue
            except (OSError, BrokenRecordError):
                continue  # whatever stands there is not overwritten
            if record.sha256 != facts.sha256:
                continue
            if self.tree.is_intact(record.file, facts.bytes, facts.sha256):
                return record, []
            slots.append((identifier, record))
        return None, slots

    def _save_again(
        self, known: Record, facts: Facts, copy: _Text | None, seen: Sighting, used: list[str], publication: Publication
    ) -> Record:
        record = replace(known.seen_again(seen), assets=merged_assets(known.assets, facts.assets))
        if not self._has_reading(known):
            record = replace(record, reading=None)
            if copy is not None:
                record = self._publish_reading(record, copy, reading_extension(facts), seen, publication)
        self._write_record(record, used, None)
        return record

    def _save_new(
        self,
        text: _Text,
        facts: Facts,
        copy: _Text | None,
        seen: Sighting,
        slots: list[_Slot],
        used: list[str],
        publication: Publication,
    ) -> Record:
        record, replaced = self._publish_original(text, facts, seen, slots, publication)
        if replaced:
            record = replace(record, assets=merged_assets(replaced.assets, facts.assets))
        if copy is not None:
            record = self._publish_reading(record, copy, reading_extension(facts), seen, publication)
        self._write_record(record, used, None if replaced else publication)
        if replaced and replaced.reading and self._has_reading(replaced):
            with suppress(OSError):  # then it stays, as a file that no response refers to
                self.tree.remove(replaced.reading.file)
        return record

    def _publish_original(
        self, text: _Text, facts: Facts, seen: Sighting, slots: list[_Slot], publication: Publication
    ) -> tuple[Record, Record | None]:
        folder = self.tree.make_folder(facts.place)
        for identifier, replaced in slots:
            file = original_file(facts, identifier, seen)
            try:
                publication.add(folder, file.rpartition("/")[2], text.temporary)
            except FileExistsError:
                continue
            self.tree.know(file, facts.sha256)
            return new_record(identifier, file, facts, seen), replaced
        raise OSError(errno.EEXIST, "every name for it is taken")

    def _publish_reading(
        self, record: Record, text: _Text, extension: str, seen: Sighting, publication: Publication
    ) -> Record:
        folder = self.tree.make_folder(record.file.rpartition("/")[0])
        for file in reading_files(record, extension, seen):
            try:
                publication.add(folder, file.rpartition("/")[2], text.temporary)
            except FileExistsError:
                continue
            self.tree.know(file, text.sha256)
            return replace(record, reading=ReadingRecord(file, text.bytes, text.sha256))
        raise OSError(errno.EEXIST, "every name for its reading copy is taken")

    def _write_record(self, record: Record, used: list[str], publication: Publication | None) -> None:
        """Write the metadata: in the place of an earlier one, or, with a publication, only where there is none."""
        folder = self.tree.make_folder(names.RECORDS)
        temporary, descriptor = self._temporaries.create()
        used.append(temporary)
        try:
            write_all(descriptor, record.to_json())
        finally:
            os.close(descriptor)
        if publication is None:
            folder.replace(temporary, names.record_name(record.id))
        else:
            publication.add(folder, names.record_name(record.id), temporary)

    def _is_taken(self, file: str) -> bool:
        try:
            self.tree.size(file)
        except OSError:
            return False
        return True

    def _has_reading(self, record: Record) -> bool:
        copy = record.reading
        return copy is not None and self.tree.is_intact(copy.file, copy.bytes, copy.sha256)

    def _text(self, source: Source, sha256: str | None, used: list[str]) -> _Text:
        """`source` in a temporary file, the one it is in already where that is ours."""
        if isinstance(source, FileSource):
            name = self._temporaries.name_of(source.descriptor, source.size)
            if name is not None:
                used.append(name)
                return _Text(name, source.size, sha256 or sha256_of(source.descriptor))
        name, descriptor = self._temporaries.create()
        used.append(name)
        try:
            for piece in source.chunks():
                write_all(descriptor, piece)
            if os.fstat(descriptor).st_size != source.size:
                raise OSError(errno.EIO, "the result changed while it was saved")
            return _Text(name, source.size, sha256 or sha256_of(descriptor))
        finally:
            os.close(descriptor)

    def _drop(self, temporaries: list[str]) -> None:
        with suppress(OSError):  # `close` tries again
            self._temporaries.remove(temporaries)
