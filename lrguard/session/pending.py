"""What a run wants to save and has not published yet: assets, and what one save has published so far.

An asset waits in a temporary file until the response that refers to it is saved. So nothing has to be taken back where
a result passes after all, and no other run can rely on a file that this one is about to take back.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress

from lrguard.intake.source import CHUNK, IN_MEMORY, Source
from lrguard.records import replace
from lrguard.session import names
from lrguard.session.folder import Folder, write_all
from lrguard.session.metadata import AssetRecord
from lrguard.session.temporaries import Temporaries
from lrguard.session.tree import Tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lrguard.intake.beside import Beside


class Publication:
    """The files that one save has published, to be taken back where it fails."""

    def __init__(self, holder: Folder) -> None:
        """`holder` is where the temporary files are."""
        self._holder = holder
        self._done: list[tuple[Folder, str]] = []

    def add(self, folder: Folder, name: str, temporary: str) -> None:
        """Publish a temporary file. Raises `FileExistsError` where the name is taken."""
        folder.publish(name, self._holder, temporary)
        self._done.append((folder, name))

    def take_back(self) -> None:
        """Remove what was published; the failure that led here is the one to report."""
        for folder, name in reversed(self._done):
            with suppress(OSError):
                folder.remove(name)


class _Writer:
    """Writes files in `folder` that are not read before `finish`: the first at once, many beside the caller."""

    def __init__(self, folder: Folder) -> None:
        """Nothing is written yet; `folder` may be closed meanwhile."""
        self._folder = folder.again()
        self._written = 0
        self._beside: Beside | None = None

    def add(self, name: str, content: Source) -> None:
        """Write a new file, now or later; raises `OSError` for this or an earlier one."""
        self._written += content.size
        if self._written <= IN_MEMORY or content.size > CHUNK:
            self._write(name, content)
            return
        if not self._beside:
            from lrguard.intake.beside import Beside

            self._beside = Beside()
        self._beside.give(lambda: self._write(name, content), content.size)

    def finish(self) -> None:
        """Wait until all files are written; raises `OSError` where one is not."""
        try:
            if self._beside:
                self._beside.finish()
        finally:
            self._folder.close()

    def _write(self, name: str, content: Source) -> None:
        descriptor = self._folder.create(name)
        try:
            for piece in content.chunks():
                write_all(descriptor, piece)
        finally:
            os.close(descriptor)


class PendingAssets:
    """The assets of a run that no saved response refers to yet. Everything here raises `OSError`."""

    def __init__(self, tree: Tree, temporaries: Temporaries) -> None:
        """Nothing is looked at on disk yet."""
        self._tree, self._temporaries = tree, temporaries
        self._waiting: dict[str, str] = {}
        self._writer: _Writer | None = None

    def file(self, sha256: str, extension: str) -> str:
        """Where in the session that content is or will be: under the first name that no other content has."""
        return self._find(sha256, extension)[0]

    def _find(self, sha256: str, extension: str) -> tuple[str, bool]:
        """The file, and whether it is there or waits."""
        if not self._waiting:
            self._tree.refresh()
        for digits in names.ASSET_DIGITS:
            file = f"{names.ASSETS}/{names.asset_name(sha256, digits, extension)}"
            if file in self._waiting:
                return file, True
            try:
                size = self._tree.size(file)
            except FileNotFoundError:
                return file, False
            if self._tree.is_intact(file, size, sha256):
                return file, True
        raise OSError(errno.EEXIST, "every name for an asset is taken")

    def add(self, content: Source, sha256: str, extension: str) -> str:
        """Keep one asset; returns its file. What the session has already is not written again."""
        file, is_there = self._find(sha256, extension)
        if file not in self._waiting and not (is_there and self._pin(file, content.size, sha256)):
            temporary = self._temporaries.new_name()
            self._writer = self._writer or _Writer(self._tree.make_folder(names.RECORDS))
            try:
                self._writer.add(temporary, content)
            except OSError:
                self.discard()
                raise
            self._waiting[file] = temporary
        return file

    def settle(self) -> None:
        """Wait until all that was added is on disk, before any of it is published."""
        writer, self._writer = self._writer, None
        try:
            if writer:
                writer.finish()
        except OSError:
            self.discard()
            raise

    def publish(self, asset: AssetRecord, publication: Publication) -> None:
        """Publish an asset unless it is there."""
        place, _, name = asset.file.rpartition("/")
        if not names.is_asset_file(asset.file, asset.sha256):
            raise OSError(errno.EINVAL, "an asset lies outside the session")
        if temporary := self._waiting.get(asset.file):
            with suppress(FileExistsError):
                publication.add(self._tree.make_folder(place), name, temporary)
                self._tree.know(asset.file, asset.sha256)
                return
        if not self._tree.is_intact(asset.file, asset.bytes, asset.sha256):
            raise OSError(errno.EIO, f"the asset {name} was changed or removed")

    def published(self, assets: tuple[AssetRecord, ...]) -> list[str]:
        """These wait no longer; returns the temporary files that they were in."""
        return [temporary for asset in assets if (temporary := self._waiting.pop(asset.file, None))]

    def discard(self) -> None:
        """Forget all that wait."""
        waiting, self._waiting = self._waiting, {}
        with suppress(OSError):
            self.settle()
        self._temporaries.remove(waiting.values())

    def _pin(self, file: str, size: int, sha256: str) -> bool:
        """Take hold of an asset that is there, so that no purge can take it away before it is referred to."""
        place, _, name = file.rpartition("/")
        try:
            folder = self._tree.folder(place)
            folder.facts(name)
            temporary = self._temporaries.new_name()
            folder.pin(name, self._tree.make_folder(names.RECORDS), temporary)
        except (OSError, NotImplementedError):
            return False  # not there, or the file system has no hard links
        if not self._tree.is_intact(f"{names.RECORDS}/{temporary}", size, sha256):
            self._temporaries.remove([temporary])
            return False
        self._waiting[file] = temporary
        return True


def relative(asset: AssetRecord, root: str) -> AssetRecord:
    """The asset with its file relative to the session that messages write as `root`."""
    return replace(asset, file=asset.file.removeprefix(root.rstrip("/") + "/"))
