"""lrguard as a library: what a program gets that imports it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from lrguard import Kind, LrguardError, Outcome, Settings, guard, guard_batch
from tests.inputs import encoded, image_block, log, mcp, png, text_block

BIG = log(600)
README = Path(__file__).parents[1] / "README.md"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(session=str(tmp_path / "session"), tool="search")


@pytest.mark.parametrize("data", ["", "short", "größe\n", "lone \ud800 surrogate", '{"a": 1.0, "a": 1}'])
def test_a_small_text_is_the_same_text_and_leaves_nothing(settings: Settings, data: str):
    outcome = guard(data, settings)
    assert isinstance(outcome, Outcome)
    assert outcome.kind is Kind.PASSED
    assert outcome.data == data.encode("utf-8", "surrogatepass")
    assert outcome.saved is None
    assert not Path(str(settings.session)).exists()


@pytest.mark.parametrize(
    "data", [b"", b"caf\xe9 und mehr von dem Text\n", "größe".encode("utf-16"), bytearray(b"short")]
)
def test_small_bytes_are_the_same_bytes(settings: Settings, data: bytes):
    assert guard(data, settings).data == bytes(data)


def test_a_large_result_is_saved_and_the_text_is_the_message(settings: Settings):
    outcome = guard(BIG, settings)
    assert outcome.kind is Kind.OFFLOADED
    assert outcome.text.startswith("[lrguard] This tool result was replaced: the result of search has")
    assert outcome.saved
    assert Path(outcome.saved).read_bytes() == BIG
    assert outcome.tokens
    assert outcome.tokens > 6000 > 1500 >= outcome.content_tokens


def test_text_and_its_bytes_have_one_outcome(settings: Settings):
    assert guard(BIG, settings).text == guard(BIG.decode(), settings).text


def test_a_binary_and_data_within_a_text_are_files(settings: Settings):
    assert guard(png(), settings).kind is Kind.BINARY
    outcome = guard(f'{{"picture": "{encoded(png(1))}", "mimeType": "image/png"}}', settings)
    assert outcome.kind is Kind.EXTRACTED
    assert Path(outcome.assets[0].path).read_bytes() == png(1)


def test_an_mcp_result_keeps_its_shape_where_that_is_asked_for(settings: Settings):
    result = mcp(text_block(BIG.decode()), image_block(png()), isError=False)
    outcome = guard(result, replace(settings, output="mcp", media="keep"))
    assert '"type": "image"' in outcome.text
    assert "handled request 300 " not in outcome.text


def test_an_error_is_said_to_be_one(settings: Settings):
    assert "the error result of search" in guard(BIG, settings, is_error=True).text


def test_a_function_summarizes(settings: Settings):
    prompts = []

    def summarize(prompt: str) -> str:
        prompts.append(prompt)
        return "It is a log. \x1b[1m\u202e"

    outcome = guard(BIG, replace(settings, summarize=summarize, intent="what is it"))
    assert outcome.summary == "done"
    assert "It is a log. \\u202e\n=====" in outcome.text
    assert "What the agent is after: what is it" in prompts[0]


def test_a_command_summarizes(settings: Settings):
    outcome = guard(BIG, replace(settings, summarize="grep -c 'handled request'"))
    assert outcome.summary == "done"
    assert "\n600\n=====" in outcome.text


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("", "the answer is empty"),
        (None, "returned NoneType, not text"),
        (b"bytes", "returned bytes, not text"),
        ("x" * 70_000, "longer than 64 KiB"),
        (ValueError("no key"), "ValueError: no key"),
        (RecursionError("deep"), "RecursionError: deep"),
    ],
)
def test_a_function_that_gives_no_summary_costs_no_result(settings: Settings, answer: object, why: str):
    def summarize(prompt: str) -> str:
        if isinstance(answer, Exception):
            raise answer
        return answer  # type: ignore[return-value]

    outcome = guard(BIG, replace(settings, summarize=summarize))
    assert outcome.summary == "failed"
    assert why in outcome.notes[0]
    assert "The first 1,000 characters:" in outcome.text


def test_an_interrupt_within_a_function_reaches_the_program(settings: Settings):
    def summarize(prompt: str) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        guard(BIG, replace(settings, summarize=summarize))
    assert Path(str(settings.session), ".lrguard").is_dir()
    assert not list(Path(str(settings.session), ".lrguard").glob("tmp-*"))


def test_results_together_stay_within_their_threshold_in_order(settings: Settings):
    texts = [log(120, error_at=n + 1).decode() for n in range(6)]
    outcomes = guard_batch([*texts, (b"small", replace(settings, tool="other"))], settings)
    assert sum(outcome.content_tokens for outcome in outcomes) <= 6000
    assert outcomes[-1].text == "small"
    for text, outcome in zip(texts, outcomes, strict=False):
        assert outcome.text == text or Path(str(outcome.saved)).read_text() == text
    assert {outcome.kind for outcome in outcomes} == {Kind.PASSED, Kind.OFFLOADED}


def test_a_batch_of_nothing_is_nothing(settings: Settings):
    assert guard_batch([], settings) == []


def test_what_cannot_be_saved_is_unchanged_and_says_why(settings: Settings, tmp_path: Path):
    (tmp_path / "file").touch()
    outcome = guard(BIG, replace(settings, session=str(tmp_path / "file" / "session")))
    assert outcome.kind is Kind.PASSED
    assert outcome.data == BIG
    assert outcome.failure
    assert "cannot save" in str(outcome.failure)


@pytest.mark.parametrize(
    "change",
    [
        {"threshold": 0},
        {"threshold": -1},
        {"threshold": True},
        {"encoding": "gpt2"},
        {"output": "xml"},
        {"preview_chars": -1},
        {"summary_timeout": float("nan")},
        {"summarize": " "},
        {"media": "drop"},
    ],
)
def test_settings_that_cannot_be_used_are_named(settings: Settings, change: dict[str, object]):
    with pytest.raises(LrguardError, match=next(iter(change))):
        guard("x", replace(settings, **change))  # type: ignore[arg-type]


@pytest.mark.parametrize("data", [None, 7, ["x"], {"content": []}])
def test_what_is_no_result_is_a_type_error(settings: Settings, data: object):
    with pytest.raises(TypeError, match="bytes or str"):
        guard(data, settings)  # type: ignore[arg-type]


def test_a_call_leaves_no_descriptor_open(settings: Settings):
    large = "word " * 1_200_000
    guard(large, settings)
    before = len(os.listdir("/dev/fd"))
    assert guard(large, replace(settings, threshold=10**9)).text == large
    guard(large, settings)
    assert len(os.listdir("/dev/fd")) == before


def test_several_threads_get_what_one_would(settings: Settings):
    texts = [log(400, error_at=n + 1).decode() for n in range(4)]
    found: dict[int, Outcome] = {}
    threads = [
        threading.Thread(target=lambda n=n: found.update({n: guard(texts[n], settings)}))  # type: ignore[misc]
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [Path(str(found[n].saved)).read_text() for n in range(4)] == texts


def test_within_a_summarizer_everything_passes(settings: Settings, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LRGUARD_NESTED", "1")
    assert guard(BIG, settings).data == BIG


def test_without_a_session_it_is_that_of_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("LRGUARD_SESSION", str(tmp_path / "elsewhere"))
    monkeypatch.chdir(tmp_path)
    assert str(guard(BIG).saved).startswith(str(tmp_path / "state" / "lrguard"))


def _python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_importing_the_package_imports_nothing_else():
    code = "import sys; before = set(sys.modules); import lrguard; print(*sorted(set(sys.modules) - before))"
    assert _python(code).split() == ["lrguard"]


@pytest.mark.parametrize("first", ["guard", "guard_batch", "Settings", "Outcome"])
def test_every_name_is_there_whichever_is_asked_for_first(first: str):
    code = (
        f"from lrguard import {first}; from lrguard import *; from lrguard import guard, guard_batch\n"
        "import lrguard; print(callable(guard), callable(guard_batch), set(lrguard.__all__) <= set(dir(lrguard)))"
    )
    assert _python(code).split() == ["True", "True", "True"]


def test_another_name_is_an_attribute_error():
    with pytest.raises(ImportError):
        from lrguard import nothing  # type: ignore[attr-defined]  # noqa: F401


def test_the_example_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    blocks = README.read_text().split("```python\n")[1:]
    examples = [block.split("```")[0] for block in blocks if "from lrguard import" in block]
    if not examples:
        pytest.skip("the README has no example of the library")
    monkeypatch.chdir(tmp_path)
    for example in examples:
        exec(compile(example, "README.md", "exec"), {"result": BIG.decode(), "ask": lambda prompt: "A log."})
    assert list(tmp_path.glob(".agent/session/long_responses/*"))
