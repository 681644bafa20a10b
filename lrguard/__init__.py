"""Keeps large tool results out of a model's context and on disk, whole and searchable."""

__version__ = "0.1.0"
