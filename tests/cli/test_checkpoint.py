import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.cli import main as cli
from holdfast.session.context import PROGRAM
from tests.cli.conftest import Make, Says

COMMAND = ("checkpoint",)
ID = "3a6f6312-20f0-4443-a77f-85e4c5ba5e54"
TODOS = [
    {"content": "read", "status": "completed"},
    {"content": "write", "status": "in_progress"},
    {"content": "test", "status": "pending"},
]


@pytest.fixture
def started(run_hook: Make, payload: Make, transcript: Any) -> None:
    """A session with a goal and a plan, in the middle of a turn: no hook has folded it."""
    run_hook("session_start", payload("SessionStart.startup"))
    transcript.user("Fix the login.\nRULE: never touch b.py")
    transcript.did("TodoWrite", todos=TODOS)


@pytest.fixture
def folder(state: Path) -> Path:
    return state / "sessions" / ID / "checkpoints"


@pytest.mark.usefixtures("started")
def test_save_show_list_resume(says: Says, folder: Path, project: Path) -> None:
    assert says("list") == f"no checkpoint yet ({folder})\n"
    assert says("save", "--note", "about to rebase; old tip 1a2b") == f"checkpoint 0001 saved: {folder}/0001.md\n"
    shown = says("show")
    assert shown.index("> about to rebase") < shown.index("> Fix the login")
    assert "- in progress: write\n- planned: test\n- ticked off as done: read\n" in shown
    assert "saved by hand: about to rebase" in says("list")
    facts = json.loads(says("show", "1", "--json"))
    assert (facts["window"], facts["constraints"]) == (f"{ID}-1", ["never touch b.py"])
    text = says("resume")
    assert text.startswith("# Take up the work of checkpoint 0001\n")
    assert "### Note\n> about to rebase" in text
    assert f"- Directory {project}.\n" in text
    assert "- Step at hand: write\n" in text
    assert "saved by hand: about to rebase" in (project / ".claude" / "holdfast" / "logs" / "progress.md").read_text()


@pytest.mark.usefixtures("started")
def test_what_is_stale_or_torn_is_refused(says: Says, folder: Path) -> None:
    """With what, where and what to do; the newest whole one serves in its place."""
    for _ in range(3):
        says("save")
    (folder / "0003.json").write_text((folder / "0003.json").read_text()[:-40])
    refused = says("resume", "1", code=1)
    assert "checkpoint 0001 is older than the newest, 0002, so it is refused. Resume 0002" in refused
    assert refused.endswith("checkpoint show 1`\n")
    for action in ("resume", "show"):
        assert "0003 is damaged, or of another version. The newest whole one is 0002" in says(action, "3", code=1)
        assert "there is no checkpoint 0009. The newest whole one is 0002" in says(action, "9", code=1)
    assert says("resume").startswith("# Take up the work of checkpoint 0002\n")
    assert says("show", "1").startswith("# Checkpoint 0001")
    states = [row["state"] for row in json.loads(says("list", "--json"))["checkpoints"]]
    assert states == ["whole", "newest", "torn"]
    assert ["whole, newest" in line for line in says("list").splitlines()[1:]] == [False, True, False]


@pytest.mark.usefixtures("started")
def test_drift_and_later_work_are_stated(says: Says, project: Path, transcript: Any) -> None:
    (project / "a.py").write_text("1\n")
    transcript.did("Edit", file_path=str(project / "a.py"))
    says("save")
    assert "- no drift was found\n" in says("resume")
    (project / "a.py").unlink()
    transcript.user("and now?")
    text = says("resume")
    assert f"- DRIFT: {project}/a.py is gone\n" in text
    assert "- LATER: the session went on after this checkpoint; " in text


@pytest.mark.usefixtures("started")
def test_a_fresh_session_resumes_the_one_before(
    says: Says, run_hook: Make, payload: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no checkpoint of its own; what it saves is its own."""
    says("save")
    run_hook("session_start", payload("SessionStart.startup", session_id="fresh", transcript_path="/none"))
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "fresh")
    assert f"Window {ID}-1" in says("resume")
    assert "/sessions/fresh/checkpoints/0001.md" in says("save")
    assert "Window fresh-1" in says("resume")
    assert f"Window {ID}-1" in says("resume", "--session", ID)


@pytest.mark.usefixtures("started")
@pytest.mark.parametrize("kind", ["project", "clone"])
def test_never_anothers(says: Says, folder: Path, run_hook: Make, payload: Make, kind: str) -> None:
    """Not another project's, where they share a state folder, and none that a clone has brought."""
    says("save")
    data = json.loads((folder / "0001.json").read_text())
    run_hook("session_start", payload("SessionStart.startup", session_id="other", transcript_path="/none"))
    other = folder.parents[1] / "other"
    if kind == "project":
        data["environment"]["directory"] = "/elsewhere"
    newer = {**data, "time": data["time"] + 1_000, "window": "other-1"}
    (other / "checkpoints" / "0001.json").write_text(json.dumps(newer))
    if kind == "clone":
        (other / "here").unlink()
    assert f"Window {ID}-1" in says("resume")


@pytest.mark.usefixtures("started")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["show"], f"there is no whole checkpoint. Save one: `{PROGRAM} checkpoint save`"),
        (["resume"], "there is no whole checkpoint"),
        (["save", "--note", "x" * 1_001], "the note has 1,001 characters"),
    ],
    ids=["show", "resume", "note"],
)
def test_what_cannot_be_done_is_said(arguments: list[str], told: str, says: Says, folder: Path) -> None:
    assert told in says(*arguments, code=1)
    assert list(folder.iterdir()) == []


STATES = st.sampled_from([row["status"] for row in TODOS])
LISTS = st.lists(st.dictionaries(st.sampled_from(("alpha", "bravo", "charlie")), STATES), min_size=1, max_size=3)


@pytest.mark.usefixtures("started")
@settings(max_examples=12)
@given(lists=LISTS)
def test_tasks_keep_their_state_through_save_show_resume(
    lists: list[dict[str, str]], transcript: Any, says: Says
) -> None:
    """Planned is never done; finished and dropped never come back as to do."""
    for items in lists:
        transcript.did("TodoWrite", todos=[{"content": text, "status": status} for text, status in items.items()])
    says("save")
    done = {text for text, status in lists[-1].items() if status == "completed"}
    tasks = json.loads(says("show", "--json"))["tasks"]
    assert set(tasks["done"]) == done
    assert set(tasks["planned"]) == {text for text, status in lists[-1].items() if status == "pending"}
    rows = [line.partition(": ") for line in says("resume").splitlines()]
    told = {name: set(texts.split("; ")) for name, _, texts in rows}
    assert told.get("- ticked off as done", set()) == done
    assert told.get("- planned", set()) | told.get("- in progress", set()) <= lists[-1].keys() - done


@pytest.mark.parametrize("linked", ["session", "checkpoints"])
def test_nothing_is_saved_or_removed_through_a_link_of_a_clone(tmp_path: Path, state: Path, linked: str) -> None:
    """In the place of a session's folder, or of the one in it; older files there are the user's own."""
    elsewhere, folder = tmp_path / "elsewhere", state / "sessions" / "zz"
    elsewhere.mkdir()
    for number in range(1, 40):
        (elsewhere / f"{number:04d}.json").write_text("{}")
    (elsewhere / "calls.log").write_text("")
    before = sorted(elsewhere.iterdir())
    (state / "sessions").mkdir(parents=True)
    if linked == "session":
        folder.symlink_to(elsewhere)
    else:
        folder.mkdir()
        (folder / "calls.log").write_text("")
        (folder / "checkpoints").symlink_to(elsewhere)
    for named in ([], ["--session", "zz"]):
        assert cli.main(["checkpoint", "save", *named]) == 1
    assert sorted(elsewhere.iterdir()) == before
