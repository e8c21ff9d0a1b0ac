"""What is remembered across sessions: what is worth it, how long, what is taken out, how it is told."""
