"""One session: its event, reply, folders, and whether it is alive."""
