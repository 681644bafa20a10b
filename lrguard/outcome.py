"""What became of one tool result."""

from __future__ import annotations

from enum import Enum

from lrguard.assets.link import StoredAsset
from lrguard.errors import SaveError
from lrguard.intake.source import Source
from lrguard.records import dataclass


class Kind(Enum):
    """The four things that can become of a result."""

    PASSED = "passed"
    EXTRACTED = "extracted"
    OFFLOADED = "offloaded"
    BINARY = "binary"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One guarded result: what to print, and everything known about what arrived.

    `content` holds the bytes to print; they are text in `content_encoding`. `failure` says why nothing was saved
    although it should have been: `content` is then the result unchanged, or its ends where the settings ask for a
    preview.
    """

    kind: Kind
    content: Source
    content_encoding: str
    content_tokens: int
    media_type: str
    size: int
    sha256: str
    content_exact: bool = True
    encoding: str | None = None
    lines: int | None = None
    tokens: int | None = None
    tokens_exact: bool = True
    id: str | None = None
    saved: str | None = None
    reading_copy: str | None = None
    is_error: bool = False
    incomplete: bool = False
    assets: tuple[StoredAsset, ...] = ()
    summary: str = "none"
    failure: SaveError | None = None
    notes: tuple[str, ...] = ()

    @property
    def data(self) -> bytes:
        """The content's bytes."""
        return self.content.read()

    @property
    def text(self) -> str:
        """The content as text; bytes that are none appear as U+FFFD."""
        return self.data.decode(self.content_encoding, "replace")
