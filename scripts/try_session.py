"""Plays a recorded session through the pack's hooks; started by scripts/try, which sets the packages up."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "hooks"))

from tryout.play import main

sys.exit(main())
