from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.compaction import worth
from holdfast.worklog import fold, mentions, statements
from tests.worklog.states import SESSIONS, after, user
from tests.worklog.states import told as answer


def told(*texts: str, **changes: Any) -> dict[str, Any]:
    """A session in which the assistant said this, one message each, after one prompt."""
    state = {**fold.empty(), "prompts": [{"n": 1, "text": "Go", "re": "", "after": 0}], **changes}
    for number, text in enumerate(texts, 2):
        state["messages"] = number
        statements.keep(state, text)
        mentions.said(state, text, mentions.OWN)
    return state


def values(state: dict[str, Any], covered: str = "") -> dict[str, float]:
    """Each statement with its worth, where `covered` is on the page."""
    pool = worth.candidates(state)
    known = worth.weights(state, pool)
    have = mentions.telling(covered) | worth.concepts(covered)
    return {one.said.text: worth.worth(one, known, have, 0) for one in pool}


def test_what_stands_on_the_page_is_worth_less() -> None:
    """Its names and its subject are told already."""
    text = "The importer calls loadSession before parseHeader."
    state = told(text)
    assert values(state, text)[text] < values(state)[text]


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ("Verdict: we keep loadSession here.", "It may be: we keep loadSession here."),
        ("CRITICAL: loadSession is a blocker now.", "The function loadSession is a finder now."),
        ("Removed loadSession from the importer.", "Listed loadSession with the importer."),
        ("The importer calls loadSession at once.", "And it also calls loadSession at once..."),
    ],
    ids=["decision", "severe", "recap", "leaning"],
)
def test_kinds_and_signs(more: str, less: str) -> None:
    """Of two statements with the same names."""
    assert values(told(more))[more] > values(told(less))[less]


def test_recent_is_worth_more_than_old() -> None:
    """The same words with other names, far apart."""
    fill = [f"Statement number {n} tells nothing of interest." for n in range(60)]
    state = told("The store keeps firstName rows.", *fill, "The store keeps otherName rows.")
    found = values(state)
    assert found["The store keeps otherName rows."] > found["The store keeps firstName rows."]


def test_equal_statements_count_once() -> None:
    """Said again in other markup too; the newest stays."""
    pool = worth.candidates(told("The store keeps `firstName` rows.", "Yes, see.", "The store keeps firstName rows"))
    assert [one.said.n for one in pool if "store" in one.said.text] == [4]


def test_open_to_dos_are_told_elsewhere() -> None:
    """With the decisions, as long as they are open."""
    text = "TODO: port loadSession to the new API."
    notes = [{"kind": "todo", "text": text, "by": "assistant", "n": 2}]
    assert worth.candidates(told(text, notes=notes)) == []


def test_concepts() -> None:
    """Telling words and pairs by their first letters; common words speak of nothing."""
    assert worth.concepts("The migration of importers should be migrated") == {
        "migrati",
        "importe",
        "migrate",
        "migrati importe",
        "importe migrate",
    }
    assert worth.concepts("this that with from") == set()


@given(st.lists(st.text(max_size=120), max_size=6))
def test_worth_is_a_number_for_any_text(texts: list[str]) -> None:
    """Never below nothing, and no division by it."""
    assert all(value >= 0 for value in values(told(*texts)).values())


def test_a_recap_outranks_a_plan_to_do_it() -> None:
    """What was done is told before what was to be done."""
    plan, recap = "We could move parseHeader into lib/pool.py.", "We moved parseHeader into lib/pool.py now."
    found = values(told(plan, "The rest is as before in every way.", recap))
    assert found[recap] > 2 * found[plan]


def test_an_answer_outranks_chatter() -> None:
    """The beginning of what a turn ends with answers its request; what was said on the way does not."""
    state = after(
        user("Where is the limit kept?"),
        answer("The search goes through loadSession and its callers."),
        answer("The limit lives with loadSession and its callers."),
        user("Then raise it."),
    )
    found = values(state)
    assert found["The limit lives with loadSession and its callers."] > (
        2 * found["The search goes through loadSession and its callers."]
    )


@pytest.mark.parametrize("reply", ["yes", "go ahead"])
def test_what_the_user_agreed_to_outranks_what_was_passed_over(reply: str) -> None:
    """A proposal that the latest request accepts is the work at hand."""
    text = "The cache could hold loadSession for 300 seconds."
    steps = [user("Make it faster."), answer(f"{text} Shall I?")]
    accepted = values(after(*steps, user(reply)))[text]
    refused = values(after(*steps, user("Look at the importer first, please: " + "there is more to see in it. " * 5)))
    assert accepted > refused[text]


def test_the_tenth_statement_of_a_turn_is_worth_less() -> None:
    """Every request has its answer before one has ten."""
    state = told("The store keeps firstName rows.")
    (one,) = worth.candidates(state)
    known = worth.weights(state, [one])
    found = [worth.worth(one, known, set(), before) for before in (0, 1, 9)]
    assert found == sorted(found, reverse=True)
    assert found[0] > 2 * found[1]


def test_what_was_said_before_the_last_compaction_is_worth_less() -> None:
    """What mattered of it came up again."""
    text = "The store keeps firstName rows."
    before = told(text, boundaries=[{"id": "b", "n": 2}])
    assert values(before)[text] < 0.5 * values(told(text))[text]


def test_a_statement_of_a_long_message_is_worth_less() -> None:
    """It says less of what its message says."""
    text = "The store keeps firstName rows."
    rest = " ".join(f"Part {number} keeps more of the same." for number in range(9))
    assert values(told(f"{text} {rest}"))[text] < values(told(text))[text]


@pytest.mark.parametrize("text", ["That's a really good question.", "So that is where it all went.", "Here's why:"])
def test_what_only_nods_is_left_out(text: str) -> None:
    """It has no name and leans on what it answers."""
    assert worth.candidates(told(text)) == []


def test_a_plain_answer_stays() -> None:
    """However short."""
    state = after(user("Is it safe?"), answer("Yes, both sides agree."), user("Then go on."))
    assert [one.said.text for one in worth.candidates(state)] == ["Yes, both sides agree."]


def test_statements_are_shown_without_code_marks() -> None:
    """Their names are known all the same."""
    (one,) = worth.candidates(told("The store keeps `first-name` rows."))
    assert one.said.text == "The store keeps first-name rows."
    assert "first-name" in one.names


@given(SESSIONS)
def test_statements_are_distinct_and_newest(state: dict[str, Any]) -> None:
    """For any session: no two candidates have the same words, and each is the newest with them."""
    pool = worth.candidates(state)
    words = [worth.plain(one.said.text) for one in pool]
    assert len(words) == len(set(words))
    newest = {worth.plain(said.text): said.n for said in statements.all_of(state)}
    assert all(newest[text] >= one.said.n for text, one in zip(words, pool, strict=True))
