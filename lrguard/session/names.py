"""The names of files in a session directory: made from what is known of a result, and recognised again.

A name is data that comes back from disk and may have been forged, so whatever names a file (metadata, an id typed by a
person, a listing) is held to the one form that lrguard writes. Only such names are ever opened or removed.
"""

from __future__ import annotations

import re
from datetime import datetime

from lrguard.patterns import pattern
from lrguard.records import dataclass

LONG_RESPONSES = "long_responses"
DOWNLOADS = "downloads"
ASSETS = "downloads/assets"
RECORDS = ".lrguard"

ID_DIGITS = range(8, 65, 4)
"""How many hex digits of the sha256 an id may have: the fewest that no other content has taken."""

ASSET_DIGITS = range(16, 65, 4)
"""The same for the names of assets."""

_TOOL_LENGTH = 60
_EXTENSION = pattern(r"[A-Za-z0-9_]{1,16}", re.ASCII)
_SHA256 = pattern(r"[0-9a-f]{64}", re.ASCII)
_RESPONSE = pattern(
    r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(?:_[A-Za-z0-9_.-]{1,60})?"
    r"_(?P<id>[0-9a-f]{8,64})(?P<reading>\.reading)?\.[A-Za-z0-9_]{1,16}",
    re.ASCII,
)
_ASSET = pattern(r"(?P<digits>[0-9a-f]{16,64})\.[A-Za-z0-9_]{1,16}", re.ASCII)
_RECORD = pattern(r"(?P<id>[0-9a-f]{8,64})\.json", re.ASCII)


@dataclass(frozen=True, slots=True)
class ResponseName:
    """What the name of a saved response's file tells."""

    id: str
    is_reading_copy: bool


def tool_part(tool: str | None) -> str:
    """The tool's name as it stands in a file's name; empty where nothing of it is left.

    Tool names come from outside: only ASCII letters, digits, `-`, `_` and `.` stay, no dot begins it, at most 60
    characters are kept.
    """
    if not tool:
        return ""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", tool[: 4 * _TOOL_LENGTH]).lstrip(".")[:_TOOL_LENGTH]


def extension_part(extension: str) -> str:
    """The extension as it stands in a file's name, `bin` where it is none that a file may have."""
    return extension if _EXTENSION.fullmatch(extension) else "bin"


def response_stem(moment: datetime, tool: str | None, identifier: str) -> str:
    """The name of a saved response's file up to its extension; `moment` is in UTC."""
    parts = [moment.strftime("%Y-%m-%dT%H-%M-%SZ"), tool_part(tool), identifier]
    return "_".join(part for part in parts if part)


def asset_name(sha256: str, digits: int, extension: str) -> str:
    """The name of an asset's file."""
    return f"{sha256[:digits]}.{extension_part(extension)}"


def record_name(identifier: str) -> str:
    """The name of the metadata of one saved response."""
    return f"{identifier}.json"


def id_of_record(name: str) -> str | None:
    """The id that the name of a metadata file carries, or None where it is no such name."""
    found = _RECORD.fullmatch(name)
    return found["id"] if found and len(found["id"]) in ID_DIGITS else None


def parse_response(name: str) -> ResponseName | None:
    """What the name of a saved response's file tells, or None where lrguard would not have written it."""
    found = _RESPONSE.fullmatch(name) if len(name) <= 255 else None
    return ResponseName(found["id"], found["reading"] is not None) if found else None


def is_response_file(file: str, identifier: str, *, reading: bool) -> bool:
    """Whether `file`, relative to the session, is where the response with that id may lie."""
    place, _, name = file.rpartition("/")
    return place in (LONG_RESPONSES, DOWNLOADS) and parse_response(name) == ResponseName(identifier, reading)


def is_asset_file(file: str, sha256: str) -> bool:
    """Whether `file`, relative to the session, is where an asset of that content may lie."""
    place, _, name = file.rpartition("/")
    found = _ASSET.fullmatch(name) if place == ASSETS else None
    return found is not None and sha256.startswith(found["digits"])


def is_sha256(text: str) -> bool:
    """Whether `text` is a sha256 in lower-case hex."""
    return _SHA256.fullmatch(text) is not None
