"""Counts are tiktoken's, for every kind of text, however it is cut and wherever the ranks come from."""

import itertools
import random
import unicodedata

import pytest

from lrguard.intake.source import BytesSource
from lrguard.measure import bounds, characters, cuts
from lrguard.measure.characters import stand_ins
from lrguard.measure.pieces import split
from lrguard.measure.tokens import Counter

TEXTS = [
    "",
    "a",
    " ",
    "\n",
    "Hello world, it's 2026!",
    "don't DON'T don'T 'tis y'all 's 'ſ x'ſ I'LL we'Ve ''s",
    "camelCaseString HTTPServer XMLHttpRequest snake_case SCREAMING_CASE",
    "1 12 123 1234 12345 x86 3.14159 0xDEADBEEF ²³ ⅷ ٣٤٥",
    "a  b   c\t\td \n  e\n\n\n   \r\n \r \x0b\x0c\x1c\x85\xa0\u2003\u2028\u3000 end   ",
    "   \n  leading, and trailing  \n   ",
    "path/to//file.py ///\n/// a/\n\n/b",
    "<|endoftext|><|im_start|>user<|im_end|><|fim_prefix|>",
    "天地玄黄，宇宙洪荒。日本語のテキスト 한국어 문장입니다",
    "Привет, мир! שָׁלוֹם عالم नमस्ते สวัสดีครับ",
    "e\u0301 o\u0308'll \u0301\u0301 #\u0301a",
    "\N{MAN}\u200d\N{WOMAN}\u200d\N{GIRL} \N{HEAVY BLACK HEART}\ufe0f \U0001f1e9\U0001f1ea \U0001fae9",
    "ǅ ʰAB ªº İıſß ŉ",
    "\x00\x01\x1b[31mred\x1b[0m\x7f",
    "\ufffd\ufffd\ufeff\u200b\u202e",
    "A" * 5000 + "_" * 3000 + "^" * 2000 + " " * 3000 + "\u200d" * 500,
    "deadbeef" * 50 + "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=" * 30,
    "\U00010d40\U00011de0\U00031350\U000323b0\u1c89't \ua7ce't \u088f't \u0897't",
]

ENCODINGS = ("o200k_base", "cl100k_base")


def random_text(rng: random.Random) -> str:
    """Up to sixty parts, each of them likely to meet a rule of the patterns."""
    spans = [(0, 127), (32, 126), (0xA0, 0x24F), (0x300, 0x36F), (0x370, 0x5FF), (0x900, 0xE7F), (0x2000, 0x23FF)]
    spans += [(0x3000, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xFE00, 0xFFFF), (0x10000, 0x1FFFF)]
    parts = [
        " ",
        "  ",
        "\n",
        "\r\n",
        "\t",
        "'s",
        "'LL",
        "'",
        "the",
        " The",
        "THE",
        "7",
        "2026",
        "/",
        "é",
        "中",
        "<|endoftext|>",
    ]
    some = rng.sample(spans, 3)

    def part() -> str:
        if rng.random() < 0.5:
            return rng.choice(parts)
        return chr(rng.randint(*rng.choice(some))) * (rng.randint(1, 40) if rng.random() < 0.1 else 1)

    return "".join([part() for _ in range(rng.randint(1, 60))])


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_a_count_is_tiktokens(text, name, counters, references):
    assert counters[name].text(text) == len(references[name].encode_ordinary(text))


@pytest.mark.parametrize("name", ENCODINGS)
def test_random_texts_count_as_with_tiktoken_and_within_the_bounds(name, counters, references):
    rng = random.Random(2026)
    for _ in range(1200):
        text = random_text(rng)
        exact = len(references[name].encode_ordinary(text))
        assert counters[name].text(text) == exact, ascii(text)
        size = len(text.encode())
        assert bounds.fewest(size) <= exact <= size
        assert not bounds.is_over(BytesSource(text.encode()), exact), ascii(text)


@pytest.mark.parametrize("name", ENCODINGS)
def test_every_character_has_the_class_that_tiktoken_gives_it(name, counters, references):
    # A letter takes a contraction with it, a mark does for one of the two, digits go in threes, all else stands alone.
    exceptions = {point for first, last, _ in characters._exceptions() for point in (first, last)}
    most = [*range(0x80, 0x3100), *range(0x3100, 0xD800, 32), *range(0xF900, 0x1_2000), *range(0x1_2000, 0x3_3500, 32)]
    points = sorted(exceptions.union([point for point in most if unicodedata.category(chr(point)) != "Cn"]))
    for at in range(0, len(points), 200):
        text = " ".join([f"{c}'t {c}{c}1{c}" for c in map(chr, points[at : at + 200])])
        assert counters[name].text(text) == len(references[name].encode_ordinary(text)), hex(points[at])


@pytest.mark.parametrize("name", ENCODINGS)
def test_toktok_counts_by_the_same_classes(name, references):
    counter = Counter(name)
    for text in (
        "\ua7ce't \u088f't",
        "\U00011de0\U00011de01 \U00016ff4\U00016ff41",
        "\u1acf't x\U0001e6e3't",
        "ß'ſ x'ſd",
    ):
        assert counter.text(text) == len(references[name].encode_ordinary(text))


def test_pieces_are_the_text_again():
    rng = random.Random(7)
    for text in [*TEXTS, *[random_text(rng) for _ in range(300)]]:
        for name in ENCODINGS:
            assert "".join(split(text, name)) == text


def test_bytes_that_are_no_utf8_count_as_their_replacement(counters, references):
    for data in (
        b"\xff",
        b"\xff\xfe\xfd",
        b"caf\xe9 \xe4\xb8",
        b"\xf0\x9f\x98 a",
        b"\xed\xa0\x80",
        bytes(range(256)) * 3,
    ):
        for name in ENCODINGS:
            expected = len(references[name].encode_ordinary(data.decode("utf-8", "replace")))
            assert counters[name].text(data) == expected <= len(data)


def test_a_lone_surrogate_counts_as_with_tiktoken(counters, references):
    assert counters["o200k_base"].text("a\ud800b") == len(references["o200k_base"].encode_ordinary("a\ud800b"))


def test_no_cut_changes_a_count(counters):
    rng = random.Random(11)
    for text in [*TEXTS[:19], *[random_text(rng) for _ in range(300)]]:
        for name in ENCODINGS:
            places = [0, *[found.start() for found in cuts._CUT.finditer(stand_ins(text))], len(text)]
            parts = [text[start:end] for start, end in itertools.pairwise(places)]
            assert sum(map(counters[name].text, parts)) == counters[name].text(text), ascii(text)


@pytest.mark.parametrize("size", [1, 5, 64])
def test_windows_are_the_text_again_and_keep_its_count(size, counters):
    rng = random.Random(size)
    for _ in range(300):
        data = bytearray(random_text(rng).encode())
        for _ in range(rng.randint(0, 3)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        source = BytesSource(bytes(data))
        windows = list(cuts.windows(source, size))
        assert "".join([text for text, _ in windows]) == data.decode("utf-8", "replace")
        assert all(exact for _, exact in windows)
        tokens = sum([counters["o200k_base"].text(text) for text, _ in windows])
        assert tokens == counters["o200k_base"].text(bytes(data))


def test_a_text_without_a_place_to_cut_is_cut_all_the_same_and_says_so(monkeypatch):
    monkeypatch.setattr(cuts, "LONGEST", 1000)
    windows = list(cuts.windows(BytesSource(b"^" * 5000), 512))
    assert [len(text) for text, _ in windows] == [1024, 1024, 1024, 1024, 904]
    assert [exact for _, exact in windows] == [False, False, False, False, True]


def test_a_sample_loses_what_stands_before_its_first_cut_and_after_its_last():
    assert cuts.between_cuts(b"lo world, this is it, Jo") == b" world, this is it"
    assert cuts.between_cuts("天地".encode()[1:-1]) == b""
    assert cuts.between_cuts("x天地玄黄".encode()[2:-1]) == "地玄".encode()
    assert cuts.between_cuts(b"") == b""
