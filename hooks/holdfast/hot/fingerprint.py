"""Sixteen hex digits that tell texts apart. Hot-path module."""

from _blake2 import blake2b  # hashlib itself costs more than a hot hook may


def fingerprint(data: bytes) -> str:
    """The same for the same bytes, on every machine."""
    return blake2b(data, digest_size=8).hexdigest()
