"""What each hook costs over a bare interpreter."""
