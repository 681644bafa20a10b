"""The summary of one saved result: asked for once, kept beside the response, or left out for a reason.

The result is saved before anybody is asked: a model takes its time, and whoever waits for lrguard may lose patience.
"""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256

from lrguard.description import number, remarks
from lrguard.errors import SaveError
from lrguard.intake.source import Source
from lrguard.measure.tokens import Counter, Measurement
from lrguard.present.summary import Request, Unsummarized, cleaned, prompt, shown
from lrguard.records import dataclass
from lrguard.session.metadata import SummaryRecord
from lrguard.session.reader import Saved
from lrguard.settings import Settings
from lrguard.text import Text, source_of
from lrguard.workplace import Workplace

BYTES_A_TOKEN = 128
"""The most that a token has: a text with more bytes than that for each token it may have is too large."""


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary, `text` being empty where there is none; `state` as the contract's section 5 has it."""

    text: str = ""
    state: str = "none"
    notes: tuple[str, ...] = ()


def summary_of(text: Text, saved: Saved, measurement: Measurement, settings: Settings, place: Workplace) -> Summary:
    """The summary of a saved text: the one that the session has for the same command and intent, else a new one.

    None is asked for where nothing summarizes, where the text has more tokens than the settings give it, and after a
    signal, when somebody waits for this process to end.
    """
    if place.ask is None or not settings.summarize or not place.keeps or text.received.signal:
        return Summary()
    key = _key(settings)
    if key and (kept := saved.record.summary(key)):
        with suppress(Unsummarized):  # somebody has been at the record
            return _summary(kept.encode("utf-8", "replace"), place)
    readable = _readable(text.readable, settings.max_input_tokens, place.counter)
    if readable is None:
        return Summary(notes=(f"no summary: the text has more than {settings.max_input_tokens:,} tokens",))
    tokens = f"{number(measurement)} tokens"
    lines = f"{text.lines:,} line{'' if text.lines == 1 else 's'}"
    facts = [tokens, f"{text.received.source.size:,} bytes", lines, text.kind.kind.media_type]
    facts += ["the tool says that it is an error"] if text.is_error and not text.received.ended else []
    facts += [f"the command failed: {text.received.ended}"] if text.received.ended else []
    request = Request((*facts, *remarks(text.received, text)), settings.tool, settings.args, settings.intent)
    try:
        summary = _summary(place.ask(settings, prompt(request, readable)), place)
    except Unsummarized as error:
        return Summary(state="failed", notes=(f"no summary: {error}; the message shows the text's ends instead",))
    if key:
        with suppress(SaveError):  # then it is asked for again the next time
            place.session.keep_summary(saved, SummaryRecord(key, summary.text))
    return summary


def _summary(answer: bytes, place: Workplace) -> Summary:
    return Summary(cleaned(answer, place.counter.text), "done")


def _readable(text: Source, most: int, counter: Counter) -> str | None:
    """The text as a model may read it, None where it has more than `most` tokens as it is or as it is shown."""
    if text.size > most * BYTES_A_TOKEN or counter.against(text, most).over:
        return None
    readable = shown(text.read())
    return None if counter.against(source_of(readable), most).over else readable


def _key(settings: Settings) -> str | None:
    """What a summary depends on beside the content; None for a function, which may be another one the next time."""
    if not isinstance(settings.summarize, str):
        return None
    asked = f"{settings.summarize}\0{settings.intent or ''}"
    return sha256(asked.encode("utf-8", "surrogatepass")).hexdigest()
