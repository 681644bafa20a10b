"""Counts tokens and decides whether a text is over its threshold."""
