"""Regular expressions that are compiled when they are first used.

There are over a hundred, most of them for what few results hold. Compiling all of them takes 40 ms, as much as the
whole work for a result of ordinary size.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import compile as pattern
else:

    class pattern:  # noqa: N801
        """What `re.compile` returns for the same arguments, sooner or later."""

        def __init__(self, text, flags=0):
            self._arguments = text, flags

        def __getattr__(self, name):
            import re

            compiled = re.compile(*self._arguments)
            for method in ("findall", "finditer", "fullmatch", "match", "search", "split", "sub"):
                setattr(self, method, getattr(compiled, method))
            return getattr(compiled, name)


__all__ = ["pattern"]
