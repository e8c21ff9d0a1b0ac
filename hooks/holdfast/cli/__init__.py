"""One module per command: HELP, add_arguments(parser), and run(args) -> Answer, or sub-commands by `output.actions`."""
