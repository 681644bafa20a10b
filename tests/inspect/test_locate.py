import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonpath_rfc9535 import JSONPathError, find

from lrguard.errors import LrguardError
from lrguard.inspect import json_leaves, json_tokens
from lrguard.inspect.json_leaves import LeafReader
from lrguard.inspect.json_path import path_of
from lrguard.inspect.json_skeleton import searched
from lrguard.inspect.json_tokens import Shape, decoded
from lrguard.inspect.locate import locate, nearest
from lrguard.intake.source import BytesSource

NAMES = st.sampled_from(["a", "b", "c d", "ö", 'q"', "'", "1", "\\", "\n", ""])
# Neither 0 nor 1, which to the reference are the same as false and true inside of containers.
NUMBERS = st.integers(2, 9) | st.integers(-5, -1) | st.sampled_from([1.5, -2.0, 1e20])
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.sampled_from(["", "a", "ab", "ö x", "\n"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
PATHS = [
    "$",
    "$.a",
    "$.*",
    "$[*]",
    "$[0]",
    "$[-1]",
    "$..a",
    "$..*",
    '$["q\\""]',
    '$["\'"]',
    "$['\\'']",
    "$.a.b",
    "$.*.a",
    "$[*][-1]",
    "$.a[-1].b",
    "$..[0]",
    "$[::2]",
    "$[::-1]",
    "$[1:]",
    "$[5:1:-1]",
    "$[0,0]",
    "$..['a','b']",
    "$.a['b',0,*]",
    "$.ö",
    "$['\\u00f6']",
    "$..[?@.a]",
    "$[?@.a==@.b]",
    "$[?@>1]",
    "$[?@.a<='b']",
    "$..[?@==$.a]",
    "$[?count(@.*)>1]",
    "$[?length(@)==1]",
    "$[?match(@,'a.?')]",
    "$[?search(@,'[ab.]')]",
    "$..[?!@.a||@.b&&@.a]",
    "$[?value(@..a)==1]",
    "$[?@[0]==true]",
    "$[?@==null]",
    "$[?@.a!=1]",
    "$[?(@.a)]",
    "$[?@>=1.5]",
    "$[?@.a==@.b||@.a!=@.b]",
    "$['c d'].a",
    "$ .a [ 0 ]",
]
INVALID = [
    "a",
    "$.",
    "$[01]",
    "$[-0]",
    "$['a]",
    "$[?@.a==]",
    "$..",
    "$[?count(@)]",
    "$[?@.*==1]",
    "$.1a",
    "$[1.0]",
    "$['\\q']",
    '$["\\\'"]',
    "$['\\\"']",
    "$[9007199254740992]",
    "$.a..b[",
    "$[?@.a=1]",
    "$[?((@)]",
    "$$",
    ".a",
    "$[1:2:3:4]",
    "$[?length(@.*)==1]",
    "",
    "$.a ",
    " $.a",
]


def found(document: bytes, path: str, shape: Shape = Shape.ONE) -> list[bytes]:
    return [document[span.start : span.end] for span in locate(BytesSource(document), path, shape)]


def test_a_match_is_the_documents_own_lexeme():
    document = b'{"n": 12345678901234567890123.10, "s": "\\u00f6\\/", "o": { "x" :1e2,"x": NaN }}'
    assert found(document, "$.n") == [b"12345678901234567890123.10"]
    assert found(document, "$.s") == [b'"\\u00f6\\/"']
    assert found(document, "$.o") == [b'{ "x" :1e2,"x": NaN }']


def test_every_member_of_a_duplicate_name_is_found():
    document = b'{"a": 1, "b": {"a": 2}, "a": [3], "\\u0061": 4}'
    assert found(document, "$.a") == [b"1", b"[3]", b"4"]
    assert found(document, "$..a") == [b"1", b"[3]", b"4", b"2"]


def test_documents_of_a_series_are_elements_and_a_broken_line_costs_itself_alone():
    document = b'{"a": 1}\n{"a": 2\nlog {see}\n{"a": 4}\n'
    broken = b'{"a": 1}\nlog {see}\n{"a": 3}\n'
    assert found(broken, "$[*].a", Shape.SERIES) == [b"1", b"3"]
    assert found(broken, "$[2].a", Shape.SERIES) == found(broken, "$[-1].a", Shape.SERIES) == [b"3"]
    assert found(broken, "$[?@.a>1].a", Shape.SERIES) == [b"3"]
    assert found(document, "$[0].a", Shape.SERIES) == [b"1"]


def test_a_document_cut_short_gives_what_is_there():
    document = b'{"a": [1, {"b": "x'
    assert found(document, "$.a[0]") == [b"1"]
    assert found(document, "$.a[1].b") == [b'"x']
    assert found(document, "$.a") == [b'[1, {"b": "x']
    assert found(document, "$..b") == [b'"x']


def test_depth_is_no_danger():
    deep = b"[" * 100_000 + b"]" * 100_000
    assert found(deep, "$[0][0][0][0]") == [deep[4:-4]]
    assert found(deep, "$" + "[0]" * 30_000) == [deep[30_000:-30_000]]
    assert sum(1 for _ in locate(BytesSource(deep), "$..*")) == 99_999
    with pytest.raises(LrguardError):
        found(b"[]", "$[?" + "(" * 3000 + "@" + ")" * 3000 + "]")


def test_a_query_that_would_not_end_is_stopped(monkeypatch):
    from lrguard.inspect import json_query

    monkeypatch.setattr(json_query, "STEPS", 10_000)
    with pytest.raises(LrguardError, match="takes too long"):
        found(json.dumps([[[1] * 20] * 20] * 20).encode(), "$..*..*..*[?count($..*)>1]")


def test_a_regular_expression_in_a_path_takes_linear_time():
    document = json.dumps(["a" * 30_000 + "b"]).encode()
    assert found(document, "$[?match(@, '(a+)+c')]") == []
    assert found(document, "$[?search(@, '(a*)*b')]") == [document[1:-1]]


@pytest.mark.parametrize("path", INVALID)
def test_an_invalid_path_is_an_error(path):
    with pytest.raises(LrguardError) as error:
        found(b'{"a": [1]}', path)
    assert error.value.status == 2


@settings(max_examples=60, deadline=None)
@given(VALUES, st.sampled_from([None, 1]), st.booleans())
def test_matches_are_those_of_the_reference(value, indent, ascii_only):
    document = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode()
    for path in PATHS:
        try:
            expected = [node.value for node in find(path, value)]
        except (JSONPathError, TypeError):
            continue
        assert [json.dumps(json.loads(match)) for match in found(document, path)] == [
            json.dumps(v) for v in expected
        ], path


@settings(max_examples=60, deadline=None)
@given(VALUES)
def test_the_path_of_every_leaf_leads_back_to_it(value):
    document = json.dumps(value).encode()
    for place, step, start, end, is_key, raw in leaves(document):
        path = path_of(place, step)
        assert path is not None
        spans = list(locate(BytesSource(document), path))
        assert len(spans) == 1, path
        assert raw in (document[start:end], None)
        assert spans[0].start > end if is_key else spans[0] == (start, end)


def leaves(document: bytes, shape: Shape = Shape.ONE):
    reader = LeafReader(BytesSource(document), shape)
    read = [found for part in reader.matching(everything, lambda start, end: True) for found in part]
    assert all(said == searched(document[leaf[2] : leaf[3]]) for leaf, said, _ in read)
    return [leaf for leaf, _, _ in read]


def everything(values, most):
    return [(number, ()) for number in range(len(values))]


@pytest.fixture(params=[0.01, 4], autouse=True)
def dense(request, monkeypatch):
    """Leaves are read in both ways, also where there are many."""
    monkeypatch.setattr(json_leaves, "DENSE", request.param)


@given(value=VALUES, blanks=st.sampled_from(["", " " * 9, "\n" * 13]))
@settings(max_examples=60, deadline=None)
def test_where_windows_end_makes_no_difference(value, blanks):
    document = blanks.join(json.dumps(part) if isinstance(part, str) else part for part in pieces(value)).encode()
    whole = [(path_of(leaf[0], leaf[1]), leaf[2:]) for leaf in leaves(document)]
    spans = {path: list(locate(BytesSource(document), path)) for path, _ in whole}
    with pytest.MonkeyPatch.context() as patch:
        for module in (json_tokens, json_leaves):
            patch.setattr(module, "CHUNK", 5)
            patch.setattr(module, "LONG", 12)
        for (path, rest), leaf in zip(whole, leaves(document), strict=True):
            assert (path, rest[:3]) == (path_of(leaf[0], leaf[1]), leaf[2:5])
            assert leaf[5] in (rest[3], None)
            assert list(locate(BytesSource(document), path)) == spans[path]


def pieces(value):
    """The tokens of a value, for putting blanks between."""
    if isinstance(value, list):
        return ["[", *(p for i, v in enumerate(value) for p in ([","] if i else []) + pieces(v)), "]"]
    if isinstance(value, dict):
        members = enumerate(value.items())
        return [
            "{",
            *(p for i, (k, v) in members for p in [*([","] if i else []), json.dumps(k), ":", *pieces(v)]),
            "}",
        ]
    return [json.dumps(value)]


@pytest.mark.parametrize(
    ("document", "path", "expected"),
    [
        (b'{"a": {"b": [1, 2, 3]}}', "$.a.b[7].c", "$.a.b is an array of 3 elements, [0] to [2]"),
        (b'{"a": {"b": 1, "c": 2}}', "$.a.x.y", "$.a is an object with b, c"),
        (b'{"a": "x"}', "$.a.b", "$.a is a string"),
        (b"[]", "$[0]", "$ is an array of 0 elements"),
        (b'{"a b": {}}', '$["a b"].c', '$["a b"] is an empty object'),
    ],
)
def test_a_path_that_leads_nowhere_says_what_there_is(document, path, expected):
    assert nearest(BytesSource(document), path) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b'"a\\u00f6\\n\\/\\\\"', "aö\n/\\"),
        (b'"\\ud83d\\ude00"', "\U0001f600"),
        (b'"\\ud83d cut"', "\\ud83d cut"),
        (b'"\\q\xff"', "\\q\ufffd"),
        (b"1e5", "1e5"),
    ],
)
def test_a_string_is_decoded_and_what_has_no_character_stays(raw, expected):
    assert decoded(raw) == expected


def test_a_number_is_no_boolean_however_deep_it_lies():
    document = b'{"a": {"x": [false]}, "b": {"x": [0]}, "c": {"x": [false]}, "d": 1, "e": true}'
    assert found(document, "$[?@==$.a]") == [b'{"x": [false]}'] * 2
    assert found(document, "$[?@==$.d]") == [b"1"]
