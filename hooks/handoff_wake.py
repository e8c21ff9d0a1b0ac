"""UserPromptSubmit, second hook: wakes the model with a condensed handoff (runtime/wake.py)."""

from holdfast.runtime.wake import main

main()
