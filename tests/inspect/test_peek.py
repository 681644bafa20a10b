import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lrguard.errors import LrguardError
from lrguard.inspect import excerpt, lines, peek
from lrguard.inspect.json_tokens import Shape
from lrguard.inspect.peek import Unit, parse_range
from lrguard.inspect.peek_path import As, peek_path
from lrguard.intake.source import BytesSource

TEN = b"".join(b"line %d\n" % number for number in range(1, 10)) + b"last"


def count(text: str) -> int:
    return (len(text.encode("utf-8", "replace")) + 3) // 4


def printed(found: excerpt.Excerpt) -> str:
    return "".join(found.pieces)


def look(data: bytes, given: str, unit: Unit, tokens: int = 2000) -> excerpt.Excerpt:
    return peek.peek(BytesSource(data), parse_range(given, unit), unit, tokens, count)


@pytest.mark.parametrize("data", [TEN, TEN + b"\n"])
@pytest.mark.parametrize(
    ("given_range", "expected"),
    [
        ("10:10", "last\n"),
        ("10", "last\n"),
        ("-1:-1", "last\n"),
        ("10:+1", "last\n"),
        ("-2:", "line 9\nlast\n"),
        ("2:4", "line 2\nline 3\nline 4\n"),
        (":2", "line 1\nline 2\n"),
        ("9:99999999999999999999", "line 9\nlast\n"),
        ("-99:1", "line 1\n"),
    ],
)
def test_lines(data, given_range, expected):
    found = look(data, given_range, Unit.LINES)
    assert (printed(found), found.status, found.go_on) == (expected, 0, ())


@pytest.mark.parametrize("given_range", ["11:11", "900:901", "11:+5"])
def test_lines_past_the_end_say_how_many_there_are(given_range):
    found = look(TEN, given_range, Unit.LINES)
    assert (printed(found), found.notes, found.status) == ("", ("there are 10 lines",), 1)


@pytest.mark.parametrize("given_range", ["0:3", "5:2", "x:y", "", ":+-3", "1:2:3", "1-2", "9" * 5000 + "x"])
def test_what_is_no_range_is_an_error(given_range):
    with pytest.raises(LrguardError) as error:
        parse_range(given_range, Unit.LINES)
    assert error.value.status == 2


def test_characters_and_bytes_are_counted_from_0_and_never_torn():
    data = "aö€😀z".encode()
    assert printed(look(data, "1:4", Unit.CHARS)) == "ö€😀\n"
    assert printed(look(data, "2:4", Unit.BYTES)) == "ö€\n"
    assert printed(look(data, "-2:", Unit.BYTES)) == "😀z\n"
    assert printed(look(data, "3:+1", Unit.CHARS)) == "😀\n"
    assert look(data, "5:9", Unit.CHARS).notes == ("there are 5 characters, from 0",)
    assert printed(look(b"a\xff\xc3b", "0:4", Unit.CHARS)) == "a\ufffd\ufffdb\n"
    assert printed(look(b"a\xff\xc3b", "3:4", Unit.CHARS)) == "b\n"


def test_nothing_a_terminal_obeys_is_printed():
    assert printed(look(b"a\x1b[31mred\x07\r\nb", "1:2", Unit.LINES)) == "ared\\x07\nb\n"


def test_a_cut_shows_itself_and_says_how_to_go_on():
    data = b"".join(b"row %04d\n" % number for number in range(1000))
    found = look(data, "1:", Unit.LINES, 200)
    assert count(printed(found)) <= 200
    assert found.go_on[0] == "--lines" and found.go_on[1].endswith(":")
    number = int(found.go_on[1][:-1])
    assert printed(found).endswith(f"row {number - 2:04d}\n[cut here; line {number} comes next]\n")
    found = look(("ö" * 5000).encode(), "1:1", Unit.LINES, 200)
    assert found.go_on[0] == "--chars" and found.go_on[1].endswith(":5000")
    assert "\ufffd" not in printed(found) and "inside line 1" in printed(found)


@settings(max_examples=40, deadline=None)
@given(st.text("ab\n€😀", max_size=300), st.integers(60, 90))
def test_going_on_shows_every_character_once(text, tokens):
    data, seen, option = text.encode(), "", ("--chars", f"0:{len(text)}")
    while option:
        found = look(data, option[1], Unit.CHARS, tokens)
        parts = list(found.pieces)
        body = "".join(parts[:-1] if found.go_on else parts)
        seen += body
        assert not found.go_on or found.go_on[1] != option[1]
        option = found.go_on
    assert seen.replace("\n", "") == text.replace("\n", "")


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=60).map(lambda data: data.replace(b"\x00", b"\n")), st.integers(1, 12))
def test_places_agree_with_splitting(data, number):
    source = BytesSource(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "CHUNK", 7)
        patch.setattr(type(source), "chunks", lambda self, start=0, end=None, size=7: _chunks(self, start, end))
        rows = data.splitlines(keepends=True) if b"\r" not in data else None
        rows = [row + b"\n" for row in data.split(b"\n")]
        rows[-1] = rows[-1][:-1]
        rows = rows if rows[-1] else rows[:-1]
        assert lines.line_count(source) == len(rows)
        assert lines.line_start(source, number) == len(b"".join(rows[: number - 1]))
        assert data[lines.tail_start(source, number) :] == b"".join(rows[-number:])
        text = data.decode("utf-8", "surrogateescape")
        assert lines.character_count(source) == len(text)
        at = len(text[:number].encode("utf-8", "surrogateescape"))
        assert lines.byte_of_character(source, number) == (at, min(number, len(text)))


def _chunks(source, start, end):
    end = source.size if end is None else min(end, source.size)
    for at in range(start, end, 7):
        yield source.read(at, min(at + 7, end))


def test_head_and_tail_keep_their_own_end_when_cut():
    data = b"".join(b"row %04d\n" % number for number in range(1000))
    found = peek.tail(BytesSource(data), 500, 200, count)
    assert printed(found).endswith("row 0999\n") and found.go_on[1].startswith("501:")
    first = int(found.go_on[1].split(":")[1]) + 1
    assert printed(found).startswith(f"[cut here; line {first} comes first]\nrow {first - 1:04d}\n")
    assert printed(peek.head(BytesSource(data), 2, 200, count)) == "row 0000\nrow 0001\n"
    assert printed(peek.tail(BytesSource(TEN), 10**30, 200, count)).count("\n") == 10
    with pytest.raises(LrguardError):
        peek.head(BytesSource(data), -1, 200, count)


def test_an_overview_tells_the_facts_and_shows_both_ends():
    assert printed(peek.overview(BytesSource(TEN), 500, count)).startswith("10 lines, 67 bytes\n\nline 1\n")
    data = b"".join(b"row %04d\n" % number for number in range(1000))
    text = printed(found := peek.overview(BytesSource(data), 300, count, "a log"))
    assert text.startswith("a log, 1000 lines, 9000 bytes\n\nrow 0000\n") and text.endswith("row 0999\n")
    assert count(text) <= 300 and f"[lines {found.go_on[1].replace(':', ' to ')} of 1000 are left out]" in text
    assert "it is empty" in peek.overview(BytesSource(b""), 300, count).notes


DOCUMENT = (
    b'{"a": {"n": 12345678901234567890, "s": "x\\ny\\u00f6"}, "l": [1, {"b":\n 2}], "long": "' + b"ab\\n" * 9000 + b'"}'
)


def at(path: str, tokens: int = 500, form: As = As.JSON) -> excerpt.Excerpt:
    return peek_path(BytesSource(DOCUMENT), path, Shape.ONE, tokens, count, form=form, make_file=lambda: -1)


def test_the_only_match_is_laid_out_and_several_are_one_a_line():
    assert printed(at("$.a")) == '{\n  "n": 12345678901234567890,\n  "s": "x\\ny\\u00f6"\n}\n'
    assert printed(at("$.l[*]")) == '1\n{"b": 2}\n'
    assert printed(at("$.a.s", form=As.TEXT)) == "x\nyö\n"
    assert printed(at("$.a", 0)) == printed(at("$.a"))


def test_no_match_is_status_1_and_says_what_there_is():
    found = at("$.a.x")
    assert (found.status, found.notes) == (1, ("nothing is at $.a.x: $.a is an object with n, s",))


@pytest.mark.parametrize("form", list(As))
def test_a_cut_value_goes_on_at_its_bytes(form):
    found = at("$.long", 300, form)
    start, end = map(int, found.go_on[1].split(":"))
    assert found.go_on[0] == "--bytes" and end == len(DOCUMENT) - 1
    assert count(printed(found)) <= 300
    body = next(iter(found.pieces)).rstrip("\n")
    assert abs(start - DOCUMENT.index(b"ab\\n") - len(body.replace("\n", "\\n" if form is As.TEXT else ""))) <= 2
