"""Which sessions are still to be put away, and what is known of those before."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from holdfast.hot import provenance
from holdfast.hot.fingerprint import fingerprint
from holdfast.memory import pending_sessions
from holdfast.session import liveness
from holdfast.text.dates import DAY
from tests.conftest import over
from tests.memory.memories import git, worktree

Make = Callable[..., Any]


@pytest.fixture
def session(event_of: Make, session_of: Make) -> Make:
    """`session("one", begin=True)`: a session of the project."""

    def build(name: str, begin: bool = False, now: float = 1_000.0) -> Any:
        event = event_of("SessionStart.startup", session_id=name)
        made = session_of(event, now)
        if begin:
            pending_sessions.add(made)
            liveness.opened(event, made)
        return made

    return build


@pytest.mark.parametrize("odd", [5, "x", {}, [5, [1], None]], ids=str)
def test_what_is_noted_of_no_record_is_none(session: Make, odd: object) -> None:
    one = session("one", begin=True)
    one.write(pending_sessions.FILE, {"epoch": 0, "told": odd})
    assert pending_sessions.told(one) == []


def names(found: list[Any]) -> list[str]:
    return [one.folder.rsplit("/", 1)[1] for one in found]


def test_one_that_was_killed_in_a_worktree(
    session: Make, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next start in any checkout finds it, as it was; it counts for all of them."""
    tree, at_home = worktree(project, tmp_path / "tree"), session("home")
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tree))
    killed = session("killed", begin=True)
    assert not (tree / ".claude" / "holdfast" / "unsaved").exists()
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", at_home.project)
    [found] = pending_sessions.pending(at_home)
    assert (found.project, found.state, found.folder) == (str(tree), killed.state, killed.folder)
    pending_sessions.mark_done(found, "cut off", 1_000.0)
    assert pending_sessions.pending(at_home) == []
    assert pending_sessions.before(at_home)[0] == 1


def test_a_note_that_a_clone_has_brought_makes_no_child(session: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever process it names: that of the clones' own session would be above each of ours."""
    monkeypatch.setenv("CLAUDE_PID", str(os.getpid()))
    above = liveness.parent_of(liveness.client())
    forged(session("one"), "evil", open=above).write_text(json.dumps({"begun": 1, **above}))
    assert pending_sessions.noted(session("mine", begin=True))["child"] is False


def note_of(state: str, name: str) -> Path:
    seal = fingerprint(f"{provenance.marked(state)} {name}".encode())
    return Path(state, "unsaved", f"{name}.{seal}")


def test_notes_that_a_clone_has_brought_are_not_read(session: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many they are: none of their names has the seal of this machine."""
    one, two = session("one", begin=True), session("two", begin=True)
    for number in range(500):
        Path(one.state, "unsaved", f"n{number}.x").write_text('{"begun": 1}')
    read = Mock(wraps=liveness.noted)
    monkeypatch.setattr(liveness, "noted", read)
    assert names(pending_sessions.pending(two)) == ["one"]
    assert read.call_count < 5


def forged(session: Any, name: str, **last: Any) -> Path:
    folder = Path(session.state, "sessions", name)
    folder.mkdir(parents=True)
    (folder / "last.json").write_text(json.dumps({"transcript": "t.jsonl", "ended": "exit", **last}))
    note = note_of(session.state, name)
    note.parent.mkdir(exist_ok=True)
    note.write_text('{"begun": 1}')
    return note


def test_a_session_that_a_clone_has_brought_is_not_put_away(session: Make) -> None:
    one = session("one")
    note = forged(one, "evil")
    copied = forged(one, "copied", made=session("two", begin=True).read("last.json")["made"])
    assert names(pending_sessions.pending(one)) == ["two"]
    assert note.read_text() == copied.read_text() == '{"begun": 1}'


def test_a_link_in_the_place_of_the_notes_leads_nowhere(session: Make, tmp_path: Path) -> None:
    """What it leads to is not read, not removed, and gets no note."""
    (tmp_path / "thesis.txt").write_text("x")
    one = session("one")
    gone = note_of(one.state, "gone").name
    (tmp_path / gone).write_text('{"begun": 1}')
    Path(one.state, "unsaved").symlink_to(tmp_path)
    assert pending_sessions.pending(one) == []
    with pytest.raises(OSError, match="a link or a file stands"):
        pending_sessions.add(one)
    pending_sessions.drop(one._replace(folder=f"{one.state}/sessions/gone"))
    assert pending_sessions.noted(one._replace(folder=f"{one.state}/sessions/gone"))["begun"] == 0.0
    assert sorted(path.name for path in tmp_path.iterdir()) == [gone, "thesis.txt"]


def test_a_link_in_a_sessions_place_is_not_put_away(session: Make, tmp_path: Path) -> None:
    """Whether its folder is one or its note: what they lead to says nothing here, and stays as it is."""
    one, two, asks = session("one", begin=True), session("two", begin=True), session("asks")
    note = note_of(one.state, "one")
    for place, name in ((note, "note"), (Path(two.folder), "folder")):
        place.rename(tmp_path / name)
        place.symlink_to(tmp_path / name)
    brought = (tmp_path / "note").read_text()
    assert pending_sessions.noted(one)["begun"] == 0.0
    assert names(pending_sessions.pending(asks)) == ["one"]  # its own folder says that it is over
    pending_sessions.note_try(one)
    assert (tmp_path / "note").read_text() == brought
    assert (tmp_path / "folder" / "last.json").is_file()


def test_a_session_is_tried_a_few_times_a_day(session: Make) -> None:
    one = session("one", begin=True)
    for number in range(3):
        assert names(pending_sessions.pending(session("new", now=1_000.0 + number))) == ["one"]
        pending_sessions.note_try(one._replace(now=1_000.0 + number))
    assert pending_sessions.pending(session("new", now=1_010.0)) == []
    assert names(pending_sessions.pending(session("new", now=1_010.0 + DAY))) == ["one"]
    note_of(one.state, "one").write_text('{"tried": ["x", null, 1e999]}')
    assert names(pending_sessions.pending(session("new", now=1_010.0))) == ["one"]


def test_the_sessions_are_counted_once_each(session: Make) -> None:
    """One that is resumed and ends again is no new one, but it was the last to end."""
    one, two = session("one", begin=True), session("two", begin=True, now=2_000.0)
    pending_sessions.mark_done(one, "clear", 1_000.0)
    pending_sessions.mark_done(two, "other", 2_000.0)
    pending_sessions.mark_done(one, "prompt_input_exit", 3_000.0)
    assert pending_sessions.before(two) == (2, 3_000.0, "prompt_input_exit")


@pytest.mark.parametrize("text", ["", "no line\n", "x y z\n", "3", "3 900 clear\n", "3 900 clear \n", "{line}\n"])
def test_what_a_clone_says_of_earlier_sessions_is_not_told(session: Make, text: str, tmp_path: Path) -> None:
    """Nor a torn line; one that this machine has written counts, in the folder where it was written."""
    one = session("one")
    forged = fingerprint(f"{provenance.mark(str(tmp_path))} 3 900 clear".encode())
    log, line = Path(one.state, "logs/sessions.log"), text.format(line=f"3 900 clear {forged}")
    log.write_text(line)
    assert pending_sessions.before(one) == (0, 0.0, "")
    pending_sessions.mark_done(one, "clear", 900.0)
    log.write_text(log.read_text() + line)
    assert pending_sessions.before(one) == (1, 900.0, "clear")


@pytest.mark.parametrize(("runs", "again"), [(True, False), (False, False), (False, True)])
def test_one_whose_worktree_is_gone_has_a_folder_here_once_it_is_over(
    session: Make,
    event_of: Make,
    project: Path,
    tmp_path: Path,
    transcript: Any,
    monkeypatch: pytest.MonkeyPatch,
    runs: bool,
    again: bool,
) -> None:
    """Its last sign is its transcript's; how it ended nobody could note. Also where another has the worktree's name."""
    tree, at_home = worktree(project, tmp_path / "tree"), session("home")
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tree))
    monkeypatch.setenv("CLAUDE_PID", str(os.getpid()) if runs else over())
    transcript.user("Fix it")
    os.utime(transcript.path, (900.0, 900.0))
    one = session("one")
    liveness.opened(event_of("SessionStart.startup", session_id="one"), one)
    pending_sessions.add(one)
    shutil.rmtree(tree)
    if again:
        git(project, "worktree", "prune")
        git(project, "worktree", "add", "-q", str(tree))
        os.utime(tree / ".git", (1_001.0, 1_001.0))
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", at_home.project)
    found = pending_sessions.pending(at_home)
    assert names(found) == ([] if runs else ["one"])
    for other in found:
        assert (other.project, other.state) == (at_home.project, at_home.state)
        last = liveness.noted(other.folder)
        assert (last["ended"], last["time"], last["begun"]) == ("other", 900.0, 1_000.0)
    assert note_of(at_home.state, "one").exists()
