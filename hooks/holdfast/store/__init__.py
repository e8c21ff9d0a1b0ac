"""Files only, no decisions: atomic writes, appends, and one module per kind of record."""
