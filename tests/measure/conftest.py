"""The reference that every count is compared with, and one cache folder with both tables for all tests here."""

import pytest
import tiktoken
import tiktoken_ext.openai_public as definitions
import toktok

from lrguard.measure.tokens import Counter

NAMES = ("o200k_base", "cl100k_base")


@pytest.fixture(scope="session")
def references():
    """tiktoken's own encodings, by name; their ranks come from toktok, as tiktoken would fetch them."""
    made = {}
    fetch = definitions.load_tiktoken_bpe
    for name in NAMES:
        tokens = toktok._encoding(name).token_byte_values()
        definitions.load_tiktoken_bpe = lambda *_, tokens=tokens, **__: {t: rank for rank, t in enumerate(tokens)}
        try:
            made[name] = tiktoken.Encoding(**getattr(definitions, name)())
        finally:
            definitions.load_tiktoken_bpe = fetch
    return made


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("cache") / "lrguard")
    for name in NAMES:
        Counter(name, folder).text("fill the cache folder")
    return folder


@pytest.fixture(scope="session")
def counters(cache):
    return {name: Counter(name, cache) for name in NAMES}
