"""Pure tools on text, one of each."""
