"""A result that a message takes the place of, at whatever length there is room for.

Results that come back together share their room, so a message may have to be written again, shorter; what it tells is
found out once.
"""

from __future__ import annotations

from functools import cached_property

from lrguard.description import facts_of, located, named, outcome_of, subject_of
from lrguard.intake.source import Source
from lrguard.measure.tokens import Measurement
from lrguard.outcome import Kind, Outcome
from lrguard.present.message import MAX_TOKENS, Subject, compose, compose_line
from lrguard.present.preview import Ends, ends
from lrguard.present.summary import bounded
from lrguard.reading import ReadingCopy, reading_copy
from lrguard.records import replace
from lrguard.session.reader import Saved
from lrguard.settings import Settings
from lrguard.shape import in_shape
from lrguard.summarizing import Summary, summary_of
from lrguard.text import Text
from lrguard.workplace import Workplace

LINE = -1
"""The length of a preview that stands for a message of one line."""


class Offload:
    """One result to be saved, and the message for it."""

    def __init__(self, text: Text, measurement: Measurement, settings: Settings, place: Workplace) -> None:
        self.text, self.measurement = text, measurement
        self._settings, self._place = settings, place
        self._written: dict[int, str] = {}
        self._tokens: dict[int, int] = {}
        self._saved: Saved | None = None
        self._summary: Summary | None = None

    def for_combined(self, threshold: int) -> None:
        """Say in the message that it is the combined threshold that the result does not fit into."""
        self._settings = replace(self._settings, combined=threshold)
        self._forget()

    def is_worthwhile(self, preview_chars: int) -> bool:
        """Whether the message with a preview of that length is shorter, in tokens, than what it replaces."""
        replaceable = self._replaceable
        if replaceable > 2 * MAX_TOKENS and not self._has_blocks:
            return True
        return self.message_tokens(preview_chars) < replaceable

    def summarize(self, preview_chars: int) -> None:
        """Have the message carry a summary, where there is to be one, in the place of a preview of that length.

        The result is saved first; raises SaveError.
        """
        if self._summary is None and self._summary_tokens(preview_chars) > 0:
            self._summary = summary_of(self.text, self._save(), self.measurement, self._settings, self._place)
            self._forget()

    def message_tokens(self, preview_chars: int) -> int:
        """The tokens of what is printed: the message, with what stays beside it. Nothing is saved for it."""
        if preview_chars not in self._tokens:
            self._tokens[preview_chars] = self._printed(preview_chars)[1]
        return self._tokens[preview_chars]

    def outcome(self, preview_chars: int) -> Outcome:
        """The result saved and the message in its place; raises SaveError."""
        saved = self._save()
        self.summarize(preview_chars)
        summary = self._summary if self._summary and self._summary_tokens(preview_chars) else Summary()
        content, tokens = self._printed(preview_chars)
        outcome = replace(
            outcome_of(self.text, self.measurement, Kind.OFFLOADED, content),
            content_encoding="utf-8",
            content_exact=True,
            content_tokens=tokens,
            summary=summary.state,
            notes=summary.notes,
        )
        return located(outcome, saved, self._place)

    def _printed(self, preview_chars: int) -> tuple[Source, int]:
        """What is printed, and its tokens; where one line is all there is room for, no other block stays beside it."""
        room = 0 if preview_chars == LINE else None
        return in_shape(self._message(preview_chars), self.text, self._settings, self._place, room=room)

    def _forget(self) -> None:
        """Write messages anew: what they tell has changed."""
        self._written.clear()
        self._tokens.clear()

    def _save(self) -> Saved:
        if self._saved is None:
            saved = self._known or self._place.save(
                self.text.received.source, facts_of(self.text, self.measurement, self._settings), self._reading
            )
            if self._foreseen.path != saved.path or self._foreseen.reading_copy != saved.reading_copy:
                self._forget()
            self._saved = saved
        return self._saved

    def _message(self, preview_chars: int) -> str:
        if preview_chars not in self._written:
            saved = self._saved or self._foreseen
            if preview_chars == LINE:
                written = compose_line(named(self._line, saved))
            else:
                summary = self._shown_summary(preview_chars)
                written = compose(
                    named(self._subject, saved),
                    self._ends,
                    preview_chars,
                    self._place.counter.text,
                    summary=summary,
                    room=min(MAX_TOKENS, self._replaceable - 1) if summary else MAX_TOKENS,
                )
            self._written[preview_chars] = written
        return self._written[preview_chars]

    def _shown_summary(self, preview_chars: int) -> str:
        tokens = self._summary_tokens(preview_chars)
        return bounded(self._summary.text, tokens, self._place.counter.text) if self._summary and tokens else ""

    def _summary_tokens(self, preview_chars: int) -> int:
        """The tokens that a summary may have: where the preview would be shorter, so is the summary."""
        most, full = self._settings.summary_tokens, self._settings.preview_chars
        if preview_chars == LINE:
            return 0
        return most if preview_chars >= full else most * preview_chars // full

    @property
    def _has_blocks(self) -> bool:
        """Whether the message is one block of an MCP result, beside which others may stay."""
        return self._settings.output == "mcp" and self.text.mcp is not None

    @property
    def _replaceable(self) -> int:
        """The tokens that a message saves: in an MCP result that keeps its shape, metadata stays beside it."""
        mcp = self.text.mcp if self._has_blocks else None
        if mcp and mcp.text.size <= 16 * MAX_TOKENS:
            return self._place.counter.whole(mcp.text).tokens
        return self.measurement.tokens

    @cached_property
    def _known(self) -> Saved | None:
        """The response whose reading copy this result is, if it is one."""
        received = self.text.received
        return self._place.session.find_reading_copy(received.sha256, received.source.size)

    @cached_property
    def _reading(self) -> ReadingCopy | None:
        return None if self._known else reading_copy(self.text, self._place.spool)

    @cached_property
    def _foreseen(self) -> Saved:
        facts = facts_of(self.text, self.measurement, self._settings)
        return self._known or self._place.foresee(facts, self._reading)

    @cached_property
    def _ends(self) -> Ends:
        read = self._reading and not self.text.mcp
        return ends(self._reading.source if self._reading and read else self.text.readable)

    @cached_property
    def _subject(self) -> Subject:
        return subject_of(self.text, self._reading, self.measurement, self._settings, self._place)

    @cached_property
    def _line(self) -> Subject:
        return subject_of(self.text, None, self.measurement, self._settings, self._place, brief=True)
