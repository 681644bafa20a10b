"""A tool result that is text: what it is, and what a reader gets to see of it."""

from __future__ import annotations

from collections.abc import Callable

from lrguard.assets.link import Asset, Linked, link
from lrguard.intake import mcp_result
from lrguard.intake.encoding import round_trips, to_utf8
from lrguard.intake.mcp_result import McpResult
from lrguard.intake.receive import Received
from lrguard.intake.source import BytesSource, Source, Spool
from lrguard.intake.text_kind import KindOfText, TextKind, kind_of
from lrguard.records import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """One tool result, decoded and with its assets found; `exact` tells whether its encoding loses nothing of it."""

    received: Received
    encoding: str
    exact: bool
    utf8: Source
    kind: KindOfText
    linked: Linked | None
    mcp: McpResult | None
    lines: int
    """Lines of the text as it came; a last one that does not end counts."""

    @property
    def shown(self) -> Source:
        """The text with its assets linked."""
        return self.linked.text if self.linked else self.utf8

    @property
    def readable(self) -> Source:
        """What a person would read: the texts of an MCP result, else the text."""
        return self.shown if self.mcp is None else self.mcp.text

    @property
    def measured(self) -> Source:
        """What would reach the model: of an MCP result its texts and what else stays, else the text."""
        return self.shown if self.mcp is None else self.mcp.measured

    @property
    def is_error(self) -> bool:
        """Whether the result says that it is an error, or the command that printed it failed."""
        return self.received.is_error or (self.mcp is not None and self.mcp.is_error)


def understand(
    received: Received,
    encoding: str,
    store: Callable[[Asset, Source], str] | None,
    spool: Callable[[], Spool],
    *,
    media: str = "extract",
    declared_mcp: bool = False,
) -> Text:
    """What `received` is as a text in `encoding`; its assets go to `store`, or stay where they are without one.

    With `media` as `keep` the images and audio of an MCP result stay too. `declared_mcp`: it was said to be an MCP
    result or an array of its blocks. Raises what `store` and the files of `spool` raise.
    """
    utf8 = to_utf8(received.source, encoding, spool())
    if encoding == "utf-8":
        exact = not (received.scan.invalid or received.scan.torn)
    else:
        exact = round_trips(received.source, encoding)
    kind = kind_of(utf8)
    is_json, keeps = kind.kind is TextKind.JSON and not kind.cut, media == "keep"
    linked = None
    # Where the text cannot be written back as it came, what stands around an asset would change: it stays whole.
    if store and (exact or encoding == "utf-8"):
        kept = mcp_result.media(utf8, declared=declared_mcp) if keeps and is_json else []
        spans = received.run_spans if utf8 is received.source else None
        linked = link(utf8, store, spool(), kind=kind.kind, left=kept, spans=spans)
    mcp = None
    if is_json:
        references = frozenset(place.at for place in linked.replaced) if linked else frozenset[int]()
        shown = linked.text if linked else utf8
        mcp = mcp_result.read(shown, spool, declared=declared_mcp, keeps_media=keeps, references=references)
    return Text(received, encoding, exact, utf8, kind, linked, mcp, _lines(received, encoding, utf8))


def source_of(text: str) -> BytesSource:
    """A short text as a source; lone surrogates, which JSON can spell, stay what they are."""
    return BytesSource(text.encode("utf-8", "surrogatepass"))


def _lines(received: Received, encoding: str, text: Source) -> int:
    unended = text.size > 0 and text.read(text.size - 1) != b"\n"
    if encoding == "utf-8":
        return received.scan.newlines + unended
    return sum(chunk.count(b"\n") for chunk in text.chunks()) + unended
