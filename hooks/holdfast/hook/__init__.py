"""The hook shell: reads the event, asks the policies, applies and answers."""
