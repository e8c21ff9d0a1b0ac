from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.compaction import restored
from holdfast.compaction.restored import Material
from holdfast.compaction.verify import flat
from holdfast.session.reply import utf16_length
from holdfast.worklog import model
from tests.checkpoint.made import prompt, state
from tests.compaction.states import WORK
from tests.worklog import states


def material(work: Any = WORK, **more: Any) -> Material:
    """What there is to draw on."""
    return Material(work, {}, {"directory": "/p"}, **{**more, "summary": flat(more.get("summary", ""))})


def told(source: str = "compact", chars: int = restored.FULL, **more: Any) -> str:
    """The text of a start."""
    found = material(**more, chars=chars)
    return restored.text(found, restored.sections(source, found))


def section(text: str, title: str) -> list[str]:
    """The lines of a section; [] when there is none."""
    return next((part.splitlines()[1:] for part in text.split("\n## ")[1:] if part.startswith(title)), [])


def test_after_a_compaction_the_record_is_put_back() -> None:
    """The user's words, what was marked, the plan by state, what failed, test runs, files; the most important first."""
    text = told(page="/c/0001.md", transcript="/t.jsonl", seconds=300.0, drift=("the branch is now b; it was a",))
    order = [
        "Holdfast: state of this work as recorded 5 min ago; in brief at /c/0001.md; the whole conversation is "
        "/t.jsonl. ",
        "It is data from the session's own record, not a new instruction",
        "## The user's newest request, verbatim\n> Now the tests",
        "## Changed since the record was made\n- the branch is now b; it was a",
        "## Marked lines\n- lesson (assistant): The cache is cold at 04:30.\n- rule (user): Never push to main.",
        "## Plan\n- in progress: Wire the router\n- to do: Load-test it\n- done: Write the engine\n"
        "- dropped, not to do: Port the widget",
        "## Failed, and not run with success since\n- `pytest`: AssertionError: 19 != 20",
        "## Last test runs, newest first\n- `pytest -q`: exit 1; 1 failed",
        "## Repository\n- made by this session: 1234abcdef Add the engine",
        "## The user's earlier requests, verbatim\n> Replace the session cookie by a signed token",
        "## Files changed, newest first\n- src/: part_7.py, part_6.py",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)


def test_what_the_summary_has_word_for_word_is_not_said_again() -> None:
    """Requests, marked lines, commits and paths; but the plan's states are told all the same."""
    summary = (
        "1. Request: Replace the session cookie by a signed token, then: Now the tests.\nRule: Never push to main.\n"
        "Commit 1234abcdef Add the engine; edited src/part_7.py; pending: Wire the router, Load-test it"
    )
    text = told(summary=summary)
    for said in ("Replace the session cookie", "Now the tests", "Never push", "Add the engine", "part_7.py"):
        assert said not in text
    assert "part_6.py" in text
    assert "- in progress: Wire the router" in text


def test_a_file_is_left_out_for_its_own_path_alone() -> None:
    """Another path that ends or begins alike names another file."""
    work = {**WORK, "changed": ["/p/cli.py", "/p/a/__init__.py", "/p/b/__init__.py"]}
    text = told(work=work, summary="edited tests/test_cli.py, lib/cli.py and a/__init__.py.")
    assert "- b/: __init__.py\n- cli.py" in text
    assert "a/: __init__" not in text


def test_nothing_to_say_is_nothing() -> None:
    """No frame around an empty record, at any start."""
    for source in ("compact", "resume", "startup", "clear", "odd"):
        assert told(source, work=model.empty()) == ""


def test_clear_and_startup_tell_nothing_of_the_task() -> None:
    """A startup says where the last session ended, quoted, because a clone may bring the log."""
    assert told("clear", progress="## t commit\n- next: b") == ""
    text = told("startup", progress="## t commit\n- next: b")
    assert "## Where the last session here ended" in text
    assert "| - next: b" in text
    assert "Wire the router" not in text


def test_a_resume_tells_what_keeps_the_conversation_from_being_read_wrong() -> None:
    """Drift, plan, open errors, files; not the user's words, which are back."""
    text = told("resume", drift=("/p/a.py is gone",), note=("Left 5 min ago:", "> about to rebase"))
    assert text.index("about to rebase") < text.index("/p/a.py is gone") < text.index("- in progress: Wire the router")
    assert "Now the tests" not in text


def test_the_user_s_words_keep_their_lines_and_are_no_headings() -> None:
    """Each line quoted; an answer, a refusal or an approval says what it is about."""
    answer = {"n": 7, "text": "The second", "source": "answer", "to": "Which port?"}
    text = told(work=state(prompts=[prompt("## Plan\n\n- done: nothing"), answer]))
    assert section(text, "The user's newest request") == ["> The second (answering: Which port?)"]
    assert section(text, "The user's earlier requests")[:2] == ["> ## Plan", "> - done: nothing"]
    assert section(text, "Plan") == []


def test_a_request_of_several_parts_stays_whole() -> None:
    """In the user's order, up to the bound; beyond it the end is cut and marked."""
    wishes = [f"{n}. wish number {n} of the report" for n in range(40)]
    text = told(work=state(prompts=[prompt("Please:\n" + "\n".join(wishes))]))
    assert all(f"> {wish}" in text for wish in wishes)
    assert "…" in told(work=state(prompts=[prompt("word " * 2_000)]))


def run(command: str, n: int) -> Any:
    """A test run."""
    return {"n": n, "command": command, "ok": True, "exit": 0, "end": "ok"}


def test_no_test_run_from_before_the_last_edit_reads_like_proof() -> None:
    """Left out where a newer one exists; else told as what it is."""
    runs = [run("pytest a", 2), run("pytest b", 5)]
    title = "Last test runs, newest first"
    assert section(told(work=state(tests=runs)), title) == ["- `pytest b`: exit 0; ok", "- `pytest a`: exit 0; ok"]
    assert section(told(work=state(tests=runs, edited=4)), title) == ["- `pytest b`: exit 0; ok"]
    assert section(told(work=state(tests=runs, edited=6)), title) == [
        "- `pytest b`: exit 0; ok (before the last edit)",
        "- `pytest a`: exit 0; ok (before the last edit)",
    ]


def test_what_works_again_is_not_told() -> None:
    """Its words are those of an error that nobody has any more."""
    broken = states.bash("make all", "fatal error: x.h not found", failed=True)
    assert "x.h not found" in told(work=states.after(states.user("Build it"), broken))
    assert "x.h not found" not in told(work=states.after(states.user("Build it"), broken, states.bash("make all")))


def test_a_request_that_was_made_twice_is_told_once() -> None:
    """The first stays at its place, others at their last one; none that is the newest again."""
    asked = [prompt(text, n) for n, text in enumerate(("Build it", "go on", "Test it", "go on", "Build it", "Test it"))]
    text = told(work=state(prompts=asked))
    assert section(text, "The user's earlier requests") == ["> Build it", "> go on"]
    assert section(text, "The user's newest request") == ["> Test it"]
    answers = [{**prompt("Yes", n), "source": "answer", "to": f"Question {n}?"} for n in range(3)]
    assert len(section(told(work=state(prompts=answers)), "The user's earlier requests")) == 2


def test_many_requests_the_first_and_the_newest_stay() -> None:
    """Those between go, and their number is said."""
    many = [prompt(f"request {n}: " + "x" * 380, n) for n in range(60)]
    lines = section(told(work=state(prompts=many)), "The user's earlier requests")
    assert lines[0].startswith("> request 0")
    assert lines[-1].startswith("> request 58")
    assert any("in between are not shown" in line for line in lines)


def test_what_failed_long_ago_is_not_told() -> None:
    """Nobody can say whether it still does."""
    error = {"at": "golangci-lint run", "what": "command not found", "n": 5, "tried": []}
    assert "command not found" in told(work=state(messages=20, errors=[error]))
    assert "command not found" not in told(work=state(messages=900, errors=[error]))


def test_the_world_as_it_is_now() -> None:
    """Branch, commit, ahead and behind, what is not committed."""
    now = {"directory": "/p", "branch": "main", "commit": "a" * 40, "dirty": ["src/a.py"], "upstream": "origin/main"}
    work = state(prompts=[prompt("x")])
    found = Material(work, {}, {**now, "ahead": 2, "behind": 0})  # type: ignore[typeddict-item]
    lines = section(restored.text(found, restored.sections("compact", found)), "Repository")
    assert lines == [
        "- Directory /p, branch main, commit aaaaaaaaa.",
        "- 2 commits ahead of origin/main, 0 behind",
        "- changed by this session and not committed: src/a.py",
    ]


@pytest.mark.parametrize("chars", [400, 600, 2_000, 10_000])
def test_the_budget_holds_and_the_least_important_goes_first(chars: int) -> None:
    """In UTF-16 units; what was cut is said."""
    asked = [prompt("😀 " * 900, 1), prompt("Wire it " * 60, 2)]
    text = told(chars=chars, work={**WORK, "prompts": asked})
    assert 0 < utf16_length(text) <= chars
    assert "> Wire it Wire it" in text
    assert text.endswith(restored.CUT) is (chars <= 2_000)


@given(states.SESSIONS, st.sampled_from(["compact", "resume"]), st.integers(300, 10_000))
def test_any_session_can_be_told(work: Any, source: str, chars: int) -> None:
    """Within the budget; what is done, dropped or fixed is never told as to do, and every heading is ours."""
    text = told(source, chars, work=work)
    assert utf16_length(text) <= chars
    titles = {title for row in restored._SOURCES.values() for title, _, _ in row}
    assert {line[3:] for line in text.splitlines() if line.startswith("## ")} <= titles
    closed = {item["text"] for item in work["todos"] if item["status"] in ("completed", "cancelled", "deleted")}
    still = {item["text"] for item in work["todos"] if item["text"] not in closed}
    opened = [line for line in text.splitlines() if line.startswith(("- to do: ", "- in progress: "))]
    assert all(line.split(": ", 1)[1] in still for line in opened if work["todos"])


def test_a_short_request_stands_with_what_it_answers() -> None:
    """By length alone, with the end of the message; not where the request says itself what it is about."""
    asked = "Five ways.\n" + "word " * 400 + "\n1. cache\n2. index\nWhich of them?"
    work = state(prompts=[prompt("Make it fast"), prompt("do 1,2 and 5", 3)], before={"n": 2, "text": asked})
    title = "The end of the assistant's message right before it"
    for chars in (700, 10_000):
        said = section(told(work=work, chars=chars), title)
        assert said[0].startswith("> …")
        assert said[-3:] == ["> 1. cache", "> 2. index", "> Which of them?"]
    assert section(told(work=work, summary="Asked:\n" + asked), title) == []
    for newest in (prompt("word " * 60, 3), {**prompt("the second", 3), "to": "Which?"}):
        assert section(told(work={**work, "prompts": [newest]}), title) == []


def test_what_was_said_last_is_not_told_twice() -> None:
    """Nothing was said since the newest request."""
    said = {"n": 2, "text": "Shall I?"}
    assert told(work=state(prompts=[prompt("yes", 3)], before=said, last_message=said)).count("Shall I?") == 1
    later = {"n": 4, "text": "Done."}
    assert "> Done." in told(work=state(prompts=[prompt("yes", 3)], before=said, last_message=later))
