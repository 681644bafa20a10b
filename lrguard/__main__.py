"""The entry of the command."""

from __future__ import annotations

import sys


def main() -> None:
    """Run `lrguard` with the process's arguments and end the process with its status."""
    from lrguard.cli.app import main as run
    from lrguard.cli.streams import leave

    leave(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
