"""The options of `grep`: one table for Typer and for the plain forms of the command line."""

from __future__ import annotations

from lrguard.options import OPTIONS, Option

WINDOW = 120
"""Characters that are shown around a match (contract, section 9)."""

OWN = {
    "patterns": Option("-e --regexp", "PATTERN", "A pattern; may be given several times."),
    "fixed": Option("-F --fixed-strings", "", "The pattern is text, not an expression."),
    "ignore_case": Option("-i --ignore-case", "", "Upper and lower case are the same."),
    "whole_words": Option("-w --word-regexp", "", "Match whole words only."),
    "invert": Option("-v --invert-match", "", "Lines without a match."),
    "count": Option("-c --count", "", "Print the number of matches (not of lines)."),
    "names": Option("-l --files-with-matches", "", "Print which responses match."),
    "only": Option("-o --only-matching", "", "Print the matches alone."),
    "most": Option("-m --max-count", "N", "At most N matches."),
    "after": Option("-A --after-context", "N", "Lines after a match."),
    "before": Option("-B --before-context", "N", "Lines before a match."),
    "context": Option("-C --context", "N", "Lines before and after."),
    "skip": Option("--skip", "N", "Leave out the first N matches."),
    "window": Option("--window", "N", "Characters around a match."),
    "path": Option("--path", "JSONPATH", "Search only below this path."),
    "record": Option("--record", "", "Print the enclosing array element."),
    "everything": Option("--all", "", "Search every response of the session."),
    "line_number": Option("-n --line-number", "", "Accepted; lines are always numbered."),
    "extended": Option("-E --extended-regexp", "", "Accepted; expressions always are."),
    "tool": Option("--tool", "NAME", "Only responses of this tool."),
    "call_id": Option("--call-id", "ID", "The response to this tool call, in place of an id."),
    "json": Option("--json", "", "Print JSON, one object a line.", group="output"),
    "quiet": Option("-q --quiet", "", "Print nothing; the status tells."),
}
"""By the names of the command's parameters."""

ALL = OWN | {name: OPTIONS[name] for name in ("session", "max_tokens", "saved_only", "encoding")}
NUMBERS = ("most", "after", "before", "context", "skip", "window", "max_tokens")
"""Those whose values are whole numbers."""
