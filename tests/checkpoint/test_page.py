from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from holdfast.checkpoint import model, page
from holdfast.worklog import fold


def data(**changes: Any) -> dict[str, Any]:
    """A stored checkpoint of this work."""
    work = {**fold.empty(), **changes}
    return {
        "number": 7,
        "stamp": "2027-01-15 10:00:00",
        "reason": "commit",
        "calls": 12,
        "tokens": 84_000,
        "limit": 167_000,
        "environment": {"directory": "/p", "branch": "main", "commit": "a" * 40, "dirty": ["src/b.py"]},
        **model.contents(work, {}, "s1"),
    }


def test_the_page_says_what_the_json_says() -> None:
    """Note first; place, reason, figures; then the state, most important first, each part once."""
    text = page.readable(
        {
            **data(
                goal="Fix it\n## Plan\nnow",
                prompts=[
                    {"text": "Fix it\n## Plan\nnow", "n": 1, "re": ""},
                    {"text": "Make sure that CI stays green", "n": 2, "re": ""},
                ],
                todos=[{"text": "b", "status": "pending"}, {"text": "a", "status": "completed"}],
                changed=["/p/src/a.py", "/p/src/b.py", "/q/c.py"],
                errors=[{"at": "make", "what": "boom", "n": 1, "tried": ["edited a.py"]}],
                tests=[{"command": "pytest", "ok": False, "end": "1 failed"}],
                commits=["1234abc Fix"],
                planned={"path": "/p/PLAN.md", "text": "first this", "state": "proposed"},
            ),
            "note": {"text": "about to rebase"},
        }
    )
    order = [
        "# Checkpoint 0007 of 2027-01-15 10:00:00\n",
        "Window s1-1; reason: commit; 12 tool calls; 84,000 tokens in the window of 167,000.\n"
        "Directory /p, branch main, commit aaaaaaaaa.\n",
        "## Note\n> about to rebase\n",
        "> Fix it\n> ## Plan\n> now\n",
        "## Done when\n- Make sure that CI stays green\n",
        "## The user's latest requests\n> Make sure",
        "\n## Plan\n- to do: b\n- done: a\n- plan (proposed, not approved) /p/PLAN.md: first this\n",
        "- boom (reproduce: `make`); tried: edited a.py\n",
        "## Files changed\n- /q/: c.py\n- src/: b.py, a.py\n",
        "## Not committed\n- src/: b.py\n",
        "- pytest: FAILED; 1 failed\n- commit 1234abc Fix\n",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert text.count("\n## Plan\n") == 1


def test_the_page_has_the_notes_that_the_json_has_no_room_for() -> None:
    """It is what a packet names where it cannot hold them."""
    texts = [f"Never touch table_{n}." for n in range(40)]
    rules = [{"kind": "constraint", "text": text, "by": "user", "n": n} for n, text in enumerate(texts)]
    short, whole = (page.readable(data(notes=rules), notes) for notes in (None, rules))
    assert all(text in whole for text in texts)
    assert "table_39." in short
    assert "table_0." not in short


def test_an_empty_record_is_a_short_page() -> None:
    """Sections without content are left out, and what is not known is called so."""
    bare = page.readable({"number": 1, "stamp": "t", **model.contents(fold.empty(), {}, "s")})
    assert "0 tokens in the window.\nBranch (none), commit (none).\n" in bare
    assert "##" not in bare


@given(st.text(max_size=300))
def test_no_text_of_the_session_makes_a_heading(text: str) -> None:
    """The user's words and the assistant's are quoted line by line."""
    known = {"Objective, in the user's words", "Where it stood", "Note", "Done when"}
    made = page.readable({**data(goal=text, said=text), "note": {"text": text}})
    assert {line[3:] for line in made.split("\n") if line.startswith("## ")} <= known | {"Not committed"}
