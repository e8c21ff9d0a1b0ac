from hypothesis import given
from hypothesis import strategies as st

from holdfast.checkpoint import page, schema
from tests.checkpoint.made import HERE, TITLES, checkpoint, prompt, state

STEPS = (("read", "completed"), ("write", "in_progress"), ("test", "pending"), ("cache", "cancelled"))
PLAN = [{"text": text, "status": status} for text, status in STEPS]


def test_the_page_says_what_the_json_says() -> None:
    """Place, reason, figures; then the state, the note first and the most important before the rest."""
    work = state(
        messages=20,
        prompts=[prompt("Fix it\n## Plan\nnow"), prompt("Keep CI green on every commit that you make", 2)],
        todos=PLAN,
        planned={"path": "/p/PLAN.md", "text": "first this", "state": "proposed"},
        changed=["/p/src/a.py", "/p/src/b.py", "/q/c.py"],
        left_over=["old step"],
        commits=["1234abc Fix"],
    )
    text = page.readable(checkpoint(work, note={"text": "about to rebase", "time": 1.0}))
    order = [
        "# Checkpoint 0007 of 2027-01-15 10:00:00\n",
        "Window s1-1; reason: commit; 12 tool calls; 84,000 tokens in the window of 167,000.\n"
        "Directory /p, branch main, commit aaaaaaaaa.\n",
        "## Note\n> about to rebase\n",
        "## The user's newest requests, verbatim, the newest last\n> Keep CI green on every commit that you make\n",
        "\n## Plan\n- in progress: write (whole list last changed 2 requests ago)\n"
        "- planned: test\n- ticked off as done: read\n- dropped: cache\n"
        "- no longer on the to-do list, outcome unknown: old step\n"
        "- plan (file: /p/PLAN.md), proposed: first this\n",
        "- changed by this session and not committed: src/b.py\n- made by this session: 1234abc Fix\n",
        "> Fix it\n> ## Plan\n> now\n",
        "## Files changed, newest first\n- /q/: c.py\n- src/: b.py, a.py\n",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert text.count("\n## Plan\n") == 1


def test_an_empty_record_is_a_short_page() -> None:
    bare = page.readable(checkpoint(state(), environment={}, tokens=0, limit=0))
    assert bare.endswith("; its size is not known yet.\n\n")


@given(st.text(max_size=300))
def test_no_text_of_the_session_makes_a_heading(text: str) -> None:
    """What has lines of its own is quoted line by line, everything else stands on one."""
    marks = [{"kind": kind, "text": text, "by": "user", "n": 1} for kind in ("rule", "bug", "lesson")]
    where = {"directory": f"/p{text}", "branch": text, "commit": text, "dirty": [text], "upstream": text}
    work = state(
        prompts=[prompt(text), prompt(text, 2)],
        before={"n": 1, "text": text},
        last_message={"n": 3, "text": text},
        marks=marks,
        changed=[f"/p/{text}"],
        read=[text],
        commits=[text],
        left_over=[text],
        instructions=[text],
        errors=[{"at": text, "what": text, "n": 0, "tried": [text]}],
        tests=[{"command": text, "ok": True, "exit": 0, "end": text, "n": 3}],
        planned={"path": text, "text": text, "state": "proposed"},
    )
    saved = checkpoint(work, note={"text": text, "time": 1.0}, environment={**where, "ahead": 0, "behind": 0})
    headings = [line[3:] for line in page.readable(saved).splitlines() if line.startswith("## ")]
    assert len(headings) == len(set(headings))
    assert set(headings) <= TITLES


def test_orient_load_verify_resume() -> None:
    found = HERE._replace(drift=("the branch is now other; it was main",), later="LATER: more")
    text = page.taken_up(checkpoint(state(prompts=[prompt("Fix it")], todos=PLAN)), found)
    order = [
        "# Take up the work of checkpoint 0007",
        "saved 5 min ago (2027-01-15 10:00:00; commit)",
        "## 1. Orient\n- Branch other, commit aaaaaaaaa.\n",
        "the page stands at /c/0007.md",
        "## 2. State of the work",
        "### The user's newest requests, verbatim, the newest last\n> Fix it\n",
        "- in progress: write (whole list last changed 1 request ago)\n- planned: test\n",
        "\n- ticked off as done: read\n- dropped: cache\n",
        "## 3. Environment, as found now\n- commit as recorded: aaaa",
        "- DRIFT: the branch is now other; it was main\n- LATER: more\n",
        "## 4. Go on\n- Step at hand: write\n- Do not do again, it is done or was dropped: read; cache\n",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)


def test_whoever_takes_it_up_has_the_record_of_the_last_summary() -> None:
    line = {"kind": "OPEN", "id": "O1", "text": "may the port change?", "told": False, "users": False}
    saved = checkpoint(state(record=[line]))
    assert "- OPEN O1: may the port change?\n" in page.taken_up(saved, HERE)
    assert [one["what"] for one in schema.shown(saved, "").open_issues] == ["may the port change?"]


def test_nothing_open_is_not_made_up() -> None:
    """A line that was marked to do is open where no list names a task."""
    text = page.taken_up(checkpoint(state(todos=PLAN[:1])), HERE)
    assert "- no drift was found\n" in text
    assert "## 4. Go on\n- No open task is recorded: ask the user what comes next.\n" in text
    marks = [{"kind": "todo", "text": "add discounts", "by": "assistant", "n": 1}]
    text = page.taken_up(checkpoint(state(marks=marks, prompts=[prompt("Fix it")])), HERE)
    assert "## 4. Go on\n- Marked to do: add discounts; the latest request was: Fix it\n" in text
