"""A local page on which the user reads sessions and the memory, and changes the memory."""
