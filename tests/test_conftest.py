import getpass
import os
from pathlib import Path

import pytest

from holdfast.hot import paths
from holdfast.hot.files import claim, read_text, write_atomic

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("top", [str(ROOT), os.path.expanduser(f"~{getpass.getuser()}")], ids=["checkout", "home"])
def test_what_belongs_to_the_user_is_shut(top: str) -> None:
    """Neither read nor written nor listed: the checkout's own state, and the real home's."""
    place = f"{top}/.claude/holdfast/config.json"
    for touch in (read_text, claim, os.mkdir, os.listdir, os.remove, lambda path: write_atomic(path, "x")):
        with pytest.raises(AssertionError, match="tests work in tmp_path"):
            touch(place)


def test_home_and_project_are_moved(sandbox_folder: Path, project: Path, state: Path) -> None:
    """What the code asks the environment for lies in a temporary folder, and nothing of the client leaks in."""
    assert os.environ["HOME"] == str(sandbox_folder / "home")
    assert paths.project_folder() == str(project)
    assert paths.state_folder() == str(state)
    assert sorted(name for name in os.environ if name.startswith(("CLAUDE", "HOLDFAST"))) == ["CLAUDE_PROJECT_DIR"]
