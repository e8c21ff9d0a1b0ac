"""One module per event, each with `handle(event, session) -> Reply`."""
