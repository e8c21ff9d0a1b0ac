#!/usr/bin/env -S python3 -I
"""Puts Holdfast into a project, or takes it out: scripts/install.py DIR [--uninstall] [--json]."""

import os
import sys

if not sys.flags.isolated:  # `python3 scripts/install.py`: PYTHONPATH may name the folder of a clone
    os.execv(sys.executable, [sys.executable, "-I", *sys.argv])  # noqa: S606 - this very file

from pathlib import Path

if sys.version_info < (3, 11):  # noqa: UP036 - an older one may well be the python3 that runs this
    sys.exit("holdfast: Python 3.11 or newer is needed; run this with another interpreter (python3.11 ...)")
sys.dont_write_bytecode = True  # what stands in a checkout is copied when it is installed as a plugin
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "hooks"))

from holdfast.cli.install import main  # noqa: E402 - it is found only now

sys.exit(main())
