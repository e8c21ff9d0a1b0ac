"""Several agents at work in one project: who is here, who owns what, what has changed meanwhile."""
