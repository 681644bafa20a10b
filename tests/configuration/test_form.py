"""What a configuration may say, and the one line that tells of what it may not."""

from __future__ import annotations

import time

import pytest

from lrguard.errors import ConfigurationError
from tests.configuration.conftest import Tree

THRESHOLD = "individual_tool_response_token_threshold"

BAD = [
    # text, the key, the value, what is allowed
    ('sesion = "x"', "sesion", "", "session"),
    ("[large_tool_responses]", "large_tool_responses", "", "large_tool_response"),
    ("[large_tool_response]\nthreshold = 5", "large_tool_response.threshold", "", THRESHOLD),
    ("[agents.x]\ntotal_tool_response_token_threshold = 1", "agents.x.total_tool", "", "media"),
    ('[tools."a.b*"]\ncommand = "x"', 'tools."a.b*".command', "", "summarize"),
    ("[summarize]\ncmd = 1", "summarize.cmd", "", "max_input_tokens"),
    ("[retention]\nkeep = 1", "retention.keep", "", "keep_bytes"),
    ("session = 5", "session", "5", "folder"),
    ('session = ""', "session", '""', "folder"),
    ('session = "a\\u0000b"', "session", "", "printable"),
    ('session = "a\\u001b[2Jb"', "session", "", "printable"),
    ('session = "a\\u202eb"', "session", "", "printable"),
    ("session = []", "session", "an array", "folder"),
    ('encoding = "gpt2"', "encoding", '"gpt2"', "cl100k_base"),
    (f"[large_tool_response]\n{THRESHOLD} = 0", THRESHOLD, "0", "1 or more"),
    (f"[large_tool_response]\n{THRESHOLD} = -5", THRESHOLD, "-5", "1 or more"),
    (f'[large_tool_response]\n{THRESHOLD} = "6000"', THRESHOLD, '"6000"', "whole number"),
    (f"[large_tool_response]\n{THRESHOLD} = 6000.0", THRESHOLD, "6000.0", "whole number"),
    (f"[large_tool_response]\n{THRESHOLD} = true", THRESHOLD, "true", "whole number"),
    (f"[large_tool_response]\n{THRESHOLD} = {{a = 1}}", THRESHOLD, "a table", "whole number"),
    (f"[large_tool_response]\n{THRESHOLD} = 1979-05-27", THRESHOLD, "1979-05-27", "whole number"),
    ("[large_tool_response]\npreview_number_of_characters = -1", "preview_number_of_characters", "-1", "0 or more"),
    ('[large_tool_response]\nenabled = "yes"', "enabled", '"yes"', "true or false"),
    ("large_tool_response = 5", "large_tool_response", "5", "[large_tool_response]"),
    ("[[agents]]\nname = 1", "agents", "an array", "[agents]"),
    ("[agents]\nsubagent = 5", "agents.subagent", "5", "[agents.subagent]"),
    ('[agents.x]\nsummarize = "cat"', "agents.x.summarize", '"cat"', "true or false"),
    ('[tools.x]\nmedia = "drop"', "tools.x.media", '"drop"', "extract or keep"),
    ("[summarize]\ntimeout = 0", "summarize.timeout", "0", "more than 0"),
    ("[summarize]\ntimeout = inf", "summarize.timeout", "inf", "seconds"),
    ("[summarize]\ntimeout = nan", "summarize.timeout", "nan", "seconds"),
    ("[summarize]\ntimeout = true", "summarize.timeout", "true", "seconds"),
    (f"[summarize]\ntimeout = {'9' * 400}", "summarize.timeout", "999", "seconds"),
    ('[summarize]\ncommand = ""', "summarize.command", '""', "command"),
    ('[summarize]\ncommand = "a\\u0000b"', "summarize.command", "", "command"),
    ('[summarize]\ncommand = ["a"]', "summarize.command", "an array", "command"),
    ("[retention]\nolder_than = 7", "retention.older_than", "7", "7d"),
    ('[retention]\nolder_than = "7 days"', "retention.older_than", '"7 days"', "7d"),
    ('[retention]\nkeep_bytes = "2 gigs"', "retention.keep_bytes", '"2 gigs"', "2GB"),
    ("[retention]\nkeep_bytes = -1", "retention.keep_bytes", "-1", "2GB"),
    (f"[tools.{'x' * 201}]", 'tools."xxx', "", "200"),
]


@pytest.mark.parametrize(("text", "key", "value", "allowed"), BAD)
def test_an_error_names_file_key_value_and_what_is_allowed(tree: Tree, text: str, key: str, value: str, allowed: str):
    path = tree.write(text)
    with pytest.raises(ConfigurationError) as caught:
        tree.settings()
    line = str(caught.value)
    assert all(word in line for word in (str(path), key, value, allowed)), line
    assert len(line) < 500 + len(str(path)) and "\n" not in line.replace("\\n", "")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"a = 1\nb =\nc = 2", "line 2"),
        (b"a = 1\na = 2\n", "line 2"),
        (b"\n\nsession = \"\xff\"", "line 3"),
        (b"x = " + b"9" * 5000, "too long"),
        (b"x = " + b"[" * 30_000, "too deeply"),
        (b"x = " + b"{a=" * 20_000, "too deeply"),
        (b"a." * 30_000 + b"a = 1", "line 1"),
        (b'# ' + b"." * 500 + b"\nx = {" + b"a." * 3000 + b"a=1}", "line 2"),
        (b'x = """\n' + b"a" * 70_000, "65,536"),
        (b"\0", "line 1"),
    ],
)  # fmt: skip
def test_what_is_no_toml_is_said_with_its_line_and_at_once(tree: Tree, data: bytes, words: str):
    tree.write("").write_bytes(data)
    start = time.monotonic()
    with pytest.raises(ConfigurationError) as caught:
        tree.settings()
    assert words in str(caught.value) and str(tree.root / "lrguard.toml") in str(caught.value)
    assert time.monotonic() - start < 1


def test_the_largest_that_means_ill_is_read_in_a_moment(tree: Tree):
    deep = "".join(".".join(["a"] * 99) + f".k{number} = 1\n" for number in range(310))
    many = "".join(f'[tools."*a{number}*b*"]\n' for number in range(3200))
    for text in (deep, many):
        tree.write(text)
        start = time.monotonic()
        try:
            tree.settings(tool="a" * 1000)
        except ConfigurationError as error:
            assert "there is no key a" in str(error) and len(str(error)) < 600
        assert time.monotonic() - start < 3


@pytest.mark.parametrize(
    "text", ["", "\ufeff", "# only a comment", "[agents]\n[tools]\n[retention]\n", "\r\n[tools.x]\r\n"]
)
def test_what_says_nothing_changes_nothing(tree: Tree, text: str):
    settings = tree.settings()
    tree.write(text)
    assert tree.settings() == settings


def test_a_profile_of_ones_own_is_known_by_its_name(tree: Tree):
    tree.write(f'[agents."code reviewer"]\n{THRESHOLD} = 44\n')
    assert tree.settings(agent="code reviewer").threshold == 44
    assert tree.settings(env={"LRGUARD_AGENT": "code reviewer"}).threshold == 44
