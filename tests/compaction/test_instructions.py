from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.checkpoint import model as checkpoint
from holdfast.checkpoint.model import Environment
from holdfast.compaction import instructions
from holdfast.worklog import model, record
from holdfast.worklog.marks import marked
from tests.checkpoint.made import prompt, state
from tests.compaction.states import WORK
from tests.worklog import states


def test_hard_facts_and_nothing_else() -> None:
    """The user's words and what a short one answers, rules, plan, what failed, runs, commits, what goes on, files.

    Where nothing was done the request for a record is left.
    """
    more = {
        "before": {"n": 4, "text": "word " * 200 + "\nWhich of 1 to 5?"},
        "changed": [*(f"/p/src/part_{n}.py" for n in range(13)), "/p/src/z.py"],
    }
    text = instructions.for_summariser(state(**{**WORK, **more}))
    assert text.startswith(instructions.HEAD)
    for line in (
        '- the user\'s newest request: "Now the tests"',
        "- marked as rule by the user: Never push to main.",
        "- in progress: Wire the router",
        "- planned: Load-test it",
        "- ticked off as done: Write the engine",
        "- dropped: Port the widget",
        "- failed, not seen to work since: `pytest`: AssertionError: 19 != 20",
        '- test run: `pytest -q`: exit 1, "1 failed"',
        "- last commits, newest last: 1234abcdef Add the engine",
        '- earlier requests: "Replace the session cookie by a signed token"',
    ):
        assert f"\n{line}" in text
    assert text.splitlines()[2].startswith("- earlier requests: ")
    assert "- files edited (last 12 of 14): /p/src/: z.py, part_12.py" in text
    assert "part_1.py" not in text
    line = next(line for line in text.splitlines() if "before the newest request" in line)
    assert line.endswith('word Which of 1 to 5?"')
    assert len(line) < 400
    assert instructions.for_summariser(model.empty()) == record.request()


def test_a_long_request_is_told_by_its_two_ends_and_the_rest_still_told() -> None:
    asked = [prompt("old " * 400 + "ask", 1), prompt("new " * 900 + "wish", 2)]
    text = instructions.for_summariser(state(**{**WORK, "prompts": asked}))
    assert '"new new' in text
    assert 'new wish"' in text
    assert 'old ask"' in text
    assert "- in progress: Wire the router" in text
    assert len(text) <= instructions.CHARS + 1 + len(record.request())


def test_requests_that_others_followed_are_not_told_what_was_refused_is() -> None:
    """The summariser has just read them, and most are done."""
    refused = {**prompt("simpler, without the extra branch", 3), "source": "refusal", "to": "ExitPlanMode"}
    asked = [prompt("why is git broken?", 1), prompt("is the choice of my folders the problem here?", 2), refused]
    newest = prompt("now write it down in the docs, with an example", 4)
    text = instructions.for_summariser(state(prompts=[*asked, newest]))
    assert '\n- the user refused the plan, saying: "simpler, without the extra branch"\n' in text
    assert "why is git" not in text
    assert "choice of my folders" not in text


def test_edited_files_are_told_as_git_has_them() -> None:
    """What is not dirty may have been put back: only that it is as in HEAD. Those outside of the project, those that
    git does not track, and all where nothing is known of it, only as edited.
    """
    work = state(changed=["/p/a.py", "/q/b.py", "/p/c.py", "/p/d.log"], folder="/p")
    here = Environment(directory="/p", commit="1a", files=["a.py", "c.py", "d.log"], dirty=["c.py"], clean=["a.py"])
    told = [line for line in instructions.for_summariser(work, (), here).splitlines() if "edited" in line]
    assert told == [
        "- files edited, now as in HEAD: a.py",
        "- files edited: d.log; /q/: b.py",
        "- files edited, not committed: c.py",
    ]
    unknown = Environment(directory="/p", commit="1a", files=["a.py", "c.py"])  # git does not tell what is dirty
    for place in (None, unknown):
        assert "- files edited: d.log, c.py, a.py; /q/: b.py" in instructions.for_summariser(work, (), place)


def test_a_list_that_was_finished_before_the_newest_request_is_over() -> None:
    todos = [{"text": "Write it", "status": "completed"}]
    asked = [prompt("Write the engine, please", 1), prompt("Now the docs", 9)]
    assert "done: Write it" in instructions.for_summariser(state(todos=todos, prompts=asked, listed=10))
    assert "Write it" not in instructions.for_summariser(state(todos=todos, prompts=asked, listed=8))


def test_the_summariser_is_not_told_what_the_last_record_has() -> None:
    marks = [{"n": 1, "kind": "decision", "by": "assistant", "text": text} for text in ("SQLite", "no cache")]
    lines = [record.RecordLine(kind="CHOSE", id="C1", text="SQLite", told=False, users=False)]
    work = state(marks=marks, record=lines, prompts=[prompt("and the docs now", 3)])
    text = instructions.for_summariser(work)
    assert "SQLite" not in text
    assert "marked as decision by the assistant: no cache" in text


@pytest.mark.parametrize("about", ["", " (of it)"])
def test_a_rule_that_the_record_has_in_the_users_whole_sentence_is_not_told_again(about: str) -> None:
    """A summary may quote a part of it: readers found that told as a rule of its own, twice as long."""
    whole = "Looking at it, I'd like to have only one method. What is best?"
    summary = states.user(f'RULE R1: "have only one method"{about}', isCompactSummary=True)
    rows = [states.user(whole), states.told("one"), summary, states.user("go")]
    text = instructions.for_summariser(states.after(*rows))
    assert "marked as rule" not in text


def test_what_the_newest_request_goes_on_from_is_told_the_newest_first() -> None:
    asked = [f"{name}: move the session's login from cookies to tokens" for name in ("a", "b")]
    said = [asked[0], "push it", asked[1], "and the tests?", "now the docs"]
    text = instructions.for_summariser(state(prompts=[prompt(one, n + 1) for n, one in enumerate(said)]))
    assert '\n- the user\'s newest request: "now the docs"\n' in text
    assert f'\n- earlier requests: "and the tests?", "{asked[1]}"\n' in text
    assert asked[0] not in text


def test_requests_and_test_runs_are_told_once_and_for_what_they_are() -> None:
    """An earlier request that is the newest again is not repeated; a run before the last edit is told as such."""
    run = {"n": 2, "command": "pytest", "ok": True, "exit": 0, "end": "9 passed"}
    text = instructions.for_summariser(
        state(prompts=[prompt("Build it", 1), prompt("Build it", 3)], tests=[run], edited=4)
    )
    assert text.count("Build it") == 1
    assert '- test run: `pytest`: exit 0, "9 passed" (files edited since)' in text


TEXTS = st.text(max_size=900)
WORKS = st.builds(
    lambda texts, items, paths: state(
        prompts=[prompt(text, n) for n, text in enumerate(texts)],
        todos=[{"text": text, "status": "pending"} for text in items],
        changed=paths,
    ),
    st.lists(TEXTS, max_size=5),
    st.lists(TEXTS, max_size=20),
    st.lists(TEXTS, max_size=9),
)


@given(WORKS)
def test_the_bounds_hold_for_any_work(work: Any) -> None:
    """Plain text, no JSON; a line to paste is one line."""
    text = instructions.for_summariser(work)
    assert len(text) <= instructions.CHARS + 1 + len(record.request())
    assert not text.lstrip().startswith("{")
    line = instructions.compact_line(work)
    assert line.startswith("/compact keep ")
    assert len(line) <= 600
    assert line.splitlines() == [line]


def test_the_line_to_paste_names_what_is_open() -> None:
    marks = [*WORK["marks"], {"n": 1, "kind": "todo", "by": "assistant", "text": "Ask about the port"}]
    line = instructions.compact_line(state(**{**WORK, "marks": marks}))
    assert line.startswith(
        '/compact keep my task ("Replace the session cookie by a signed token", now "Now the tests"); my rules (Never p'
    )
    assert "what is noted as open (Ask about the port)" in line
    assert "the current step (Wire the router) and 1 open to-do;" in line
    assert "the open error (AssertionError: 19 != 20)" in line
    assert "part_7.py, part_6.py" in line
    changed = ["/p/a/one.md", "/p/b/one.md", "/q/b/one.md", "one.md"]
    assert "changes in one.md, q/b/one.md, p/b/one.md, a/one.md;" in instructions.compact_line(state(changed=changed))
    assert instructions.compact_line(model.empty()) == "/compact keep my requests in my words and the next step"


def test_the_line_to_paste_has_the_request_in_force_and_each_rule_once() -> None:
    """The newest that stands by itself, and the newest of all; a rule that a summary puts in quotation marks is one."""
    asked = ["Replace the session cookie by a signed token, please", "Port the widget to the new token, with tests"]
    marks = [{"n": 1, "kind": "rule", "by": "user", "text": text} for text in ("use tabs", '"use tabs"')]
    line = instructions.compact_line(state(prompts=[prompt(one) for one in (*asked, "go on")], marks=marks))
    assert f'my task ("{asked[1]}", now "go on"); my rules (' in line
    assert line.count("use tabs") == 1


@pytest.mark.parametrize(
    "typed", ["/holdfast-status", "/holdfast:forget DEC-2026-11-26-001", "/holdfast-recall why cents"]
)
def test_a_command_of_ours_takes_the_place_of_no_task(typed: str) -> None:
    """A project's own command does, and a task that is handed to agents."""
    task = "Make total() robust against empty prices"
    work = state(
        prompts=[
            prompt("Begin with the ledger of the shop, please"),
            prompt(task),
            {**prompt(typed), "source": "command"},
        ]
    )
    assert instructions.compact_line(work) == f'/compact keep my task ("{task}")'
    assert checkpoint.title(work).startswith(f"{task} (begun with")
    assert f'newest request: "{task}"' in instructions.for_summariser(work)
    for other in ("/review the parser", "/holdfast-delegate review the parser"):
        work["prompts"][-1]["text"] = other
        assert instructions.compact_line(work) == f'/compact keep my task ("{other}")'


def test_the_rules_to_paste_are_the_users_own() -> None:
    """In whole sentences, those that the memory has too; what an agent has laid down by itself is none of theirs."""
    asked = prompt("Port the widget to cents. Please always use tabs, and never touch docs/design.md.")
    texts = ('"always use tabs"', '"deploy on Fridays only"')
    marks = [{"n": 1, "kind": "rule", "by": "assistant", "text": text} for text in texts]
    line = instructions.compact_line(state(prompts=[asked], marks=marks), ["never log a session id", "always use tabs"])
    rules = "never log a session id; Please always use tabs, and never touch docs/design.md."
    assert f"; my rules ({rules})" in line


def test_the_screen_at_a_manual_compaction_shows_few_lines() -> None:
    """The client prints all of it: of a usual session some twenty lines of 80 columns."""
    text = instructions.for_summariser(state(**WORK))
    assert sum(-(-len(line) // 78) for line in text.splitlines()) <= 23
    commits = state(commits=["1a Add", "2b Fix"], changed=["/p/a/x.py", "/p/b/y.py"], folder="/p")
    lines = instructions.for_summariser(commits).splitlines()
    assert "- last commits, newest last: 1a Add; 2b Fix" in lines
    assert sum(line.startswith("- files edited: ") for line in lines) == 1


def test_a_request_is_what_the_user_said_and_waits_until_something_comes_after_it() -> None:
    """An approval without a word is none: the plan tells what was approved."""
    asked = states.user("Which commit was it?")
    assert 'request, not answered yet: "Which commit' in instructions.for_summariser(states.after(asked))
    assert 'request: "Which' in instructions.for_summariser(states.after(asked, states.told("6d61daaa")))
    bare = {"n": 7, "text": "", "source": "approval", "to": "the plan Move the login"}
    text = instructions.for_summariser(state(prompts=[prompt("Move the login to tokens"), bare]))
    assert '- the user\'s newest request: "Move the login to tokens"' in text
    assert "approved" not in text


def test_requests_share_a_line_while_they_are_short_and_none_is_told_twice() -> None:
    """A `/compact` by hand puts all of it on the screen."""
    asked = ["Always use tabs here", "Move the shop's prices to integer cents, with tests", "go on", "and now", "yes"]
    marks = [{"n": 1, "kind": "rule", "by": "assistant", "text": '"Always use tabs here"'}]
    text = instructions.for_summariser(state(prompts=[prompt(one, n) for n, one in enumerate(asked)], marks=marks))
    assert f'- earlier requests: "and now", "go on", "{asked[1]}"\n' in text
    assert text.count("Always use tabs here") == 1


def test_the_line_to_paste_has_the_memorys_issue_and_the_test_that_is_known_to_fail() -> None:
    """It had neither: of several commands on one line nobody can say which failed."""
    runs = [
        {"command": "pytest -q tests", "ok": False, "exit": 1, "end": "1 failed", "n": 4},
        {"command": "pytest -q tests/a.py; ./check", "ok": False, "exit": None, "end": "AssertionError", "n": 8},
    ]
    errors = [
        {"at": "pytest -q tests", "what": "1 failed / FAILED tests/a.py::test_row[417]", "n": 4, "tried": []},
        {"at": "pytest -q tests/a.py; ./check", "what": "AssertionError", "n": 8, "tried": []},
    ]
    line = instructions.compact_line(state(messages=9, tests=runs, errors=errors), (), ["price() takes floats"])
    assert "what is noted as open (price() takes floats)" in line
    assert "the open error (AssertionError); the failing test run (pytest -q tests: 1 failed / FAILED tests/" in line
    line = instructions.compact_line(state(messages=9, tests=runs[:1], errors=errors[:1]))
    assert "the open error" not in line  # the run says it
    assert "the failing test run (pytest -q tests: 1 failed / FAILED tests/a.py::test_row[417])" in line


def test_the_summariser_is_told_the_users_whole_sentence() -> None:
    """Not the half of it that a line of the assistant's quotes; from an earlier session too."""
    marks = [{"n": 3, "kind": "rule", "by": "assistant", "text": '"always use tabs"'}]
    whole = "Please always use tabs here, and never touch docs/design.md."
    for work, standing in ((state(prompts=[prompt(whole)], marks=marks), ()), (state(marks=marks), (whole,))):
        text = instructions.for_summariser(work, standing)
        assert f'- marked as rule by the assistant: "always use tabs"; the user said: "{whole}"\n' in text
        assert text.count("marked as rule") == 1
    for said, again in (("always use tabs", False), ("always use tabs.", False), ("always use tabs?", True)):
        text = instructions.for_summariser(state(prompts=[prompt(said)], marks=marks))
        assert ("the user said: " in text, "marked as rule, in the user's words: " in text) == (again, not again)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I will do that.", '"I will do that."'),
        ("I will do that.\nTODO: the port?", '"I will do that. TODO: the port?"'),
        ("```\n- **DECISION**: cents, not floats\n```", '"``` - **DECISION**: cents, not floats ```"'),
        ("", ""),
    ],
)
def test_what_was_marked_is_not_told_again_as_what_the_assistant_had_said(said: str, told: str) -> None:
    """Of the message before the newest request: what is told of it already goes, with the lines that it goes on in, and
    with nothing else all of it; an example in a fence is no mark.
    """
    lines = ['RULE: "Never push to main"', "- **DECISION**: cents, not floats"]
    lines.append("CHOSE: we use HS256, because the gateway knows it and no other\n  algorithm is known to the clients")
    found = [mark for line in lines for mark in marked(line, "assistant", 2)]
    work = state(prompts=[prompt("Go on", 3)], before={"n": 2, "text": "\n".join([said, *lines])}, marks=found)
    text = instructions.for_summariser(work)
    before = [line for line in text.splitlines() if line.startswith("- the end of the assistant's message")]
    assert [line.partition("not checked by Holdfast: ")[2] for line in before] == [told] * bool(told)
    assert [text.count(one["text"]) - said.count(one["text"]) for one in found] == [1, 1, 1]


@pytest.mark.parametrize("by", ["user", "assistant"])
def test_a_rule_is_named_whole_or_by_its_length(by: str) -> None:
    rule = f"Push straight to main{', with the database migrated by hand' * 12}: never again."
    marks = [{"n": 3, "kind": "rule", "by": by, "text": f'"{rule}"' if by == "assistant" else rule}]
    work = state(prompts=[prompt(rule)], marks=marks)
    lines = instructions.for_summariser(work).splitlines()
    (told,) = (line for line in lines if line.startswith(("- a rule", "- marked")))
    assert told.endswith(f"{len(rule)} characters: keep all of it, as it stands in the conversation")
    assert "my rules (1 that are longer, whole)" in instructions.compact_line(work)
