"""What a large memory costs."""
