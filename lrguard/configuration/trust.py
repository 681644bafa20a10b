"""Which configurations of working trees the user has approved.

An approval is of one path and one content. Each is a file of its own under the state directory, named after the path,
so that approving is one atomic rename and checking one small read. Whatever is odd about that file or its folder
(a link, another owner, open to others) means that nothing was approved.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from hashlib import sha256

from lrguard.errors import LrguardError
from lrguard.session.folder import Folder, make_root, write_all
from lrguard.session.location import state_directory

_FOLDER = "trusted"
_LARGEST = 16 * 1024


def is_approved(file: str, content: bytes, environ: Mapping[str, str]) -> bool:
    """Whether the configuration at `file`, an absolute path without links, was approved with just this content."""
    try:
        folder = _open(environ)
        try:
            record = folder.read(_name(file), _LARGEST)
            private = _is_private(folder, _name(file))
        finally:
            folder.close()
    except OSError:
        return False
    return private and record == _record(file, content)


def approve(file: str, content: bytes, environ: Mapping[str, str]) -> None:
    """Approve the configuration at `file` with this content; raises LrguardError."""
    try:
        make_root(_path(environ))
        folder = _open(environ)
        try:
            temporary = f".{_name(file)}.{os.getpid()}.{os.urandom(4).hex()}"
            descriptor = folder.create(temporary)
            try:
                write_all(descriptor, _record(file, content))
                os.close(descriptor)
                folder.replace(temporary, _name(file))
            except OSError:
                folder.remove(temporary)
                raise
        finally:
            folder.close()
    except OSError as error:
        raise LrguardError(f"cannot approve {file}", error.strerror or str(error)) from None


def revoke(file: str, environ: Mapping[str, str]) -> bool:
    """Take an approval back, of whatever content; False where there was none. Raises LrguardError."""
    try:
        folder = _open(environ)
        try:
            found = _name(file) in folder.names()
            folder.remove(_name(file))
        finally:
            folder.close()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise LrguardError(f"cannot take back the approval of {file}", error.strerror or str(error)) from None
    return found


def _path(environ: Mapping[str, str]) -> str:
    return os.path.join(state_directory(environ), _FOLDER)


def _open(environ: Mapping[str, str]) -> Folder:
    path = _path(environ)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise OSError(error.errno, f"{path} is not a directory") from None
        raise
    return Folder(descriptor, path, frozenset((0, os.geteuid())))


def _is_private(folder: Folder, name: str) -> bool:
    facts = folder.facts(name)
    return facts.st_uid in (0, os.geteuid()) and not facts.st_mode & 0o022


def _name(file: str) -> str:
    return sha256(os.fsencode(file)).hexdigest()


def _record(file: str, content: bytes) -> bytes:
    # The path is for people; the name already stands for it.
    return f"{sha256(content).hexdigest()}  ".encode() + os.fsencode(file) + b"\n"
