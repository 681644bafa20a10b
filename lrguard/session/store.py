"""A session directory that is written: the one place where results and assets are put on disk.

Everything is written to a temporary file first and then published, all of one response together: assets, the original,
the reading copy, and last the metadata that makes them count. So an asset's path may be printed only once the response
that refers to it is saved. Nothing is synced to the disk: that would cost 5 to 30 ms a file on a plain disk, and what a
power failure may take is noticed by its sha256 and said.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime

from lrguard.errors import SaveError
from lrguard.intake.source import Source
from lrguard.records import replace
from lrguard.session import names
from lrguard.session.facts import Facts, new_record, original_file, reading_extension, reading_files
from lrguard.session.metadata import ReadingRecord, SummaryRecord, sighting
from lrguard.session.pending import PendingAssets, relative
from lrguard.session.reader import Saved, SessionReader, reason
from lrguard.session.record_fields import BrokenRecordError
from lrguard.session.saving import Saving
from lrguard.session.temporaries import Temporaries
from lrguard.session.tree import refuse_unprintable

TYPE_CHECKING = False  # `typing` takes 4 ms to import
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")

__all__ = ["Facts", "Session"]

_ATTEMPTS = 5


class Session(SessionReader):
    """A session directory, made when first needed. Whoever uses it calls `close`, or uses it as a context."""

    def __init__(self, path: str, *, shown_as: str | None = None) -> None:
        """See `SessionReader`."""
        super().__init__(path, shown_as=shown_as)
        self.has_saved = False
        self._temporaries = Temporaries(lambda: self.tree.make_folder(names.RECORDS))
        self._assets = PendingAssets(self.tree, self._temporaries)
        self._saving = Saving(self.tree, self.record, self._temporaries, self._assets)

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

    def save_asset(self, content: Source, sha256: str, extension: str) -> str:
        """Keep one asset, to be published with the response whose `Facts.assets` name it; returns its path to print.

        Content that the session has already is not written again. Raises `SaveError`.
        """
        return self.shown_path(self._attempt(lambda: self._assets.add(content, sha256, extension)))

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
            record = self._attempt(lambda: self._saving.save(original, facts, reading, seen, used))
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
        known, slots = self._saving.slots(facts)
        record = known
        if record is None:
            free = (one for one, _ in slots if not self._saving.is_taken(original_file(facts, one, seen)))
            identifier = next(free, facts.sha256[: names.ID_DIGITS[0]])
            record = new_record(identifier, original_file(facts, identifier, seen), facts, seen)
        if not self._saving.has_reading(record):
            copy = None
            if reading is not None:
                files = reading_files(record, reading_extension(facts), seen)
                free = (one for one in files if not self._saving.is_taken(one))
                copy = ReadingRecord(next(free, record.file), reading.size, "")
            record = replace(record, reading=copy)
        return self.saved(record)

    def save_reading_copy(self, saved: Saved, reading: Source, extension: str) -> Saved:
        """Give a saved response the reading copy that it lacks. Raises `SaveError`."""
        used: list[str] = []
        try:
            record = self._attempt(lambda: self._saving.add_reading(saved, reading, extension, used))
        except BrokenRecordError as error:
            raise SaveError(f"cannot save a reading copy of {saved.id}", reason(error)) from None
        finally:
            self._drop(used)
        return self.saved(record)

    def keep_summary(self, saved: Saved, summary: SummaryRecord) -> None:
        """Note a summary of a saved response beside what else is known of it. Raises `SaveError`."""
        used: list[str] = []
        try:
            self._attempt(lambda: self._saving.add_summary(saved, summary, used))
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

    def _drop(self, temporaries: list[str]) -> None:
        with suppress(OSError):  # `close` tries again
            self._temporaries.remove(temporaries)
