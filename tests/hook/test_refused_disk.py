"""A disk that refuses: what a start and the summariser must be told is told all the same, and the user is told once.

scripts/faults.py has full ones, for real.
"""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.session.reply import NOTHING
from holdfast.worklog import marks

Make = Callable[..., Any]
GOAL = "Replace the session cookie by a signed token"
LOST = ": nothing of this session is kept from now on"


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where notes stand that the state's disk refuses."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    return tmp_path / "tmp"


@pytest.fixture
def worked(transcript: Any) -> None:
    transcript.user(GOAL)
    transcript.did("TodoWrite", todos=[{"content": "Wire the router", "status": "pending"}])


@pytest.mark.usefixtures("worked")
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT])
@pytest.mark.parametrize("made", [True, False], ids=["made before", "never made"])
def test_whatever_the_disk_says_the_restore_is_told(
    number: int, made: bool, reply_to: Make, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if made:
        reply_to("SessionStart.startup")
    true_open, true_mkdir = os.open, os.mkdir

    def refused(path: Any, *arguments: Any, **more: Any) -> Any:
        flags = arguments[0] if arguments else 0
        if str(path).startswith(str(state)) and flags & (os.O_WRONLY | os.O_RDWR):
            raise OSError(number, os.strerror(number), path)
        return true_open(path, *arguments, **more)

    def no_folder(path: Any, *arguments: Any, **more: Any) -> None:
        if str(path).startswith(str(state)):
            raise OSError(number, os.strerror(number), path)
        true_mkdir(path, *arguments, **more)

    for module in ("os", "posix"):
        monkeypatch.setattr(f"{module}.open", refused)
        monkeypatch.setattr(f"{module}.mkdir", no_folder)
    first = reply_to("Stop" if made else "SessionStart.startup").user  # whichever is the next to speak to the user
    told = f"Holdfast: {state} cannot be written ({os.strerror(number)}){LOST}"
    assert first.startswith(told)
    assert f'newest request: "{GOAL}"' in reply_to("PreCompact.manual").plain
    reply = reply_to("SessionStart.compact")
    assert f"> {GOAL}" in reply.context
    assert marks.ASK not in reply.context
    assert (first + reply.user).count(told) == 1
    assert reply_to("SessionStart.compact") == NOTHING
    monkeypatch.setenv("TMPDIR", "/nonexistent/tmp")  # so that nobody can note what was told
    assert reply_to("SessionStart.compact").user.startswith(told)
    assert not made or not reply_to("Stop").user.startswith(told)


@pytest.mark.usefixtures("worked")
@pytest.mark.parametrize("place", ["", "sessions"])
def test_nobody_else_can_keep_it_from_being_said(
    place: str, reply_to: Make, state: Path, temporary: Path, tmp_path: Path
) -> None:
    """A link has the name of the folder for notes: it is not followed; the start is told, rather twice than never."""
    (state / place).parent.mkdir(exist_ok=True, parents=True)
    (state / place).write_text("a file")
    (tmp_path / "theirs").mkdir()
    (temporary / f"holdfast-{os.getuid()}").symlink_to(tmp_path / "theirs")
    for _ in range(2):
        reply = reply_to("SessionStart.compact")
        assert LOST in reply.user
        assert f"> {GOAL}" in reply.context
    assert list((tmp_path / "theirs").iterdir()) == []
