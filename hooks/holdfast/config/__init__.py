"""The settings: one definition, its sources."""
