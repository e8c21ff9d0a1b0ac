"""The memory, the coordination and the figures of a team on PostgreSQL. Hooks work on local files; a process of its
own brings both together.
"""
