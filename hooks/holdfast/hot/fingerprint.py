"""Sixteen hex digits that tell texts apart. Hot-path module."""

try:
    from _blake2 import blake2b
except ImportError:  # a build without the C module
    from hashlib import blake2b


def fingerprint(data: bytes) -> str:
    """The same for the same bytes, on every machine."""
    return blake2b(data, digest_size=8).hexdigest()
