"""What is shown of a tool's text: nothing a terminal obeys, nothing that cannot be seen."""

from __future__ import annotations

import time

import pytest

from lrguard.intake.sanitize import fold_redraws, visible

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain text\n\twith tabs and lines\n",
        "naïve café, 文件, мир, مرحبا, שלום",
        "\u00a0\u2009\u3000 spaces of all widths",
        "█▓▒░ ├── │ ─",
        "\ue0b0 private use",
        FAMILY,
        SCOTLAND,
        "7\ufe0f\u20e3 #\ufe0f\u20e3",
        "\u2764\ufe0f \u2122\ufe0e \u2139\ufe0f",
        "\U0001f44d\U0001f3fd",
        "\U0001f3f3\ufe0f\u200d\U0001f308",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\u0915\u094d\u200d\u0937 \u0995\u09cd\u200c\u09b7",
        "\u845b\U000e0100 has an ideographic variant",
    ],
)
def test_what_can_be_seen_is_left_alone(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[38;5;196m\x1b[1mbold", "bold"),
        ("\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]0;title\x07text", "text"),
        ("\x9b31mred\x9b0m", "red"),
        ("\x9d0;title\x9ctext", "text"),
        ("\x1bPq#0;2;0\n-\n\x1b\\after", "after"),
        ("\x1b_Gf=100;AAAA\x1b\\after", "after"),
        ("\x1b(Bcharset \x1b7saved\x1b8", "charset saved"),
    ],
)
def test_whole_terminal_sequences_are_dropped(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]52;c;cm0gLXJm", "\\x1b]52;c;cm0gLXJm"),
        ("\x1b]0;never ended\nthe next line", "\\x1b]0;never ended\nthe next line"),
        ("\x1bPnever ended \x1b[31mred", "\\x1bPnever ended red"),
        ("\x9dnever ended", "\\x9dnever ended"),
        ("cut \x1b[31", "cut \\x1b[31"),
        ("cut \x1b", "cut \\x1b"),
    ],
)
def test_sequence_that_never_ends_neither_swallows_nor_passes_for_text(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("./a\0./b\0", "./a\\x00./b\\x00"),
        ("bell\x07 back\x08 feed\x0c del\x7f", "bell\\x07 back\\x08 feed\\x0c del\\x7f"),
        ("next\x85line", "next\\x85line"),
        ("user = '\u202enimda\u2066'", "user = '\\u202enimda\\u2066'"),
        ("zero\u200bwidth soft\u00adhyphen", "zero\\u200bwidth soft\\xadhyphen"),
        ("para\u2029graph line\u2028end", "para\\u2029graph line\\u2028end"),
        ("\ud83d cut pair", "\\ud83d cut pair"),
        ("not a character \ufffe \U0001ffff", "not a character \\ufffe \\U0001ffff"),
        ("smuggled \U000e0068\U000e0069", "smuggled \\U000e0068\\U000e0069"),
        ("\U0001f3f4\U000e0068\U000e0069", "\U0001f3f4\\U000e0068\\U000e0069"),
        ("a\u200db a\ufe0f", "a\\u200db a\\ufe0f"),
        ("\u2764\ufe0f\ufe0f", "\u2764\ufe0f\\ufe0f"),
        ("3\ufe0f apples", "3\\ufe0f apples"),
        ("filler \u3164 \u115f", "filler \\u3164 \\u115f"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_byte_order_mark_is_hidden_at_the_beginning_only() -> None:
    assert visible("\ufeff{}") == "{}"
    assert visible("a\ufeffb") == "a\\ufeffb"


def test_carriage_return_ends_a_line_or_is_written_out() -> None:
    assert visible("one\r\ntwo\r\r\nthree\rfour") == "one\ntwo\nthree\\x0dfour"


@pytest.mark.parametrize("text", ["", "no redraw\n", "windows\r\nlines\r\n", "\x1b[32mgreen\x1b[0m only\n"])
def test_lines_that_are_drawn_once_are_left_alone(text: str) -> None:
    assert fold_redraws(text) == text


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Receiving:  10%\rReceiving: 100%, done.\nnext\n", "Receiving: 100%, done.\nnext\n"),
        ("\rstep 1\rstep 2\r\ndone\n", "step 2\r\ndone\n"),
        ("working\x1b[2K\x1b[1Gfinished\n", "finished\n"),
        ("|\b/\b-\b\\\bok\n", "ok\n"),
        ("N\bNA\bAM\bME\bE _\bb_\bo_\bl_\bd\n", "NAME bold\n"),
        ("progress\r        \r\nafter\n", "\r\nafter\n"),
        ("one: 1%\ntwo: 1%\n\x1b[2A\x1b[2Kone: 9%\n\x1b[2Ktwo: 9%\nend\n", "one: 9%\ntwo: 9%\nend\n"),
    ],
)
def test_redrawn_lines_show_their_last_state(text: str, folded: str) -> None:
    assert visible(fold_redraws(text)) == visible(folded)


def test_time_is_linear_for_hostile_text() -> None:
    for unit in ("\x1b", "\x1b]x", "\x9d", "\x1bP", "\r", "a\b", "\x1b[1Ax", "\u200d", "\x1b[", "0\r"):
        start = time.process_time()
        text = unit * 20_000
        assert visible(fold_redraws(text)) is not None
        assert visible(text) is not None
        assert time.process_time() - start < 2, repr(unit)
