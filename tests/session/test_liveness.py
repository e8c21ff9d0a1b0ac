import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.session import liveness
from tests.conftest import over

Make = Callable[..., Any]


@pytest.fixture
def open_one(event_of: Make, session_of: Make, transcript: Any) -> Make:
    """`open_one("s1")`: a session that was opened and has a transcript."""
    transcript.user("x")

    def build(name: str) -> Any:
        event = event_of("SessionStart.startup", session_id=name)
        session = session_of(event)
        liveness.opened(event, session)
        return session

    return build


def age(session: Any, seconds: float) -> None:
    os.utime(session.path("last.json"), (2_000_000_000 - seconds,) * 2)


def test_a_client_that_runs_has_not_been_cut_off(open_one: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Told by its process; the same number given to another process is another client."""
    monkeypatch.setenv("CLAUDE_PID", str(os.getpid()))
    last = open_one("s1").read("last.json")
    assert not liveness.was_cut_off(last)
    if last["open"]["birth"]:  # where the kernel tells it
        assert liveness.was_cut_off({"open": {**last["open"], "birth": "1"}})
    monkeypatch.setenv("CLAUDE_PID", over())
    assert liveness.was_cut_off(open_one("s1").read("last.json"))


def test_records_of_other_shapes() -> None:
    """A record from before this was noted says nothing; a process that is not told cannot be running."""
    silent: list[dict[str, Any]] = [{}, {"open": {}}, {"open": "odd"}, {"time": 5.0, "transcript": "/t"}]
    assert not any(liveness.was_cut_off(last) for last in silent)
    assert all(liveness.was_cut_off({"open": {"pid": pid, "birth": ""}}) for pid in ("", "9" * 30, "0"))


def test_the_session_that_was_at_work_last_decides(open_one: Make) -> None:
    """Cut off: it is named. Ended well: nothing, also when an older one was cut off."""
    old, new, mine = open_one("old"), open_one("new"), open_one("mine")
    age(old, 60)
    age(new, 30)
    assert liveness.cut_off_before(mine) == new.folder
    liveness.ended(new, "other")
    age(new, 30)
    assert liveness.cut_off_before(mine) == ""
    age(new, 90)
    assert liveness.cut_off_before(mine) == old.folder


def carried(session: Any, name: str, brought: str) -> Path:
    """The session under another name, as a clone or an archive would bring it."""
    place = Path(session.state, "sessions", name)
    if brought == "link":
        place.symlink_to(session.folder)
        return place
    shutil.copytree(session.folder, place)
    if brought == "with a guess":
        last = json.loads((place / "last.json").read_text())
        (place / "last.json").write_text(json.dumps({**last, "made": f"{os.stat(place / 'here').st_ino} 0"}))
    elif brought == "without a mark":
        last = json.loads((place / "last.json").read_text())
        (place / "here").unlink()
        (place / "last.json").write_text(json.dumps({name: last[name] for name in last if name != "made"}))
    return place


@pytest.mark.parametrize("brought", ["copy", "with a guess", "without a mark", "link"])
def test_a_session_that_was_brought_along_says_nothing(open_one: Make, brought: str) -> None:
    """It stays, and the one before it is told."""
    old, mine = open_one("old"), open_one("mine")
    place = carried(old, "evil", brought)
    assert liveness.noted(old.folder) == old.read("last.json")
    assert liveness.noted(str(place)) == {}
    assert liveness.cut_off_before(mine) == old.folder
    shutil.rmtree(old.folder)
    assert liveness.cut_off_before(mine) == ""
    assert os.path.lexists(place)


def test_what_is_no_file_is_not_opened(open_one: Make) -> None:
    """A pipe would wait for its writer."""
    one = open_one("one")
    os.unlink(one.path("last.json"))
    os.mkfifo(one.path("last.json"))
    assert liveness.last_of(one.folder) == liveness.noted(one.folder) == {}


def test_a_session_without_work_is_passed_over(
    open_one: Make, event_of: Make, session_of: Make, tmp_path: Path
) -> None:
    """Nor is another project's told where both share a state folder, nor any behind a link that a clone has brought."""
    old, mine = open_one("old"), open_one("mine")
    event = event_of("SessionStart.startup", session_id="empty", transcript_path="/none.jsonl")
    liveness.opened(event, session_of(event))
    assert liveness.cut_off_before(mine) == old.folder
    assert liveness.cut_off_before(mine._replace(project=str(tmp_path))) == ""
    place = Path(old.state, "sessions").rename(tmp_path / "sessions")
    Path(old.state, "sessions").symlink_to(place)
    assert liveness.cut_off_before(mine) == ""


def test_the_newest_session_is_of_this_machine(open_one: Make, session_of: Make, event_of: Make, state: Path) -> None:
    """The one that was active last; one that a clone has brought counts for nothing, however new; "" where none was."""
    assert liveness.newest(str(state)) == ""
    made = [open_one(name).folder for name in ("a", "b", "c")]
    brought = session_of(event_of("Stop", session_id="brought")).folder
    shutil.copy(f"{made[0]}/last.json", brought)
    for ahead, folder in zip((100, 300, 200, 400), (*made, brought), strict=True):
        os.utime(f"{folder}/calls.log", (time.time() + ahead,) * 2)
    assert liveness.newest(str(state)) == made[1]
    said = {**liveness.last_of(made[1]), "transcript": "/none"}  # as of a session that never began
    Path(made[1], "last.json").write_text(json.dumps(said))
    assert liveness.newest(str(state)) == made[2]
