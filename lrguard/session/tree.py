"""The directories of one session, and where files lie in them.

Directories stay open while a session is in use, and are let go of when they are no longer at their path, so that a long
run neither writes into a directory that was moved away nor prints a path that leads nowhere.
"""

from __future__ import annotations

import errno
import os
import unicodedata
from contextlib import suppress

from lrguard.session import names
from lrguard.session.folder import Folder, make_root, open_root, remove_roots, sha256_of, stamp, write_all

_IGNORE = ".gitignore"


class Tree:
    """The session directory at `path`, absolute; empty where it has none. Places and files are names relative to it."""

    def __init__(self, path: str) -> None:
        """Nothing is looked at on disk yet."""
        try:
            self.path = os.path.abspath(path) if path else ""
        except OSError:  # a relative path, and the working directory is gone
            self.path = ""
        self._folders: dict[str, Folder] = {}
        self._hashes: dict[tuple[int, int, int, int], str] = {}
        self._made_roots: list[str] = []
        self._made: list[str] = []

    def folder(self, place: str) -> Folder:
        """The directory at `place`, the session's own for an empty one. Raises `OSError`."""
        held = self._folders.get(place)
        if held is None:
            if place:
                parent, _, name = place.rpartition("/")
                held = self.folder(parent).folder(name)
            else:
                refuse_unprintable(self.path)
                held = open_root(self.path)
            self._folders[place] = held
        return held

    def make_folder(self, place: str) -> Folder:
        """The same, made where it is missing."""
        try:
            return self.folder(place)
        except FileNotFoundError:
            pass
        if not place:
            made = make_root(self.path)
            self._made_roots += made
            if self.path in made:
                _ignore_all(self.folder(""))
            return self.folder("")
        parent, _, name = place.rpartition("/")
        if self.make_folder(parent).make_folder(name):
            self._made.append(place)
        return self.folder(place)

    def keep_made(self) -> None:
        """Something was saved: the directories that were made stay."""
        self._made, self._made_roots = [], []

    def unmake(self) -> None:
        """Remove the directories that were made for nothing, as far as no other run has put anything there since."""
        made, roots = self._made, self._made_roots
        self.keep_made()
        # What others do with these directories meanwhile is theirs.
        with suppress(OSError):
            for place in reversed(made):
                parent, _, name = place.rpartition("/")
                self.forget(place)
                if not self.folder(parent).remove_folder(name):
                    return
            if self.path in roots and self.folder("").names() == [_IGNORE]:
                root = self.folder("")
                root.remove(_IGNORE)
                remove_roots(roots)
                if os.path.lexists(self.path):
                    _ignore_all(root)

    def refresh(self) -> None:
        """Let go of directories that are no longer at their path."""
        for place in list(self._folders):
            held = self._folders.get(place)
            if held is None:
                continue
            parent, _, name = place.rpartition("/")
            try:
                now = self._folders[parent].facts(name) if place else os.lstat(self.path)
                current = os.path.samestat(now, os.fstat(held.descriptor))
            except (OSError, KeyError):
                current = False
            if not current:
                self.forget(place)

    def forget(self, under: str = "") -> None:
        """Let go of the directory at `under` and of all below it."""
        for place in list(self._folders):
            if not under or place == under or place.startswith(under + "/"):
                self._folders.pop(place).close()

    def open(self, file: str) -> int:
        """A descriptor for reading the regular file `file`. Raises `OSError`."""
        place, _, name = file.rpartition("/")
        return self.folder(place).open(name)

    def size(self, file: str) -> int:
        """The bytes of `file`. Raises `OSError`."""
        place, _, name = file.rpartition("/")
        return self.folder(place).facts(name).st_size

    def remove(self, file: str) -> None:
        """Remove `file`; one that is not there is fine. Raises `OSError`."""
        place, _, name = file.rpartition("/")
        self.folder(place).remove(name)

    def is_intact(self, file: str, size: int, sha256: str) -> bool:
        """Whether `file` is a regular file of that content; hashed once as long as nothing touches it."""
        try:
            descriptor = self.open(file)
        except OSError:
            return False
        try:
            facts = os.fstat(descriptor)
            if facts.st_size != size:
                return False
            now = stamp(facts)
            if now not in self._hashes:
                self._hashes[now] = sha256_of(descriptor)
            return self._hashes[now] == sha256
        finally:
            os.close(descriptor)

    def know(self, file: str, sha256: str) -> None:
        """Take note that `file`, just published, has this content."""
        place, _, name = file.rpartition("/")
        self._hashes[stamp(self.folder(place).facts(name))] = sha256

    def inside(self, path: str) -> str | None:
        """The file that `path` leads to, where that is a place of responses or assets.

        Directories are compared, not their names, so that every way to the session counts, and no way out of it.
        """
        head, name = os.path.split(path)
        if name in ("", ".", ".."):
            return None
        try:
            self.refresh()
            there = os.stat(head or ".")
        except (OSError, ValueError):
            return None
        for place in (names.LONG_RESPONSES, names.DOWNLOADS, names.ASSETS):
            with suppress(OSError):
                if os.path.samestat(os.fstat(self.folder(place).descriptor), there):
                    return f"{place}/{name}"
        return None


def refuse_unprintable(path: str) -> None:
    """Raise `OSError` where a message could not write `path`: control characters and line ends would break out of its
    lines, and bytes that are no UTF-8 have no form in it.
    """
    if not path:
        raise OSError(errno.EINVAL, "it has no path")
    if not path.isprintable() and any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in path):
        raise OSError(errno.EINVAL, "its path has characters that no message can write")


def _ignore_all(root: Folder) -> None:
    """Keep a session inside a repository out of it."""
    with suppress(FileExistsError):
        descriptor = root.create(_IGNORE)
        try:
            write_all(descriptor, b"*\n")
        finally:
            os.close(descriptor)
