"""One response put on disk: its files under the lock of the session, last the metadata that makes them count."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import suppress

from lrguard.intake.source import FileSource, Source
from lrguard.records import dataclass, replace
from lrguard.session import names
from lrguard.session.facts import Facts, merged_assets, new_record, original_file, reading_extension, reading_files
from lrguard.session.folder import sha256_of, write_all
from lrguard.session.lock import Lock
from lrguard.session.metadata import ReadingRecord, Record, Sighting, SummaryRecord
from lrguard.session.pending import PendingAssets, Publication
from lrguard.session.reader import Saved
from lrguard.session.record_fields import BrokenRecordError
from lrguard.session.temporaries import Temporaries
from lrguard.session.tree import Tree


@dataclass(frozen=True, slots=True)
class _Text:
    """A text that is ready to be published: a temporary file and what it holds."""

    temporary: str
    bytes: int
    sha256: str


_Slot = tuple[str, Record | None]
"""An id that a response may get, and the record of the same content that it would replace."""


class Saving:
    """Saves in the session at `tree`. All of it raises `OSError`; temporary files that were used up go into `used`."""

    def __init__(
        self, tree: Tree, record: Callable[[str], Record], temporaries: Temporaries, assets: PendingAssets
    ) -> None:
        """`record` reads the metadata of an id; see `SessionReader.record`."""
        self._tree, self._record = tree, record
        self._temporaries, self._assets = temporaries, assets

    def save(self, original: Source, facts: Facts, reading: Source | None, seen: Sighting, used: list[str]) -> Record:
        """Save a new result, or note one more sighting of the same content; returns the metadata."""
        self._tree.refresh()
        holder = self._tree.make_folder(names.RECORDS)
        # Files are hashed and written before the lock is taken; under it, what is known of them by then costs little.
        known, _ = self.slots(facts)
        text = self._text(original, facts.sha256, used) if known is None else None
        copy = None
        if reading is not None and (known is None or not self.has_reading(known)):
            copy = self._text(reading, None, used)
        with Lock(holder) as lock:
            known, slots = self.slots(facts)
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

    def add_reading(self, saved: Saved, reading: Source, extension: str, used: list[str]) -> Record:
        """Save a reading copy of a response that has none; returns the metadata."""
        self._tree.refresh()
        holder = self._tree.make_folder(names.RECORDS)
        text = self._text(reading, None, used)
        with Lock(holder):
            record = self._record(saved.id)
            if record.sha256 != saved.record.sha256 or self.has_reading(record):
                return record
            publication = Publication(holder)
            try:
                record = self._publish_reading(record, text, extension, record.sightings[0], publication)
                self._write_record(record, used, None)
            except BaseException:
                publication.take_back()
                raise
            return record

    def add_summary(self, saved: Saved, summary: SummaryRecord, used: list[str]) -> None:
        """Note a summary of a response."""
        self._tree.refresh()
        with Lock(self._tree.make_folder(names.RECORDS)):
            record = self._record(saved.id)
            if record.sha256 == saved.record.sha256:
                self._write_record(record.summarized(summary), used, None)

    def slots(self, facts: Facts) -> tuple[Record | None, list[_Slot]]:
        """The record of the same content where its file is intact; else the ids it may get, the shortest first."""
        slots: list[_Slot] = []
        for digits in names.ID_DIGITS:
            identifier = facts.sha256[:digits]
            try:
                record = self._record(identifier)
            except FileNotFoundError:
                slots.append((identifier, None))
                continue
            except (OSError, BrokenRecordError):
                continue  # whatever stands there is not overwritten
            if record.sha256 != facts.sha256:
                continue
            if self._tree.is_intact(record.file, facts.bytes, facts.sha256):
                return record, []
            slots.append((identifier, record))
        return None, slots

    def _save_again(
        self, known: Record, facts: Facts, copy: _Text | None, seen: Sighting, used: list[str], publication: Publication
    ) -> Record:
        record = replace(known.seen_again(seen), assets=merged_assets(known.assets, facts.assets))
        if not self.has_reading(known):
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
        if replaced and replaced.reading and self.has_reading(replaced):
            with suppress(OSError):  # then it stays, as a file that no response refers to
                self._tree.remove(replaced.reading.file)
        return record

    def _publish_original(
        self, text: _Text, facts: Facts, seen: Sighting, slots: list[_Slot], publication: Publication
    ) -> tuple[Record, Record | None]:
        folder = self._tree.make_folder(facts.place)
        for identifier, replaced in slots:
            file = original_file(facts, identifier, seen)
            try:
                publication.add(folder, file.rpartition("/")[2], text.temporary)
            except FileExistsError:
                continue
            self._tree.know(file, facts.sha256)
            return new_record(identifier, file, facts, seen), replaced
        raise OSError(errno.EEXIST, "every name for it is taken")

    def _publish_reading(
        self, record: Record, text: _Text, extension: str, seen: Sighting, publication: Publication
    ) -> Record:
        folder = self._tree.make_folder(record.file.rpartition("/")[0])
        for file in reading_files(record, extension, seen):
            try:
                publication.add(folder, file.rpartition("/")[2], text.temporary)
            except FileExistsError:
                continue
            self._tree.know(file, text.sha256)
            return replace(record, reading=ReadingRecord(file, text.bytes, text.sha256))
        raise OSError(errno.EEXIST, "every name for its reading copy is taken")

    def _write_record(self, record: Record, used: list[str], publication: Publication | None) -> None:
        """Write the metadata: in the place of an earlier one, or, with a publication, only where there is none."""
        folder = self._tree.make_folder(names.RECORDS)
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

    def is_taken(self, file: str) -> bool:
        """Whether something has that name."""
        try:
            self._tree.size(file)
        except OSError:
            return False
        return True

    def has_reading(self, record: Record) -> bool:
        """Whether the response has a reading copy that is what was saved."""
        copy = record.reading
        return copy is not None and self._tree.is_intact(copy.file, copy.bytes, copy.sha256)

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
