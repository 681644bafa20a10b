"""One directory of a session, held open, and everything that is done inside it.

Names are resolved from the open directory and never through a symbolic link, so that neither a planted link nor a
directory swapped for one while lrguard runs can lead a read, a write or a removal elsewhere. Every failure is an
`OSError` whose `strerror` says what is wrong in words.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from contextlib import suppress

from lrguard.intake.source import CHUNK

_CLOSE = os.O_CLOEXEC | os.O_NOFOLLOW
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | _CLOSE
# A FIFO in a file's place must not make the opening wait for a writer.
_REGULAR = os.O_RDONLY | os.O_NONBLOCK | _CLOSE
_HOPELESS = (errno.ENOENT, errno.ENOSPC, errno.EDQUOT, errno.EROFS)


def stamp(facts: os.stat_result) -> tuple[int, int, int, int]:
    """Device, inode, size and time of change: what tells that a file is still the one that was read."""
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns


class Folder:
    """An open directory of this session; `close` gives the descriptor back, after which every use fails."""

    def __init__(self, descriptor: int, name: str, owners: frozenset[int]) -> None:
        """Take over `descriptor`; raises `OSError` where others than `owners` could tamper with what is inside."""
        self.descriptor, self.name, self._owners = descriptor, name, owners
        try:
            facts = os.fstat(descriptor)
            if facts.st_uid not in owners:
                raise OSError(errno.EPERM, f"{name} belongs to another user")
            if facts.st_mode & 0o022 and not facts.st_mode & stat.S_ISVTX:
                raise OSError(errno.EPERM, f"others may write to {name}")
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        """Give the descriptor back."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
        self.descriptor = -1

    def again(self) -> Folder:
        """The same directory, open on its own."""
        return Folder(os.dup(self.descriptor), self.name, self._owners)

    def folder(self, name: str) -> Folder:
        """The directory `name` in this one."""
        return Folder(_open_directory(name, name, self.descriptor), name, self._owners)

    def make_folder(self, name: str) -> bool:
        """Make the private directory `name`; False where something of that name is there already."""
        try:
            os.mkdir(name, 0o700, dir_fd=self.descriptor)
        except FileExistsError:
            return False
        _make_private(name, self.descriptor)
        return True

    def remove_folder(self, name: str) -> bool:
        """Remove the directory `name`; False where it is not empty, or not there."""
        try:
            os.rmdir(name, dir_fd=self.descriptor)
        except OSError:
            return False
        return True

    def names(self) -> list[str]:
        """The names of everything in this directory, in no order."""
        return os.listdir(self.descriptor)

    def facts(self, name: str) -> os.stat_result:
        """What is known of `name`, of a link itself where it is one."""
        return os.stat(name, dir_fd=self.descriptor, follow_symlinks=False)

    def create(self, name: str) -> int:
        """A descriptor for reading and writing the new private file `name`; whatever is there already is refused."""
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | _CLOSE
        descriptor = os.open(name, flags, 0o600, dir_fd=self.descriptor)
        try:
            if stat.S_IMODE(os.fstat(descriptor).st_mode) != 0o600:  # an unusual umask
                os.fchmod(descriptor, 0o600)
        except OSError:
            os.close(descriptor)
            self.remove(name)
            raise
        return descriptor

    def open_lock(self, name: str) -> int:
        """A descriptor of the regular file `name`, made where it is missing, to be locked and nothing else."""
        flags = os.O_RDWR | os.O_NONBLOCK | _CLOSE
        with suppress(FileExistsError):
            try:
                return self._regular(os.open(name, flags, dir_fd=self.descriptor), name)
            except FileNotFoundError:
                return self.create(name)
        return self._regular(os.open(name, flags, dir_fd=self.descriptor), name)

    def open(self, name: str) -> int:
        """A descriptor for reading the regular file `name`."""
        try:
            descriptor = os.open(name, _REGULAR, dir_fd=self.descriptor)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EMLINK):
                raise OSError(error.errno, f"{name} is a symbolic link") from None
            raise
        return self._regular(descriptor, name)

    def _regular(self, descriptor: int, name: str) -> int:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise OSError(errno.EINVAL, f"{name} is not a regular file")
        return descriptor

    def read(self, name: str, limit: int) -> bytes:
        """The whole of the regular file `name`; raises `OSError` where it has more than `limit` bytes."""
        descriptor = self.open(name)
        try:
            if os.fstat(descriptor).st_size > limit:
                raise OSError(errno.EFBIG, f"{name} has more than {limit} bytes")
            pieces = []
            while limit >= 0 and (piece := os.read(descriptor, min(CHUNK, limit + 1))):
                pieces.append(piece)
                limit -= len(piece)
        finally:
            os.close(descriptor)
        return b"".join(pieces)

    def publish(self, name: str, holder: Folder, temporary: str) -> None:
        """Give the file `temporary` of `holder` the name `name` here; raises `FileExistsError` where it is taken.

        The name appears at once with the whole content. Where the file system has no hard links it is reserved by an
        exclusive create, and the file is moved onto the reservation.
        """
        ends = {"src_dir_fd": holder.descriptor, "dst_dir_fd": self.descriptor}
        try:
            os.link(temporary, name, follow_symlinks=False, **ends)
        except FileExistsError:
            raise
        except (OSError, NotImplementedError) as error:
            if isinstance(error, OSError) and error.errno in _HOPELESS:
                raise
            os.close(self.create(name))
            try:
                os.rename(temporary, name, **ends)
            except BaseException:
                self.remove(name)
                raise

    def pin(self, name: str, holder: Folder, temporary: str) -> None:
        """Give the file `name` of this directory the further name `temporary` in `holder`."""
        os.link(name, temporary, src_dir_fd=self.descriptor, dst_dir_fd=holder.descriptor, follow_symlinks=False)

    def replace(self, temporary: str, name: str) -> None:
        """Put the file `temporary` of this directory in the place of `name`, at once."""
        os.rename(temporary, name, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)

    def remove(self, name: str) -> None:
        """Remove the file `name`; one that is not there is fine."""
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self.descriptor)


def open_root(path: str) -> Folder:
    """The session directory at `path`, which may be reached through links but must not be one.

    It belongs to this user or to root. Root works in a session of anybody, as in a container that mounts a user's
    folder, but then everything in it has to be that user's.
    """
    name, me = "the session directory", os.geteuid()
    descriptor = _open_directory(path, name, None)
    return Folder(descriptor, name, frozenset((0, me, os.fstat(descriptor).st_uid if me == 0 else me)))


def make_root(path: str) -> list[str]:
    """Make the directory at `path`, and those above it, for this user alone; returns those that were made, outermost
    first.
    """
    made: list[str] = []
    missing = [path]
    # Others may remove what is made here; a link to nowhere never gets a directory.
    for _ in range(2 * path.count("/") + 8):
        try:
            os.mkdir(missing[-1], 0o700)
        except FileExistsError:
            missing.pop()
        except FileNotFoundError:
            missing.append(os.path.dirname(missing[-1]))
        else:
            _make_private(missing[-1], None)
            made.append(missing.pop())
        if not missing:
            return made
    raise OSError(errno.ENOENT, "a directory above it cannot be made")


def remove_roots(made: Iterable[str]) -> None:
    """Remove the directories that `make_root` made, as far as they are empty."""
    for path in reversed(list(made)):
        try:
            os.rmdir(path)
        except OSError:
            return


def write_all(descriptor: int, data: bytes) -> None:
    """Append all of `data`."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def sha256_of(descriptor: int) -> str:
    """The sha256 of an open file, in hex."""
    from hashlib import sha256

    total, at = sha256(), 0
    while piece := os.pread(descriptor, 4 * CHUNK, at):
        total.update(piece)
        at += len(piece)
    return total.hexdigest()


def _open_directory(path: str, name: str, at: int | None) -> int:
    try:
        return os.open(path, _DIRECTORY, dir_fd=at)
    except OSError as error:
        if error.errno not in (errno.ENOTDIR, errno.ELOOP, errno.EMLINK):
            raise
        # Which of the three is raised for a link differs between systems, and none of them says which name it was.
        what = "not a directory"
        try:
            if stat.S_ISLNK(os.stat(path, dir_fd=at, follow_symlinks=False).st_mode):
                what = "a symbolic link"
        except OSError:
            name = "a part of its path"
        raise OSError(error.errno, f"{name} is {what}") from None


def _make_private(path: str, at: int | None) -> None:
    """Set the mode of a directory that was just made, whatever the umask left of it."""
    try:
        descriptor = os.open(path, _DIRECTORY, dir_fd=at)
    except PermissionError:
        os.chmod(path, 0o700, dir_fd=at)
        descriptor = os.open(path, _DIRECTORY, dir_fd=at)
    try:
        os.fchmod(descriptor, 0o700)
    finally:
        os.close(descriptor)
