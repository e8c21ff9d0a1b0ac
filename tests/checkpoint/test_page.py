from hypothesis import given
from hypothesis import strategies as st

from holdfast.checkpoint import page
from tests.checkpoint.made import HERE, checkpoint, prompt, state

PLAN = [
    {"text": "read", "status": "completed"},
    {"text": "write", "status": "in_progress"},
    {"text": "test", "status": "pending"},
    {"text": "cache", "status": "cancelled"},
]


def test_the_page_says_what_the_json_says() -> None:
    """Note first; place, reason, figures; then the state, most important first, each part once."""
    work = state(
        messages=20,
        prompts=[prompt("Fix it\n## Plan\nnow"), prompt("Keep CI green", 2)],
        todos=PLAN,
        planned={"path": "/p/PLAN.md", "text": "first this", "state": "proposed"},
        changed=["/p/src/a.py", "/p/src/b.py", "/q/c.py"],
        errors=[{"at": "make", "what": "boom", "n": 19, "tried": ["edited a.py"]}],
        tests=[{"command": "pytest", "ok": False, "exit": 2, "end": "1 failed", "n": 3, "times": 1, "test": True}],
        commits=["1234abc Fix"],
    )
    text = page.readable(checkpoint(work, note={"text": "about to rebase", "time": 1.0}))
    order = [
        "# Checkpoint 0007 of 2027-01-15 10:00:00\n",
        "Window s1-1; reason: commit; 12 tool calls; 84,000 tokens in the window of 167,000.\n"
        "Directory /p, branch main, commit aaaaaaaaa.\n",
        "## Note\n> about to rebase\n",
        "> Fix it\n> ## Plan\n> now\n",
        "## The user's latest requests\n> Keep CI green\n",
        "\n## Plan\n- in progress: write\n- to do: test\n- done: read\n- dropped, not to do: cache\n"
        "- plan, proposed in /p/PLAN.md: first this\n",
        "- `make`: boom (since then: edited a.py)\n",
        "## Files changed\n- /q/: c.py\n- src/: b.py, a.py\n",
        "## Not committed\n- src/: b.py\n",
        "- `pytest`: exit 2; 1 failed\n- commit 1234abc Fix\n",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert text.count("\n## Plan\n") == 1


def test_what_was_said_or_run_before_is_told_for_what_it_is() -> None:
    """A request that was made twice stands once; a test run from before the last edit says so."""
    asked = [prompt(text, n) for n, text in enumerate(("Fix it", "go on", "Test it", "go on"))]
    run = {"n": 3, "command": "pytest", "ok": True, "exit": 0, "end": ""}
    work = state(prompts=asked, tests=[run], edited=4)
    text = page.readable(checkpoint(work))
    assert "## The user's latest requests\n> Test it\n> go on\n" in text
    assert "- `pytest`: exit 0 (before the last edit)\n" in text


def test_an_empty_record_is_a_short_page() -> None:
    """Sections without content are left out, and what is not known is called so."""
    bare = page.readable(checkpoint(state(), environment={}, tokens=0, limit=0))
    assert "0 tokens in the window.\nBranch (none), commit (none).\n" in bare
    assert "##" not in bare


@given(st.text(max_size=300))
def test_no_text_of_the_session_makes_a_heading(text: str) -> None:
    """The user's words and the assistant's are quoted line by line, everything else stands on one."""
    marks = [{"kind": kind, "text": text, "by": "user", "n": 1} for kind in ("rule", "bug", "lesson")]
    work = state(prompts=[prompt(text), prompt(text, 2)], last_message={"n": 1, "text": text}, marks=marks)
    made = page.readable(checkpoint(work, note={"text": text, "time": 1.0}))
    titles = {title for title, _ in page.sections(checkpoint(work, note={"text": text, "time": 1.0}))}
    assert {line[3:] for line in made.split("\n") if line.startswith("## ")} == titles


def test_orient_load_verify_resume() -> None:
    """In this order; each difference stated, what is the same too; the step at hand, and what not to do again."""
    found = HERE._replace(drift=("the branch is now other; it was main",), later="LATER: more")
    text = page.taken_up(checkpoint(state(prompts=[prompt("Fix it")], todos=PLAN)), found)
    order = [
        "# Take up the work of checkpoint 0007",
        "saved 5 min ago (2027-01-15 10:00:00; commit)",
        "## 1. Orient\n- Branch other, commit aaaaaaaaa.\n",
        "the page stands at /c/0007.md",
        "## 2. State of the work",
        "### Objective, in the user's words\n> Fix it\n",
        "### Plan\n- in progress: write\n- to do: test\n- done: read\n- dropped, not to do: cache\n",
        "## 3. Environment, as found now\n- commit as recorded: aaaa",
        "- DRIFT: the branch is now other; it was main\n- LATER: more\n",
        "## 4. Go on\n- Step at hand: write\n- Do not do again, it is done or was called off: read; cache\n",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)


def test_nothing_open_is_not_made_up() -> None:
    """All done: the user says what comes next."""
    text = page.taken_up(checkpoint(state(todos=PLAN[:1])), HERE)
    assert "- no drift was found\n" in text
    assert "- No open task is recorded: ask the user what comes next.\n" in text
    assert "Step at hand" not in text
