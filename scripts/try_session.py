"""Plays a recorded session through the pack's hooks; started by scripts/try, which sets the packages up."""

import sys
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent
sys.path[:0] = [str(SCRIPTS.parent / "hooks"), str(SCRIPTS)]

from tryout.play import main  # noqa: E402 - it is found only now

sys.exit(main())
