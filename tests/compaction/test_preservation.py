import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.compaction import verify
from holdfast.compaction.verify import Fact
from holdfast.worklog import model
from tests.compaction.states import WORK, prompt, state


def kinds(must: bool) -> list[tuple[str, str]]:
    """(kind, state) of the facts that must be held, or need not."""
    return [(fact.kind, fact.state) for fact in verify.facts(WORK) if fact.must is must]


def test_what_must_stay() -> None:
    """Requests, marked rules, what is open, the last five changed files; lessons are no fact."""
    assert kinds(must=True) == [
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


def test_nothing_done_gives_no_facts() -> None:
    """And nothing can be missing then."""
    assert verify.facts(model.empty()) == []
    assert verify.validate([], ["x"]).counts() == {"retained": 0, "recoverable": 0, "missing": 0}


def test_the_only_prompt_is_one_fact() -> None:
    """It is goal and latest request at once."""
    found = verify.facts(state(prompts=[prompt("Fix it")]))
    assert [(fact.kind, fact.text) for fact in found] == [("request", "Fix it"), ("goal", "Fix it")]


@pytest.mark.parametrize(
    ("fact", "text", "held"),
    [
        (Fact("request", "Fix  the\nlogin"), "> Fix the\n> login\nand more", True),
        (Fact("request", "Fix the login"), "They are fixing the login.", False),
        (Fact("request", "a" * 500), "a" * 160, True),
        (Fact("rule", "use tabs"), "the user wants tabs used", False),
        (Fact("file", "/p/src/a.py"), "changed a.py", True),
        (Fact("file", "/p/src/a.py"), "changed data.py", False),
        (Fact("commit", "1234abcdef Add the engine"), "at 1234abc", True),
        (Fact("commit", "1234abcdef Add the engine"), "Add the engine", False),
    ],
)
def test_a_fact_is_held_word_by_word(fact: Fact, text: str, held: bool) -> None:
    """Blanks, quoting marks and the end of a long text aside; a file by its name, a commit by its hash."""
    assert verify.holds(verify.flat(text), fact) is held


def test_each_fact_has_one_verdict() -> None:
    """In one of the texts, on the page that they name, or nowhere."""
    found = [
        Fact("rule", "use tabs"),
        Fact("rule", "never push"),
        Fact("rule", "ask first"),
        Fact("test", "pytest -q", must=False),
    ]
    checked = verify.validate(found, ("use tabs", ""), "on the page: never push")
    assert checked.verdicts == ("retained", "recoverable", "missing", "missing")
    assert checked.counts() == {"retained": 1, "recoverable": 1, "missing": 2}
    assert checked.must() == {"items": 3, "held": 1, "on_page": 1, "missing": 1}
    assert checked.of("missing") == found[2:]


@given(st.lists(st.text(max_size=300), max_size=6))
def test_what_is_shown_is_found(texts: list[str]) -> None:
    """A text that holds every fact as it stands loses none."""
    found = verify.facts(state(prompts=[prompt(text, n) for n, text in enumerate(texts)]))
    assert verify.validate(found, ["\n".join(fact.text for fact in found)]).counts()["missing"] == 0
