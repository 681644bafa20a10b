"""Configuration files: where they are, what they may say, and which of them are trusted."""
