"""The entry of the command: the instant path first, then the commands."""

from __future__ import annotations

import os
import sys

from lrguard.instant import passed


def main() -> None:
    """Run `lrguard` with the process's arguments and end the process with its status."""
    begun = passed(sys.argv[1:])
    if begun is None:
        os._exit(0)
    if sys.argv[1:2] == ["hook"]:
        from lrguard.cli.hooked import begin

        begin(sys.argv[2:])
    else:
        from lrguard.cli.plain import begin as begin_plain

        begin_plain(sys.argv[1:], begun)
    from lrguard.cli.app import main as run
    from lrguard.cli.streams import leave

    leave(run(sys.argv[1:], begun))


if __name__ == "__main__":
    main()
