"""What of a host's tool results is lrguard's own: messages it has put there before, and what its commands print.

A first line can be forged. A message is taken for one only where it is no longer than a message can be and names a
response that is saved in this session, or in one of lrguard's own; whoever forges that gains as much room in the
context as a message has.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

LOOKING_BACK = ("peek", "schema", "grep", "list", "count", "purge", "config")
"""Commands that bound what they print by themselves."""

_TOOLS = ("lrguard_peek", "lrguard_schema", "lrguard_grep")
_SAVED = r"\[lrguard\] [^\n]{1,1000}?(?:\nSaved|\bsaved): (?P<path>/[^\n]{1,4000})(?:\n|\Z)"
_LONGEST = 12_000
"""Bytes of a message (contract, section 6) with what hosts put around it."""


def is_message(text: str, session: str, shown: str | None, environ: Mapping[str, str]) -> bool:
    """Whether `text` is a message for a response that is saved in `session` (written as `shown`) or below lrguard's
    state directory.
    """
    import re

    found = re.match(_SAVED, text)
    if not found or len(text) > _LONGEST or len(text.encode("utf-8", "replace")) > _LONGEST:
        return False
    from lrguard.session.location import state_directory
    from lrguard.session.names import parse_response
    from lrguard.session.reader import SessionReader
    from lrguard.session.record_fields import BrokenRecordError

    folder, name = os.path.split(found["path"])
    root = os.path.dirname(folder)
    parsed = parse_response(name)
    if root == shown:
        root = session
    elif root != session and not root.startswith(os.path.join(state_directory(environ), "")):
        return False
    if parsed is None or os.path.normpath(root) != root:
        return False
    try:
        with SessionReader(root) as reader:
            record = reader.record(parsed.id)
            return os.path.basename(record.file) == name and reader.tree.size(record.file) == record.bytes
    except (OSError, BrokenRecordError):
        return False


def is_looking_back(tool: str, command: str) -> bool:
    """Whether this call looked at saved responses and did nothing else."""
    if tool.endswith(_TOOLS):
        return True
    if "lrguard" not in command or "`" in command or "$(" in command or "\n" in command.strip():
        return False
    import re
    import shlex

    lexer = shlex.shlex(command.strip(), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:
        return False
    while words and re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*=.*", words[0]):
        del words[0]
    if len(words) < 2 or os.path.basename(words[0]) != "lrguard" or words[1] not in LOOKING_BACK:
        return False
    return not any(word and not word.strip("();<>|&") for word in words)
