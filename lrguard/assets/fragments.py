"""Shortens embedded data in what lrguard prints itself.

An excerpt may begin or end inside of data, and a piece of it may look like data although the whole did not. Nobody
reads it, and it would be taken out where the excerpt passes through lrguard again, as it does in nested harnesses.
"""

from __future__ import annotations

from lrguard.assets.link import Asset, link
from lrguard.intake.source import IN_MEMORY, BytesSource, Source, Spool
from lrguard.intake.text_kind import TextKind

_GOES_ON = b"\n|\n"
"""Stands for what is printed behind the excerpt: data at the very end of a text may be cut, and is left where it is."""


def without_data(text: str) -> str:
    """`text` with a few words in the place of everything that `link` would take out of it.

    What does not fit into memory is no excerpt, and stays as it is.
    """
    data = text.encode("utf-8", "surrogatepass")
    if len(data) + len(_GOES_ON) > IN_MEMORY:
        return text
    linked = link(BytesSource(data + _GOES_ON), _nowhere, Spool(_no_file), kind=TextKind.PLAIN)
    if linked is None:
        return text
    parts, at = [], 0
    for place in linked.replaced:
        parts += [data[at : place.start], b"[%d characters of base64]" % (place.end - place.start)]
        at = place.end
    return b"".join([*parts, data[at:]]).decode("utf-8", "surrogatepass")


def _nowhere(asset: Asset, content: Source) -> str:
    """No path is shorter: whatever might be taken out somewhere is."""
    return ""


def _no_file() -> int:
    raise AssertionError("what is linked is not longer than the excerpt")
