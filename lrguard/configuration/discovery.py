"""Where a configuration is when nobody named one: a few calls of `lstat`, since most calls find none.

It imports next to nothing, so that whoever wants to be quick can ask whether there is any configuration at all.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # `typing` and `collections.abc` take longer to import than the search takes
if TYPE_CHECKING:
    from collections.abc import Mapping

PROJECT = "lrguard.toml"
"""The name of a project's configuration."""


def project_file(folder: str) -> str | None:
    """The `lrguard.toml` in `folder`, an absolute path, or, in a repository, the nearest above it up to its root.

    Whatever has that name is found, a link or a directory too: to tell what may be read is not the search's business.
    """
    start, nearest = folder, None
    while True:
        path = os.path.join(folder, PROJECT)
        if nearest is None and os.path.lexists(path):
            if folder == start:
                return path
            nearest = path
        if os.path.lexists(os.path.join(folder, ".git")):
            return nearest
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def user_file(environ: Mapping[str, str]) -> str | None:
    """`$XDG_CONFIG_HOME/lrguard/config.toml` where there is one; a base that is not absolute counts as none."""
    base = environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(base):
        home = environ.get("HOME", "")
        if not os.path.isabs(home):
            return None
        base = os.path.join(home, ".config")
    path = os.path.join(base, "lrguard", "config.toml")
    return path if os.path.lexists(path) else None
