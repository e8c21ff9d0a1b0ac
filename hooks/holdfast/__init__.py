"""Holdfast keeps long agent work whole: small handoffs, safe compaction, an honest gauge.

This file imports nothing: every hook pays for what stands here.
"""

__version__ = "0.1.0"
