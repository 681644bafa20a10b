"""Writes what the model reads in place of a large result."""
