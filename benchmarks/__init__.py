"""Measures that anyone can run from a checkout; not part of the pack."""
