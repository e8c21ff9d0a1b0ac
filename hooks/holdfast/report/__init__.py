"""What was saved, spent and kept, for people."""
