"""SubagentStart: hot; the common case stays in runtime/fast.py."""

from holdfast.runtime.fast import main

main("SubagentStart")
