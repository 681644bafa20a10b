"""Keeps large tool results out of a model's context and on disk, whole and searchable.

    from lrguard import Settings, guard

    outcome = guard(result, Settings(tool="search", session=".agent/session"))
    print(outcome.text)  # the result itself, or a short message with the path where it is saved

What this offers is imported when it is first asked for: the command, which starts at every tool call, imports this
package too.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lrguard.api import Kind, LrguardError, Outcome, Settings, guard, guard_batch

__version__ = "0.1.0"
__all__ = ["Kind", "LrguardError", "Outcome", "Settings", "__version__", "guard", "guard_batch"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from lrguard import api

    return getattr(api, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
