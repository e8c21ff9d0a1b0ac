"""Handoff packages: one file that an agent reads to go on with the work of another, by kind, within its tokens."""
