"""The session directory: the only place that knows how saved responses lie on disk."""
