"""Recorded sessions through the engine."""
