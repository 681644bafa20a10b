"""What is proven about the number of tokens before any tokenizer is asked, for o200k_base and cl100k_base.

No more than bytes; no fewer than bytes / 128, the length of the longest token; and no fewer than runs of ASCII letters
and digits, with apostrophes and bytes beyond ASCII left out, since no piece holds two such runs. Bytes that are no
UTF-8 become U+FFFD, one token for at least one byte, so the bounds hold for the text that is counted.
"""

from __future__ import annotations

from lrguard.intake.source import Source

_ALNUM = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_RUNS = bytes(byte if byte in _ALNUM else 0x20 for byte in range(256))
_LEFT_OUT = b"'" + bytes(range(128, 256))
_CHUNK = 64 * 1024


def fewest(size: int) -> int:
    """The least number of tokens that `size` bytes can be."""
    return -(-size // 128)


def is_over(source: Source, threshold: int) -> bool:
    """Whether `source` is proven to have more than `threshold` tokens; reads at most 128 bytes for each of them."""
    if source.size <= threshold:
        return False
    if fewest(source.size) > threshold:
        return True
    runs = 0
    for chunk in source.chunks(size=_CHUNK):
        runs += len(chunk.translate(_RUNS, _LEFT_OUT).split())
        if runs > threshold:
            return True
        runs -= 1  # the next chunk may go on with the run at this one's end
    return False
