"""Agent manifests: the four fields of one section, and off where it does not say `enabled: true`."""

from __future__ import annotations

import json
import time

import pytest

from lrguard.errors import ConfigurationError
from tests.configuration.conftest import Tree

YAML = """
name: &name My agent
prompt: |
  Be brief: always.
config:
  model: {name: *name, temperature: 0.2}
  context_management:
    large_tool_response:
      enabled: true
      individual_tool_response_token_threshold: 11
      total_tool_response_token_threshold: 12
      preview_number_of_characters: 13
"""
FIELDS = {
    "enabled": True,
    "individual_tool_response_token_threshold": 11,
    "total_tool_response_token_threshold": 12,
    "preview_number_of_characters": 13,
}


def manifest(section: object) -> str:
    return json.dumps({"name": "x", "config": {"context_management": {"large_tool_response": section}}})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("agent.yaml", YAML),
        ("agent.yml", YAML),
        ("agent.yml", manifest(FIELDS)),
        ("agent.json", manifest(FIELDS)),
        ("agent", manifest(FIELDS)),
        ("agent", "\ufeff\n " + manifest(FIELDS)),
    ],
)
def test_the_four_fields(tree: Tree, name: str, text: str):
    settings = tree.settings(config=str(tree.write(text, name)))
    assert (settings.enabled, settings.threshold) == (True, 11)
    assert (settings.total_threshold, settings.preview_chars) == (12, 13)


def test_options_beat_a_manifest(tree: Tree):
    path = str(tree.write(YAML, "agent.yaml"))
    assert tree.settings(config=path, threshold=5).threshold == 5
    assert tree.settings(config=path, agent="subagent").threshold == 12000


@pytest.mark.parametrize(
    "section",
    [
        None, {}, [], "on", True, {"enabled": False}, {"enabled": None}, {"enabled": "true"}, {"enabled": 1},
        {"individual_tool_response_token_threshold": 5},
        {"enabled": False, "individual_tool_response_token_threshold": -5},
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["agent.json", "agent.yaml"])
def test_anything_but_enabled_true_is_off(tree: Tree, name: str, section: object):
    assert not tree.settings(config=str(tree.write(manifest(section), name))).enabled


@pytest.mark.parametrize("text", ["", "{}", "[]", "config:\n", "config: [1]", "just text", "---\n---\n" + YAML, "null"])
def test_a_manifest_without_the_section_is_off(tree: Tree, text: str):
    assert not tree.settings(config=str(tree.write(text, "agent.yaml"))).enabled


@pytest.mark.parametrize(("key", "value"), [("individual_tool_response_token_threshold", 0), ("threshold", 5)])
def test_a_bad_field_is_named(tree: Tree, key: str, value: object):
    with pytest.raises(ConfigurationError, match=rf"config\.context_management\.large_tool_response\.{key}"):
        tree.settings(config=str(tree.write(manifest({"enabled": True, key: value}), "agent.json")))


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("agent.yaml", "a: 1\nb: [1\nc: 2\n", "line 3"),
        ("agent.yaml", "a: 1\nb: *nowhere\n", "nowhere (at line 2"),
        ("agent.yaml", "a: 1\n\tb: 2\n", "line 2"),
        ("agent.yaml", "a: \x01\n", "YAML"),
        ("agent.yaml", "[" * 500_000, "agent.yaml"),
        ("agent.yaml", "- " * 200, "too deeply"),
        ("agent.json", '{"a": 1,\nb}', "line 2"),
        ("agent.json", '{"a": ' + "[" * 100_000, "too deeply"),
        ("agent.json", '{"a": ' + "9" * 5000 + "}", "too long"),
        ("agent.json", "x" * 1_100_000, "1,048,576"),
    ],
)
def test_what_cannot_be_parsed_is_said_with_its_line(tree: Tree, name: str, text: str, words: str):
    with pytest.raises(ConfigurationError) as caught:
        tree.settings(config=str(tree.write(text, name)))
    assert words in str(caught.value) and str(tree.root / name) in str(caught.value) and "\n" not in str(caught.value)


def test_bytes_that_are_no_text(tree: Tree):
    for name in ("agent.yaml", "agent.json"):
        path = tree.write("", name)
        path.write_bytes(b'a: "\xff"')
        with pytest.raises(ConfigurationError, match=name):
            tree.settings(config=str(path))


def test_anchors_and_merges(tree: Tree):
    text = """
shared: &shared {enabled: true, preview_number_of_characters: 1, total_tool_response_token_threshold: 2}
other: &other {preview_number_of_characters: 3}
config:
  context_management:
    large_tool_response:
      <<: [*other, *shared]
      total_tool_response_token_threshold: 4
"""
    settings = tree.settings(config=str(tree.write(text, "agent.yaml")))
    assert (settings.enabled, settings.preview_chars, settings.total_threshold) == (True, 3, 4)


@pytest.mark.parametrize(
    "bomb",
    [
        "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 60)),
        "a0: &a0 {x: 1}\n" + "".join(f"a{n}: &a{n}\n  <<: [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 60)),
        "a: &a {" + ", ".join(f"k{n}: 1" for n in range(30_000)) + "}\nb: [" + "{<<: *a}, " * 30_000 + "]\n",
        "a: &a [*a]\n<<: *a\n",
        "a: &a {b: *a, <<: *a}\n",
        "a: !!python/object/apply:os.system ['false']\n",
    ],
)
def test_aliases_cannot_grow_and_tags_make_nothing(tree: Tree, bomb: str):
    path = tree.write(bomb, "agent.yaml")
    start = time.monotonic()
    try:
        assert not tree.settings(config=str(path)).enabled
    except ConfigurationError as error:
        assert "merges too much" in str(error)
    assert time.monotonic() - start < 5


def test_without_libyaml_it_is_the_same(tree: Tree, monkeypatch: pytest.MonkeyPatch):
    import yaml

    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    assert tree.settings(config=str(tree.write(YAML, "agent.yaml"))).threshold == 11
    with pytest.raises(ConfigurationError, match="too deeply"):
        tree.settings(config=str(tree.write("[" * 2000, "deep.yaml")))
