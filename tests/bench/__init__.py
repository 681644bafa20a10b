"""How fast lrguard is, side by side with the programs it is compared with: `python -m tests.bench`."""
