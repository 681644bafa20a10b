"""Recorded hook payloads of real hosts, shortened, and the hook asked about them in this process."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lrguard.cli.hooked import replacing
from lrguard.harness import hook

RECORDED = Path(__file__).parent.parent / "data" / "hooks"
MORE = "@MORE@"
"""What stands in the recordings for the many lines that were taken out of them."""

LARGE, SMALL = 900, 3
"""Lines for that place that make a result larger, or no larger, than the default threshold."""

THRESHOLD_BYTES = 6000


def lines(count: int, word: str = "row") -> str:
    return "\n".join(f"{word} {number} of the text that was taken out, alpha beta" for number in range(count))


class Hooks:
    """Asks the hook as a host would, with a home and a session of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.environ = {"HOME": str(home), "XDG_CACHE_HOME": str(Path.home() / ".cache")}
        self.sessions = home / ".local" / "state" / "lrguard" / "hosts"
        self._calls = 0

    def recorded(self, name: str, more: int = LARGE, **changes: Any) -> Any:
        """The recording with `more` lines put back, in a session and a call of its own unless `changes` say so."""
        self._calls += 1
        text = json.dumps(json.loads((RECORDED / f"{name}.json").read_text()))
        for placeholder, value in {
            MORE: json.dumps(lines(more))[1:-1],
            "<UUID>": f"11111111-2222-3333-4444-{self._calls:012}",
            "<SESSION>": f"ses_{self._calls}",
            "/HOME": str(self.home),
            "<ID>": "abc123",
            "<STAMP>": "1796000000000",
        }.items():
            text = text.replace(placeholder, value)
        payload = json.loads(text)
        structured = (payload.get("tool_response") or payload.get("output") or {}) if isinstance(payload, dict) else {}
        if isinstance(structured, dict) and "structuredContent" in structured:
            structured["structuredContent"]["rows"] *= more
        return payload | changes

    def ask(self, payload: Any, **given: Any) -> Any:
        """The answer, None for silence."""
        answer = hook.answer(json.dumps(payload).encode(), given, self.environ, replacing(given, self.environ))
        return json.loads(answer) if answer else None

    def saved(self) -> list[Path]:
        """What was saved, in whatever session."""
        return sorted(path for path in self.sessions.rglob("*") if path.parent.name in ("long_responses", "downloads"))


@pytest.fixture
def hooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hooks]:
    home = tmp_path / "home"
    work = tmp_path / "work"
    home.mkdir()
    work.mkdir()
    monkeypatch.chdir(work)
    yield Hooks(home)


def is_message(text: str) -> bool:
    return text.startswith("[lrguard] ") and "\nSaved: /" in text and len(text.encode()) < 10_000
