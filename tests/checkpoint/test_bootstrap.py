from typing import Any

from holdfast.checkpoint import bootstrap, model
from holdfast.worklog import fold


def data(**changes: Any) -> dict[str, Any]:
    """A stored checkpoint of this work."""
    work = {**fold.empty(), **changes}
    known = {"environment": {"branch": "main", "commit": "a" * 40}, "reason": "commit", "session": "s1"}
    return {"number": 7, "stamp": "2027-01-15 10:00:00", **known, **model.contents(work, {}, "s1")}


FOUND = bootstrap.Found(
    "5 min",
    "/c/0007.md",
    {"branch": "other", "commit": "a" * 40},
    ("the branch is now other; it was main",),
    (3, 4),
    "LATER: more",
)
PLAN = [
    {"text": "read", "status": "completed"},
    {"text": "write", "status": "in_progress"},
    {"text": "test", "status": "pending"},
    {"text": "cache", "status": "cancelled"},
]


def test_orient_load_verify_resume() -> None:
    """In this order; each difference stated, what is the same too; the step at hand, and what not to do again."""
    failed = {"kind": "failed", "text": "bcrypt did not work", "by": "assistant", "n": 1}
    text = bootstrap.whole(data(goal="Fix it", todos=PLAN, notes=[failed]), FOUND)
    order = [
        "# Take up the work of checkpoint 0007",
        "saved 5 min ago (2027-01-15 10:00:00; commit)",
        "## 1. Orient\n- Branch other, commit aaaaaaaaa.\n",
        "the page stands at /c/0007.md",
        "## 2. State of the work",
        "### Objective, in the user's words\n> Fix it\n",
        "### Plan\n- in progress: write\n- to do: test\n- done: read\n- cancelled: cache\n",
        "## 3. Environment, as found now\n- commit as recorded: aaaa",
        "- 3 of 4 recorded files are there\n- DRIFT: the branch is now other; it was main\n- LATER: more\n",
        "## 4. Go on\n- Step at hand: write\n- Do not do again, it is done or was called off: read; cache\n",
        "- Do not retry what stands under failed approaches.",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)


def test_nothing_open_is_not_made_up() -> None:
    """All done: the user says what comes next."""
    text = bootstrap.whole(data(todos=PLAN[:1]), FOUND._replace(drift=(), later="", files=(0, 0)))
    assert "- no drift was found\n" in text
    assert "- No open task is recorded: ask the user what comes next.\n" in text
    assert "Step at hand" not in text


def test_a_new_session_gets_a_few_lines() -> None:
    """Which session, where its checkpoint is, the state, and how to get all of it; done work is only counted."""
    title, lines = bootstrap.cut_off(data(goal="Fix it", todos=PLAN, changed=["/p/a.py"]), FOUND)
    assert title == "The last session here was cut off"
    assert lines[0] == (
        "Session s1 ended without its SessionEnd (killed or crashed). Its newest whole checkpoint is 0007, 5 min old: "
        "/c/0007.md"
    )
    assert lines[1:-1] == [
        "- task: Fix it",
        "- in progress: write",
        "- to do: test",
        "- done: 1 of the plan's items",
        "- files changed: a.py",
        "- drift: the branch is now other; it was main",
    ]
    assert "`holdfast checkpoint resume --session s1`" in lines[-1]


def test_the_session_itself_is_told_what_it_was_restored_from() -> None:
    """The checkpoint's number and place."""
    _, lines = bootstrap.restored(data(), FOUND)
    assert "restored from checkpoint 0007, the newest whole one, 5 min old: /c/0007.md" in lines[0]


def test_a_note_tells_its_age() -> None:
    """And nothing is nothing."""
    assert bootstrap.note({}, "1 s")[1] == []
    assert bootstrap.note({"note": {"text": "a\nb"}}, "1 s")[1] == ["Left 1 s ago:", "> a", "> b"]
    assert bootstrap.note({"note": {"text": "a", "number": 3}}, "1 h")[1] == ["Left with checkpoint 3 1 h ago:", "> a"]
