"""A request put together: tiers and their order, instruction files, files to load, sections on demand."""
