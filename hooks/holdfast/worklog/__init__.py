"""What happened in a session, folded from its transcript."""
