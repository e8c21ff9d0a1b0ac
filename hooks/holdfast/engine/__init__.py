"""Decisions about one context window: how full it is, what may leave it, and what stands in its place."""
