"""One module per command: add_arguments(parser), and run(args) -> Answer, or sub-commands by `output.actions`."""
