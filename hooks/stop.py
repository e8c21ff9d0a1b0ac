"""Stop: warm; takes the ordinary road in hook/runner.py."""

from holdfast.hook.runner import main

main("Stop")
