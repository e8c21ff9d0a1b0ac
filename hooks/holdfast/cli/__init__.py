"""One module per command: add_arguments(parser), and run(args) -> Output, or sub-commands by `output.actions`."""
