"""What a person sees on a terminal, whatever its width and its background."""

from __future__ import annotations

import json
import re

import pytest
from rich.cells import cell_len

from tests import inputs
from tests.conftest import Program
from tests.terminal import on_a_terminal

SEQUENCE = re.compile(r"\x1b\[([\d;]*)m")
PLAIN = {"", "0"}
SAFE = {"1", "3", "32", "35", "36"}
"""Bold, italic, green, magenta and cyan, which are seen on black and on white."""

PYTHON = '''"""Doc."""
import os  # a comment
@decorator(name="x")
class Thing(Base):
    def method(self, number: int = 3) -> str | None:
        return f"value {number!r}\\n" if number is not None else None
'''


def styles(text: str) -> set[str]:
    return {code for codes in SEQUENCE.findall(text) for code in codes.split(";")}


def without_styles(text: str) -> str:
    return re.sub(r"\x1b\]8;[^\x1b]*\x1b\\", "", SEQUENCE.sub("", text)).replace("\r\n", "\n")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("code.py", PYTHON),
        ("values.json", '{"a": [1, -2.5e3, true, null], "text": "caf\\u00e9", "not a number": NaN}\n'),
        ("page.html", '<!-- c --><p class="a">text &amp; more</p>\n'),
        ("notes.md", "# Title\n\n*one* **two** `three` [four](http://x)\n> five\n- six\n\n```python\nx = 1\n```\n"),
        ("run.sh", '#!/bin/sh\nfor x in "$@"; do echo "$x" $((1 + 2)) # c\ndone\n'),
    ],
)
def test_colors_are_seen_on_every_background_and_change_no_character(lrguard: Program, name: str, text: str):
    (lrguard.home / name).write_text(text)
    shown = on_a_terminal(lrguard, "peek", "--lines", "1:", f"./{name}")
    assert styles(shown) & SAFE
    assert styles(shown) <= SAFE | PLAIN
    assert without_styles(shown) == text


def test_what_lrguard_says_of_a_text_is_not_highlighted_as_if_it_were_in_it(lrguard: Program):
    values = [{"number": number} for number in range(3000)]
    text = json.dumps(values, indent=1)
    (lrguard.home / "values.json").write_text(text)
    facts, *shown = on_a_terminal(lrguard, "peek", "./values.json").splitlines()
    assert facts == f"application/json, 9002 lines, {len(text)} bytes"
    (mark,) = [line for line in shown if "left out" in line]
    assert re.fullmatch(r"\[lines \d+ to \d+ of 9002 are left out\]", mark)
    assert any(styles(line) & SAFE for line in shown)


def test_no_color_is_no_color(lrguard: Program):
    (lrguard.home / "code.py").write_text(PYTHON)
    assert on_a_terminal(lrguard, "peek", "--lines", "1:", "./code.py", NO_COLOR="1") == PYTHON.replace("\n", "\r\n")


def test_force_color_colors_what_goes_elsewhere_and_no_color_beats_it(lrguard: Program):
    (lrguard.home / "code.py").write_text(PYTHON)
    peek = ("peek", "--lines", "1:", "./code.py")
    assert lrguard(*peek).text == lrguard(*peek, env={"FORCE_COLOR": "1", "NO_COLOR": "1"}).text == PYTHON
    forced = lrguard(*peek, env={"FORCE_COLOR": "1", "TERM": "xterm", "PAGER": "false"}).text
    assert styles(forced) & SAFE and without_styles(forced) == PYTHON


def test_decoded_text_is_not_highlighted_as_the_json_around_it(lrguard: Program):
    (lrguard.home / "values.json").write_text(json.dumps({"a": "say true or 12\n"}))
    assert on_a_terminal(lrguard, "peek", "--path", "$.a", "--text", "./values.json") == "say true or 12\r\n"


@pytest.mark.parametrize("columns", [20, 40, 60, 80, 120, 250])
def test_a_response_takes_one_line_of_the_list_with_its_id_whole_however_narrow_the_terminal(
    lrguard: Program, columns: int
):
    tools = ["search", "日本語のツール", "mcp__github__search_repositories_by_name", "e\u0301\u202e[red]"]
    ids = [
        lrguard.envelope(inputs.log(100 + number), "-t", "500", "--tool", tool, "--call-id", f"call_{number}")["id"]
        for number, tool in enumerate(tools)
    ]
    header, *rows = without_styles(on_a_terminal(lrguard, "list", columns=columns)).splitlines()
    assert sorted(row.split()[0] for row in rows) == sorted(ids)
    assert all(cell_len(row) <= columns for row in [header, *rows])
    names = header.split()
    assert names[0] == "ID" and names[-1] in ("TOKENS", "BYTES", "PATH")
    assert ("PATH" in names) == (columns == 250)
