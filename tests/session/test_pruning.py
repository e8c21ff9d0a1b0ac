import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.hook.on import session_start
from holdfast.hot import call_log
from holdfast.session import folders, pruning
from holdfast.session.context import Session
from holdfast.session.retention import AT_ONCE, NEWEST
from holdfast.text.dates import DAY

Make = Callable[..., Any]


def _old(session: Session, name: str, days: float, **last: Any) -> Path:
    """A session that was last used so many days ago."""
    folder = Path(session.state) / "sessions" / name
    (folder / "archive").mkdir(parents=True)
    (folder / "last.json").write_text(json.dumps(last))
    call_log.create(str(folder / "calls.log"))
    for path in (folder / "calls.log", folder / "last.json", folder / "archive", folder):
        os.utime(path, (session.now - days * DAY,) * 2)
    return folder


@pytest.fixture
def session(event_of: Make, session_of: Make) -> Session:
    """The present session, with as many recent ones beside it as always stay."""
    found: Session = session_of(event_of("SessionStart.startup"))
    for number in range(NEWEST):
        _old(found, f"recent-{number}", number)
    return found


def test_old_sessions_go_and_the_log_says_which(session: Session) -> None:
    """The recent and the present ones stay."""
    old, young = _old(session, "old", 31), _old(session, "young", 29)
    pruning.prune(session)
    assert not old.exists()
    assert young.exists()
    assert Path(session.folder).exists()
    (line,) = (Path(session.state) / "logs" / "removed.log").read_text().splitlines()
    assert line.endswith("old: 2 files, not used for more than 30 days")


def test_a_link_in_the_place_of_the_sessions_leads_nowhere(session: Session, tmp_path: Path) -> None:
    """A clone may bring one to the user's other projects; nothing of them goes, and the start goes on."""
    old, place = _old(session, "old", 90), Path(session.state) / "sessions"
    place.rename(tmp_path / "projects")
    place.symlink_to(tmp_path / "projects")
    pruning.prune(session)
    assert old.exists()
    place.unlink()
    (tmp_path / "projects").rename(place)
    pruning.prune(session)
    assert not old.exists()


def test_a_folder_without_our_journal_stays(session: Session) -> None:
    """Where a linked state folder has a folder of this name that is somebody else's."""
    old = _old(session, "old", 90)
    (old / "calls.log").write_text("calls of May\n")
    for path in (old / "calls.log", old):
        os.utime(path, (session.now - 90 * DAY,) * 2)
    pruning.prune(session)
    assert old.exists()


@pytest.mark.parametrize("name", ["logs", "logs/removed.log"])
def test_no_log_is_written_through_a_link(session: Session, tmp_path: Path, name: str) -> None:
    """What is to go goes all the same."""
    old, place = _old(session, "old", 90), Path(session.state, name)
    target = tmp_path / "precious"
    if name == "logs":
        target.mkdir()
        place.rmdir()
    place.symlink_to(target)
    pruning.prune(session)
    assert not old.exists()
    assert [path for path in tmp_path.rglob("*") if path != target] == []
    assert target.is_dir() is (name == "logs")


def test_a_session_whose_client_runs_stays(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long nobody has typed there."""
    from holdfast.session import liveness

    monkeypatch.setenv("CLAUDE_PID", str(os.getpid()))
    running = _old(session, "running", 90, open=liveness.client())
    ended = _old(session, "ended", 90, open={}, ended="exit")
    pruning.prune(session)
    assert (running.exists(), ended.exists()) == (True, False)


def test_zero_days_keep_everything(session: Session) -> None:
    """As the configuration says."""
    old = _old(session, "old", 3_000)
    pruning.prune(session._replace(config={**session.config, "retention.days": 0}))
    assert old.exists()


def test_a_few_at_a_time(session: Session) -> None:
    """A start does not wait for years of sessions; the next ones go on with it."""
    old = [_old(session, f"old-{number:02}", 100 - number) for number in range(AT_ONCE + 3)]
    pruning.prune(session)
    assert [folder.exists() for folder in old] == [False] * AT_ONCE + [True] * 3
    pruning.prune(session)
    assert not any(folder.exists() for folder in old)


def test_what_cannot_be_removed_harms_no_start(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next one goes, the log does not name it, and the start says nothing of it."""
    stuck, other = _old(session, "stuck", 91), _old(session, "other", 90)
    remove = folders.remove

    def refuse(folder: str) -> int:
        if folder == str(stuck):
            raise PermissionError(folder)
        return remove(folder)

    monkeypatch.setattr(folders, "remove", refuse)
    pruning.prune(session)
    assert (stuck.exists(), other.exists()) == (True, False)
    assert "stuck" not in (Path(session.state) / "logs" / "removed.log").read_text()


@pytest.mark.parametrize(("source", "there"), [("startup", False), ("resume", True), ("compact", True)])
def test_it_happens_at_startup_only(
    session: Session, event_of: Make, source: str, there: bool, transcript: Any
) -> None:
    """Once per start, when nobody waits for a restore."""
    transcript.user("Fix the login")
    old = _old(session, "old", 90)
    session_start.handle(event_of("SessionStart.startup", source=source), session)
    assert old.exists() is there
