"""The configuration of one call: the files that speak, laid over each other, without what nobody has approved.

A configuration in the working tree may come from anyone who can make the user check something out. There a command, a
retention and a session outside the file's own folder count only after `lrguard trust`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from lrguard.configuration.discovery import project_file, user_file
from lrguard.configuration.layer import Configuration, Entry
from lrguard.records import dataclass, field

GUARDED = ("summarize", "older_than", "keep_bytes", "session")
"""The settings that a configuration from the working tree needs an approval for."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What the configuration files say, the files that were read, and what was left out.

    `ignored` are entries that await an approval; `foreign` is the file that was not read as it belongs to another user.
    """

    configuration: Configuration = field(default_factory=Configuration)
    files: tuple[str, ...] = ()
    ignored: Mapping[str, Entry] = field(default_factory=dict)
    foreign: str | None = None


@dataclass(frozen=True, slots=True)
class Project:
    """A working tree's configuration: its path without links, its bytes, what it says, what of that is guarded."""

    file: str
    data: bytes
    configuration: Configuration
    guarded: Mapping[str, Entry]

    @property
    def approved(self) -> bytes:
        """What an approval is of: the bytes, and where a session elsewhere is, since a link may lead there."""
        session = self.guarded.get("session")
        return self.data + (b"\0" + os.fsencode(str(session.value)) if session else b"")


def load(named: str | None, environ: Mapping[str, str], cwd: str | None) -> Loaded:
    """The configuration that the user named, alone, or else the project's over the user's own.

    Raises ConfigurationError for whatever cannot be used. `cwd` is None where the working directory is gone.
    """
    if named is not None:
        return Loaded(_named(named, environ), (os.path.abspath(named) if cwd else named,))
    own, found = user_file(environ), project_file(cwd) if cwd else None
    if own is None and found is None:
        return Loaded()
    base = _own(own, environ) if own else Configuration()
    files = (own,) if own else ()
    if not found:
        return Loaded(base, files)
    project = read_project(found, environ)
    if project is None:
        return Loaded(base, files, foreign=found)
    says = project.configuration
    ignored: Mapping[str, Entry] = {}
    if project.guarded and not _is_approved(project, environ):
        ignored = project.guarded
        says = Configuration(
            {name: entry for name, entry in says.general.items() if name not in ignored}, says.agents, says.tools
        )
    return Loaded(says.over(base), (project.file, *files), ignored)


def read_project(file: str, environ: Mapping[str, str]) -> Project | None:
    """The configuration at `file` as one of a working tree; None where it belongs to another user.

    Raises ConfigurationError.
    """
    from lrguard.configuration import form, toml
    from lrguard.configuration.source_file import LARGEST_TOML, read_found

    folder, name = os.path.split(os.path.abspath(file))
    path = os.path.join(os.path.realpath(folder), name)
    data = read_found(path, LARGEST_TOML)
    if data is None:
        return None
    says = form.configuration(toml.parse(data, path), path, environ)
    general = dict(says.general)
    if "session" in general:
        # The path is used as it was checked, with no link left in it that could lead elsewhere later.
        session = general["session"]
        general["session"] = Entry(os.path.realpath(str(session.value)), session.origin)
    guarded = {name: general[name] for name in GUARDED if name in general}
    if "session" in guarded and _is_inside(str(guarded["session"].value), os.path.dirname(path)):
        del guarded["session"]
    return Project(path, data, Configuration(general, says.agents, says.tools), guarded)


def _named(file: str, environ: Mapping[str, str]) -> Configuration:
    from lrguard.configuration import form, manifest, toml
    from lrguard.configuration.source_file import LARGEST_MANIFEST, LARGEST_TOML, read_named, unreadable

    data = read_named(file, LARGEST_MANIFEST)
    if manifest.is_yaml(file):
        return manifest.configuration(manifest.parse_yaml(data, file), file)
    if manifest.is_json(data, file):
        return manifest.configuration(manifest.parse_json(data, file), file)
    if len(data) > LARGEST_TOML:
        raise unreadable(file, f"it has more than {LARGEST_TOML:,} bytes")
    return form.configuration(toml.parse(data, file), os.path.abspath(file), environ)


def _own(file: str, environ: Mapping[str, str]) -> Configuration:
    from lrguard.configuration import form, toml
    from lrguard.configuration.source_file import LARGEST_TOML, read_own

    return form.configuration(toml.parse(read_own(file, LARGEST_TOML), file), file, environ)


def _is_approved(project: Project, environ: Mapping[str, str]) -> bool:
    from lrguard.configuration.trust import is_approved

    return is_approved(project.file, project.approved, environ)


def _is_inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
