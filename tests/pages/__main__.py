"""Writes every page and script to its place."""

from pathlib import Path

from tests.pages.all import written

ROOT = Path(__file__).resolve().parent.parent.parent

for name, text in written().items():
    file = ROOT / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
