"""Save the state of the work, find it again, say what has drifted."""
