"""Which numbered answers decide something, and which numbered lists are no answers."""

import pytest

from holdfast.worklog import answers, fold


def test_a_numbered_answer_decides_the_items_of_the_list() -> None:
    """Each with its title and the user's words; numbers that the list does not have decide nothing."""
    state = fold.empty()
    state["items"] = answers.numbered("Open points:\n### Item 1: file locking\n2. **the amend bug**\n3) rollout", 80)
    answers.answered(state, "1. defer it until we migrate\n2. yes, fix that\n9. what is this?")
    assert [(note["kind"], note["by"], note["text"]) for note in state["notes"]] == [
        ("decision", "user", 'on 1. file locking: the user said "defer it until we migrate"'),
        ("decision", "user", 'on 2. the amend bug: the user said "yes, fix that"'),
    ]


@pytest.mark.parametrize("text", ["", "Only one:\n1. thing", "It costs 3. 5 is too much"], ids=["none", "one", "prose"])
def test_what_is_no_numbered_list(text: str) -> None:
    """Two numbered lines make a list."""
    assert answers.numbered(text, 80) == {}


def decided(prompt: str, items: int = 2) -> list[int]:
    """Numbers of the items that a prompt decides."""
    state = fold.empty()
    state["items"] = {str(number): f"question {number}?" for number in range(1, items + 1)}
    answers.answered(state, prompt)
    return [int(note["text"].split(".")[0].removeprefix("on ")) for note in state["notes"]]


@pytest.mark.parametrize(
    "above",
    ["Can you address the following items:", "Let's do these first: ", "Draw these scenarios:\n", "Fine. Then:\n\n"],
)
def test_a_list_of_the_users_own_answers_nothing(above: str) -> None:
    """Its numbers meet those of the assistant's by chance."""
    assert decided(f"{above}\n  1. Missing tests\n  2. Duplicated helper") == []


@pytest.mark.parametrize("above", ["", "My answers:\n", "Re your questions:\n", "Thanks, that helps a lot.\n"])
def test_answers_may_be_introduced(above: str) -> None:
    """Or follow a word of thanks."""
    assert decided(f"{above}1. Postgres\n2. the second one") == [1, 2]


@pytest.mark.parametrize(
    "said",
    [
        "how is it possible that they are still there?",
        "sqlite or similar? defer locking until we migrate?",
        "hmm, this is tricky",
        "I think so, but perhaps we need all of them",
    ],
)
def test_who_asks_back_or_doubts_decides_nothing(said: str) -> None:
    """Until the line says what holds."""
    assert decided(f"1. {said}\n2. Postgres") == [2]


@pytest.mark.parametrize(
    "said",
    [
        "yes, is that not what we have?",
        "not sure how it is now, but I would like it to be a filter",
        "is that not the same? let's make a new one",
        "maybe later; for now the old one should stay",
        "why not? do it, please",
    ],
)
def test_who_asks_and_settles_decides(said: str) -> None:
    """A question beside the decision takes nothing from it."""
    assert decided(f"1. {said}\n2. Postgres") == [1, 2]


def test_a_list_that_was_pasted_answers_nothing() -> None:
    """Its numbers are somebody else's."""
    assert decided("Summarise this mail:\n\nHi,\n1. Postgres\n2. the second one") == []
    assert decided("What does it mean?\n~~~\n1. Postgres\n2. the second one\n~~~") == []
