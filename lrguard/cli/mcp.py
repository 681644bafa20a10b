"""`lrguard mcp [OPTIONS] -- SERVER ARGS`: a proxy in front of an MCP server that guards the results of its tools."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from threading import RLock
from time import monotonic
from typing import Annotated

import typer

from lrguard.assets.base64_runs import WINDOW, find_runs
from lrguard.assets.evidence import plausible
from lrguard.cli import parameters as p
from lrguard.cli import streams
from lrguard.cli.app import application
from lrguard.cli.asking import FAILURES
from lrguard.cli.filtered import NESTED
from lrguard.errors import ConfigurationError, LrguardError, SaveError
from lrguard.guarding import guard
from lrguard.harness.command import environment, replace_by
from lrguard.harness.mcp import Call
from lrguard.harness.mcp_proxy import Guarding, Proxy, start
from lrguard.intake.receive import Received
from lrguard.intake.source import BytesSource, Slice, Source
from lrguard.intake.text_kind import TextKind
from lrguard.intake.utf8_scan import Utf8Scan
from lrguard.measure.tokens import Count, Counter, Measurement
from lrguard.outcome import Kind
from lrguard.place import cache_folder, retire, session_for, temporary_file
from lrguard.present.summary import Unsummarized
from lrguard.records import replace
from lrguard.settings import Settings, Sources, gather
from lrguard.workplace import Workplace

HELP = """Start an MCP server and pass on everything between it and the client on standard input and output. Results of
its tools that are over the threshold are saved, with a message in their place. It ends as its server ends."""

WORDS_AS_THEY_ARE = {"allow_interspersed_args": False, "help_option_names": ["-h", "--help"]}
"""Options end at the server's name: what follows is the server's own."""

MAY_BE_DATA = re.compile(rb"[A-Za-z0-9+/=_-]{40}|\\u002[bB]")
"""What embedded data has at least once."""

REST = 300.0
"""Seconds in which nobody is asked for a summary after several failures in a row."""

TOOLS_REMEMBERED = 1000
"""Tools whose settings are kept, since the names come from outside."""

app = application()


@app.command(help=HELP, context_settings=WORDS_AS_THEY_ARE)
def mcp(
    server: Annotated[list[str] | None, typer.Argument(metavar="SERVER [ARGS]..", help="The server.")] = None,
    tools: Annotated[
        bool, typer.Option("--tools", help="Offer lrguard_peek, lrguard_schema and lrguard_grep to the client.")
    ] = False,
    keep_output_schema: Annotated[
        bool,
        typer.Option("--keep-output-schema", help="Leave output schemas in, and shorten structured content to fit."),
    ] = False,
    session: p.Session = None,
    show_session: p.ShowSession = None,
    threshold: p.Threshold = None,
    agent: p.Agent = None,
    context_window: p.ContextWindow = None,
    preview_chars: p.PreviewChars = None,
    encoding: p.Encoding = None,
    summarize: p.Summarize = None,
    no_summarize: p.NoSummarize = False,
    summary_timeout: p.SummaryTimeout = None,
    media: p.Media = None,
    on_save_error: p.OnSaveError = None,
    config: p.Config = None,
    quiet: p.Quiet = False,
) -> int:
    """Run one server."""
    given = p.given(locals(), "server", "tools", "keep_output_schema")
    if not server:
        raise LrguardError("there is no server", remedy="lrguard mcp [OPTIONS] -- SERVER ARGS")
    environ = environment()
    if os.environ.get(NESTED) == "1":
        replace_by(server, environ)
    try:
        sources = gather({**given, "output": "mcp"}, os.environ, defaults={"on_save_error": "preview"})
        settings = sources.settings()
        results = _Results(sources, settings, keeps_schema=keep_output_schema, offers_tools=tools)
    except (ConfigurationError, OSError) as error:
        streams.note(f"{error}; the server runs unguarded")
        replace_by(server, environ)
    streams.notes(settings.notes, quiet=settings.quiet)
    guarding = Guarding(
        threshold_of=results.threshold_of,
        is_plain=_is_plain,
        replaced=results.replaced,
        interrupt=results.interrupt,
        make_file=temporary_file,
        note=streams.note,
        session=results.session,
        threshold=settings.threshold,
        offers_tools=tools,
        keeps_schema=keep_output_schema,
    )
    return Proxy(start(server), guarding, (streams.INPUT, streams.OUTPUT)).run()


class _Results:
    """Guards results as they come, in several threads."""

    def __init__(self, sources: Sources, general: Settings, *, keeps_schema: bool, offers_tools: bool) -> None:
        self._sources = sources
        self._counter = _SharedCounter(general.encoding, cache_folder(os.environ))
        with session_for(general) as session:
            self.session = session.tree.path
        self._keeps_schema, self._offers_tools = keeps_schema, offers_tools
        self._of_tools: dict[str | None, Settings] = {}
        self._wake, self._interrupt = os.pipe()
        self._failures, self._rests_until = 0, 0.0

    def threshold_of(self, call: Call) -> int | None:
        """The threshold for a call; None where its result passes whatever it is."""
        settings = self._settings(call)
        return settings.threshold if settings.enabled else None

    def _settings(self, call: Call) -> Settings:
        if call.tool not in self._of_tools:
            if len(self._of_tools) >= TOOLS_REMEMBERED:
                self._of_tools.clear()
            self._of_tools[call.tool] = replace(
                self._sources.settings(tool=call.tool),
                declared_mcp=True,
                keeps_schema=self._keeps_schema,
                offers_tools=self._offers_tools,
            )
        return self._of_tools[call.tool]

    def interrupt(self, number: int) -> None:
        """Have those end who wait for a summary, as after a signal."""
        os.write(self._interrupt, bytes([number]))

    def _ask(self, settings: Settings, prompt: str) -> bytes:
        from lrguard.harness.summarizer import Interrupted, answer

        assert isinstance(settings.summarize, str)
        if monotonic() < self._rests_until:
            raise Unsummarized(f"the command has failed {FAILURES} times in a row before")
        try:
            found = answer(settings.summarize, prompt, settings.summary_timeout, wake=self._wake)
        except Unsummarized as error:
            if isinstance(error, Interrupted):
                self.interrupt(error.signal)  # what one has read, the others are to hear as well
            self._failures += 1
            if self._failures >= FAILURES:
                self._rests_until, self._failures = monotonic() + REST, 0
            raise
        self._failures = 0
        return found

    @contextmanager
    def replaced(self, result: Source, call: Call) -> Iterator[Source | None]:
        """What stands for a result; None for the result itself."""
        settings = replace(self._settings(call), tool=call.tool, args=call.arguments)
        with self._place(settings) as place:
            outcome = guard(_received(result), settings, place)
            streams.notes(outcome.notes, quiet=settings.quiet)
            if outcome.failure:
                streams.note(str(outcome.failure))
            # What only looks like a result is passed on like any other noise.
            is_noise = outcome.kind is not Kind.BINARY and outcome.media_type != TextKind.JSON.media_type
            yield None if is_noise or outcome.content is result else _on_one_line(outcome.content)

    @contextmanager
    def _place(self, settings: Settings) -> Iterator[Workplace]:
        """A workplace for one result: its files are gone afterwards, as this process stays."""
        opened: list[int] = []
        with session_for(replace(settings, session=self.session)) as session:

            def make_file() -> int:
                try:
                    opened.append(session.make_temporary())
                except SaveError:
                    opened.append(temporary_file())
                return opened[-1]

            try:
                yield Workplace(session, self._counter, make_file, ask=self._ask)
                retire(session, settings)
            finally:
                for descriptor in opened:
                    os.close(descriptor)


class _SharedCounter(Counter):
    """A counter for several threads: what it sets up is set up once."""

    def __init__(self, encoding: str, cache: str | None) -> None:
        super().__init__(encoding, cache)
        self._lock = RLock()

    def whole(self, source: Source) -> Count:
        """See `Counter.whole`."""
        with self._lock:
            return super().whole(source)

    def against(self, source: Source, threshold: int, *, exact_up_to: int = 0) -> Measurement:
        """See `Counter.against`."""
        with self._lock:
            return super().against(source, threshold, exact_up_to=exact_up_to)


def _is_plain(result: bytes) -> bool:
    """Whether a result that is small enough holds nothing that might be taken out of it."""
    return not MAY_BE_DATA.search(result) or not any(map(plausible, find_runs(BytesSource(result), WINDOW)))


def _received(result: Source) -> Received:
    digest, scan = sha256(), Utf8Scan()
    for chunk in result.chunks():
        digest.update(chunk)
        scan.feed(chunk)
    scan.end()
    return Received(result, digest.hexdigest(), scan)


def _on_one_line(content: Source) -> Source:
    """A result without the line end that a file of it has."""
    end = content.size
    while end and content.read(end - 1, end) in (b"\n", b"\r", b" "):
        end -= 1
    return Slice(content, 0, end)
