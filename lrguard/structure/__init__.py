"""Infers the structure of JSON, JSON lines and tables."""
