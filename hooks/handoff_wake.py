"""UserPromptSubmit, second hook: wakes the model with a condensed handoff (handoff/wakeup.py)."""

from holdfast.handoff.wakeup import main

main()
