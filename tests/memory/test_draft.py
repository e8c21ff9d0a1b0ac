"""The form in which what was said becomes a record."""

import pytest

from holdfast.memory import draft as drafts
from tests.worklog.states import after, edit, told, user


def test_the_first_field_gives_title_tags_and_places() -> None:
    """Names with the file that the session saw them in; the trust of whoever said it."""
    work = after(user("Mend the login"), edit("/p/auth.py", "def verify_token(): ..."))
    made = drafts.draft(drafts.Said("learning", 8, "user", ("rule",)), {"lesson": "verify_token never caches"}, work)
    assert (made["title"], made["trust"], made["importance"]) == ("verify_token never caches", "trusted", 8)
    assert made["paths"] == ["/p/auth.py::verify_token"]
    assert made["tags"] == ["rule", "verify_token"]


def test_a_voice_that_is_not_known_is_not_trusted() -> None:
    """Whatever it calls itself."""
    assert drafts.draft(drafts.Said("issue", 5, "page"), {"description": "it fails"}, after())["trust"] == "untrusted"


def test_nothing_said_is_no_draft() -> None:
    """Signs alone say nothing."""
    assert drafts.draft(drafts.Said("learning", 5, "user"), {"lesson": "... !"}, after()) == {}


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("DECISION: use uv", "use uv"),
        ("Lesson learned: fork first", "fork first"),
        ("BUG-7: it drops rows", "BUG-7: it drops rows"),
        ("We decided: no", "We decided: no"),
        ("Failed approaches: two pools", "two pools"),
    ],
)
def test_a_marker_is_taken_off(text: str, plain: str) -> None:
    """But not the number by which a thing is known."""
    assert drafts.unmarked(text) == plain


@pytest.mark.parametrize(("importance", "kept"), [(10, 0), (8, 0), (7, 30), (5, 30), (4, 7), (1, 7)])
def test_how_long_a_record_is_kept(importance: int, kept: int) -> None:
    """8-10 for good, 5-7 for 30 days, 1-4 for 7."""
    assert drafts.days(importance) == kept


def test_the_same_thing_has_the_same_key() -> None:
    """Whatever its marks and case; another kind is another thing."""
    one, other = ({"kind": "decision", "content": {"decision": text}} for text in ("use `uv` here", "Use uv here."))
    assert (
        drafts.key(one) == drafts.key(other) != drafts.key({"kind": "learning", "content": {"lesson": "use uv here"}})
    )


def test_the_task_at_hand_is_the_context() -> None:
    """In the user's words; none where nothing was asked."""
    assert "Mend the login" in drafts.context(after(user("Mend the login"), told("ok")))
    assert drafts.context(after()) == ""
