"""Takes embedded data out of a text and puts references in its place.

The text is copied to the linked document as it is, run by run, and only what is replaced is decoded: no number, escape,
duplicate key or invalid byte outside of a run can change, whatever the text is.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from lrguard.assets.base64_runs import WINDOW, find_runs
from lrguard.assets.declared import differing
from lrguard.assets.evidence import Data, data_of, plausible
from lrguard.assets.json_path import JsonPaths
from lrguard.assets.place import LOOK, Place, place_of
from lrguard.assets.reference import reference_object, reference_text
from lrguard.assets.run_lines import Run
from lrguard.intake.run_look import Spans
from lrguard.intake.source import Recent, Source, Spool
from lrguard.intake.text_kind import TextKind, kind_of
from lrguard.records import dataclass

MOST_ASSETS = 10_000
MOST_PLACES = 100_000
"""Contents, and places they were taken from, after which the rest of a text stays as it is."""

_JSON_KINDS = (TextKind.JSON, TextKind.JSON_LINES, TextKind.JSON_SEQUENCE)


@dataclass(frozen=True, slots=True)
class Asset:
    """One content that was taken out.

    `declared_media_type` only where it differs from the type that the bytes have. `json_path` is the RFC 9535 path of
    the first place (of the outer string, where it is in JSON inside a string) in the JSON document number `document`
    (from 0) of the text; None outside of JSON. `origin` is `data-url` or `base64`.
    """

    media_type: str
    extension: str
    declared_media_type: str | None
    size: int
    sha256: str
    json_path: str | None
    document: int | None
    origin: str


@dataclass(frozen=True, slots=True)
class StoredAsset:
    """An asset and the path that references to it print."""

    asset: Asset
    path: str


@dataclass(frozen=True, slots=True)
class Replaced:
    """`start` to `end` of the text, in whose place `at` to `at + length` of the linked document stands; in bytes."""

    start: int
    end: int
    at: int
    length: int


@dataclass(frozen=True, slots=True)
class Linked:
    """A document with references in place of its data.

    `assets` has one entry a distinct content, in the order of their first places; `replaced` every place, in order.
    """

    text: Source
    assets: tuple[StoredAsset, ...]
    replaced: tuple[Replaced, ...]

    def restored(self, original: Source) -> Iterator[bytes]:
        """The text that this was made from, taken from the linked document but for what was replaced."""
        at = 0
        for place in self.replaced:
            yield from self.text.chunks(at, place.at)
            yield from original.chunks(place.start, place.end)
            at = place.at + place.length
        yield from self.text.chunks(at)


def link(
    text: Source,
    store: Callable[[Asset, Source], str],
    spool: Spool,
    *,
    kind: TextKind | None = None,
    path_of: Callable[[Asset], str] | None = None,
    window: int = WINDOW,
    left: Sequence[tuple[int, int]] = (),
    spans: Spans | None = None,
) -> Linked | None:
    """`text` (UTF-8) with its embedded data replaced by references, written to `spool`; None when there is none.

    `store` saves one content and returns the path to print; it is called once a distinct content, and what it raises is
    passed on. `path_of`, where given, tells that path beforehand, so that nothing is saved for which a reference would
    not be shorter than the data. `kind` is what the text is, found out where None; `window` is how many bytes are read
    at once. What begins inside of `left`, offsets in order, stays where it is. `spans` is where runs may stand, as far
    as that is known already.
    """
    # What is found in a piece is looked at closely right after.
    text = text if text.in_memory else Recent(text)
    runs = find_runs(text, window, spans)
    linker: _Linker | None = None
    for run in runs:
        if not plausible(run) or (left and _is_inside(run.start, left)):
            continue
        if linker is None:
            linker = _Linker(text, store, spool, kind or kind_of(text).kind, path_of)
        if not linker.take(run):
            break
    return linker.linked() if linker else None


class _Linker:
    """The linked document as far as it is written, and the assets found so far."""

    def __init__(
        self,
        text: Source,
        store: Callable[[Asset, Source], str],
        spool: Spool,
        kind: TextKind,
        path_of: Callable[[Asset], str] | None,
    ) -> None:
        self._text, self._store, self._spool, self._path_of = text, store, spool, path_of
        self._json = kind in _JSON_KINDS
        self._paths = JsonPaths(text)
        self._stored: dict[str, StoredAsset] = {}
        self._replaced: list[Replaced] = []
        self._used: dict[str, StoredAsset] = {}
        self._written = 0
        self._tail = b""

    def take(self, run: Run) -> bool:
        """Replace `run` where there is evidence that it is data; False when no more may be taken."""
        before = self._text.read(max(self._written, run.start - LOOK), run.start)
        if len(before) < LOOK:
            # References rather than what they stand for, so that a large neighbor does not hide its siblings.
            before = (self._tail + before)[-LOOK:]
        place = place_of(run, before, self._text.read(run.end, run.end + LOOK), json=self._json)
        data = data_of(run, place) if place and place.start >= self._written else None
        if place is None or data is None:
            return True
        reference = self._reference(place, data)
        if reference is None or len(reference) >= place.end - place.start:
            return True
        kept = len(before) - (run.start - place.start)
        self._tail = (before[:kept] + reference)[-LOOK:]
        self._copy(place.start)
        self._replaced.append(Replaced(place.start, place.end, self._spool.size, len(reference)))
        self._spool.write(reference)
        self._written = place.end
        return len(self._used) < MOST_ASSETS and len(self._replaced) < MOST_PLACES

    def _reference(self, place: Place, data: Data) -> bytes | None:
        """The reference to `data`, which is saved unless it is already; None where it would not be shorter."""
        digest = _sha256_of(data.content)
        stored = self._stored.get(digest)
        if stored is None:
            asset = self._asset(place, data, digest)
            if self._path_of and len(_spelled(place, data, asset, self._path_of(asset))) >= place.end - place.start:
                return None
            stored = self._stored[digest] = StoredAsset(asset, self._store(asset, data.content))
        reference = _spelled(place, data, stored.asset, stored.path)
        if len(reference) < place.end - place.start:
            self._used.setdefault(digest, stored)
        return reference

    def _asset(self, place: Place, data: Data, digest: str) -> Asset:
        path, document = self._paths.path_at(place.start) if self._json else (None, None)
        return Asset(
            media_type=data.media_type.name,
            extension=data.media_type.extension,
            declared_media_type=differing(data.declared, data.media_type.name),
            size=data.content.size,
            sha256=digest,
            json_path=path,
            document=document,
            origin="data-url" if place.data_url else "base64",
        )

    def _copy(self, end: int) -> None:
        for piece in self._text.chunks(self._written, end):
            self._spool.write(piece)

    def linked(self) -> Linked | None:
        """The whole linked document; None when nothing was replaced."""
        if not self._replaced:
            return None
        self._copy(self._text.size)
        return Linked(self._spool.source(), tuple(self._used.values()), tuple(self._replaced))


def _sha256_of(content: Source) -> str:
    digest = hashlib.sha256()
    for piece in content.chunks():
        digest.update(piece)
    return digest.hexdigest()


def _is_inside(at: int, spans: Sequence[tuple[int, int]]) -> bool:
    number = bisect_right(spans, (at, spans[-1][1])) - 1
    return number >= 0 and at < spans[number][1]


def _spelled(place: Place, data: Data, asset: Asset, path: str) -> bytes:
    if not place.whole:
        return reference_text(path, asset.media_type, asset.size, place.level)
    declared = differing(data.declared, asset.media_type)
    return reference_object(path, asset.media_type, asset.size, declared, place.level)
