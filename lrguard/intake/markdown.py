"""Tells Markdown from code and configuration, whose comments begin like its headings."""

from __future__ import annotations

from lrguard.patterns import pattern

_FENCE = pattern(r"(?m)^ {0,3}(?:```|~~~)")
_MARKS = (
    pattern(r"(?m)^#{2,6} \S"),
    pattern(r"""(?<![\w\])"'])!?\[[^\]\n]{1,200}\]\((?:https?:|/|\.|#|mailto:|[\w/-]{1,200}\.\w)[^)\s]{0,500}\)"""),
    pattern(r"(?m)^(?:[-*+]|\d{1,3}\.) \S"),
    pattern(r"(?m)^\|?[ \t]*:?-{3,40}:?[ \t]*\|[-:| \t]{1,400}$"),
    pattern(r"\*\*[^\s*][^*\n]{0,200}[^\s*]\*\*"),
)
_HEADED = pattern(r"(?m)^#{1,6} [^\n]{1,200}\n[ \t\r]*$")
_CODE = pattern(
    r"(?m)^[ \t]*+(?:(?:import|from|def|class|return|if|else|elif|elseif|end\w*|for|my|our|sub|set|proc|use|let|const|"
    r"function|public|private|local|fi|done|esac|export)\b|[}\])@$]|"
    r"[\w.\[\]\"'-]{1,80}\s?(?:\(|[:+]?=|: )|.{0,200}[;{]$)"
)


def is_markdown(head: bytes) -> bool:
    """Whether a heading has a blank line below, few lines look like code, and there are marks that comments lack."""
    text = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    if text.startswith("#!") or not _HEADED.search(text):
        return False
    pieces = _FENCE.split(text)
    prose = "\n".join(pieces[::2])
    if len(_CODE.findall(prose)) * 4 > sum(bool(line.strip()) for line in prose.splitlines()):
        return False
    sections, links, items, tables, strong = (len(mark.findall(prose)) for mark in _MARKS)
    return bool(links or len(pieces) >= 3 or tables or (sections and items >= 2) or (strong and (sections or items)))
