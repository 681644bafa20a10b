"""Where the session is when nobody named one: a folder for each repository, under the user's state directory.

Not in the repository, where other programs would find, index or commit it. The name begins with the repository's, for
people who look, and ends in a hash of its path, which keeps two of the same name apart.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

_PROGRAM = "lrguard"
_DIGITS = 12


def state_directory(environ: Mapping[str, str]) -> str:
    """`$XDG_STATE_HOME/lrguard`; a base that is not absolute counts as none, as the XDG specification has it."""
    base = environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(_home(environ), ".local", "state")
    return os.path.join(base, _PROGRAM)


def default_session(environ: Mapping[str, str], cwd: str) -> str:
    """The session of the repository that `cwd`, an absolute path, lies in, or of that folder where it is in none."""
    from hashlib import sha256

    from lrguard.session.names import tool_part

    root = repository(cwd) or cwd
    digits = sha256(os.fsencode(root)).hexdigest()[:_DIGITS]
    name = tool_part(os.path.basename(root.rstrip("/")))
    return os.path.join(state_directory(environ), f"{name}-{digits}" if name else digits)


def repository(folder: str) -> str | None:
    """The nearest directory at or above `folder` that holds `.git`, a file in a worktree; None where there is none."""
    while True:
        if os.path.lexists(os.path.join(folder, ".git")):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _home(environ: Mapping[str, str]) -> str:
    home = environ.get("HOME", "")
    if os.path.isabs(home):
        return home
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:  # a container's user that is in no table
        return "/"
