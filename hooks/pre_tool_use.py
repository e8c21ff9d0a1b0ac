"""PreToolUse: hot; the common case stays in hook/fast.py."""

from holdfast.hook.fast import main

main("PreToolUse")
