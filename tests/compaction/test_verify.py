from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.checkpoint.sections import flat
from holdfast.compaction import verify
from holdfast.compaction.verify import Fact, Texts
from holdfast.session.reply import utf16_length
from tests.checkpoint.made import prompt, state
from tests.compaction.states import WORK
from tests.worklog import states

check: Any = verify.check  # (verdicts, what the log says, what is told yet)
FACTS = [
    Fact("request", "Replace the session cookie"),
    Fact("task", "Write the guide", "pending"),
    Fact("file", "/p/src/signed_token.py", root="/p"),
    Fact("commit", "1234abc Add it", must=False),
]


def test_the_restored_text_counts_with_the_summary() -> None:
    """What the summary lost and was restored is held; sections and size of what was restored are recorded."""
    before = [("task", "Write the guide"), ("task", "gone since")]
    _, found, told = check(FACTS, Texts("OK done.", "Holdfast\n\n## Plan\n- planned: Write the guide", ""), before)
    assert found["facts"]["retained"] == 1
    assert found["facts_in_summary"]["retained"] == 0
    assert found["facts_of_last_time"] == {"retained": 1, "recoverable": 0, "missing": 0}
    assert found["packet"]["sections"] == ["Plan"]
    assert "Write the guide" not in told
    assert "- the user's newest request: Replace the session cookie" in told
    assert "- a changed file: /p/src/signed_token.py" in told
    assert "1234abc" not in told


@pytest.mark.parametrize("text", ["x" * 300, "😀" * 300], ids=["plain", "emoji"])
def test_what_does_not_fit_is_counted_with_the_page_that_has_it(text: str) -> None:
    many = [Fact("task", f"{n} {text}", "pending") for n in range(20)]
    told = verify.correction(many, "/c/0001.md")
    assert utf16_length(told) <= verify.CHARS
    assert told.splitlines()[-1].endswith("more: read /c/0001.md")
    assert len(told.splitlines()) > 2


def kinds(must: bool) -> list[tuple[str, str]]:
    """(kind, state) of the facts that must be held, or need not."""
    return [(fact.kind, fact.state) for fact in verify.facts(WORK) if fact.must is must]


def test_what_must_stay() -> None:
    """Requests, marked rules, what is open, the last five changed files; lessons are no fact."""
    assert kinds(must=True) == [
        ("request", ""),
        ("request", ""),
        ("goal", ""),
        ("rule", ""),
        ("task", "in_progress"),
        ("task", "pending"),
        ("error", ""),
        *[("file", "")] * 5,
    ]
    assert next(fact.text for fact in verify.facts(WORK) if fact.kind == "file") == "/p/src/part_7.py"
    assert kinds(must=False) == [("task", "completed"), ("task", "cancelled"), ("test", ""), ("commit", "")]


@pytest.mark.parametrize(
    ("fact", "text", "held"),
    [
        (Fact("request", "Fix  the\nlogin"), "> Fix the\n> login\nand more", True),
        (Fact("request", "Fix the login"), "They are fixing the login.", False),
        (Fact("request", "a" * 500), "a" * 160, True),
        (Fact("rule", "use tabs"), "the user wants tabs used", False),
        (Fact("file", "/p/src/a.py", root="/p"), "changed src/a.py", True),
        (Fact("file", "/p/src/a.py", root="/p"), "changed a.py", False),
        (Fact("file", "/p/src/a.py", root="/p", among=["/p/src/a.py", "/p/src/b.py"]), "changed a.py", True),
        (Fact("file", "/p/src/a.py", root="/p", among=["/p/src/a.py", "/p/lib/a.py"]), "changed a.py", False),
        (Fact("file", "/p/src/a.py", root="/p"), "- src/: b.py, a.py", True),
        (Fact("file", "/p/src/a.py", root="/p"), "- lib/: b.py, a.py", False),
        (Fact("commit", "1234abcdef Add the engine"), "at 1234abc", True),
        (Fact("commit", "1234abcdef Add the engine"), "Add the engine", False),
        (Fact("commit", "Add the engine"), "Add the router", False),
        (Fact("commit", "Add the engine"), "quietly: Add the engine", True),
    ],
)
def test_a_fact_is_held_word_by_word(fact: Fact, text: str, held: bool) -> None:
    """Blanks, quoting marks and a long text's end aside; a file by its path, a commit by its hash if it told one."""
    assert verify.holds(flat(text), fact) is held


def test_each_fact_has_one_verdict() -> None:
    """In one of the texts, on the page that they name, or nowhere; what nobody has read is told."""
    found = [*map(Fact, ["rule"] * 3, ("use tabs", "never push", "ask first")), Fact("test", "pytest -q", must=False)]
    texts = Texts("use tabs", "", "on the page: never push", "/c/0001.md")
    _, noted, told = check(found, texts, ())
    assert [verdict for _, verdict in verify.validate(found, texts[:2], texts.page)] == [
        "retained",
        "recoverable",
        "missing",
        "missing",
    ]
    assert noted["facts"] == {"retained": 1, "recoverable": 1, "missing": 2}
    assert noted["must"] == {"items": 3, "held": 1, "on_page": 1, "missing": 1}
    assert [line for line in told.splitlines() if line.startswith("- ")] == [
        "- a marked rule: never push",
        "- a marked rule: ask first",
    ]


@given(st.lists(st.text(max_size=300), max_size=6))
def test_what_is_shown_is_found(texts: list[str]) -> None:
    found = verify.facts(state(prompts=[prompt(text, n) for n, text in enumerate(texts)]))
    assert all(verdict == "retained" for _, verdict in verify.validate(found, ["\n".join(fact.text for fact in found)]))


def test_words_that_nobody_has_answered_are_no_fact_yet() -> None:
    """The client hands them on itself."""
    asked = (
        states.user("Find the commit"),
        states.told("6d61daaa"),
        states.user("that was long ago, was it not, at all?"),
    )
    assert "long ago" not in check(verify.facts(states.after(*asked)), Texts("Find the commit", ""), ())[2]
    assert "long ago" in check(verify.facts(states.after(*asked, states.told("yes"))), Texts("Find it", ""), ())[2]
    assert verify.facts(states.after(states.user("Replace the session cookie by a signed token"))) == []


def test_beside_a_record_a_failure_before_an_edit_is_held_where_its_command_is_named() -> None:
    """As the restore leaves it out, it is not told later either."""
    work = states.after(states.bash("go test ./... | tail", "ok  cached\nFAIL"), states.edit("/p/a.go"))
    for summary, telling in (("NEXT N1: run `go test ./...`; edited /p/a.go", False), ("edited /p/a.go", True)):
        assert ("FAIL" in check(verify.facts(work, "/p", recorded=True), Texts(summary, ""), ())[2]) is telling
