"""PreCompact: warm; takes the ordinary road in runtime/runner.py."""

from holdfast.runtime.runner import main

main("PreCompact")
