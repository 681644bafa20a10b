"""What one source says of the settings, and where it says so."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase

from lrguard.records import dataclass, field

OPTION, ENVIRONMENT, CONFIGURATION, DEFAULT = "option", "environment", "configuration", "default"
"""The sources of a value, the most specific first."""

_WILDCARDS = frozenset("*?[")
_LONGEST_NAME = 1000
"""Characters of a tool's name that is compared with patterns; no tool's is longer."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value comes from: one of the four sources, the option, variable or key, and the file of a key."""

    source: str
    name: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One value and its origin."""

    value: object
    origin: Origin


Layer = Mapping[str, Entry]
"""Entries by the names of the settings."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """What the configuration files say together: for everything, by agent profile, and by pattern of tools' names."""

    general: Layer = field(default_factory=dict)
    agents: Mapping[str, Layer] = field(default_factory=dict)
    tools: Mapping[str, Layer] = field(default_factory=dict)

    def over(self, other: Configuration) -> Configuration:
        """This configuration laid over `other`, key by key."""
        return Configuration(
            {**other.general, **self.general}, _merged(other.agents, self.agents), _merged(other.tools, self.tools)
        )

    def for_tool(self, tool: str | None) -> Layer:
        """What `[tools]` says of a tool: of each key, what the longest matching pattern that has it says.

        A name without wildcards is more specific than any pattern; of equally long patterns the later one wins.
        """
        if not tool or len(tool) > _LONGEST_NAME:
            return {}
        matching = [pattern for pattern in self.tools if pattern == tool or fnmatchcase(tool, pattern)]
        layer: dict[str, Entry] = {}
        for pattern in sorted(matching, key=lambda pattern: (_WILDCARDS.isdisjoint(pattern), len(pattern))):
            layer.update(self.tools[pattern])
        return layer

    def for_agent(self, agent: str) -> Layer:
        """What `[agents]` says of a profile."""
        return self.agents.get(agent, {})


def _merged(below: Mapping[str, Layer], above: Mapping[str, Layer]) -> dict[str, Layer]:
    """Layers of the same name laid over each other; names of `above` come later, unless `below` has them."""
    return {name: {**below.get(name, {}), **above.get(name, {})} for name in {**below, **above}}
