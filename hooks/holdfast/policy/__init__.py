"""Pure decisions, one question a file: values in, a decision out. No I/O, no clock."""
