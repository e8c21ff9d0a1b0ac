"""The context that agents share: its formats, its slice, its triggers, its gate, its measures."""
