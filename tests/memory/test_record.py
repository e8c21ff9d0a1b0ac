from typing import Any

import pytest
from hypothesis import given

from holdfast.errors import BadInput
from holdfast.memory.record import Record, check, clean, first, mapped, texts
from holdfast.memory.shapes import KINDS
from tests.memory.memories import FIRST, TEXTS, fields, mappings, record


@given(given_fields=mappings())
def test_a_record_is_a_record_again(given_fields: dict[str, Any]) -> None:
    """What check makes passes check unchanged."""
    made = check(given_fields)
    assert check(made._asdict()) == made


@given(text=TEXTS)
def test_nothing_invisible_is_left(text: str) -> None:
    """No control character, reversed writing, half emoji or foreign line end; cleaning twice changes nothing."""
    found = clean(text)
    assert not {"\x00", "\x1b", "\r", "\u202e", "\u2028", "\ud800", "\U000e0041"} & set(found)
    assert clean(found) == found == found.strip()


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
        ({"content": {"decision": "x", "why": "y"}}, "a decision has no field 'why'. Allowed: decision, rationale"),
        ({"content": {"decision": "x", "rationale": 5}}, "content.rationale is '5'. Allowed: a text of at most 20,000"),
        ({"content": {"decision": "x", "alternatives_considered": "y"}}, "Allowed: a list of at most 100 texts"),
        ({"content": {"decision": "x" * 20_001}}, "a text of at most 20,000 characters"),
        ({"extra": {"id": 1}}, "a further field is 'id'"),
        ({"title": None}, "title is missing"),
        ({"title": 5, "importance": 99, "content": []}, "content is '[]'. Allowed: an object with decision"),
        ({"title": 5, "importance": 99, "No": 1}, "title is '5'"),
        ({"No": 1}, "a further field is 'No'. Allowed: small letters"),
        ({"### Notes": 1}, "a further field is '### Notes'"),
    ],
)
def test_what_is_wrong_is_named_with_what_is_allowed(change: dict[str, Any], told: str) -> None:
    """Field, value, allowed values, in one line."""
    with pytest.raises(BadInput) as caught:
        check(fields() | change)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["severity", "status"])
def test_choices_of_an_issue(name: str) -> None:
    """Its severity and status are words of a list; both have a default."""
    with pytest.raises(BadInput, match=f"content.{name} is 'odd'. Allowed: .+ or .+"):
        record("issue", content={"description": "x y", name: "odd"})
    made = record("issue")
    assert (made.content["severity"], made.content["status"]) == ("medium", "open")


def test_what_is_not_said_has_its_default() -> None:
    """A field that is missing, null or empty; the fields stand in the order of the kind."""
    for nothing in ({}, dict.fromkeys(("next_actions", "completion_percentage", "blockers"))):
        made = record("state", content={**nothing, "task_description": "move"})
        assert list(made.content.items()) == [
            *(("task_description", "move"), ("completion_percentage", 0), ("substeps_completed", ())),
            *(("substeps_remaining", ()), ("blockers", ()), ("next_actions", ())),
        ]
    assert record("state", content={"task_description": "move", "blockers": ""}).content["blockers"] == ()


def test_tags_and_lists_are_made_plain() -> None:
    """Tags in small letters, each once; empty items are dropped."""
    made = record(tags=["DB", "db", "Two Words"], paths=["a.py", " ", "a.py"])
    assert (made.tags, made.paths) == (("db", "two-words"), ("a.py",))


def test_what_is_not_known_is_kept() -> None:
    """A newer version's field survives; the version itself is no field."""
    assert record(colour="red", holdfast=1).extra == {"colour": "red"}


def test_every_text_goes_through_a_change() -> None:
    """Title, content, tags, paths and additions; ids, times and numbers stay."""
    before = record(
        tags=["db"], paths=["a.py"], colour=["red"], content={"decision": "x", "alternatives_considered": ["y"]}
    )
    after = mapped(before, str.upper)
    assert (after.title, after.tags, after.paths) == ("ADOPT POSTGRESQL 0", ("DB",), ("A.PY",))
    assert (after.content["decision"], after.content["alternatives_considered"]) == ("X", ("Y",))
    assert after.extra == {"colour": ["RED"]}
    assert (after.id, after.time, after.kind) == (before.id, before.time, before.kind)


def test_what_a_record_says_first() -> None:
    """Of each kind the field that must say something; "" where it does not."""
    for kind in KINDS:
        one = record(kind)
        assert first(kind, one.content) == one.content[FIRST[kind]] != ""
        assert first(kind, {}) == ""


def test_texts_are_those_of_the_content_in_order() -> None:
    """Lists are spread; percent and choices are no texts."""
    content = {"task_description": "move", "completion_percentage": 40, "blockers": ["b"], "next_actions": ["c", "d"]}
    assert texts(record("state", content=content)) == ["move", "b", "c", "d"]
    assert Record._fields[0] == "id"
