"""The file in which a host keeps the whole of a result that it cut.

The path may have come from the result itself, which anyone may have written. So a file is read only where the adapter
knows the form of what names it, where it lies in the place in which that host keeps such files, and where it is a
regular file of this user that begins or ends as the cut text does.
"""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_COMPARED = 2000


class HostFile:
    """A file that a host named, not opened yet.

    `places` are the folders it may lie in, `fits` tells from the parts of its path below them whether it is such a
    file. It has to begin with `begins` and end with `ends`, as far as line ends around them go.
    """

    __slots__ = ("begins", "ends", "fits", "path", "places", "size")

    def __init__(
        self,
        path: str,
        places: Sequence[str],
        fits: Callable[[list[str]], bool],
        *,
        begins: str = "",
        ends: str = "",
        size: int | None = None,
    ) -> None:
        self.path, self.places, self.fits = path, places, fits
        self.begins, self.ends, self.size = begins, ends, size

    def open(self) -> int | None:
        """A descriptor for reading it, the caller's; None where it may not be read or is not what was cut."""
        for place in self.places:
            root = os.path.join(place, "")
            parts = self.path[len(root) :].split("/") if os.path.isabs(root) and self.path.startswith(root) else []
            if not parts or any(part in ("", ".", "..") for part in parts) or not self.fits(parts):
                continue
            try:
                descriptor = _open_below(place, parts)
            except (OSError, ValueError):
                continue
            if self._is_meant(descriptor):
                return descriptor
            os.close(descriptor)
        return None

    def _is_meant(self, descriptor: int) -> bool:
        try:
            facts = os.fstat(descriptor)
            if not stat.S_ISREG(facts.st_mode) or facts.st_uid != os.geteuid() or facts.st_nlink != 1:
                return False
            if self.size is not None and facts.st_size != self.size:
                return False
            begins = self.begins.lstrip()[:_COMPARED]
            ends = self.ends.rstrip()[-_COMPARED:]
            # A character has at most four bytes; as many again for line ends that the host took off.
            head = os.pread(descriptor, 8 * _COMPARED, 0).decode("utf-8", "replace").lstrip()
            tail = os.pread(descriptor, 8 * _COMPARED, max(facts.st_size - 8 * _COMPARED, 0)).decode("utf-8", "replace")
        except OSError:
            return False
        return head.startswith(begins) and tail.rstrip().endswith(ends)


def _open_below(place: str, parts: list[str]) -> int:
    """Open a file in `place`, following no link below it. Raises `OSError`."""
    folder = os.open(place, _DIRECTORY)
    try:
        for part in parts[:-1]:
            inner = os.open(part, _DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(parts[-1], _FILE, dir_fd=folder)
    finally:
        os.close(folder)
