import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.compaction import probes
from holdfast.compaction.critical_facts import Fact
from holdfast.compaction.probes import Probe

FACTS = [
    Fact("request", "Now the tests of refreshToken", ("refreshToken",)),
    Fact("goal", "Fix the login", ("login",)),
    Fact("constraint", "never push to main", ("main",)),
    Fact("correction", "use src/auth.py, not src/login.py", ("auth.py",)),
    Fact("step", "Write the migration", ("migration",), "in progress"),
    Fact("plan", "Run it on staging", ("staging",), "planned"),
    Fact("plan", "Read the schema", ("schema",), "done"),
    Fact("cancelled", "Port it to Windows", ("Windows",), "cancelled"),
    Fact("error", "E: relation tokens does not exist", ("tokens",), "open"),
    Fact("failed", "retry in the client, because it hid the fault", ("retry",)),
    Fact("decision", "one table for tokens, because two drifted apart", ("tokens",)),
    Fact("commit", "1234abc Add table", ("1234abc",)),
    *(Fact("file", f"/p/{n}.py", (f"{n}.py",), "changed") for n in range(9)),
]
ASKED = probes.probes(FACTS)


def test_the_facts_become_questions_of_all_four_kinds() -> None:
    """Each kind of fact is asked for once; what is not there is not asked for."""
    assert {probe.kind for probe in ASKED} == {"recall", "artifact", "continuation", "decision"}
    assert len(ASKED) == 12
    assert not any("agreed" in probe.question for probe in ASKED)
    assert probes.probes([]) == []


def test_planned_done_and_called_off_are_different_questions() -> None:
    """Each state's items are expected under their own question, so that one told as another costs its grade."""
    expected = {probe.question: probe.expected for probe in ASKED}
    assert expected["Which steps of the plan are still to be done?"] == ("Run it on staging",)
    assert expected["Which steps of the plan are finished?"] == ("Read the schema",)
    assert expected["What has been called off and must not be taken up again?"] == ("Port it to Windows",)


def test_a_question_asks_for_a_few_facts_only() -> None:
    """Of many files the first, which are the newest."""
    files = next(probe for probe in ASKED if "files" in probe.question)
    assert files.expected == tuple(f"/p/{n}.py" for n in range(probes.PER_PROBE))


def test_who_answers_has_not_seen_what_is_expected() -> None:
    """The prompt holds the questions and what was handed over; no expected text comes from us."""
    prompt = probes.answering(ASKED, "An empty record.")
    assert all(probe.question in prompt for probe in ASKED)
    assert not any(text in prompt for probe in ASKED for text in probe.expected)


@given(st.text(max_size=200) | st.sampled_from(["=== record ===", "=== record of the record ===", "{} {0} %s"]))
def test_what_was_handed_over_cannot_end_its_own_frame(context: str) -> None:
    """The line that frames it does not occur in it, and it stands there unchanged."""
    prompt = probes.answering(ASKED, context)
    mark = prompt.split('"')[1]
    assert mark not in context
    assert f"\n{mark}\n{context}\n{mark}\n" in prompt


def test_who_grades_sees_each_answer_beside_what_is_known() -> None:
    """One JSON row per question; a missing answer is an empty one."""
    prompt = probes.grading(ASKED[:2], {1: 'the "login"'})
    rows = [json.loads(line) for line in prompt.splitlines() if line.startswith('{"number"')]
    assert [row["answer"] for row in rows] == ['the "login"', ""]
    assert rows[0]["known"] == ["Fix the login"]


@pytest.mark.parametrize(
    "text",
    [
        '{"1": 5, "2": 0}',
        '```json\n{"1": 5, "2": 0}\n```',
        'Here are the grades:\n{"Q1": "5/5", "#2": "0"}\nDone.',
        '{"1": {"grade": 5, "why": "x"}, "2": {"score": 0}}',
        '{"1. What": 5.0, "2": 0, "3": 7, "4": -1, "5": true, "6": "good", "99": 4, "x": 1, "7": null}',
    ],
    ids=["plain", "fence", "words around it", "objects", "odd rows"],
)
def test_grades_are_read_tolerantly(text: str) -> None:
    """Whatever stands around them; what is no grade of a question is left out."""
    assert probes.grades_of(text, 12) == {1: 5, 2: 0}


@pytest.mark.parametrize("text", ["", "5, 0", "{", '{"1": 5', "[5, 0]", "I cannot judge this."], ids=repr)
def test_what_is_no_object_holds_no_grade(text: str) -> None:
    """Nothing is guessed."""
    assert probes.grades_of(text, 12) == {}
    assert probes.answers_of(text, 12) == {}


def test_answers_are_texts() -> None:
    """Numbers are taken as texts, other values not at all."""
    assert probes.answers_of('{"1": "yes", "2": 7, "3": [1], "4": null}', 4) == {1: "yes", 2: "7"}


@given(st.text(max_size=100), st.integers(0, 20))
def test_any_text_can_be_read(text: str, asked: int) -> None:
    """No answer of a model is an error, and every grade stands within the scale."""
    assert all(1 <= number <= asked and 0 <= grade <= 5 for number, grade in probes.grades_of(text, asked).items())
    assert isinstance(probes.answers_of(text, asked), dict)


def test_only_what_was_graded_counts() -> None:
    """Means over the graded questions, per kind too; the lost ones by name; no grade, no score."""
    asked = [Probe("recall", "A?", ("a",)), Probe("recall", "B?", ("b",)), Probe("decision", "C?", ("c",))]
    found = probes.score(asked, {1: 5, 3: 2})
    assert found == probes.Score(3.5, 2, 3, {"recall": 5.0, "decision": 2.0}, ("C?",))
    assert probes.score(asked, {}) is None
