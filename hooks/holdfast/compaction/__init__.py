"""Steer a compaction, verify it, put back what it lost."""
