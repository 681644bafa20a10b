"""Imports go down: no room of the package knows one above it, and heavy libraries are imported where they are used."""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "lrguard"

FLOORS = """
    errors options records patterns intake assets measure structure session configuration settings present text reading
    outcome workplace description shape summarizing offload guarding batch inspect place instant harness api cli
    __main__
""".split()
"""The rooms from the ground up."""

HEAVY = {
    "asyncio",
    "charset_normalizer",
    "importlib.metadata",
    "logging",
    "re2",
    "regex",
    "rich",
    "toktok",
    "typer",
    "yaml",
}
ONLY_IN_CLI = {"rich", "typer"}


def imports(path: Path, *, top_level: bool) -> set[str]:
    tree = ast.parse(path.read_text())
    nodes = tree.body if top_level else list(ast.walk(tree))
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
    return found


def modules() -> list[tuple[str, Path]]:
    """Every module with the room that it belongs to; the package's own `__init__` is the door to the top floor."""
    found = [(path.relative_to(PACKAGE).parts[0].removesuffix(".py"), path) for path in sorted(PACKAGE.rglob("*.py"))]
    return [(room, path) for room, path in found if room != "__init__"]


def test_every_room_has_its_floor():
    assert {room for room, _ in modules()} == set(FLOORS)


def test_no_room_imports_from_above():
    for room, path in modules():
        for name in imports(path, top_level=False):
            parts = name.split(".")
            if parts[0] == "lrguard" and len(parts) > 1 and parts[1] in FLOORS:
                assert FLOORS.index(parts[1]) <= FLOORS.index(room), f"{path.relative_to(PACKAGE)} imports {name}"


def test_heavy_libraries_are_imported_where_they_are_used():
    for room, path in modules():
        heavy = {name.split(".")[0] for name in imports(path, top_level=True)} & HEAVY
        assert heavy <= ({"typer"} if room == "cli" else set()), f"{path.relative_to(PACKAGE)} imports {heavy}"


def test_only_the_commands_know_typer_and_rich():
    for room, path in modules():
        known = {name.split(".")[0] for name in imports(path, top_level=False)} & ONLY_IN_CLI
        assert not known or room == "cli", f"{path.relative_to(PACKAGE)} imports {known}"
