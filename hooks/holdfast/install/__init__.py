"""Put the pack into a project or take it out; check that it works."""
