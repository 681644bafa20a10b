"""Reads a tool result and says what its bytes are."""
