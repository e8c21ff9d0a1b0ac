"""PostCompact: warm; takes the ordinary road in hook/runner.py."""

from holdfast.hook.fast import main

main("PostCompact")
