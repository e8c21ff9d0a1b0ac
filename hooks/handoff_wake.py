"""UserPromptSubmit, second hook: wakes the model with an outline of a dropped report (handoff/wakeup.py)."""

from holdfast.handoff.wakeup import main

main()
