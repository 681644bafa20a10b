"""What guarding needs beside the settings: where to save, what counts, files for what memory should not hold."""

from __future__ import annotations

from collections.abc import Callable

from lrguard.assets.link import Asset
from lrguard.intake.source import Source, Spool
from lrguard.measure.tokens import Counter
from lrguard.reading import ReadingCopy
from lrguard.records import dataclass, replace
from lrguard.session.reader import Saved
from lrguard.session.store import Facts, Session
from lrguard.settings import Settings

Ask = Callable[[Settings, str], bytes]
"""Gives a prompt to what the settings name and returns its answer; raises `present.summary.Unsummarized`."""


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where one process guards results. With `keeps` false nothing is saved, and only the outcome is told."""

    session: Session
    counter: Counter
    make_file: Callable[[], int]
    keeps: bool = True
    ask: Ask | None = None
    """Whom summaries are asked for; None: nobody."""

    def spool(self) -> Spool:
        """A new spool."""
        return Spool(self.make_file)

    def store(self, asset: Asset, content: Source) -> str:
        """The path under which an asset is saved; raises SaveError."""
        if self.keeps:
            return self.session.save_asset(content, asset.sha256, asset.extension)
        return self.session.asset_path(asset.sha256, asset.extension)

    def save(self, original: Source, facts: Facts, reading: ReadingCopy | None = None) -> Saved:
        """The saved response; raises SaveError."""
        if not self.keeps:
            return self.foresee(facts, reading)
        return self.session.save(original, *_with_reading(facts, reading))

    def foresee(self, facts: Facts, reading: ReadingCopy | None) -> Saved:
        """The saved response as `save` would return it; nothing is written."""
        facts, source = _with_reading(facts, reading)
        return self.session.foresee(facts, source)


def _with_reading(facts: Facts, reading: ReadingCopy | None) -> tuple[Facts, Source | None]:
    return (replace(facts, reading_extension=reading.extension), reading.source) if reading else (facts, None)
