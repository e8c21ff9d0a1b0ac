"""What a clone tracks below the state folder, by names that it can foresee: none of it gets the user's words."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from holdfast.checkpoint import git
from holdfast.checkpoint import store as checkpoints
from holdfast.compaction import store as compactions
from holdfast.knowledge import store as knowledge
from holdfast.memory import briefing, location, pending_sessions
from holdfast.memory.location import Name
from holdfast.memory.record import wording
from holdfast.memory.search import MemoryQuery, search
from holdfast.memory.store import Memory
from tests.memory import memories
from tests.memory.memories import record

SECRET = "the merger with Okapi closes in May"
NAMES = ("written.log", "forgotten.log", "access.log", "maintained", "made", "here", *Name.COMPILED)
LOGS = ("logs/progress.md", "logs/kept.txt", "logs/compactions.jsonl", "knowledge/L1.md")


def tracked(project: Path, *paths: str) -> Path:
    state = project / ".claude" / "holdfast"
    memories.git(project, "init", "-q")
    for path in paths:
        (state / path).parent.mkdir(parents=True, exist_ok=True)
        (state / path).write_text("")
        memories.git(project, "add", "-f", str(state / path))
    memories.git(project, "commit", "-qm", "x", "--allow-empty")
    return state


def committed(project: Path) -> bytes:
    """All that `git commit -a` takes, whatever it is called."""
    memories.git(project, "commit", "-qam", "y", "--allow-empty")
    memories.git(project, "archive", "-o", "out.tar", "HEAD")
    return (project / "out.tar").read_bytes()


def used(memory: Memory) -> None:
    memory.add(record("decision", 1, title=SECRET, content={"decision": SECRET}, tags=["rule"], trust="trusted"))
    briefing.renew(Memory(memory.folder), 1_800_000_000.0)
    memory.used([record(number=1).id], 1_800_000_000.0)
    search([memory], MemoryQuery("Okapi merger", 5), 1_800_000_000.0)
    memory.tidy()


@pytest.mark.parametrize("place", [".", "packages/a"])
def test_what_a_clone_tracks_in_a_memory_gets_none_of_its_words(tmp_path: Path, place: str) -> None:
    """Also in a part of a repository; what is left is what this machine needs, and git sees none of it."""
    project = tmp_path / place
    state = project / ".claude" / "holdfast"
    inner = os.path.normpath(f"{place}/.claude/holdfast")
    tracked(tmp_path, *(f"../../{inner}/memory/.cache/{name}" for name in NAMES))
    memory = Memory(str(state / "memory"))
    used(memory)
    assert SECRET.encode() not in committed(tmp_path)
    assert memory.cache.startswith(str(tmp_path / ".git" / "holdfast"))
    assert [one.trust for one in Memory(memory.folder).in_use(1_800_000_000.0)] == ["trusted"]


def test_a_cache_from_before_moves_without_loss(tmp_path: Path) -> None:
    memory = Memory(str(tmp_path / ".claude" / "holdfast" / "memory"))
    used(memory)
    assert memory.cache == f"{memory.folder}/.cache"
    memories.git(tmp_path, "init", "-q")
    again = Memory(memory.folder)
    assert again.cache.startswith(f"{tmp_path}/.git/holdfast/")
    assert [one.trust for one in again.in_use(1_800_000_000.0)] == ["trusted"]
    assert again.uses()
    assert not Path(memory.cache).exists()


def test_a_worktree_and_a_submodule_have_their_own_repositorys(tmp_path: Path) -> None:
    """A `.git` that only names a repository of somebody's is not written to."""
    main, part = tmp_path / "main", tmp_path / "part"
    for one in (main, part):
        one.mkdir()
        memories.git(one, "init", "-q")
        memories.git(one, "commit", "-q", "--allow-empty", "-m", "x")
    memories.git(main, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(part), "part")
    memories.git(main, "worktree", "add", "-q", str(tmp_path / "tree"))
    forged = tmp_path / "forged"
    forged.mkdir()
    (forged / ".git").write_text(f"gitdir: {main}/.git")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / ".git").symlink_to(main / ".git")
    places = {one: git.own_folder(f"{tmp_path}/{one}/memory") for one in ("main/part", "tree", "forged", "linked")}
    assert places["main/part"].startswith(f"{main}/.git/modules/part/holdfast/")
    assert places["tree"].startswith(f"{main}/.git/worktrees/tree/holdfast/")
    assert (places["forged"], places["linked"]) == ("", "")


def test_a_cache_that_cannot_stand_elsewhere_is_not_made_among_tracked_files(tmp_path: Path) -> None:
    state = tracked(tmp_path, "memory/.cache/start.json")
    (tmp_path / ".git").rename(tmp_path / "real")
    (tmp_path / ".git").symlink_to("real")
    with pytest.raises(PermissionError, match="git tracks it"):
        location.note(str(state / "memory"), Name.WRITTEN, [wording(record())])


@pytest.mark.parametrize("spelling", [str.lower, str.upper])
@pytest.mark.parametrize("version", ["2", "4"])
def test_nothing_private_is_written_into_a_tracked_file(
    at: Any, monkeypatch: pytest.MonkeyPatch, version: str, spelling: Any
) -> None:
    """Whichever form git's index has, and whatever its spelling on a disk that does not tell A from a."""
    _, session = at("Stop")
    project = Path(session.project)
    state = tracked(project, *map(spelling, LOGS))
    memories.git(project, "update-index", "--index-version", version)
    assert git.tracked(str(state), [*LOGS, "sessions.log"]) == list(LOGS)
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file() and ".git" not in path.parts}
    with pytest.raises(PermissionError, match="git tracks it"):
        checkpoints.add_progress(f"{state}/logs/progress.md", "x", [("task", SECRET)])
    with pytest.raises(PermissionError, match="git tracks it"):
        compactions.add(f"{state}/logs/compactions.jsonl", {"instructions": SECRET})
    with pytest.raises(PermissionError, match="git tracks it"):
        knowledge.write(f"{state}/knowledge", "L1.md", SECRET)
    pending_sessions.tell_later(session, SECRET)
    assert {path: path.read_bytes() for path in before} == before
    assert SECRET.encode() not in committed(project)


def test_a_start_says_what_git_tracks(fire: Any, project: Path) -> None:
    tracked(project, "logs/progress.md", "logs/kept.txt", "config.json", "memory/shared/decisions/x.md")
    assert "git tracks logs/progress.md, logs/kept.txt in" in fire("SessionStart.startup").user


@pytest.mark.parametrize("part", ["\u00dcbung", "U\u0308bung/\u010cas", "plain"])
def test_a_folder_of_any_letters_is_found_in_gits_index(tmp_path: Path, part: str) -> None:
    memories.git(tmp_path, "init", "-q")
    state = tmp_path / part / ".claude" / "holdfast"
    state.mkdir(parents=True)
    (state / "progress.md").write_text("")
    memories.git(tmp_path, "add", "-f", ".")
    assert git.tracked(str(state), ["progress.md", "kept.txt"]) == ["progress.md"]


def test_what_a_sparse_index_leaves_out_is_tracked_all_the_same(tmp_path: Path) -> None:
    """It has the folder alone, and the next checkout of all brings what was written there into a commit."""
    state = tracked(tmp_path, *LOGS)
    memories.git(tmp_path, "sparse-checkout", "set", "--cone", "--sparse-index", "none")
    assert git.tracked(str(state), [*LOGS, "sessions.log"]) == list(LOGS)


@pytest.mark.parametrize(("link", "leads"), [(".claude", "docs"), (".claude/holdfast", "../docs/holdfast")])
def test_what_git_tracks_behind_a_clones_link_is_found(at: Any, link: str, leads: str) -> None:
    _, session = at("SessionStart.startup")
    project = Path(session.project)
    shutil.rmtree(project / ".claude")
    (project / "docs" / "holdfast").mkdir(parents=True)
    (project / link).parent.mkdir(exist_ok=True)
    (project / link).symlink_to(leads)
    state = tracked(project, *(f"../../docs/holdfast/{name}" for name in LOGS))
    assert git.tracked(str(state), [*LOGS, "sessions.log"]) == list(LOGS)
    pending_sessions.tell_later(session, SECRET)
    assert pending_sessions.waiting_lines(session) == []
    assert all((project / "docs" / "holdfast" / name).read_bytes() == b"" for name in LOGS)


def test_a_submodule_in_the_place_of_a_memorys_folder_sees_none_of_its_records(tmp_path: Path) -> None:
    """The ignore file of the memory does not reach into it."""
    inner = tmp_path / "inner"
    inner.mkdir()
    memories.git(inner, "init", "-q")
    memories.git(inner, "commit", "-qm", "x", "--allow-empty")
    memories.git(tmp_path, "init", "-q")
    place = ".claude/holdfast/memory/decisions"
    memories.git(tmp_path, "-c", "protocol.file.allow=always", "submodule", "add", "-q", "-f", str(inner), place)
    memory = Memory(str(tmp_path / ".claude" / "holdfast" / "memory"))
    memory.add(record("decision", 1, content={"decision": SECRET}))
    memories.git(tmp_path / place, "add", "-A")
    assert SECRET.encode() not in committed(tmp_path / place)
    assert len(memory.in_use(1_800_000_000.0)) == 1
