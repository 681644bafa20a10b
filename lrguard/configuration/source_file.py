"""The bytes of a configuration file, read once: what is parsed is what was hashed.

A file that the user named may be anything that can be read, such as `/dev/null` or `<(command)`. One that was found is
a regular file and no link, so that it is the very file that its path says.
"""

from __future__ import annotations

import os
import stat

from lrguard.errors import ConfigurationError

LARGEST_TOML = 64 * 1024
"""Bytes of a configuration: some 800 tables. What parsing costs grows with the square of it where it means ill."""

LARGEST_MANIFEST = 1024 * 1024
"""Bytes of an agent manifest, which may hold the agent's whole prompt."""


def read_named(path: str, limit: int, what: str = "the configuration") -> bytes:
    """The bytes of a file that the user named; raises ConfigurationError, which says `what` it was to be."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            return _read(descriptor, limit)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        raise unreadable(path, reason(error), what) from None


def read_own(path: str, limit: int) -> bytes:
    """The bytes of the user's own configuration, a regular file, perhaps behind a link; raises ConfigurationError."""
    return _read_regular(path, limit, 0)


def read_found(path: str, limit: int) -> bytes | None:
    """The bytes of a file that was found in the working tree; None where it belongs to another user, root excepted.

    Raises ConfigurationError for what is no regular file, cannot be read or is too large.
    """
    try:
        if not _is_ours(os.lstat(path)):
            return None
    except OSError as error:
        raise unreadable(path, reason(error)) from None
    return _read_regular(path, limit, os.O_NOFOLLOW)


def _read_regular(path: str, limit: int, flags: int) -> bytes:
    # A FIFO in its place must not make the opening wait for a writer.
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | flags)
        try:
            facts = os.fstat(descriptor)
            if not stat.S_ISREG(facts.st_mode):
                raise ValueError("it is not a regular file")
            if flags & os.O_NOFOLLOW and not _is_ours(facts):
                raise ValueError("it belongs to another user")
            return _read(descriptor, limit)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        why = "it is a symbolic link" if os.path.islink(path) and flags & os.O_NOFOLLOW else reason(error)
        raise unreadable(path, why) from None


def _read(descriptor: int, limit: int) -> bytes:
    pieces, left = [], limit
    while piece := os.read(descriptor, left + 1):
        pieces.append(piece)
        left -= len(piece)
        if left < 0:
            raise ValueError(f"it has more than {limit:,} bytes")
    return b"".join(pieces)


def _is_ours(facts: os.stat_result) -> bool:
    return facts.st_uid in (os.geteuid(), 0)


def unreadable(path: str, why: str, what: str = "the configuration") -> ConfigurationError:
    """The error for a file that cannot be read or parsed."""
    return ConfigurationError(f"cannot use {what} {path or repr(path)}", why)


def reason(error: OSError | ValueError) -> str:
    """Why something failed, in the system's words or its own."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
