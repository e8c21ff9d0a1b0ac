"""UserPromptSubmit, second hook: wakes the model with a outline of a dropped report (handoff/wakeup.py)."""

from holdfast.handoff.wakeup import main

main()
