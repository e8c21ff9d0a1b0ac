"""What each section tells of a state of the work, and what it leaves out."""

from typing import Any, cast

import pytest

from holdfast.checkpoint import model as checkpoint
from holdfast.checkpoint.sections import FAILED, GONE, SOLVED, WRONG, SectionMaterial, error_lines, flat, sections
from holdfast.compaction import instructions
from holdfast.handoff import orchestrator
from holdfast.worklog import fold, model
from tests.checkpoint.made import prompt, state
from tests.compaction.states import WORK
from tests.worklog import states

NEWEST, EARLIER = "The user's newest requests, verbatim, the newest last", "The user's earlier requests, verbatim"
HERE = {"directory": "/p"}
OPEN = "In neither the summary nor its closing record"
PLAN = "ExitPlanMode"
LEANS_ON = "The end of the assistant's message before the newest request, verbatim"


def told(use: str = "compact", work: Any = WORK, environment: Any = HERE, **more: Any) -> dict[str, list[str]]:
    more["summary"] = flat(more.get("summary", ""))
    lines = sections(use, SectionMaterial(work, more.pop("agents", {}), environment, **more))
    return {title: [line for entry in body for line in entry.split("\n")] for title, body in lines}


def test_what_the_summary_has_word_for_word_is_not_said_again() -> None:
    summary = (
        "1. Request: Replace the session cookie by a signed token, then: Now the tests.\nRule: Never push to main.\n"
        "Commit 1234abcdef Add the engine; edited src/part_7.py; pending: Wire the router"
    )
    text = str(told(summary=summary))
    for said in ("Replace the session cookie", "Now the tests", "Never push", "Add the engine", "part_7.py"):
        assert said not in text
    assert "part_6.py" in text
    assert "- planned: Load-test it" in text
    assert "Wire the router" not in text
    assert "Plan" not in told(summary=f"{summary}, Load-test it")


def test_of_what_was_asked_before_no_bare_word_and_no_question_of_one_line() -> None:
    """They lean on others, or had their answer; the first stays whatever it is."""
    asked = ("What is slow?", "Log each row twice", "yes", "Is that all there is?", "x" * 50)
    work = states.after(*(states.user(text) for text in asked))
    assert told(work=work)[EARLIER] == ["> What is slow?", "", "> Log each row twice"]


def test_what_failed_alike_under_several_commands_is_told_once() -> None:
    """By the newest; times differ, other numbers name other tests."""
    fails = [("go test ./a", "TestA1 (7.1s)"), ("go test ./...", "TestA1 (6.8s)"), ("go test ./b", "TestA2 (7.1s)")]
    work = states.after(
        *(states.bash(command, f"Exit code 1\n--- FAIL: {name}", failed=True) for command, name in fails)
    )
    found = told(work=work)[FAILED]
    assert found == ["- `go test ./b`: --- FAIL: TestA2 (7.1s)", "- `go test ./...`: --- FAIL: TestA1 (6.8s)"]


@pytest.mark.parametrize(
    "said", ["", "Command timed out after 2m 0.0s", "a\n\n\n... [9 characters truncated] ...\n\nb"]
)
def test_what_failed_without_a_word_of_its_own_is_like_nothing(said: str) -> None:
    """Nor does what was answered since stand for what is open."""
    fails = [states.bash(f"npm run {name}", f"Exit code 1\n{said}", failed=True) for name in ("lint", "build")]
    found = checkpoint.open_errors(states.after(*fails, states.bash("npm run build -- --x")))
    assert [error["at"] for error in found] == ["npm run lint"]


@pytest.mark.parametrize(
    "summary",
    [
        "The user: \u201cReplace the session\ncookie by a signed token, please. And never touch the migrations\u201d",
        "> Replace the session cookie by a signed token, please.\n> And never touch the \u2026",
        "`Replace the session cookie by a signed token, please` [\u20261,583 more characters]",
    ],
)
def test_a_request_that_differs_by_quotation_or_cut_alone_stands_there(summary: str) -> None:
    work = state(prompts=[prompt("Replace the session cookie by a signed token, please. And never touch it!")])
    assert NEWEST not in told(work=work, summary=summary)
    assert NEWEST in told(work=work, summary="The user wants signed tokens in place of cookies.")


@pytest.mark.parametrize("use", ["compact", "beside"])
def test_words_that_nobody_has_answered_the_client_hands_on_itself(use: str) -> None:
    """Behind its summary, which was written without them; a page has them, and so has a restore after an answer."""
    asked = states.user("that was long ago, was it not?")
    assert NEWEST not in told(use, states.after(asked), summary="Which commit broke the index")
    for use_then, rows, summary in (("page", (asked,), ""), (use, (asked, states.told("It was")), "Which commit")):
        assert told(use_then, states.after(*rows), summary=summary)[NEWEST] == ["> that was long ago, was it not?"]


def test_beside_a_record_only_what_it_cannot_have() -> None:
    line = {"kind": "CHOSE", "id": "C1", "text": "HS256", "told": True, "users": False}
    more = {"note": ("x",), "corrected": ("D1: no",), "dropped": (line,), "drift": ("/p/a.py is gone",)}
    assert list(told("beside", **more)) == ["Note", NEWEST, "Changed since Holdfast last looked", WRONG, GONE, OPEN]


def test_of_a_marked_line_that_is_put_back_no_second_is_told() -> None:
    line = {"kind": "RULE", "id": "R1", "text": '"Never push to main"', "told": True, "users": True}
    found = told(dropped=(line,))
    assert found["Lines marked to be kept"] == ["- lesson (assistant): The cache is cold at 04:30."]
    assert found[GONE] == ['- RULE R1: "Never push to main"']


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Never push to main.", 'rule (in the user\'s words): "Never push to main"'),
        ("Never push to main?", 'rule (assistant): "Never push to main"; the user said: "Never push to main?"'),
        ("Push to main.", 'rule (assistant): "Never push to main"'),
    ],
)
def test_a_rule_that_the_assistant_quotes_is_told_as_the_users(said: str, told: str) -> None:
    """On the page, in a restore, and as a checkpoint has it, whose prompts are cut."""
    marks = [{"n": 1, "kind": "rule", "by": "assistant", "text": '"Never push to main"'}]
    work = state(prompts=[prompt("Do it"), prompt(said, 2), *(prompt(f"{n}", n) for n in range(3, 30))], marks=marks)
    kept = checkpoint.contents(work, {}, "s1")["work"]
    assert (said in fold.words(work), said in fold.words(kept)) == (True, False)
    for one in (work, kept):
        assert dict(sections("page", SectionMaterial(one, {}, {})))["Lines marked to be kept"] == [f"- {told}"]


def test_what_is_open_and_in_no_text_is_told_beside_a_record() -> None:
    phase = {"agent": "a1", "decision": "STOP", "summary": "x", "report": "report-2"}
    agents = {
        **orchestrator.empty(),
        "phases": {"survey": phase},
        "open_errors": {"NULL prices in table orders_two": "survey"},
    }
    work = {**WORK, "marks": [{"kind": "todo", "text": "rename add() everywhere", "by": "assistant", "n": 1}]}
    more: Any = {"work": {**work, "commits": ["1234abcdef Add it"], "changed": ["/p/a.py"]}, "agents": agents}
    more |= {"reports": "/r", "chars": 4_000}
    text = "\n".join(told("beside", **more)[OPEN])
    errors = error_lines(more["work"])
    assert errors
    assert text.splitlines() == [
        *errors,
        "- open error of an agent (survey): NULL prices in table orders_two",
        "- the agents' full reports, in /r/: a1.report-2.md (survey)",
        "- todo (assistant): rename add() everywhere",
        "- last commit: 1234abcdef Add it",
        "- changed: a.py",
    ]
    assert OPEN not in told("beside", **more, summary=flat(text))


def test_beside_a_record_git_is_asked_what_is_not_committed_and_the_last_commit_is_enough() -> None:
    """The others are in its log; a commit is known by its subject as well as by its hash."""
    work = {**model.empty(), "changed": ["/p/a.py", "/p/b.py"], "commits": ["1111111 One", "2222222 Count twice"]}
    here = {**HERE, "commit": "2" * 40, "dirty": ["b.py"], "files": ["a.py", "b.py"]}
    assert told("beside", work, here)[OPEN] == ["- last commit: 2222222 Count twice", "- not committed: b.py"]
    assert told("beside", work, here, summary="Committed as `Count twice`; left: /b.py") == {}


def test_beside_a_record_what_failed_before_an_edit_is_told_where_its_command_is_named_nowhere() -> None:
    """Nobody knows how it would end now; what failed after the last edit is told whatever is said of its command."""
    run, edit = states.bash("go test ./...", "Exit code 1\nok  cached\nFAIL", failed=True), states.edit("/p/a.go")
    for rows, telling in (((run, edit), False), ((edit, run), True)):
        found = told("beside", states.after(*rows), summary="Edited /p/a.go. NEXT N1: run `go test ./...` again")
        assert ("FAIL" in str(found)) is telling
    assert "FAIL" in str(told("beside", states.after(run, edit), summary="Edited /p/a.go. NEXT N1: test again"))


def test_a_file_is_left_out_for_its_own_path_alone() -> None:
    work = {**WORK, "changed": ["/p/cli.py", "/p/a/__init__.py", "/p/b/__init__.py"]}
    found = told(work=work, summary="edited tests/test_cli.py, lib/cli.py and a/__init__.py.")
    assert found["Files changed, newest first"] == ["- b/: __init__.py", "- cli.py"]


@pytest.mark.parametrize("use", ["page", "compact", "resume", "startup", "clear", "odd"])
def test_nothing_to_say_is_nothing(use: str) -> None:
    assert told(use, work=model.empty(), environment={}) == {}


def test_each_start_is_told_what_it_lacks() -> None:
    """After a clear nothing; at a startup the quoted log; at a resume not the user's words, which are back."""
    known = {"progress": "## t commit\n- next: b", "drift": ("/p/a.py is gone",), "note": ("Left 5 min ago:", "> x")}
    assert told("clear", **known) == {}
    startup = told("startup", **known)
    assert "| - next: b" in startup.pop("Where the last session here ended")
    assert startup == {}
    assert list(told("resume", **known))[:3] == ["Note", "Changed since Holdfast last looked", "Plan"]
    assert told("fork", **known) == told("resume", **known)
    assert NEWEST not in told("resume", **known)


def test_the_user_s_words_keep_their_lines_and_are_no_headings() -> None:
    """Each line quoted, without signs that steer a screen; an answer or a refusal says what it is about."""
    answer = {"n": 7, "text": "The second", "source": "answer", "to": "Which port?"}
    found = told(work=state(prompts=[prompt("## Plan\n\n- done:\x1b\u202enothing"), answer]))
    assert found[NEWEST] == ["> ## Plan", "> - done:  nothing", "", "The user answered (Which port?):", "> The second"]
    assert "Plan" not in found


def test_a_request_of_several_parts_stays_whole() -> None:
    """In the user's order, up to the bound; beyond it the middle is cut: a paste stands before or behind it."""
    wishes = [f"{n}. wish number {n} of the report" for n in range(40)]
    assert told(work=state(prompts=[prompt("\n".join(wishes))]))[NEWEST] == [f"> {wish}" for wish in wishes]
    pasted = told(work=state(prompts=[prompt("Why is that?" + "\nGET /x 200" * 500 + "\nTell me.")]))[NEWEST]
    assert (pasted[0], pasted[-1]) == ("> Why is that?", "> Tell me.")
    assert "more characters…]" in str(pasted)


@pytest.mark.parametrize(
    ("edited", "expected"),
    [
        (0, ['- `pytest b`: exit 0, "2 passed"', '- `pytest a`: exit 0, "2 passed"']),
        (4, ['- `pytest b`: exit 0, "2 passed"']),
        (6, ['- `pytest b`: exit 0, "2 passed" (files edited since)']),
    ],
)
def test_no_test_run_from_before_the_last_edit_reads_like_proof(edited: int, expected: list[str]) -> None:
    runs = [
        {"n": n, "command": f"pytest {x}", "ok": True, "exit": 0, "end": "2 passed"} for n, x in ((2, "a"), (5, "b"))
    ]
    assert told(work=state(tests=runs, edited=edited))["Last test runs, newest first"] == expected


@pytest.mark.parametrize(
    ("command", "printed", "line"),
    [
        ("pytest -q", "9 passed", '- `pytest -q`: exit 0, "9 passed"'),
        ("pytest -q | tail -3", "9 passed", '- `pytest -q`: exit not known, "9 passed"'),
        ("set -o pipefail; pytest | tail", "9 passed", '- `set -o pipefail; pytest`: exit 0, "9 passed"'),
        ("pytest -k 'a|b' 2>&1", "9 passed", "- `pytest -k 'a|b'`: exit 0, \"9 passed\""),
        ("make; pytest; echo done", "done", '- `make; pytest; echo done`: exit not known, last line "done"'),
        ("pytest && echo done", "done", "- `pytest && echo done`: exit 0"),
        ("pytest | grep x", "", ""),
    ],
)
def test_the_exit_of_a_pipe_is_no_verdict_on_tests(command: str, printed: str, line: str) -> None:
    """It is that of the last command; what was printed is told, and where nothing was, nothing."""
    found = told(work=states.after(states.bash(command, printed)))
    assert found.get("Last test runs, newest first", [""]) == [line]


def test_what_works_again_or_failed_long_ago_is_not_told() -> None:
    title = FAILED
    broken = states.bash("make all", "fatal: x.h not found", failed=True)
    assert told(work=states.after(states.user("Build it"), broken))[title] == ["- `make all`: fatal: x.h not found"]
    assert title not in told(work=states.after(states.user("Build it"), broken, states.bash("make all")))
    error = {"at": "lint", "what": "command not found", "n": 5, "tried": ["edited a.py"]}
    lines = ["- `lint`: command not found (since then: edited a.py)"]
    assert told(work=state(messages=20, errors=[error]))[title] == lines
    assert title not in told(work=state(messages=900, errors=[error]))


def test_a_request_that_was_made_twice_is_told_once() -> None:
    """The first stays at its place, others at their last one; none that is the newest again."""
    build, test = f"Build it {'as planned ' * 4}", f"Test it {'as planned ' * 4}"
    asked = [prompt(text, n) for n, text in enumerate((build, "go on", test, "go on", build, test, "go on", "go on"))]
    found = told(work=state(prompts=asked))
    assert (found[EARLIER], found[NEWEST]) == ([f"> {build}"], [f"> {test}", "", "> go on"])
    answers = [{**prompt("Yes", n), "source": "answer", "to": f"Question {n}?"} for n in range(3)]
    assert len(told(work=state(prompts=answers))[NEWEST]) == 8


def test_a_failed_run_is_told_once_with_the_line_that_says_what_failed() -> None:
    """By its command without what cuts its output; not with a line that was printed behind it by chance."""
    log = "--- FAIL: TestCut (6.8s)\n    cut_test.go:12: want 3\n    cut_test.go:21: completed successfully!"
    found = told(work=states.after(states.bash("go test ./cut 2>&1 | head -9", log)))
    assert found[FAILED] == ["- `go test ./cut`: --- FAIL: TestCut (6.8s)"]
    assert "Last test runs, newest first" not in found
    summed = states.after(states.bash("pytest", "E   expected 1250\n1 failed, 41 passed", failed=True))
    assert "expected 1250 / 1 failed" in "".join(told(work=summed)[FAILED])
    mended = states.after(states.bash("go test ./cut | tail", log), states.bash("go test ./cut", "ok"))
    assert FAILED not in told(work=mended)


def test_what_a_later_run_has_probably_answered_is_not_told_as_open() -> None:
    runs = states.bash("pytest x", "Exit code 1\n1 failed", failed=True), states.bash("make test", "9 passed")
    found = told(work=(work := states.after(*runs)))
    assert (FAILED in found, SOLVED in found) == (False, True)
    assert f"\n- {SOLVED.lower()}: `pytest x`: " in instructions.for_summariser(work)


def test_what_the_user_did_stands_outside_of_their_quoted_words() -> None:
    refused = [
        {**prompt(text, n), "source": "refusal", "to": to} for n, text, to in ((2, "", PLAN), (3, "no", "Bash x"))
    ]
    work = state(prompts=[prompt("Replace the session cookie by a signed token", 1), *refused])
    assert told(work=work)[NEWEST][2:] == [
        *("The user refused the plan, without a word.", "", "The user refused (Bash x), saying:", "> no")
    ]
    assert '\n- most recently: the user refused (Bash x), saying: "no"\n' in instructions.for_summariser(work)
    agreed = {**prompt("", 4), "source": "approval", "to": "the plan Plan: Add"}
    later = instructions.for_summariser(state(prompts=[*work["prompts"], agreed]))
    assert '\n- earlier: the user refused (Bash x), saying: "no"\n' in later
    assert checkpoint.deed(cast("model.UserPrompt", agreed)) == "the user approved the plan (Plan: Add), without a word"


def test_what_an_announcement_a_look_and_an_answered_question_are() -> None:
    """Nothing of them is told: words before a call, a call whose result is not written yet, what is over."""
    begun = [states.told("Now the tests:\n- a"), states.call("Bash", "2", command="make")]
    found = told(work=states.after(states.user("Build it"), *begun))
    assert list(found) == [NEWEST]
    ended = state(prompts=[prompt("the second", 3)], before={"n": 2, "text": "Which?"}, messages=9)
    assert LEANS_ON in told(work={**ended, "last_message": {"n": 5, "text": "On it"}})
    assert LEANS_ON not in told(work={**ended, "last_message": {"n": 9, "text": "Done."}})


def test_many_requests_the_first_and_the_newest_stay() -> None:
    work = state(prompts=[prompt(f"request {n}: " + "x" * 380, n) for n in range(60)])
    lines = told(work=work)[EARLIER]
    assert lines[0].startswith("> request 0")
    assert lines[-1].startswith("> request 58")
    assert any("in between are not shown" in line for line in lines)
    assert len(told("page", work=work, chars=40_000)[EARLIER]) > 3 * len(lines)


def test_the_world_as_it_is_now() -> None:
    now = {"directory": "/p", "branch": "main\n## Plan", "commit": "a" * 40, "upstream": "origin/main", "ahead": 2}
    found = told(work=state(commits=["1234abc\nx"]), environment={**now, "behind": 0, "dirty": ["src/a\n.py"]})
    assert found["Repository"] == [
        "- Directory /p, branch main ## Plan, commit aaaaaaaaa.",
        "- 2 commits ahead of origin/main, 0 behind",
        "- changed by this session and not committed: src/a .py",
        "- made by this session: 1234abc x",
    ]


def test_a_short_request_stands_with_what_it_answers() -> None:
    """By length alone, with the end of the message; not where the request says itself what it is about."""
    asked = "Five ways.\n" + "word " * 400 + f"end.\n{'We may. ' * 50}\n1. cache\n2. index\nWhich of them?"
    work = state(prompts=[prompt("Make it fast"), prompt("do 1,2 and 5", 3)], before={"n": 2, "text": asked})
    for chars in (700, 10_000):
        said = told(work=work, chars=chars)[LEANS_ON]
        assert said[0].startswith("> … We may.")
        assert said[-3:] == ["> 1. cache", "> 2. index", "> Which of them?"]
    assert LEANS_ON not in told(work=work, summary="Asked:\n" + asked)
    for newest in (prompt("word " * 60, 3), {**prompt("the second", 3), "to": "Which?"}):
        assert LEANS_ON not in told(work={**work, "prompts": [newest]})


def test_what_was_said_last_is_not_told_twice() -> None:
    said, later = {"n": 2, "text": "Shall I?"}, {"n": 4, "text": "All of it is done."}
    work, title = state(prompts=[prompt("yes", 3)], before=said), "The assistant's last message, verbatim"
    assert title not in told(work={**work, "last_message": said})
    assert told(work={**work, "last_message": later})[title] == ["> All of it is done."]


@pytest.mark.parametrize(("stage", "steps"), [("approved by the user", "; 1. Dust"), ("begun", ""), ("finished", "")])
def test_of_a_plan_with_a_list_of_its_own_the_title_is_told(stage: str, steps: str) -> None:
    work = state(planned={"path": "", "text": "Sort the shelves; 1. Dust", "state": stage.split(maxsplit=1)[0]})
    assert told(work=work)["Plan"] == [f"- plan, {stage}: Sort the shelves{steps}"]
    assert ("Plan" in told(work=work, summary="Shelves")) is (stage != "finished")


@pytest.mark.parametrize("path", ["", "/p/plan.md"])
def test_a_refused_plan_is_told_whatever_the_summary_says_of_it(path: str) -> None:
    """With its steps, which a summary may call approved; beside a record too."""
    refusal = {**prompt("", 3), "source": "refusal", "to": PLAN}
    plan = {"path": path, "text": "Plan; Rewrite all; Drop the API", "state": "refused"}
    work = state(planned=plan, prompts=[prompt("Port it", 1), refusal])
    summary, where = "The Plan to Rewrite all was approved. CHOSE C1: Rewrite all", f" (file: {path})" * bool(path)
    steps = "Plan; Rewrite all; Drop the API"
    assert told(work=work, summary=summary)["Plan"] == [f"- plan{where}, refused by the user: {steps}"]
    assert told("beside", work, summary=summary)[OPEN] == [f"- plan{where}, refused by the user: {steps}"]
    assert OPEN not in told("beside", {**work, "planned": {**work["planned"], "state": "approved"}}, summary=summary)
    said = [*work["prompts"], prompt("OK, it is fine, go on", 5)]  # what they say since may take it up
    for later in (said, [*said, {**refusal, "n": 7, "to": "Bash git push"}]):
        assert OPEN not in told("beside", {**work, "prompts": later}, summary=summary)


def test_a_page_names_what_was_read_beside_what_was_changed() -> None:
    found = told("page", state(read=["/p/a.py", "/p/b.py"], changed=["/p/b.py"]))
    assert (found["Files read"], found["Files changed, newest first"]) == (["- a.py"], ["- b.py"])


def test_a_standing_rule_that_the_summary_has_is_not_told_again() -> None:
    rules = ("never log a session id", "always use tabs")
    found = told("beside", summary="RULE R1: “always use tabs”", standing=rules)
    assert found["Standing rules of the user's, not found in the summary"] == ["- never log a session id"]


def test_what_a_summary_alone_tells_says_so() -> None:
    marks = [
        {"n": 1, "kind": "retold", "by": "assistant", "text": "cents"},
        {"n": 2, "kind": "decision", "by": "user", "text": "SQLite"},
    ]
    line = {"kind": "STATE", "id": "S1", "text": "all committed", "told": False, "users": False}
    page = told("page", state(marks=marks, record=[line]))
    assert page["Lines marked to be kept"] == [
        "- decision (user): SQLite",
        "- decision of which only a summary tells: cents",
    ]
    assert page["The last summary's closing record, to be checked"] == ["- STATE S1: all committed"]
