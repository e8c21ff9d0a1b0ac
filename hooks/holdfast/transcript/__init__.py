"""The client's record, read tolerantly."""
