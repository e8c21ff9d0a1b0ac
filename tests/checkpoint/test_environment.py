import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.checkpoint import environment
from holdfast.checkpoint.model import Environment
from holdfast.hot.paths import InSession
from tests.checkpoint.made import PAST, repository, state
from tests.checkpoint.made import run_git as git

Make = Callable[..., Any]


@pytest.fixture
def session(event_of: Make, session_of: Make, project: Path) -> Any:
    """A session in a repository with a.py and b.py committed, whose last call was then."""
    repository(project)
    opened = session_of(event_of("Stop"))
    os.utime(opened.path(InSession.CALLS), (PAST, PAST))
    return opened


def work(session: Any, *names: str, **more: Any) -> Any:
    """A state that has changed these files of the project, and one elsewhere."""
    return state(changed=["/elsewhere.py", *(f"{session.project}/{name}" for name in names)], **more)


def test_the_place_is_recorded(session: Any, project: Path) -> None:
    (project / "b.py").write_text("22\n")
    (project / ".git/info/exclude").write_text("*.log\n")
    (project / "c.log").write_text("1\n")
    found = environment.environment(session, work(session, "a.py", "b.py", "c.log", "gone.py"))
    assert found == {
        "directory": str(project),
        "branch": "main",
        "commit": git(project, "rev-parse", "HEAD"),
        "files": ["a.py", "b.py", "c.log"],
        "dirty": ["b.py"],
        "clean": ["a.py"],
        "staged": [],
        "upstream": "",
        "ahead": 0,
        "behind": 0,
    }


def test_what_is_not_committed_is_told_by_its_own_path(session: Any, project: Path) -> None:
    """In a folder that is new as a whole too; none for the name that it has in another folder, nor for a longer one."""
    for name in ("new/deep/c.py", "old/a.py"):
        (project / name).parent.mkdir(parents=True)
        (project / name).write_text("1\n")
    git(project, "add", "old")
    (project / "newer.py").write_text("1\n")
    git(project, "add", "newer.py")
    git(project, "commit", "-qm", "newer", "newer.py")
    found = environment.environment(session, work(session, "a.py", "old/a.py", "new/deep/c.py", "newer.py"))
    assert (found["dirty"], found["clean"]) == (["old/a.py", "new/deep/c.py"], ["a.py", "newer.py"])


def test_every_kind_of_drift_is_stated(session: Any, project: Path) -> None:
    now = work(session, "a.py", "b.py")
    before = environment.environment(session, now)
    git(project, "checkout", "-q", "-b", "other")
    git(project, "commit", "-q", "--allow-empty", "-m", "two")
    (project / "a.py").unlink()
    (project / "b.py").write_text("22\n")
    lines = environment.drift(session, now, before, PAST + 10)
    assert lines[0] == "the branch is now other; it was main"
    assert lines[1].startswith("HEAD is now ")
    assert lines[2:] == (f"{project}/a.py is gone", f"{project}/b.py has changed on disk since")
    elsewhere = environment.drift(session, now, {"directory": "/before"}, PAST + 10)
    assert elsewhere == (f"the directory is now {project}; it was /before",)


def test_what_the_session_did_itself_is_no_drift(session: Any, project: Path) -> None:
    """Its own commit after the record, and its own edits up to its last sign."""
    then = work(session, "a.py", "b.py")
    before = environment.environment(session, then)
    (project / "b.py").write_text("22\n")
    git(project, "commit", "-q", "-a", "-m", "two")
    own = work(session, "a.py", "b.py", commits=[f"{git(project, 'rev-parse', '--short', 'HEAD')} two"])
    assert environment.drift(session, own, before, PAST, goes_on=True) == ()
    assert len(environment.drift(session, then, before, PAST, goes_on=True)) == 1


def test_many_files_are_named_in_part(session: Any) -> None:
    before = Environment(files=[f"{n}.py" for n in range(8)])
    (line,) = environment.drift(session, work(session), before, PAST)
    assert line.endswith("/5.py and 2 more are gone")


def test_without_a_repository(event_of: Make, session_of: Make, project: Path) -> None:
    session = session_of(event_of("Stop"))
    (project / "a.py").write_text("1\n")
    found = environment.environment(session, work(session, "a.py"))
    assert (found["branch"], found["commit"], found["upstream"]) == ("", "", "")
    assert "dirty" not in found
    assert environment.drift(session, work(session), {}, 0.0) == ()
