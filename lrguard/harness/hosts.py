"""The hosts whose hooks lrguard answers, as one table, and which of them a payload comes from.

The shape of the payload decides and not the name on the command line: Copilot runs the hooks of Claude's settings, and
Cursor too, each with payloads of its own. What is most particular is asked first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from lrguard.harness import claude_code, codex, copilot_cli, cursor, gemini_cli, opencode
from lrguard.harness.call import Call, OtherEventError, Payload


class Host(Protocol):
    """An adapter: one module for each host."""

    NAME: str

    def claims(self, payload: Payload) -> bool:
        """Whether the payload has the shape of this host."""

    def read(self, payload: Payload, environ: Mapping[str, str]) -> Call | None:
        """The call; None where there is nothing to replace. Raises `OtherEventError`."""


HOSTS: tuple[Host, ...] = (cursor, opencode, copilot_cli, gemini_cli, codex, claude_code)

NAMES = (claude_code.NAME, codex.NAME, gemini_cli.NAME, opencode.NAME, copilot_cli.NAME, cursor.NAME)
"""What may stand on the command line."""


def read(payload: object, environ: Mapping[str, str]) -> Call | None:
    """The call that `payload` tells of; None where there is nothing to replace. Raises `OtherEventError`."""
    if isinstance(payload, dict):
        for host in HOSTS:
            if host.claims(payload):
                return host.read(payload, environ)
    raise OtherEventError("it has the form of no host that is known here")
