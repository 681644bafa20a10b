"""An agent manifest, YAML or JSON, of which only `config.context_management.large_tool_response` concerns lrguard.

The section is off unless it says `enabled: true`, and what is off has nothing else to say. YAML is read from its
events, without recursion: an alias is the node that it names, so nothing that is repeated grows, and no tag makes an
object.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from lrguard.configuration import form
from lrguard.configuration.layer import CONFIGURATION, Configuration, Entry, Origin
from lrguard.configuration.source_file import unreadable
from lrguard.errors import ConfigurationError

if TYPE_CHECKING:
    from yaml.events import Event

PATH = ("config", "context_management", form.SECTION)
"""Where the section is in a manifest."""

_DEPTH = 100
_MERGED = 100_000
"""Keys that all merges of a manifest may bring in: a few bytes of aliases can ask for any number."""

_LONGEST_NUMBER = 100
_MERGE = "<<"
_TAG = "tag:yaml.org,2002:"


def is_json(data: bytes, file: str) -> bool:
    """Whether a file is a manifest in JSON, by its name or else by its content: no TOML begins with a brace."""
    return file.endswith(".json") or data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")


def is_yaml(file: str) -> bool:
    """Whether a file is a manifest in YAML, by its name."""
    return file.endswith((".yaml", ".yml"))


def configuration(document: object, file: str) -> Configuration:
    """What a parsed manifest says; raises ConfigurationError."""
    section: object = document
    for key in PATH:
        section = section.get(key) if isinstance(section, Mapping) else None
    if not isinstance(section, Mapping) or section.get("enabled") is not True:
        origin = Origin(CONFIGURATION, form.dotted((*PATH, "enabled")), file)
        return Configuration({"enabled": Entry(value=False, origin=origin)})
    return Configuration(form.read(section, form.LARGE_TOOL_RESPONSE, PATH, file))


def parse_json(data: bytes, file: str) -> object:
    """The document; raises ConfigurationError, which names the line of a syntax error."""
    import json

    try:
        return json.loads(data.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        why = f"{error.msg} (at line {error.lineno}, column {error.colno})"
        raise unreadable(file, f"it is no valid JSON: {why}") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise unreadable(file, f"line {line} is not UTF-8") from None
    except RecursionError:
        raise unreadable(file, "it is nested too deeply") from None
    except ValueError:
        raise unreadable(file, "a number in it is too long") from None


def parse_yaml(data: bytes, file: str) -> object:
    """The first document, of mappings, lists and plain values; raises ConfigurationError, which names the line of a
    syntax error.
    """
    import yaml

    # Without libyaml, PyYAML's own scanner does the same, slower.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _Builder(file).build(yaml.parse(data, Loader=loader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = f" (at line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        raise unreadable(file, f"it is no valid YAML: {error.problem or error.context}{at}") from None
    except yaml.YAMLError as error:
        raise unreadable(file, f"it is no valid YAML: {' '.join(str(error).split())}") from None


class _Builder:
    """Makes a document from the events of a parser."""

    def __init__(self, file: str) -> None:
        from yaml.constructor import SafeConstructor
        from yaml.resolver import Resolver

        self._file = file
        self._anchors: dict[str, object] = {}
        self._resolver, self._constructor = Resolver(), SafeConstructor()
        self._merged = 0

    def build(self, events: Iterator[Event]) -> object:
        """The first document; None where there is none."""
        from yaml import events as kinds

        open_nodes: list[_Open] = []
        node: object
        for event in events:
            if isinstance(event, kinds.CollectionStartEvent):
                if len(open_nodes) >= _DEPTH:
                    raise self._error(event, "it is nested too deeply")
                opened = _Open({} if isinstance(event, kinds.MappingStartEvent) else [])
                self._keep(event.anchor, opened.node)
                open_nodes.append(opened)
                continue
            if isinstance(event, kinds.CollectionEndEvent):
                node = self._closed(open_nodes.pop(), event)
            elif isinstance(event, kinds.AliasEvent):
                node = self._named(event)
            elif isinstance(event, kinds.ScalarEvent):
                node = self._scalar(event)
                self._keep(event.anchor, node)
            else:
                continue
            if not open_nodes:
                return node
            open_nodes[-1].add(node)
        return None

    def _keep(self, anchor: str | None, node: object) -> None:
        if anchor is not None:
            self._anchors[anchor] = node

    def _named(self, event: Any) -> object:
        if event.anchor not in self._anchors:
            raise self._error(event, f"there is no anchor {event.anchor[:80]}")
        return self._anchors[event.anchor]

    def _closed(self, opened: _Open, event: Event) -> object:
        """The complete node; what it merges stands under what is its own."""
        for other in opened.merged:
            self._merged += 1 + len(other)
            if self._merged > _MERGED:
                raise self._error(event, "it merges too much")
            for key, value in other.items():
                opened.node.setdefault(key, value)  # type: ignore[union-attr]
        return opened.node

    def _scalar(self, event: Any) -> object:
        """A scalar as YAML 1.1 has it, where it is one of the kinds that a setting can be; else its text."""
        from yaml.nodes import ScalarNode

        if event.tag is not None or not event.implicit[0] or len(event.value) > _LONGEST_NUMBER:
            return event.value
        tag = self._resolver.resolve(ScalarNode, event.value, event.implicit)  # type: ignore[no-untyped-call]
        construct = {_TAG + "bool": "construct_yaml_bool", _TAG + "int": "construct_yaml_int"}.get(tag)
        if tag == _TAG + "null":
            return None
        try:
            return getattr(self._constructor, construct)(ScalarNode(tag, event.value)) if construct else event.value
        except ValueError:  # 0x_ looks like a number and is none
            return event.value

    def _error(self, event: Any, why: str) -> ConfigurationError:
        return unreadable(self._file, f"it is no valid YAML: {why} (at line {event.start_mark.line + 1})")


class _Open:
    """A mapping or list that is not complete yet, and the mappings that it is to merge."""

    def __init__(self, node: dict[str, object] | list[object]) -> None:
        self.node = node
        self.merged: list[dict[str, object]] = []
        self._key: object = None
        self._has_key = False

    def add(self, node: object) -> None:
        """Take the next node: an item, a key, or the value of the last key."""
        if isinstance(self.node, list):
            self.node.append(node)
        elif not self._has_key:
            self._key, self._has_key = node, True
        else:
            self._has_key = False
            if self._key == _MERGE:
                others = node if isinstance(node, list) else [node]
                self.merged += [other for other in others if isinstance(other, dict)]
            elif not isinstance(self._key, dict | list):
                self.node[str(self._key)] = node
