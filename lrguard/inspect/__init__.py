"""Looks back into saved responses."""
