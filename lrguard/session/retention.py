"""What leaves a session, and when: old responses, the assets that nothing refers to any more, what crashes left.

A file goes only when a valid record names it and it still has the size and sha256 that were saved, or when its name
is that of a temporary file. Whatever else lies in a session, a saved response that somebody edited included, is left.
Everything is decided and done under the session's lock, so that no writer relies on a file that is about to go.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from lrguard.errors import LrguardError
from lrguard.session import names
from lrguard.session.folder import Folder
from lrguard.session.keeping import KEEP_BYTES, KEEP_DAYS
from lrguard.session.lock import Lock
from lrguard.session.metadata import AssetRecord, ReadingRecord, Record
from lrguard.session.reader import SessionReader, reason
from lrguard.session.temporaries import crashed

PROTECTED = timedelta(hours=1)
"""What was seen within this time is never dropped by itself: some agent is still at work with it."""

_DAY = 24 * 3600.0
_STAMP = "last-purge"


class Report(NamedTuple):
    """What was removed, or, in a dry run, what would be.

    `responses` are ids, `files` and `left` names relative to the session; `left` comes with the reason.
    """

    responses: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    bytes: int = 0
    left: tuple[tuple[str, str], ...] = ()


class Limits(NamedTuple):
    """What may go: everything, what was seen last before a time, the oldest beyond so many bytes.

    Nothing that was seen after `protected_since` goes, whatever the others say.
    """

    everything: bool = False
    seen_before: datetime | None = None
    keep_bytes: int | None = None
    protected_since: datetime | None = None


def purge(
    session: SessionReader,
    *,
    older_than: timedelta | None = None,
    keep_bytes: int | None = None,
    everything: bool = False,
    dry_run: bool = False,
    protect_recent: timedelta | None = None,
    now: datetime | None = None,
) -> Report:
    """Remove what the limits say and, always, what crashed runs left. Raises `LrguardError`.

    A person who names a limit means it: what was just seen is protected only where `protect_recent` says so.
    """
    moment = now or datetime.now(UTC)
    limits = Limits(
        everything=everything,
        seen_before=None if older_than is None else _before(moment, older_than),
        keep_bytes=keep_bytes,
        protected_since=None if protect_recent is None else _before(moment, protect_recent),
    )
    try:
        session.tree.refresh()
        folder = session.tree.folder(names.RECORDS)
        if dry_run:
            return _Purge(session, folder, dry_run=True).run(limits, moment)
        # Large files are hashed before anybody has to wait for it; what is known of them is used again below.
        _Purge(session, folder, dry_run=True).run(limits, moment)
        with Lock(folder) as lock:
            if lock.busy:
                raise LrguardError(
                    f"cannot purge {session.name}", "another lrguard is at work in it", "try again later"
                )
            return _Purge(session, folder, dry_run=False).run(limits, moment)
    except FileNotFoundError:
        return Report()
    except OSError as error:
        raise LrguardError(f"cannot purge {session.name}", reason(error)) from None


def automatic(
    session: SessionReader,
    *,
    older_than: timedelta | None = KEEP_DAYS,
    keep_bytes: int | None = KEEP_BYTES,
    now: datetime | None = None,
) -> Report | None:
    """The purge after a save, at most once a day; None where none was due. What fails waits for the next day."""
    moment = now or datetime.now(UTC)
    try:
        session.tree.refresh()
        if not _is_due(session.tree.folder(names.RECORDS), moment):
            return None
        return purge(session, older_than=older_than, keep_bytes=keep_bytes, protect_recent=PROTECTED, now=moment)
    except (OSError, LrguardError):
        return None


def _before(moment: datetime, age: timedelta) -> datetime:
    try:
        return moment - age
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)


def _is_due(folder: Folder, moment: datetime) -> bool:
    """Whether a day has passed since this last said so; the time is kept as that of an empty file."""
    with suppress(FileNotFoundError):
        facts = folder.facts(_STAMP)
        # A time in the future is that of a clock since put right.
        if not stat.S_ISREG(facts.st_mode) or 0 <= moment.timestamp() - facts.st_mtime < _DAY:
            return False
    descriptor = folder.open_lock(_STAMP)
    try:
        os.utime(descriptor, (moment.timestamp(), moment.timestamp()))
    finally:
        os.close(descriptor)
    return True


def _chosen(records: Iterable[Record], limits: Limits) -> list[Record]:
    """The records that go, the oldest first."""
    found = sorted(records, key=lambda record: (record.last_seen, record.id))
    total = _total(found)
    gone = []
    referred: dict[str, int] = {}
    for record in found:
        for file in {asset.file for asset in record.assets}:
            referred[file] = referred.get(file, 0) + 1
    for record in found:
        recent = limits.protected_since is not None and record.last_seen > limits.protected_since
        old = limits.seen_before is not None and record.last_seen < limits.seen_before
        beyond = limits.keep_bytes is not None and total > limits.keep_bytes
        if recent or not (limits.everything or old or beyond):
            continue
        gone.append(record)
        total -= _own_bytes(record)
        for asset in {asset.file: asset for asset in record.assets}.values():
            referred[asset.file] -= 1
            total -= 0 if referred[asset.file] else asset.bytes
    return gone


def _own_bytes(record: Record) -> int:
    return record.bytes + (record.reading.bytes if record.reading else 0)


def _total(records: Iterable[Record]) -> int:
    """Bytes of all files of these responses, each asset once."""
    assets: dict[str, int] = {}
    total = 0
    for record in records:
        total += _own_bytes(record)
        assets.update((asset.file, asset.bytes) for asset in record.assets)
    return total + sum(assets.values())


class _Purge:
    """One purge, and what it has removed so far."""

    def __init__(self, session: SessionReader, folder: Folder, *, dry_run: bool) -> None:
        self._session, self._tree, self._folder, self._dry_run = session, session.tree, folder, dry_run
        self._files: dict[str, int] = {}
        self._left: list[tuple[str, str]] = []

    def run(self, limits: Limits, moment: datetime) -> Report:
        survey = self._session.survey()
        records = [saved.record for saved in survey.responses]
        self._left += [(f"{names.RECORDS}/{name}", why) for name, why in survey.broken]
        gone = _chosen(records, limits)
        kept_ids = {record.id for record in records} - {record.id for record in gone}
        kept = [record for record in records if record.id in kept_ids]
        self._remove_responses(gone, {asset.file for record in kept for asset in record.assets})
        self._remove_crashed({file for record in kept for file in _all_files(record)}, moment)
        return Report(
            tuple(record.id for record in gone), tuple(self._files), sum(self._files.values()), tuple(self._left)
        )

    def _remove_responses(self, gone: list[Record], referred: set[str]) -> None:
        for record in gone:
            parts: list[Record | ReadingRecord | AssetRecord] = [record]
            parts += [record.reading] if record.reading else []
            parts += [asset for asset in record.assets if asset.file not in referred]
            # Data first: what a crash in between leaves is still accounted for, as is what cannot be removed.
            removed = [self._remove_intact(part.file, part.bytes, part.sha256) for part in parts]
            if all(removed) and not self._dry_run:
                self._folder.remove(names.record_name(record.id))

    def _remove_intact(self, file: str, size: int, sha256: str) -> bool:
        """Remove a file that is what was saved; False where that failed."""
        if file in self._files:
            return True
        if self._tree.is_intact(file, size, sha256):
            return self._remove(file, size)
        with suppress(FileNotFoundError, NotADirectoryError):
            self._tree.size(file)
            self._left.append((file, "it was changed since it was saved"))
        return True

    def _remove(self, file: str, size: int) -> bool:
        try:
            if not self._dry_run:
                self._tree.remove(file)
        except OSError as error:
            self._left.append((file, reason(error)))
            return False
        self._files[file] = size
        return True

    def _remove_crashed(self, accounted: set[str], moment: datetime) -> None:
        """Remove the temporary files of crashed runs, and what such a run had published before its metadata: it is
        the same file as a temporary one.
        """
        for temporaries in crashed(self._folder, moment.timestamp()):
            inodes = {}
            for name in temporaries:
                with suppress(OSError):
                    facts = self._folder.facts(name)
                    if stat.S_ISREG(facts.st_mode):
                        inodes[name] = facts
            linked = {(facts.st_dev, facts.st_ino) for facts in inodes.values() if facts.st_nlink > 1}
            for place in (names.LONG_RESPONSES, names.DOWNLOADS, names.ASSETS) if linked else ():
                self._remove_orphans(place, linked, accounted)
            for name, facts in inodes.items():
                self._remove(f"{names.RECORDS}/{name}", facts.st_size if facts.st_nlink == 1 else 0)

    def _remove_orphans(self, place: str, linked: set[tuple[int, int]], accounted: set[str]) -> None:
        with suppress(OSError):
            folder = self._tree.folder(place)
            for name in folder.names():
                facts = folder.facts(name)
                if (facts.st_dev, facts.st_ino) in linked and f"{place}/{name}" not in accounted:
                    self._remove(f"{place}/{name}", facts.st_size)


def _all_files(record: Record) -> tuple[str, ...]:
    return (*record.files, *(asset.file for asset in record.assets))
