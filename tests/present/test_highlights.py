"""Which lines of a text look like errors, and which only speak of them."""

from __future__ import annotations

import pytest

from lrguard.intake.source import BytesSource, Source
from lrguard.present.highlights import WIDTH, highlights


def found(text: str) -> list[tuple[int, str]]:
    return [(h.line, h.text) for h in highlights(BytesSource(text.encode()))]


@pytest.mark.parametrize(
    "line",
    [
        "0 errors, 0 warnings",
        "build finished without errors",
        '{"errors": [], "failed": 0}',
        "error_rate=0.0 errors=0",
        "/usr/lib/python3/distutils/errors.py",
        "ii  liberror-perl  0.17029-2  all  Perl module for error handling",
        "    except ValueError:",
        "        raise OSError('cannot open')",
        "The message says which errors a reader may see.",
        "test_error_is_shown PASSED",
        "import fatal from './fatal'",
    ],
)
def test_lines_that_only_speak_of_errors_are_left_out(line: str):
    assert found(f"first\n{line}\nlast\n") == []


@pytest.mark.parametrize(
    "line",
    [
        "2026-07-03 14:05:09 ERROR worker could not connect",
        "error[E0308]: mismatched types",
        "Error: listen EADDRINUSE: address already in use :::3000",
        "ValueError: invalid literal for int() with base 10: 'x'",
        "Traceback (most recent call last):",
        "npm ERR! code ELIFECYCLE",
        "fatal: not a git repository",
        "thread 'main' panicked at src/main.rs:2:5:",
        "FAILED tests/test_x.py::test_y - assert 1 == 2",
        "make: *** [Makefile:12: all] Error: exit status 2",
        "ls: cannot access 'x': No such file or directory",
        "Segmentation fault (core dumped)",
        "[  12.5] Out of memory: Killed process 11990 (python)",
        'time=12:00 level=error msg="no route"',
        '{"level":"error","msg":"no route"}',
        "curl: (7) Failed to connect: Connection refused",
        "3 failed, 20 passed in 0.5s",
    ],
)
def test_lines_that_report_errors_are_found_with_their_number(line: str):
    assert found(f"first\n{line}\nlast\n") == [(2, line)]


def test_the_severest_come_first_and_of_equals_the_last_and_at_most_five():
    lines = [f"ERROR number {number}" for number in range(1, 21)]
    lines[2] = "FATAL the disk is gone"
    assert [line for line, _ in found("\n".join(lines))] == [3, 17, 18, 19, 20]


def test_a_long_line_is_shown_around_its_error():
    text = "x" * 5000 + " error: it broke " + "y" * 5000
    ((line, shown),) = found(text)
    assert line == 1 and "error: it broke" in shown and len(shown) <= WIDTH + 2
    assert shown.startswith("…") and shown.endswith("…")


def test_control_characters_of_a_line_are_shown_as_escapes():
    assert found("\x1b[31mERROR:\x1b[0m bad \x07 bell") == [(1, "ERROR: bad \\x07 bell")]


class Small(Source):
    """A source that hands out at most a few bytes at once."""

    def __init__(self, data: bytes) -> None:
        self._data, self.size = data, len(data)

    def read(self, start: int = 0, end: int | None = None) -> bytes:
        return self._data[start:end]


def test_line_numbers_are_right_across_pieces(monkeypatch: pytest.MonkeyPatch):
    text = "".join(f"line {n}\n" if n % 50 else f"ERROR in line {n}\n" for n in range(1, 1001)).encode()
    for chunk in (7, 64, 1000):
        monkeypatch.setattr("lrguard.present.highlights.CHUNK", chunk)
        assert [h.line for h in highlights(Small(text))] == [800, 850, 900, 950, 1000]


def test_a_log_in_which_every_line_is_an_error_is_bounded():
    text = b"2026-07-03 ERROR could not open the file\n" * 400_000
    assert len(highlights(BytesSource(text))) == 5
