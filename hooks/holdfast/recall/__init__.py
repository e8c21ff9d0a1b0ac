"""What was said and done in a session, in any of its windows, found by one query."""
