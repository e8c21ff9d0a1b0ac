"""What is one person's and what a team shares: what git sees of it, and what clones make of each other's records."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.cli.main import main
from holdfast.memory import briefing
from holdfast.memory.record import beside, unsettled
from holdfast.memory.store import Memory, project_memory, users_memory
from tests.memory.memories import brought, git, record

Make = Callable[..., Any]
WHEN = "2026-11-05T10:00:0{}Z"


@pytest.fixture
def shares(state: Path) -> None:
    home = state.parents[2] / "home" / ".claude" / "holdfast"
    home.mkdir(parents=True)
    (home / "config.json").write_text(json.dumps({"memory.mode": "shared"}))


def listed(project: Path) -> list[str]:
    """What git would publish."""
    git(project, "add", "-A")
    done = subprocess.run(["git", "ls-files"], cwd=project, check=True, capture_output=True, text=True)
    return [name for name in done.stdout.split() if name.endswith(".md")]


def test_nothing_is_shared_but_what_the_user_lets_through(shares: None, project: Path, capsys: Any) -> None:
    git(project, "init", "-q")
    memory = project_memory(str(project))
    rule, other = memory.add(record("decision", 1)).record, memory.add(record("learning", 2)).record
    memory.add(record("state", 3))
    assert listed(project) == []
    assert main(["memory", "share", rule.code]) == 0
    (name,) = listed(project)
    assert name.startswith(".claude/holdfast/memory/shared/decisions/")
    for told in ("out of git again", "was not shared"):
        capsys.readouterr()
        assert main(["memory", "share", rule.code, "--back"]) == 0
        assert capsys.readouterr().out.startswith(f"{told}: ")
        assert listed(project) == []
    assert {one.id for one in project_memory(str(project)).all()} >= {rule.id, other.id}


def test_what_the_projects_own_ignore_file_hides_is_not_said_to_be_seen(
    shares: None, project: Path, capsys: Any
) -> None:
    git(project, "init", "-q")
    (project / ".gitignore").write_text(".claude/\n")
    rule = project_memory(str(project)).add(record("decision", 1)).record
    assert main(["memory", "share", rule.code]) == 0
    assert capsys.readouterr().out.startswith("hidden by an ignore file of the project's, `git add -f` it: ")
    assert listed(project) == []


def test_no_id_of_a_private_record_leaves_and_the_pair_is_told_all_the_same(shares: None, project: Path) -> None:
    there = project_memory(str(project))
    private = there.add(record("decision", 1)).record
    ids = {"may_contradict": [private.id], "beside": [private.id]}
    leaves = there.add(record("decision", 2, parent=private.id, **ids)).record
    assert main(["memory", "share", leaves.code]) == 0
    there.beside([private.id, there.add(record("decision", 3, may_contradict=[leaves.id])).record.id, leaves.id])
    there.archive(leaves.id, WHEN.format(1))
    assert private.id not in Path(there.find(leaves.id).path).read_text()
    there = project_memory(str(project))
    assert leaves.id in (*unsettled(there.get(private.id)), *beside(there.get(private.id)))


def test_a_secret_written_into_a_file_by_hand_is_not_shared(shares: None, project: Path) -> None:
    there, secret = project_memory(str(project)), "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    path, one, _ = there.add(record("decision", 1))
    Path(path).write_text(Path(path).read_text().replace("holds the orders", f"holds {secret}"))
    assert main(["memory", "share", one.code]) == 0
    assert not Path(path).exists()
    assert [secret in shared.read_text() for shared in Path(there.folder, "shared").rglob("*.md")] == [False]


def test_what_was_taken_back_leaves_nothing_that_git_sees(shares: None, project: Path) -> None:
    """As long as one is shared git sees it; after the last the folder is as it was before."""
    git(project, "init", "-q")
    memory = project_memory(str(project))
    both = [memory.add(record(kind, number)).record.id for number, kind in enumerate(("decision", "learning"), 1)]

    def seen() -> str:
        command = ["git", "status", "--short", "-uall"]
        return subprocess.run(command, cwd=project, check=True, capture_output=True, text=True).stdout

    before = seen()
    assert main(["memory", "share", *both]) == 0
    assert main(["memory", "share", both[0], "--back"]) == 0
    assert seen().count(".md\n") == 1
    assert main(["memory", "share", both[1], "--back"]) == 0
    assert seen() == before


@pytest.mark.parametrize("why", ["a state", "the mode", "the client's shell"])
def test_what_is_not_shared(why: str, state: Path, request: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """Where the work stands; anything while the mode says so; anything that only the agent wants to publish."""
    if why != "the mode":
        request.getfixturevalue("shares")
    one = project_memory("").add(record("state" if why == "a state" else "learning", 1, trust="semi_trusted")).record
    if why == "the client's shell":
        monkeypatch.setenv("CLAUDECODE", "1")
    assert main(["memory", "share", one.id]) == 1
    told = {"a state": "one person's", "the mode": "stays on this machine", "the client's shell": "Ask the user to say"}
    assert told[why] in capsys.readouterr().err
    assert not (state / "memory" / "shared").exists()


def test_a_colleagues_task_is_not_mine(project: Path, start: Make) -> None:
    """A state that came with a pull is not told, whatever its date, and mine stands beside it; a shared rule is."""
    memory = project_memory(str(project))
    mine = memory.add(record("state", 1, content={"task_description": "Mine to do"})).record
    theirs = Memory(str(project.parent / "colleague"))
    state = theirs.add(record("state", 2, time="2026-11-06T00:00:00Z", content={"task_description": "Theirs"})).path
    rule = theirs.add(record("decision", 3, tags=["rule"], content={"decision": "Tabs in makefiles"})).path
    for path, place in ((state, "states"), (state, "shared/states"), (rule, "shared/decisions")):
        (Path(memory.folder) / place).mkdir(parents=True, exist_ok=True)
        (Path(memory.folder) / place / Path(path).name).write_text(Path(path).read_text())
    text = start()
    assert ("Mine to do" in text, "Theirs" in text, "Tabs in makefiles" in text) == (True, False, True)
    assert 'kind="rule" trust="semi_trusted, from the repository' in text
    assert not memory.get(mine.id).archived


@pytest.fixture
def clones(tmp_path: Path) -> list[tuple[Path, Memory]]:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    git(first, "init", "-q", "-b", "main")
    memory = Memory(str(first / ".claude" / "holdfast" / "memory"))
    memory.share(memory.add(record("decision", 1, title="Common", importance=9)).record.id)
    listed(first)
    git(first, "commit", "-qm", "begin")
    git(tmp_path, "clone", "-q", str(first), str(second))
    git(first, "remote", "add", "origin", str(second))
    git(first, "config", "receive.denyCurrentBranch", "ignore")
    return [(first, memory), (second, Memory(str(second / ".claude" / "holdfast" / "memory")))]


def test_clones_merge_by_themselves_in_both_directions(clones: list[tuple[Path, Memory]]) -> None:
    """Ten times at once: both add under the same code and change the same record. No conflict, nothing lost, and both
    come to the same codes, each record found by the one that it was given.
    """
    made = []
    for turn in range(10):
        for number, (project, memory) in enumerate(clones):
            one = memory.add(record("decision", 16 + 2 * turn + number, title=f"By {number} in {turn}")).record
            memory.share(one.id)
            made.append((one.id, one.code))
            common = memory.get(record("decision", 1).id)
            more = {**common.content, "context": f"{common.content['context']}\nnoted by {number} in {turn}"}
            memory.update(common._replace(content=more, archived=WHEN.format(number) if turn == 9 else ""))
            listed(project)
            git(project, "commit", "-qm", f"{turn}")
        for project, _ in clones if turn % 2 else reversed(clones):
            git(project, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
        for project, memory in clones:
            memory.scan()
            memory.settle_codes()
            listed(project)
            git(project, "commit", "-qm", "settled", "--allow-empty")
        for project, _ in clones:
            git(project, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    codes = []
    for _, memory in clones:
        scan = Memory(memory.folder).scan()
        assert scan.problems == []
        assert {name for name, _ in made} < scan.records.keys()
        assert all(name in {one.record.id for one in memory.matching(code)} for name, code in made)
        codes.append({one.record.id: one.record.code for one in scan.records.values()})
        common = memory.get(record("decision", 1).id)
        assert all(
            f"noted by {number} in {turn}" in common.content["context"] for number in (0, 1) for turn in range(10)
        )
        assert common.archived == WHEN.format(1)
    assert codes[0] == codes[1]
    assert len(set(codes[0].values())) == len(codes[0]) == 21


def test_a_code_that_two_clones_gave_is_settled_at_the_next_write(project: Path, capsys: Any) -> None:
    memory = project_memory(str(project))
    for number in (1, 2):
        memory.add(record("decision", number, code="DEC-2026-11-04-001", title=f"Choice {number}"))
    assert main(["memory", "show", "DEC-2026-11-04-001"]) == 0
    told = capsys.readouterr().out
    assert ("Choice 1" in told, "Choice 2" in told) == (True, True)
    assert main(["memory", "list"]) == 0
    assert "not read" not in capsys.readouterr().err
    said = []
    for text in ("Write tests first", "Commit small steps"):
        assert main(["memory", "add", "learning", text]) == 0
        said.append(capsys.readouterr().err)
    assert "DEC-2026-11-04-001 was given twice; 00000002 is DEC-2026-11-04-1002 now, and found by both" in said[0]
    assert said[1] == ""
    assert main(["memory", "show", "DEC-2026-11-04-001"]) == 0
    assert "Choice 2" in capsys.readouterr().out
    assert project_memory(str(project)).get("DEC-2026-11-04-1002").title == "Choice 2"


def test_no_clones_record_takes_the_code_of_ones_own(project: Path) -> None:
    memory = project_memory(str(project))
    own = memory.add(record("decision", 1, title="Use tabs")).record
    brought(Path(memory.folder), record("decision", 2, code=own.code, time="2020-01-01T00:00:00Z", trust="trusted"))
    memory.settle_codes()
    assert project_memory(str(project)).get(own.id).code == own.code


@pytest.mark.parametrize(
    ("old", "new"),
    [("holdfast: 1", "holdfast: 2"), ("number 1", "<<<<<<< HEAD\nnumber 1\n=======\nnumber 3\n>>>>>>> x")],
    ids=["a newer pack", "a merge"],
)
@pytest.mark.parametrize("refuses", [False, True], ids=["", "a disk that keeps nothing"])
def test_a_start_counts_what_it_cannot_read(
    old: str, new: str, refuses: bool, project: Path, start: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it has nothing else to tell: else the user's rules would be gone without a word."""
    path = Path(project_memory(str(project)).add(record("decision", 1, tags=["rule"])).path)
    torn = path.read_text().replace(old, new)
    path.with_name("torn.md").write_text(torn)
    path.unlink()
    if refuses:
        monkeypatch.setattr(briefing, "make_cache", os.rmdir)
    text = start()
    assert "Not read as records: 1 file; `memory check` names them and why." in text
    assert path.with_name("torn.md").read_text() == torn
    mine = Path(users_memory().add(record("decision", 2, tags=["rule"])).path)
    mine.write_text("<<<<<<< HEAD\n" + mine.read_text())
    assert "records: 2 files; `memory check` or `memory check --user` names" in start()
