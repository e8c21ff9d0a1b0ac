"""Pure values and formats: no file, clock, environment or process is touched in here."""
