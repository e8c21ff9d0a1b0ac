import os
from pathlib import Path

import pytest

from holdfast.hot import paths
from holdfast.hot.files import claim, read_text, write_atomic

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(
    "place", [ROOT / ".claude" / "holdfast" / "config.json", ROOT / ".claude" / "holdfast" / "sessions" / "x"]
)
def test_the_checkouts_own_state_is_shut(place: Path) -> None:
    for touch in (lambda: read_text(str(place)), lambda: write_atomic(str(place), "x"), lambda: claim(str(place))):
        with pytest.raises(AssertionError, match="tests work in tmp_path"):
            touch()


def test_the_real_home_is_shut(request: pytest.FixtureRequest) -> None:
    forbidden = os.path.join(os.path.expanduser("~" + _login()), ".claude", "holdfast")
    for touch in (os.mkdir, os.listdir, os.remove):
        with pytest.raises(AssertionError, match="tests work in tmp_path"):
            touch(forbidden)


def _login() -> str:
    import pwd

    return pwd.getpwuid(os.getuid()).pw_name


def test_home_and_project_are_moved(sandbox_folder: Path, project: Path, state: Path) -> None:
    """What the code asks the environment for lies in a temporary folder, and nothing of the client leaks in."""
    assert os.environ["HOME"] == str(sandbox_folder / "home")
    assert paths.project_folder() == str(project)
    assert paths.state_folder() == str(state)
    assert sorted(name for name in os.environ if name.startswith(("CLAUDE", "HOLDFAST"))) == ["CLAUDE_PROJECT_DIR"]
