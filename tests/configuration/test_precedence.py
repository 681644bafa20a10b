"""Each row of the precedence table: option, environment, configuration (tool, agent, general), default."""

from __future__ import annotations

from datetime import timedelta

import pytest

from lrguard.errors import ConfigurationError, LrguardError
from lrguard.options import OPTIONS
from lrguard.settings import Retention, Settings
from tests.configuration.conftest import Tree

EVERYTHING = """
encoding = "cl100k_base"
[large_tool_response]
individual_tool_response_token_threshold = 100
total_tool_response_token_threshold = 101
preview_number_of_characters = 102
[agents.root]
preview_number_of_characters = 202
[agents.subagent]
individual_tool_response_token_threshold = 300
preview_number_of_characters = 302
[agents.reader]
summarize = false
[tools."github_*"]
individual_tool_response_token_threshold = 400
[summarize]
command = "cat"
timeout = 3
max_input_tokens = 5
"""


def test_without_a_configuration_nothing_differs_from_the_defaults(tree: Tree):
    kept = Retention(timedelta(days=7), 2_000_000_000)
    assert tree.settings() == Settings(retention=kept)
    assert tree.settings(session="s") == Settings(session="s")


@pytest.mark.parametrize(
    ("options", "env", "threshold"),
    [
        ({}, {}, 100),
        ({"agent": "reader"}, {}, 100),
        ({"tool": "github_search"}, {}, 400),
        ({"tool": "github_search"}, {"LRGUARD_AGENT": "subagent"}, 300),
        ({"tool": "github_search"}, {"LRGUARD_AGENT": "root"}, 6000),
        ({"tool": "github_search"}, {"LRGUARD_AGENT": "reader"}, 400),
        ({}, {"LRGUARD_THRESHOLD": "500"}, 500),
        ({}, {"LRGUARD_THRESHOLD": "500", "LRGUARD_AGENT": "subagent"}, 500),
        ({"agent": "subagent"}, {"LRGUARD_THRESHOLD": "500"}, 300),
        ({"agent": "root"}, {"LRGUARD_THRESHOLD": "500"}, 6000),
        ({"agent": "reader"}, {"LRGUARD_THRESHOLD": "500"}, 500),
        ({"agent": "subagent", "context_window": 40_000}, {}, 4000),
        ({"context_window": 40_000}, {"LRGUARD_THRESHOLD": "500"}, 4000),
        ({"context_window": 10**400}, {}, 12000),
        ({"threshold": 9, "context_window": 40_000, "agent": "subagent"}, {}, 9),
    ],
)
def test_the_threshold(tree: Tree, options: dict[str, object], env: dict[str, str], threshold: int):
    tree.write(EVERYTHING)
    assert tree.settings(env=env, **options).threshold == threshold


def test_a_tool_that_is_told_apart_from_the_one_named(tree: Tree):
    tree.write(EVERYTHING)
    sources = tree.sources(tool="other")
    assert [sources.settings(tool=name).threshold for name in (None, "github_x")] == [100, 400]
    assert [sources.settings(tool=name).tool for name in (None, "github_x")] == ["other", "github_x"]


@pytest.mark.parametrize(
    ("options", "env", "preview"),
    [
        ({}, {}, 202),
        ({"agent": "reader"}, {}, 102),
        ({"agent": "subagent"}, {}, 302),
        ({"agent": "subagent", "preview_chars": 0}, {}, 0),
    ],
)
def test_the_preview(tree: Tree, options: dict[str, object], env: dict[str, str], preview: int):
    tree.write(EVERYTHING)
    assert tree.settings(env=env, **options).preview_chars == preview


def test_the_rest_of_the_general_part(tree: Tree):
    tree.write_own(EVERYTHING)
    settings = tree.settings()
    assert (settings.encoding, settings.total_threshold, settings.max_input_tokens) == ("cl100k_base", 101, 5)
    assert (settings.summarize, settings.summary_timeout) == ("cat", 3.0)
    settings = tree.settings(env={"LRGUARD_ENCODING": "estimate"}, total_threshold=9, summary_timeout=1.5)
    assert (settings.encoding, settings.total_threshold, settings.summary_timeout) == ("estimate", 9, 1.5)


@pytest.mark.parametrize(
    ("options", "env", "command"),
    [
        ({"agent": "reader"}, {}, None),
        ({"agent": "reader", "tool": "loud"}, {}, "cat"),
        ({"tool": "quiet"}, {}, None),
        ({"tool": "quiet"}, {"LRGUARD_SUMMARIZE": "head"}, "head"),
        ({"tool": "quiet", "summarize": "tail"}, {"LRGUARD_SUMMARIZE": "head"}, "tail"),
        ({"no_summarize": True}, {"LRGUARD_SUMMARIZE": "head"}, None),
        ({"no_summarize": True, "summarize": "tail"}, {}, None),
    ],
)
def test_the_summarizer(tree: Tree, options: dict[str, object], env: dict[str, str], command: str | None):
    tree.write_own(EVERYTHING + "[tools.quiet]\nsummarize = false\n[tools.loud]\nsummarize = true\n")
    assert tree.settings(env=env, **options).summarize == command


def test_true_without_a_command_is_none(tree: Tree):
    tree.write_own("[tools.loud]\nsummarize = true\n")
    assert tree.settings(tool="loud").summarize is None


@pytest.mark.parametrize(
    ("tool", "threshold"),
    [
        ("other", 6000),
        ("GitHub_x", 6000),
        ("github_x", 2),
        ("github_issue_x", 3),
        ("github_issue_list", 4),
        ("search", 5),
        ("searching", 6),
        ("x" * 1_000_000, 6000),
    ],
)
def test_the_longest_matching_pattern_wins_and_a_name_beats_patterns(tree: Tree, tool: str, threshold: int):
    levels = {
        "github_issue_list": 4, "github_*": 2, "github_issue_*": 3, "search": 5, "search*": 6, "[s]earch*[!h]": 6
    }  # fmt: skip
    key = "individual_tool_response_token_threshold"
    tree.write("".join(f'[tools."{pattern}"]\n{key} = {level}\n' for pattern, level in levels.items()))
    assert tree.settings(tool=tool).threshold == threshold


def test_of_each_key_the_longest_pattern_that_has_it(tree: Tree):
    tree.write('[tools."*"]\nmedia = "keep"\nenabled = false\n[tools."github_*"]\nenabled = true\n')
    settings = tree.settings(tool="github_x")
    assert (settings.media, settings.enabled, tree.settings(tool="other").enabled) == ("keep", True, False)


@pytest.mark.parametrize(
    ("text", "options", "enabled"),
    [
        ("", {}, True),
        ("[large_tool_response]\nenabled = false", {}, False),
        ("[large_tool_response]\nenabled = false\n[agents.subagent]\nenabled = true", {"agent": "subagent"}, True),
        ("[agents.subagent]\nenabled = false", {}, True),
        ("[agents.subagent]\nenabled = false", {"agent": "subagent"}, False),
        ("[agents.root]\nenabled = false", {}, False),
        ("[agents.root]\nenabled = true\n[tools.x]\nenabled = false", {"tool": "x"}, False),
    ],
)
def test_enabled(tree: Tree, text: str, options: dict[str, object], enabled: bool):
    tree.write(text)
    assert tree.settings(**options).enabled is enabled


def test_the_project_lies_over_the_user_key_by_key(tree: Tree):
    tree.write_own(
        'encoding = "estimate"\n[large_tool_response]\npreview_number_of_characters = 7\n[tools.x]\nmedia="keep"'
    )
    tree.write('encoding = "cl100k_base"\n[tools.x]\nenabled = false')
    settings = tree.settings(tool="x")
    assert (settings.encoding, settings.preview_chars) == ("cl100k_base", 7)
    assert (settings.media, settings.enabled) == ("keep", False)


@pytest.mark.parametrize(("output", "media"), [("text", "extract"), ("json", "extract"), ("mcp", "keep")])
def test_media_follow_the_output_unless_somebody_says(tree: Tree, output: str, media: str):
    assert tree.settings(output=output).media == media
    tree.write('[tools."*"]\nmedia = "extract"')
    assert tree.settings(output=output, tool="any").media == "extract"


def test_a_commands_own_defaults_lie_under_everything(tree: Tree):
    from lrguard.settings import resolve

    own = {"summary_timeout": 15.0, "media": "keep"}
    settings = resolve({}, tree.environ, cwd=str(tree.root), defaults=own)
    assert (settings.summary_timeout, settings.media) == (15.0, "keep")
    tree.write("[summarize]\ntimeout = 2")
    assert resolve({}, tree.environ, cwd=str(tree.root), defaults=own).summary_timeout == 2.0


@pytest.mark.parametrize(
    ("retention", "session", "kept"),
    [
        ("", None, (timedelta(days=7), 2_000_000_000)),
        ("", "named", None),
        ('older_than = "12h"', None, (timedelta(hours=12), 2_000_000_000)),
        ('older_than = "12h"', "named", (timedelta(hours=12), None)),
        ("keep_bytes = 5", "named", (None, 5)),
        ('keep_bytes = "1 kb"', None, (timedelta(days=7), 1000)),
    ],
)
def test_what_a_session_keeps(tree: Tree, retention: str, session: str | None, kept: tuple[object, object] | None):
    tree.write_own(f"[retention]\n{retention}")
    found = tree.settings(session=session).retention
    assert (found and (found.older_than, found.keep_bytes)) == kept


@pytest.mark.parametrize(
    "options",
    [
        {"threshold": 0}, {"total_threshold": -1}, {"context_window": 0}, {"preview_chars": -1}, {"agent": "nobody"},
        {"encoding": "gpt2"}, {"media": "both"}, {"summarize": " "}, {"summary_timeout": 0.0},
        {"summary_timeout": float("nan")}, {"summary_timeout": float("inf")},
    ],
)  # fmt: skip
def test_a_bad_option_is_no_fault_of_the_surroundings(tree: Tree, options: dict[str, object]):
    with pytest.raises(LrguardError) as caught:
        tree.settings(**options)
    assert not isinstance(caught.value, ConfigurationError)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("LRGUARD_THRESHOLD", "0"), ("LRGUARD_THRESHOLD", "9" * 5000), ("LRGUARD_THRESHOLD", "1.5"),
        ("LRGUARD_AGENT", "nobody"), ("LRGUARD_ENCODING", "x" * 100_000), ("LRGUARD_CONFIG", "/no/such/file"),
    ],
)  # fmt: skip
def test_a_bad_variable_is_named_in_a_short_line(tree: Tree, variable: str, value: str):
    with pytest.raises(ConfigurationError) as caught:
        tree.settings(env={variable: value})
    line = str(caught.value)
    assert (variable in line or value in line) and len(line) < 400


@pytest.mark.parametrize("given", ['{"a": 1}', "[]", '"text"', "1", " {} "])
def test_arguments_of_a_call_are_any_json(tree: Tree, given: str):
    assert tree.settings(args=given).args == given
    path = tree.write(given, "args.json")
    assert tree.settings(args=f"@{path}").args == given


@pytest.mark.parametrize("given", ["", "{", "[" * 100_000, "@/no/such/file", "@/"])
def test_arguments_that_are_no_json_are_no_usage_error(tree: Tree, given: str):
    with pytest.raises(ConfigurationError):
        tree.settings(args=given)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("session", ("given", "ambient")),
        ("show_session", ("given", "ambient")),
        ("tool", ("given", "ambient")),
        ("threshold", (11, 22)),
        ("agent", ("subagent", "reader")),
        ("encoding", ("estimate", "o200k_base")),
        ("summarize", ("given", "ambient")),
    ],
)
def test_an_option_beats_its_variable_which_beats_the_configuration(
    tree: Tree, name: str, values: tuple[object, object]
):
    tree.write_own('session = "configured"\n' + EVERYTHING)
    option, variable = values
    env = {OPTIONS[name].environment: str(variable)}
    assert getattr(tree.settings(env=env, **{name: option}), name) == option
    assert getattr(tree.settings(env=env), name) == variable
    assert getattr(tree.settings(env=dict.fromkeys(env, "")), name) == getattr(tree.settings(), name)


def test_a_configuration_that_an_option_names_beats_the_variable_s_and_stands_alone(tree: Tree):
    tree.write_own(EVERYTHING)
    for name in ("given", "ambient"):
        tree.write(f'encoding = "estimate"\nsession = "{name}"\n', f"{name}.toml")
    env = {"LRGUARD_CONFIG": str(tree.root / "ambient.toml")}
    assert tree.settings(env=env).session == str(tree.root / "ambient")
    settings = tree.settings(env=env, config=str(tree.root / "given.toml"))
    assert (settings.session, settings.encoding, settings.threshold) == (str(tree.root / "given"), "estimate", 6000)
