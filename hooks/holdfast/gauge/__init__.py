"""How full the window is, and what to do about it."""
