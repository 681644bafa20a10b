"""Finds binary data inside text and puts references in its place."""
