"""Temporary files of one run: private, in the session itself so that a hard link publishes them, gone after a crash.

All of a run carry its random number. The first, empty and locked as long as the run lives, is how `purge` tells a run
that crashed from one that is waiting for a slow command, in whichever container it runs. A name stays until the
metadata is published: until then it proves that a file of the same inode is lrguard's own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from math import inf

from lrguard.patterns import pattern
from lrguard.session.folder import Folder
from lrguard.session.lock import try_lock

_NAME = pattern(r"tmp-(?P<run>[0-9a-f]{16})-(?P<number>\d{1,9})", re.ASCII)
_ABANDONED = 24 * 3600.0
"""Seconds without a write after which a run is taken for dead where locks do not tell."""


class Temporaries:
    """The temporary files of one run, in the folder that `folder` gives."""

    def __init__(self, folder: Callable[[], Folder]) -> None:
        """Nothing is made yet."""
        self._folder = folder
        self._run = ""
        self._marker = -1
        self._number = 0
        self._names: set[str] = set()
        self._open: dict[int, str] = {}

    def create(self) -> tuple[str, int]:
        """A new file: its name and a descriptor for reading and writing, which is the caller's."""
        name = self.new_name()
        descriptor = self._folder().create(name)
        self._names.add(name)
        self._open[descriptor] = name
        return name, descriptor

    def new_name(self) -> str:
        """A name that nobody has; what is made under it goes with the others."""
        if self._marker < 0 or not os.fstat(self._marker).st_nlink:
            self._begin()
        self._number += 1
        name = f"tmp-{self._run}-{self._number}"
        self._names.add(name)
        return name

    def name_of(self, descriptor: int, size: int) -> str | None:
        """The name of a file that `create` made, if it is there still and has exactly `size` bytes."""
        name = self._open.get(descriptor)
        if name is None:
            return None
        try:
            opened, named = os.fstat(descriptor), self._folder().facts(name)
        except OSError:
            return None
        same = (opened.st_dev, opened.st_ino) == (named.st_dev, named.st_ino)
        return name if same and named.st_size == size else None

    def remove(self, names: Iterable[str]) -> None:
        """Remove these; the content lives on where it was published, and in open descriptors."""
        for name in names:
            self._folder().remove(name)
            self._names.discard(name)

    def clear(self) -> None:
        """Remove all of this run."""
        if self._marker < 0:
            return
        try:
            self.remove(list(self._names))
            self._folder().remove(f"tmp-{self._run}-0")
        except OSError:
            pass  # what cannot be removed now is what a crash leaves: `purge` finds it
        os.close(self._marker)
        self._marker = -1
        self._names.clear()
        self._open.clear()

    def _begin(self) -> None:
        if self._marker >= 0:
            os.close(self._marker)
            self._marker = -1
        while True:
            self._run = os.urandom(8).hex()
            marker = self._folder().create(f"tmp-{self._run}-0")
            # A `purge` may have found the marker before it was locked, and removed it.
            if try_lock(marker) is not False and os.fstat(marker).st_nlink:
                self._marker = marker
                return
            os.close(marker)


def crashed(folder: Folder, now: float) -> Iterator[list[str]]:
    """The temporary files of each run that has ended without removing them, the marker last.

    The run's marker is locked while the caller has the list.
    """
    runs: dict[str, list[str]] = {}
    for name in folder.names():
        if found := _NAME.fullmatch(name):
            runs.setdefault(found["run"], []).append(name)
    for run, names in runs.items():
        marker = f"tmp-{run}-0"
        descriptor = -1
        try:
            descriptor = folder.open(marker)
            locked = try_lock(descriptor)
        except FileNotFoundError:
            locked = True  # it is made first and removed last
        except OSError:
            locked = None
        try:
            if locked or (locked is None and _last_write(folder, names) < now - _ABANDONED):
                yield sorted(names, key=marker.__eq__)
        finally:
            if descriptor >= 0:
                os.close(descriptor)


def _last_write(folder: Folder, names: Iterable[str]) -> float:
    try:
        return max(folder.facts(name).st_mtime for name in names)
    except OSError:
        return inf  # one has just gone: the run lives
