"""The commands. Only this package knows Typer and rich."""
