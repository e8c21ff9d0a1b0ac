import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from holdfast.session import folders

Make = Callable[..., Any]


def test_the_newest_session(event_of: Make, session_of: Make, state: Path) -> None:
    """The one that was active last; "" where none was."""
    assert folders.newest(str(state)) == ""
    made = [session_of(event_of("Stop", session_id=name)).folder for name in ("a", "b", "c")]
    for seconds, folder in zip((100, 300, 200), made, strict=True):
        os.utime(f"{folder}/calls.log", (seconds, seconds))
    (state / "sessions" / "empty").mkdir()
    assert folders.newest(str(state)) == made[1]
