from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import BadInput
from holdfast.memory.markdown import parse, render
from holdfast.memory.record import check
from tests.memory.memories import mappings, record

ANSWER = {"decision": "Use it.", "rationale": "- fast\n- known", "alternatives_considered": ["MongoDB: none", "MySQL"]}
PLAIN = record(content=ANSWER, tags=["database"], agent="main", project="shop", importance=9, code="DEC-2026-11-04-003")


@given(fields=mappings())
def test_what_is_written_is_read_back(fields: dict[str, Any]) -> None:
    """Whatever the texts hold: ends of the fields, headings, conflict marks, control characters."""
    made = check(fields)
    assert parse(render(made)) == made


@given(fields=mappings())
def test_line_ends_of_another_system_change_nothing(fields: dict[str, Any]) -> None:
    """Git may give a file CR LF."""
    made = check(fields)
    assert parse(render(made).replace("\n", "\r\n")) == made


@given(text=st.text(max_size=400), cut=st.integers(0, 400))
def test_any_text_is_read_or_refused(text: str, cut: int) -> None:
    """Nothing but BadInput comes out of a damaged file."""
    whole = render(PLAIN)
    for damaged in (text, whole[:cut] + text, whole[:cut] + text + whole[cut:]):
        try:
            made = parse(damaged)
        except BadInput:
            continue
        assert parse(render(made)) == made


def test_the_template_of_a_decision() -> None:
    """Its heading, the five facts, the six sections and the tags, in the order of J4."""
    lines = render(PLAIN).split("---\n", 2)[2].splitlines()
    shown = [line.rstrip() for line in lines if line.startswith(("#", "**"))]
    assert shown == [
        "## DECISION: Adopt PostgreSQL 0",
        "**Decision ID**: DEC-2026-11-04-003",
        "**Timestamp**: 2026-11-04T14:32:00Z",
        "**Agent**: main",
        "**Project**: shop",
        "**Importance**: 9",
        "### Decision",
        "### Rationale",
        "### Alternatives Considered",
        "### Expected Impact",
        "### Validation Criteria",
        "### Context",
        "### Tags",
    ]
    assert "1. MongoDB: none\n2. MySQL\n" in render(PLAIN)


def test_a_file_edited_by_hand() -> None:
    """Other bullets, a section of one's own, text on several lines, lower-case choices, percent with its sign."""
    text = render(record("issue", content={"description": "old"}))
    text = text.replace("\nold\n", "\nIt fails\nsince Monday.\n").replace("\nmedium\n", "\nHigh\n")
    text = text.replace("### Tags", "### Attempted Fixes\n* one\n  more\n3) two\n\n### Notes\nmine\n\n### Tags")
    made = parse(text)
    assert made.content["description"] == "It fails\nsince Monday."
    assert (made.content["severity"], made.content["attempted_fixes"]) == ("high", ("one\nmore", "two"))
    assert made.extra == {"### Notes": "mine"}
    assert parse(render(made)) == made
    state = render(record("state", content={"task_description": "x", "completion_percentage": 40}))
    assert parse(state.replace("40 %", "55")).content["completion_percentage"] == 55


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("---\n", "", "line 1: it does not begin with ---"),
        ("\n---\n", "\n", "the file is torn"),
        ("holdfast: 1", "holdfast: 2", "it is no record of version 1"),
        ('"database"]', '"database"', "line 7: tags is not a JSON value"),
        ("importance: 9", "importance: high", "line 8: importance is not a JSON value"),
        ("importance: 9", "importance: 9\nimportance: 8", "line 9: importance stands twice"),
        ("importance: 9", "importance: 99", "importance is '99'. Allowed: a whole number from 1 to 10"),
        ("importance: 9", "<<<<<<< HEAD\nimportance: 9", "line 8: a conflict of a merge stands in it"),
        ("Use it.", "<<<<<<< HEAD\nUse it.\n=======\nNo.\n>>>>>>> x", "a conflict of a merge stands in it"),
        ("### Context", "### Rationale", "the section 'Rationale' stands twice"),
        ('kind: "decision"', 'kind: "issue"', "content.description is missing"),
        ("importance: 9", "importance: " + "[" * 100_000, "importance is not a JSON value"),
        ("importance: 9", 'content: {"decision": "x"}', "this is no `key: JSON value`"),
    ],
)
def test_a_broken_file_is_refused_with_the_place(old: str, new: str, told: str) -> None:
    """Line or field, what is wrong, what to do."""
    with pytest.raises(BadInput) as caught:
        parse(render(PLAIN).replace(old, new, 1))
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("---\n", "\ufeff---\n"),
        ("---\n", "--- \t\n"),
        ("\n---\n", "\n---\u3000\r\n"),
        ("\ntags:", "\n\n \t\ntags:"),
        ('kind: "decision"', 'kind:"decision" '),
        ("### Rationale", "###  Rationale\t"),
        ("### Expected Impact\n\n### Validation", "### Expected Impact\n### Validation"),
        ("### Tags\n\ndatabase\n", "### Tags"),
        ("## DECISION", "above the first section\n## DECISION"),
    ],
)
def test_what_changes_nothing(old: str, new: str) -> None:
    """A mark of the byte order, blanks beside what counts, blank lines or none."""
    text = render(PLAIN)
    assert old in text
    assert parse(text.replace(old, new, 1)) == PLAIN


@pytest.mark.parametrize("mark", ["<<<<<<< HEAD", "=======", ">>>>>>> x", "||||||| y"])
def test_a_conflict_is_seen_wherever_it_stands(mark: str) -> None:
    """Each of its four lines, right below the fields and at the end of the file; not within a line."""
    text = render(PLAIN)
    for damaged in (text.replace("\n---\n", f"\n---\n{mark}\n", 1), text + mark):
        with pytest.raises(BadInput, match="a conflict of a merge stands in it"):
            parse(damaged)
    assert parse(text.replace("Use it.", f"Use it {mark}")).content["decision"] == f"Use it {mark}"


def test_a_heading_without_a_name_is_text() -> None:
    """It opens no section."""
    assert parse(render(PLAIN).replace("Use it.", "Use\n### \nit.")).content["decision"] == "Use\n###\nit."
