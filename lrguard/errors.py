"""Expected failures, as one line a person can act on, and the exit statuses of every command."""

DONE = 0
NO = 1
FAILED = 2


class LrguardError(Exception):
    """What failed, why, and what to do about it; printed as `lrguard: what: why; what to do`.

    Anything else that is raised is a bug.
    """

    def __init__(self, what: str, why: str = "", remedy: str = "", *, status: int = FAILED) -> None:
        self.what, self.why, self.remedy, self.status = what, why, remedy, status
        super().__init__(what, why, remedy)

    def __str__(self) -> str:
        line = f"{self.what}: {self.why}" if self.why else self.what
        return f"{line}; {self.remedy}" if self.remedy else line


class SaveError(LrguardError):
    """The session cannot hold what it was given; the tool result is still to be printed."""


class ConfigurationError(LrguardError):
    """A configuration or an environment value that cannot be used: never at the cost of the tool result."""
