"""A record as a value and as a Markdown file; what may stand in one, and what is worth one."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from holdfast.errors import BadInput
from holdfast.memory import schema
from holdfast.memory.markdown import overruled, parse, render, spoken, with_notes
from holdfast.memory.record import SHAPES, check, texts, without_secrets
from holdfast.memory.supersession import rejection, tagged
from holdfast.text.redaction import redacted
from tests.memory.memories import FIRST, TEXTS, fields, mappings, record


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"kind": "idea"}, "kind is 'idea'. Allowed: decision or issue or state or learning"),
        ({"id": "1"}, "id is '1'. Allowed: a UUID in small letters"),
        ({"time": "yesterday"}, "time is 'yesterday'. Allowed: an ISO 8601 time with its zone"),
        ({"time": 5}, "time is '5'"),
        ({"title": ""}, "title is missing. Allowed: one line of at most 100 characters"),
        ({"title": "x" * 101}, "Allowed: one line of at most 100 characters"),
        ({"importance": 11}, "importance is '11'. Allowed: a whole number from 1 to 10"),
        ({"importance": True}, "importance is 'True'"),
        ({"tags": "db"}, "tags is 'db'. Allowed: a list of at most 20 words"),
        ({"tags": ["<b>"]}, "tags is"),
        ({"trust": "god"}, "Allowed: trusted or semi_trusted or untrusted"),
        ({"code": "DEC-1"}, "Allowed: DEC-YYYY-MM-DD-NNN"),
        ({"archived": "2026"}, "archived is '2026'"),
        ({"delete": "yes"}, "delete is 'yes'. Allowed: true or false"),
        ({"content": []}, "Allowed: an object with decision, rationale"),
        ({"content": {"decision": " "}}, "content.decision is"),
        ({"content": {"decision": "x", "why": "y"}}, "decisions have no field 'why'. Allowed: decision, rationale"),
        ({"content": {"decision": "x", "rationale": 5}}, "content.rationale is '5'. Allowed: a text of at most 20,000"),
        ({"content": {"decision": "x", "alternatives_considered": "y"}}, "Allowed: a list of at most 100 texts"),
        ({"content": {"decision": "x" * 20_001}}, "a text of at most 20,000 characters"),
        ({"extra": {"id": 1}}, "a further field is 'id'"),
        ({"title": 5, "importance": 99, "content": []}, "content is '[]'. Allowed: an object with decision"),
        ({"title": 5, "importance": 99, "No": 1}, "title is '5'"),
        ({"No": 1}, "a further field is 'No'. Allowed: small letters"),
        ({"### Notes": 1}, "a further field is '### Notes'"),
    ],
)
def test_what_is_wrong_is_named_with_what_is_allowed(change: dict[str, Any], told: str) -> None:
    """Field, value, allowed values, in one line; no command takes what a hook would not read."""
    with pytest.raises(BadInput) as caught:
        check(fields() | change)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
    if not {"extra", "No", "### Notes"} & change.keys():  # the model lets others' fields stand as they are
        with pytest.raises(ValidationError):
            schema.Record.model_validate(fields() | change)


def test_what_is_not_said_has_its_default() -> None:
    """A field that is missing, null or empty; the fields stand in the order of the kind."""
    for nothing in ({}, dict.fromkeys(("next_actions", "completion_percentage", "blockers"))):
        made = record("state", content={**nothing, "task_description": "move"})
        assert list(made.content.items()) == [
            *(("task_description", "move"), ("completion_percentage", 0), ("substeps_completed", ())),
            *(("substeps_remaining", ()), ("blockers", ()), ("next_actions", ())),
        ]
    assert record("state", content={"task_description": "move", "blockers": ""}).content["blockers"] == ()


ANSWER = {"decision": "Use it.", "rationale": "- fast\n- known", "alternatives_considered": ["MongoDB: none", "MySQL"]}
PLAIN = record(content=ANSWER, tags=["database"], agent="main", project="shop", importance=9, code="DEC-2026-11-04-003")


@given(text=st.text(max_size=400), cut=st.integers(0, 400))
def test_any_text_is_read_or_refused(text: str, cut: int) -> None:
    whole = render(PLAIN)
    for damaged in (text, whole[:cut] + text, whole[:cut] + text + whole[cut:]):
        try:
            made = parse(damaged)
        except BadInput:
            continue
        assert parse(render(made)) == made


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
    ("old", "new", "notes"),
    [
        ("### Decision\n", "Only in May.\n\n## Budget\n400\n\n### Decision\n", "Only in May.\n\n## Budget\n400"),
        ("\ndatabase\n", "\ndatabase\n\nAsk Ana first.\n", "Ask Ana first."),
        ("### Tags\n", "### Notes\n\nmine\n\n### Tags\n\nAsk Ana first.\n", "Ask Ana first.\n\nmine"),
        ("## DECISION: Adopt PostgreSQL 0\n", "# Adopt MariaDB\n", "# Adopt MariaDB"),
    ],
    ids=["above", "at the end", "both", "another heading"],
)
def test_what_stands_in_no_section_is_a_note(old: str, new: str, notes: str) -> None:
    made = parse(render(PLAIN).replace(old, new, 1))
    assert made.extra == {"### Notes": notes}
    assert made._replace(extra={}) == PLAIN
    assert parse(render(made)) == made


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("Run:\n```sh\n### build\nmake\n```\nand deploy.", {}),
        ("Run:\n~~~~\n```\n### Rationale\n~~~~", {}),
        ("Run:\n```sh\nmake", {"### build": "make\n```"}),
        ("Run:\n```a`b`\nmake", {"### build": "make\n```"}),
    ],
    ids=["closed", "other signs", "open", "no fence"],
)
def test_a_heading_in_code_begins_no_section(text: str, more: dict[str, Any]) -> None:
    """Of code that the text itself closes; what never ends hides none, whatever stands below it."""
    given = record(content={"decision": text, "rationale": "```"}, **more)
    assert parse(render(given)) == given
    raw = render(record()).replace("PostgreSQL holds the orders, number 0", text)
    assert parse(raw).content["decision"] == text


def test_a_line_that_repeats_a_field_and_says_something_else_is_found() -> None:
    """It does not count; where one of several, as a merge leaves them, says what the field does, nothing is amiss."""
    text = render(PLAIN)
    assert overruled(text, PLAIN) == {}
    text = text.replace("## DECISION: Adopt PostgreSQL 0", "## DECISION: Adopt MariaDB")
    text = text.replace("**Importance**: 9", "**Importance**: 10").replace("\ndatabase\n", "\ndatabase, orders\n")
    text = text.replace("**Agent**: main", "**Agent**: main  \n**Agent**: other")
    found = {"## DECISION: Adopt MariaDB": "title", "**Importance**: 10": "importance", "database, orders": "tags"}
    assert parse(text) == PLAIN
    assert overruled(text, PLAIN) == found
    assert parse(render(with_notes(PLAIN, found))).extra == {"### Notes": "\n".join(found)}


def test_what_a_merge_has_kept_of_both_is_read() -> None:
    """In either order: the greater of two values, the graver of two choices, all of the text, all items."""
    one = record("issue", content={"description": "x", "severity": "high", "attempted_fixes": ["a"]}, importance=8)
    text = render(one)
    for first, second in (("8", "9"), ("9", "8")):
        both = text.replace("importance: 8", f"importance: {first}\nimportance: {second}")
        both = both.replace("\nhigh\n", "\nhigh\ncritical\n" if first == "8" else "\ncritical\nhigh\n")
        read = parse(both.replace("### Tags", "### Attempted Fixes\n\n- b\n\n### Next Actions\n\nc\n\n### Tags"))
        assert (read.importance, read.content["severity"]) == (9, "critical")
        assert (read.content["attempted_fixes"], read.content["next_actions"]) == (("a", "b"), "c")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("---\n", "", "line 1: it does not begin with ---"),
        ("\n---\n", "\n", "the file is torn"),
        ("holdfast: 1", "holdfast: 2", "a newer Holdfast has written it"),
        ("holdfast: 1", "holdfast: 0", "it is no record of version 1"),
        ('"database"]', '"database"', "line 7: tags is not a JSON value"),
        ("importance: 9", "importance: high", "line 8: importance is not a JSON value"),
        ("importance: 9", "importance: 99", "importance is '99'. Allowed: a whole number from 1 to 10"),
        ("importance: 9", "<<<<<<< HEAD\nimportance: 9", "line 8: a conflict of a merge stands in it"),
        ('kind: "decision"', 'kind: "issue"', "content.description is missing"),
        ("importance: 9", "importance: " + "[" * 100_000, "importance is not a JSON value"),
        ("importance: 9", 'content: {"decision": "x"}', "this is no `key: JSON value`"),
    ],
)
def test_a_broken_file_is_refused_with_the_place(old: str, new: str, told: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse(render(PLAIN).replace(old, new, 1))
    assert told in str(caught.value)


@pytest.mark.parametrize("mark", ["<<<<<<< HEAD", "=======", ">>>>>>> x", "||||||| y"])
def test_a_conflict_is_seen_wherever_it_stands(mark: str) -> None:
    """Each of its four lines, right below the fields and at the end of the file; not within a line."""
    text = render(PLAIN)
    for damaged in (text.replace("\n---\n", f"\n---\n{mark}\n", 1), text + mark):
        with pytest.raises(BadInput, match="a conflict of a merge stands in it"):
            parse(damaged)
    assert parse(text.replace("Use it.", f"Use it {mark}")).content["decision"] == f"Use it {mark}"


def test_every_text_of_a_record_is_cleaned() -> None:
    """Title, content, lists, tags, paths, source and what a person added; a title that grows stays within its limit."""
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    content = {"decision": f"use {key}", "alternatives_considered": [key]}
    made = without_secrets(
        record(title="x" * 85 + " password=1234x", content=content, tags=["db"], paths=[key], colour=key, session=key)
    )
    assert "AKIA" not in repr(made)
    assert "1234x" not in made.title
    assert len(made.title) == 100
    assert made.content["alternatives_considered"] == ("[redacted: AWS key]",)
    assert made.tags == ("db",)


DIFF = "diff --git a/x.py b/x.py\nindex 1a2b3c4..5d6e7f8 100644\n--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n-old\n+new"


@pytest.mark.parametrize(
    ("kind", "text", "more", "why"),
    [
        ("learning", DIFF, {}, "it is a diff"),
        ("learning", "word and one " * 1_500, {}, "more than 2,000 tokens"),
        ("learning", "password=hunter22", {"title": "password=hunter22"}, "it says too little"),
        ("learning", "yes", {"title": "yes"}, "it says too little"),
        ("decision", "Use the mirror from now on", {"trust": "untrusted"}, "a decision needs somebody who decided"),
    ],
    ids=["diff", "long", "secret", "short", "a tool's decision"],
)
def test_what_is_no_record(kind: str, text: str, more: dict[str, Any], why: str) -> None:
    """Transient, too much, too little, or nobody's: with what to write in its place."""
    one = without_secrets(record(kind, content={FIRST[kind]: text}, **more))
    assert why in rejection(one)
    assert ": " in rejection(one)


def test_every_record_has_a_tag() -> None:
    """Its own, else names of files and things, else its kind."""
    assert tagged(record(tags=["db"])).tags == ("db",)
    named = record("learning", title="Clocks", content={"lesson": "src/app/clock.py: parse_iso_time drops the zone"})
    assert tagged(named).tags == ("clock.py", "parse_iso_time")
    assert tagged(record("learning", title="Be kind", content={"lesson": "To all"})).tags == ("learning",)


@given(given_fields=mappings())
def test_a_record_stays_what_it_is(given_fields: dict[str, Any]) -> None:
    """Checked once more, written and read back, and taken by the model: whatever the texts hold, such as ends of the
    fields, headings, conflict marks, control characters.
    """
    made = check(given_fields)
    assert check(made._asdict()) == parse(render(made)) == made
    shown = {name: value for name, value in made._asdict().items() if name != "extra"}
    model = schema.Record.model_validate(shown).model_dump()
    assert model == {name: _listed(value) for name, value in shown.items()}


def _listed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _listed(one) for name, one in value.items()}
    return list(value) if isinstance(value, tuple) else value


@given(text=TEXTS, more=TEXTS)
def test_a_record_is_cleaned_as_its_texts_are(text: str, more: str) -> None:
    """Whether or not a first look at all of it together finds nothing to look for."""
    made = record("learning", content={"lesson": f"x{text} password=hunter2x", "applicability": more})
    content = {name: redacted(str(said)) if said else said for name, said in made.content.items()}
    assert dict(without_secrets(made).content) == content
    assert texts(made)[0] == made.content[FIRST["learning"]]
    assert list(SHAPES["learning"]) == list(made.content)


def test_a_checkout_with_other_line_ends_is_found_by_the_same_words() -> None:
    text = render(record("decision", 1, content={"decision": "Use tabs", "rationale": "blanks drift"}))
    title, said = spoken("\ufeff" + text.replace("\n", "\r\n"))
    assert (title, said) == spoken(text)
    assert "blanks drift" in said
