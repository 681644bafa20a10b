import gc
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lrguard.errors import LrguardError
from lrguard.inspect import grep_text, json_leaves
from lrguard.inspect.grep_json import JsonQuery, search_json
from lrguard.inspect.grep_report import Answer, Layout, Report
from lrguard.inspect.grep_text import Show, TextQuery, search_text
from lrguard.inspect.json_tokens import Shape
from lrguard.inspect.locate import locate
from lrguard.inspect.pattern import PatternOptions, compile_patterns
from lrguard.intake.source import BytesSource

PLAIN, AS_WRITTEN = Layout(), PatternOptions()


def count(text: str) -> int:
    return (len(text.encode("utf-8", "replace")) + 3) // 4


def spans(pattern, data, **options):
    compiled = compile_patterns([pattern] if isinstance(pattern, str) else pattern, PatternOptions(**options))
    return [data[start:end] for start, end in compiled.spans(data)]


def text(data, pattern, tokens=2000, layout=PLAIN, skip=0, most=None, options=AS_WRITTEN, **query) -> Answer:
    report = Report(tokens, count, layout, skip, most)
    report.text(BytesSource(data), TextQuery(compile_patterns([pattern], options), **query))
    return report.finish()


def in_json(data, pattern, tokens=2000, layout=PLAIN, skip=0, shape=Shape.ONE, within=None, **query) -> Answer:
    report = Report(tokens, count, layout, skip)
    places = None if within is None else list(locate(BytesSource(data), within, shape))
    report.json(
        BytesSource(data), shape, JsonQuery(compile_patterns([pattern], PatternOptions()), within=places, **query)
    )
    return report.finish()


@pytest.mark.parametrize(
    ("pattern", "data", "options", "expected"),
    [
        ("nothing", b"foo", {}, []),
        ("a\nb", b"a\nb", {}, []),
        ("a\\sb|[^x]b", b"a\nb", {}, []),
        ("foo", b"foo foofoo", {}, [b"foo"] * 3),
        ("x*", b"axb\nxab\n\nzz", {}, [b"", b"x", b"", b""]),
        ("", b"a\nb\n", {}, [b"", b""]),
        ("^a", b"a a\na", {}, [b"a", b"a"]),
        ("a$", b"aa\nba", {}, [b"a", b"a"]),
        ("foo|foobar", b"foobar foo foo foo_", {"whole_words": True}, [b"foobar", b"foo", b"foo"]),
        ("ö", "ö xö ö".encode(), {"whole_words": True}, ["ö".encode()] * 2),
        ("STRAẞE", "Straße".encode(), {"ignore_case": True}, ["Straße".encode()]),
        ("a.", b"a.b ab", {"literal": True}, [b"a."]),
        ("\x00", b"a\x00b", {}, [b"\x00"]),
        ("b.d", b"\xffb\xc3\xb6d", {}, [b"b\xc3\xb6d"]),
        (["a", "b"], b"abc", {}, [b"a", b"b"]),
        ("(?<=a)b", "öab cb".encode(), {}, [b"b"]),
        ("(a)\\1", b"aa ba", {}, [b"aa"]),
        ("a(b", b"xa(b", {}, [b"a(b"]),
    ],
)
def test_occurrences(pattern, data, options, expected):
    assert spans(pattern, data, **options) == expected


def test_what_is_read_differently_is_said():
    assert "no regular expression" in compile_patterns(["a(b"], PatternOptions()).notes[0]
    assert "may take long" in compile_patterns(["(?=a)"], PatternOptions()).notes[0]
    with pytest.raises(LrguardError):
        compile_patterns([], PatternOptions())


def test_a_pattern_that_backtracks_is_stopped(monkeypatch):
    monkeypatch.setattr("lrguard.inspect.pattern.TIME_LIMIT", 0.05)
    pattern = compile_patterns(["(a+)+(?=b)!"], PatternOptions())
    assert list(pattern.spans(b"a" * 5000)) == [] and pattern.gave_up


@settings(max_examples=80, deadline=None)
@given(st.text("ab \nö", max_size=80), st.sampled_from(["a", "a+b", "b|ö", "[^a]", "^b", "a$", "ab a"]))
def test_every_match_is_found_at_its_line_and_column(content, pattern):
    expected = [
        (number, match.start() + 1, match[0])
        for number, line in enumerate(content.split("\n"), 1)
        for match in re.finditer(pattern, line)
    ]
    got = []
    query = TextQuery(compile_patterns([pattern], PatternOptions()), show=Show.MATCH)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grep_text, "BLOCK", 4)
        totals = search_text(
            BytesSource(content.encode()),
            query,
            lambda hit: got.append((hit.line, hit.column, hit.window.text)) or True,
        )
    assert got == expected
    assert (totals.total, totals.taken) == (len(expected), len(expected))


@settings(max_examples=60, deadline=None)
@given(st.text("ab \nö", max_size=200), st.sampled_from(["a", "b|ö", "a*"]), st.integers(10, 40), st.integers(70, 120))
def test_skip_reaches_every_match_once(content, pattern, window, tokens):
    data, skip, seen, pages = content.encode(), 0, 0, 0
    total = text(data, pattern, 0).total
    while True:
        answer = text(data, pattern, tokens, skip=skip, window=window)
        body = [line for line in answer.text.splitlines() if not line.startswith("[cut here")]
        seen += sum(int(m[1]) if (m := re.search(r"\[×(\d+)\]$", line)) else 1 for line in body)
        assert answer.total == total
        pages += 1
        if not answer.go_on:
            break
        assert int(answer.go_on[1]) > skip
        skip = int(answer.go_on[1])
    assert seen == total


def test_a_window_of_a_long_line_is_marked_on_both_sides():
    data = b"head\n" + b"a;" * 60_000 + b"needle=42;" + b"b;" * 60_000
    (line,) = text(data, "needle").text.splitlines()
    assert line.startswith("2:120001:…") and line.endswith("…") and "needle=42" in line and len(line) < 160


def test_matches_that_share_a_window_are_shown_once_and_counted_each():
    assert text(b"x\nb b b\n", "b").text == "2:1:b b b [×3]\n"
    answer = text(b"b;" * 10_000, "b;", 300)
    assert answer.total == 10_000 and answer.go_on[0] == "--skip" and "10000 matches" in answer.text
    assert count(answer.text) <= 300


def test_context_lines_are_shown_once_and_gaps_are_marked():
    data = b"".join(b"row %d\n" % number for number in range(1, 30))
    assert text(data, "row 5$|row 7$|row 20$", layout=Layout(before=1, after=1)).text == (
        "4-row 4\n5:1:row 5\n6-row 6\n7:1:row 7\n8-row 8\n--\n19-row 19\n20:1:row 20\n21-row 21\n"
    )


def test_inverted_most_and_only():
    data = b"a1\nb2\na3\n"
    assert text(data, "a", invert=True).text == "2:1:b2\n"
    assert text(data, "[0-9]", most=2).text == "1:2:a1\n2:2:b2\n"
    assert text(data, "[0-9]", show=Show.MATCH).text == "1:2:1\n2:2:2\n3:2:3\n"
    assert text(b"", "").status == 1


def test_no_control_character_and_no_carriage_return_is_shown():
    assert text(b"a\x1b[31mX\x07\r\n", "X").text == "1:7:aX\\x07\n"


def test_base64_is_not_searched():
    encoded = b"QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAx" * 8
    answer = text(b"img " + encoded + b" QUJD", "QUJD")
    assert answer.total == 1 and "8 more inside base64" in answer.notes[0]
    assert in_json(b'{"a": "data:image/png;base64,' + encoded + b'", "b": "QUJD"}', "QUJD").total == 1
    assert text(b"a" * 5000, "a+").total == 1


def test_one_json_object_a_match():
    answer = text(b"b b\n\xffb", "b", layout=Layout(as_json=True))
    assert [(row["line"], row["column"], row["match"]) for row in map(json.loads, answer.text.splitlines())] == [
        (1, 1, "b"),
        (1, 3, "b"),
        (2, 2, "b"),
    ]
    cut = text(b"b\n" * 1000, "b", 200, Layout(as_json=True))
    assert json.loads(cut.text.splitlines()[-1]) == {"cut": True, "total": 1000, "skip": int(cut.go_on[1])}


def test_json_is_searched_in_keys_and_decoded_values():
    data = b'{"a": {"b c": "x\\ny \\u00f6z", "\\u00f6": [1, "\xc3\xb6", true]}, "k": "v"}'
    assert in_json(data, "ö").text == (
        '3 matches\n  $.a["b c"] ×1\n  $.a (keys) ×1\n  $.a.ö[*] ×1\n\n'
        '$.a["b c"]: x\\ny öz\n$.a.ö (key): [1, "ö", true]\n$.a.ö[1]: ö\n'
    )


def test_json_tells_the_total_and_the_counts_by_generalized_path_first():
    data = json.dumps({"orders": [{"id": n, "note": "late", "tags": ["late"] * (n % 2)} for n in range(2000)]}).encode()
    answer = in_json(data, "late", 400)
    assert answer.text.startswith(
        "3000 matches\n  $.orders[*].note ×2000\n  $.orders[*].tags[*] ×1000\n\n$.orders[0].note: late\n"
    )
    assert count(answer.text) <= 400 and "--skip" in answer.text
    assert in_json(data, "late", within="$.orders[5]").text.endswith(
        "\n\n$.orders[5].note: late\n$.orders[5].tags[0]: late\n"
    )


def matches_by_walking(value, pattern, path="$"):
    """Every match in the keys and values of what `json.loads` made, by its path."""
    said = value if isinstance(value, str) else json.dumps(value)
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from (f"{path}.{key}" for _ in re.findall(pattern, key))
            yield from matches_by_walking(inner, pattern, f"{path}.{key}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from matches_by_walking(inner, pattern, f"{path}[{number}]")
    else:
        yield from (path for _ in re.findall(pattern, said))


WORDS = st.sampled_from(["a", "ab", "Oslo", "o", "é", 'q"', "b\\", "\n", "x" * 300])
VALUES = st.recursive(
    WORDS | st.integers(-20, 2000) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=9) | st.dictionaries(st.sampled_from("abcdefgh"), inner, max_size=6),
    max_leaves=40,
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(VALUES, min_size=1, max_size=8),
    st.sampled_from(["a", "Oslo", "[a-o]", "1", "é|q", "true", '"', "x{3}"]),
    st.sampled_from([20, 64, 1000]),
    st.sampled_from([0.01, 4]),
    st.booleans(),
    st.sampled_from([(",", ":"), (", ", ": "), (" ,\n ", " : ")]),
)
def test_every_match_in_json_is_found_at_its_path(values, pattern, chunk, dense, ascii_only, between):
    document = json.dumps(values, ensure_ascii=ascii_only, separators=between).encode()
    got = []
    query = JsonQuery(compile_patterns([pattern], PatternOptions()), show=Show.EACH)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_leaves, "CHUNK", chunk)
        patch.setattr(json_leaves, "DENSE", dense)
        totals = search_json(BytesSource(document), Shape.ONE, query, lambda unit: got.append(unit) or True)
    expected = list(matches_by_walking(values, pattern))
    assert [unit.path for unit in got] == expected
    assert totals.total == totals.taken == sum(totals.facets.values()) == len(expected)


def test_json_skip_reaches_every_match_once():
    data = json.dumps([{"n": f"x{number} x"} for number in range(100)]).encode()
    skip, paths = 0, []
    while True:
        answer = in_json(data, "x", 150, skip=skip)
        paths += re.findall(r"^\S+ \[×2\](?=: )", answer.text, re.M)
        if not answer.go_on:
            break
        skip = int(answer.go_on[1])
    assert paths == [f"$[{number}].n [×2]" for number in range(100)]


def test_json_record_is_the_array_element_around_a_match():
    data = b'{"l": [{"a": "x", "b": {"c": "x"}}, {"a":\n  "y"}, "x"]}'
    assert in_json(data, "x", records=True).text.endswith('\n\n$.l[0] [×2]: {"a": "x", "b": {"c": "x"}}\n$.l[2]: "x"\n')
    assert in_json(data, "y", records=True).text.endswith('\n\n$.l[1]: {"a": "y"}\n')


def test_json_lines_and_what_is_no_json():
    data = b'{"a": 1}\nlog {see}\n{"a": "1"}\n'
    answer = in_json(data, "1", shape=Shape.SERIES)
    assert answer.text.endswith("\n\n$[0].a: 1\n$[2].a: 1\n")
    assert "1 line is no JSON and not searched" in answer.notes
    assert "no JSON from byte 4" in in_json(b'[1, oops, "1"]', "1").notes[0]


def test_json_of_any_depth_is_searched():
    data = b'{"a":' * 100_000 + b'"zzz"' + b"}" * 100_000
    answer = in_json(data, "zzz")
    assert answer.total == 1 and "too deep for a path" in answer.text and len(answer.text) < 2000
    assert in_json(data, "a", 500).total == 100_000


def test_places_are_gone_with_the_last_that_names_them():
    """While a document is searched nothing is collected, so a cycle would keep every container of it in memory."""
    gc.collect()
    gc.disable()
    try:
        in_json(json.dumps([{"a": [{}]}] * 500).encode(), "nothing")
        assert gc.collect() < 500
    finally:
        gc.enable()
