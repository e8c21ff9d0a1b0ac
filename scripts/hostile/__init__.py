"""What tries to break the hooks: a place for each case, and the cases by their subject."""
