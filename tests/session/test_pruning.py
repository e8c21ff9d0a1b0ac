"""Which sessions' files go, when they were last used, and what is never touched on the way."""

import itertools
import json
import math
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.hot import call_log, provenance
from holdfast.session import aging, folders, liveness, pruning
from holdfast.session.context import Session
from holdfast.session.pruning import AT_ONCE
from holdfast.text.dates import DAY

Make = Callable[..., Any]
NOW = 1_800_000_000.0
USED = st.dictionaries(st.text("abc", min_size=1, max_size=5), st.floats(0, NOW), max_size=20)


@given(USED, st.integers(1, 400))
def test_only_the_old_beyond_the_newest_go(used: dict[str, float], days: int) -> None:
    """Oldest first; a project that slept for a year keeps its last sessions."""
    gone = pruning.expired(used, NOW, days)
    assert all(NOW - used[name] > days * DAY for name in gone)
    assert len(used) - len(gone) >= min(len(used), 5)
    stays = [used[name] for name in used if name not in gone]
    assert sum(NOW - date > days * DAY for date in stays) <= 5
    assert [used[name] for name in gone] == sorted(used.values())[: len(gone)]


def _old(session: Session, name: str, days: float, **last: Any) -> Path:
    folder = Path(session.state) / "sessions" / name
    (folder / "archive").mkdir(parents=True)
    (folder / "here").touch()
    os.utime(folder / "here", (session.now - days * DAY,) * 2)
    (folder / "last.json").write_text(json.dumps({"made": provenance.mark(str(folder)), **last}))
    call_log.create(str(folder / "calls.log"))
    for path in (folder / "calls.log", folder / "last.json", folder / "archive", folder):
        os.utime(path, (session.now - days * DAY,) * 2)
    return folder


@pytest.fixture(autouse=True)
def plain_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that no counter contradicts: the tests set it."""
    boot, counted = aging.counter()
    assert aging.counter() >= (boot, counted)
    runs = itertools.count()
    monkeypatch.setattr(aging, "counter", lambda: ("", next(runs) * 400 * DAY))


def twice(session: Session) -> None:
    for now in (session.now, session.now + DAY):
        pruning.prune(session._replace(now=now))


@pytest.fixture
def session(event_of: Make, session_of: Make) -> Session:
    found: Session = session_of(event_of("SessionStart.startup"))
    for number in range(5):
        _old(found, f"recent-{number}", number)
    return found


def test_old_sessions_go_and_the_log_says_which(session: Session) -> None:
    old, young = _old(session, "old", 31), _old(session, "young", 29)
    twice(session)
    assert not old.exists()
    assert young.exists()
    assert Path(session.folder).exists()
    (line,) = (Path(session.state) / "logs" / "removed.log").read_text().splitlines()
    assert line.endswith("old: 3 files, not used for more than 30 days")


def test_a_link_in_the_place_of_the_sessions_leads_nowhere(session: Session, tmp_path: Path) -> None:
    """A clone may bring one to the user's other projects; nothing of them goes, and the start goes on."""
    old, place = _old(session, "old", 90), Path(session.state) / "sessions"
    place.rename(tmp_path / "projects")
    place.symlink_to(tmp_path / "projects")
    twice(session)
    assert old.exists()
    place.unlink()
    (tmp_path / "projects").rename(place)
    twice(session)
    assert not old.exists()


@pytest.mark.parametrize("name", ["logs", "logs/removed.log"])
def test_no_log_is_written_through_a_link(session: Session, tmp_path: Path, name: str) -> None:
    old, place = _old(session, "old", 90), Path(session.state, name)
    target = tmp_path / "precious"
    if name == "logs":
        target.mkdir()
        shutil.rmtree(place)
    place.symlink_to(target)
    twice(session)
    assert not old.exists()
    assert [path for path in tmp_path.rglob("*") if path != target] == []
    assert target.is_dir() is (name == "logs")


def test_a_session_whose_client_runs_stays(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long nobody has typed there."""
    monkeypatch.setenv("CLAUDE_PID", str(os.getpid()))
    running = _old(session, "running", 90, open=liveness.client())
    ended = _old(session, "ended", 90, open={}, ended="exit")
    twice(session)
    assert (running.exists(), ended.exists()) == (True, False)


def test_a_few_at_a_time(session: Session) -> None:
    old = [_old(session, f"old-{number:02}", 100 - number) for number in range(AT_ONCE + 3)]
    twice(session)
    assert [folder.exists() for folder in old] == [False] * AT_ONCE + [True] * 3
    twice(session)
    assert not any(folder.exists() for folder in old)


def test_what_cannot_be_removed_harms_no_start(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next one goes, the log does not name it, and the start says nothing of it."""
    stuck, other, remove = _old(session, "stuck", 91), _old(session, "other", 90), folders.remove
    monkeypatch.setattr(folders, "remove", lambda folder: remove(folder if folder != str(stuck) else "/nonexistent"))
    twice(session)
    assert (stuck.exists(), other.exists()) == (True, False)
    assert "stuck" not in (Path(session.state) / "logs" / "removed.log").read_text()


def _folder(state: Path, name: str) -> Path:
    folder = state / "sessions" / name
    (folder / "archive" / "deep").mkdir(parents=True)
    call_log.create(str(folder / "calls.log"))
    (folder / "archive" / "deep" / "1.txt").write_text("y")
    return folder


def test_sessions_that_a_pull_brings_neither_go_nor_take_the_place_of_ours(session: Session) -> None:
    """Though they have all that one of ours has, but this machine's mark; nor do a file, a link, a bare folder."""
    old, place = [_old(session, f"old-{number}", 90) for number in range(2)], Path(session.state, "sessions")
    shutil.rmtree(place / "recent-0")
    pulled = [_old(session, f"pulled-{number}", 1 + 100 * number, made="1 2") for number in range(2)]
    (place / "stray.txt").write_text("")
    (place / "link").symlink_to(pulled[0])
    (place / "bare").mkdir()
    twice(session)
    assert [folder.exists() for folder in (*old, *pulled)] == [False, True, True, True]


def test_the_last_use_is_that_of_the_newest_file(tmp_path: Path) -> None:
    """Or of the folder itself: one that was just made is new. What cannot be read is never old."""
    folder = _folder(tmp_path, "a")
    for path in (folder / "archive", folder):
        os.utime(path, (100, 100))
    os.utime(folder / "calls.log", (300, 300))
    assert folders.last_used(str(folder)) == 300
    os.utime(folder, (400, 400))
    assert folders.last_used(str(folder)) == 400
    assert folders.last_used(str(tmp_path / "gone")) == math.inf


def test_dates_are_set_back(tmp_path: Path) -> None:
    """To the last use, but for what is older, where a link leads, and the mark, which says that it was made here."""
    folder = _folder(tmp_path, "a")
    (tmp_path / "outside").write_text("")
    (folder / "link").symlink_to(tmp_path / "outside")
    os.utime(folder / "archive", (100, 100))
    before, made = os.stat(tmp_path / "outside").st_mtime, provenance.marked(str(folder))
    folders.set_back(str(folder), 200)
    assert provenance.mark(str(folder)) == made != ""
    (folder / provenance.HERE).unlink()
    folders.set_back(str(folder), 200)
    assert folders.last_used(str(folder)) == 200
    assert (os.stat(folder / "archive").st_mtime, os.stat(tmp_path / "outside").st_mtime) == (100, before)
    folders.set_back(str(tmp_path / "gone"), 200)


def test_removed_with_all_that_is_in_it_and_nothing_else(tmp_path: Path) -> None:
    folder, outside = _folder(tmp_path, "a"), tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.txt").write_text("kept")
    (folder / "to_folder").symlink_to(outside)
    (folder / "archive" / "to_file").symlink_to(outside / "kept.txt")
    assert folders.remove(str(folder)) >= 3
    assert not folder.exists()
    assert (outside / "kept.txt").read_text() == "kept"


def test_what_is_shown_of_a_session_does_not_lead_to_it() -> None:
    """The same for the same one, another for another; nothing of its id."""
    one, two = "3a6f6312-20f0-4443-a77f-85e4c5ba5e54", "3a6f6312-20f0-4443-a77f-85e4c5ba5e55"
    assert folders.shown(one) == folders.shown(one) != folders.shown(two)
    assert not any(part in folders.shown(one) for part in one.split("-"))


def test_deleting_needs_two_runs_a_day_apart(session: Session) -> None:
    """However often the first one is repeated; what is used again in between begins anew."""
    old, again = _old(session, "old", 90), _old(session, "again", 90)
    for minutes in range(3):
        pruning.prune(session._replace(now=session.now + 60 * minutes))
    os.utime(again, (session.now, session.now))
    pruning.prune(session._replace(now=session.now + DAY))
    assert (old.exists(), again.exists()) == (False, True)


Runs = list[tuple[float, float, str]]
"""Of each run the days by the clock and by the machine's counter, and which start of the machine it was in."""


@pytest.mark.parametrize(
    "later",
    [
        [(365, 0, "a")],
        [(365, 0, "a"), (0.1, 0.1, "a")],
        [(365, 0, "a"), (366, 0.1, "a")],
        [(-400, 0, "a"), (0.1, 0.1, "a")],
        [(0, 0, "a"), (90, 90, "a")],
        [(365, 0.001, "b"), (366, 0.01, "c")],
        [(59, 0.001, "b"), (60, 0.002, "b")],
        [(59, 0.001, "b"), (60, 0.001, "c"), (60.1, 0.1, "c")],
        [(365, 0.01, ""), (0.1, 0.02, ""), (365, 0.03, ""), (366, 0.04, "")],
        [(365, 0.01, ""), (0.9, 0.9, ""), (365, 1, ""), (366, 1.1, "")],
    ],
    ids=[
        *("a year ahead", "and put right", "a day more within the hour", "a year behind", "asleep"),
        *("a day more in the next start", "59 and 60 days", "over two starts", "forth, back, forth, a day more"),
        "right for the most of a day",
    ],
)
def test_deleting_needs_a_plausible_clock(session: Session, monkeypatch: pytest.MonkeyPatch, later: Runs) -> None:
    """One that jumps deletes nothing, within a start of the machine or over one."""
    recent = [_old(session, f"old-{number}", 15 + number) for number in range(9)]
    for days, counted, boot in [(0, 0, "a"), *later]:
        monkeypatch.setattr(aging, "counter", lambda told=(boot, counted * DAY): told)
        pruning.prune(session._replace(now=session.now + days * DAY))
    assert all(folder.exists() for folder in recent)


@pytest.mark.parametrize(
    "runs",
    [
        [(0, 5, "a"), (0.5, 5.5, "a"), (0.9, 5.9, "a")],
        [(0, 0.01, "a"), (1, 0.01, "b"), (2, 0.01, "c"), (3, 0.01, "d")],
        [(0, 0.01, ""), (0.4, 0.4, ""), (1, 0.01, ""), (1.4, 0.4, "")],
        [(0, 0.9, "a"), (-300, 0.001, "b"), (1, 0.01, "c"), (1.9, 0.9, "c")],
    ],
    ids=["it runs on", "started every day", "and without a name of the start", "wrong for a start"],
)
def test_what_is_due_goes_in_the_end(session: Session, monkeypatch: pytest.MonkeyPatch, runs: Runs) -> None:
    """Also on a machine that is started every day, and after a clock that was wrong."""
    old, there = _old(session, "old", 90), []
    for days, counted, boot in runs:
        monkeypatch.setattr(aging, "counter", lambda told=(boot, counted * DAY): told)
        pruning.prune(session._replace(now=session.now + days * DAY))
        there.append(old.exists())
    assert there == [True] * (len(runs) - 1) + [False]


def test_what_a_clone_notes_as_going_deletes_nothing(session: Session) -> None:
    """Only the marks of this machine count, and a link in the note's place is not followed."""
    old = _old(session, "old", 90)
    note = Path(session.state, "going.json")
    for made in ("", "1 2", provenance.mark(session.state)):
        note.write_text(json.dumps({"made": made, "clock": [session.now - DAY, "", 0], "due_for": {"old": DAY}}))
        pruning.prune(session)
        assert old.exists()
    assert json.loads(note.read_text())["due_for"] == {"old": 0}
    torn: dict[str, Any]
    of_an_older_version = {"clock": [session.now - DAY, "", 0], "since": {"old": session.now - DAY}}
    for torn in (
        *({"clock": []}, {"clock": [session.now], "due_for": 3}, {"due_for": {"old": "x"}, "clock": [0, "", 0]}),
        of_an_older_version,
    ):
        note.write_text(json.dumps({"made": provenance.mark(session.state), **torn}))
        pruning.prune(session)
        assert old.exists()
