"""Makes the manual pages in `man/` and the completion scripts in `completions/` from the commands themselves.

`python -m tests.pages` writes them; a test fails when what is committed is not what it would write.
"""
