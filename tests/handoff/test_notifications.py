import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.handoff.notifications import agent_of, attended, is_alone, tag, unattended

NOTICE = (
    "<task-notification>\n<task-id>a1</task-id>\n<summary>Agent x finished</summary>\n"
    "<result>R</result>\n</task-notification>"
)


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        (NOTICE, "a1"),
        ("\n " + NOTICE, "a1"),
        ("see " + NOTICE, ""),
        (NOTICE.replace("<result>R</result>", ""), ""),
        ("", ""),
        ("<task-notification><result><task-id>fake</task-id></result>", ""),
        (NOTICE.replace("R<", "<task-id>fake</task-id><"), "a1"),
    ],
    ids=["notice", "blank before", "in a text", "no result", "empty", "id in the result", "another id in the result"],
)
def test_whose_return_it_is(prompt: str, expected: str) -> None:
    """Only the client's own notification with a result; an id inside the result does not count."""
    assert agent_of(prompt) == expected


@given(st.text(st.characters(codec="utf-8") | st.sampled_from("<>/result"), max_size=60))
def test_a_result_may_hold_anything(text: str) -> None:
    """Also a closing tag of its own."""
    assert tag(NOTICE.replace("R<", text + "<"), "result") == text
    assert isinstance(tag(text, "result"), str)


@pytest.mark.parametrize(("value", "expected"), [("1", True), ("0", False), ("", False), ("true", False)])
def test_attended(value: str, expected: bool) -> None:
    """As the client says it."""
    assert attended({"CLAUDE_CODE_SESSION_ATTENDED": value}) is expected
    assert attended({}) is False


def test_only_a_notification_alone_may_be_dropped() -> None:
    """Two in one prompt, or words of the user behind it: nothing is dropped for the sake of one of them."""
    assert is_alone(NOTICE)
    assert not is_alone(NOTICE + NOTICE)
    assert not is_alone(NOTICE + "\nand go on")


def test_a_client_that_does_not_tell_leaves_it_open() -> None:
    """Neither attended nor unattended: then agents run as they were started, and nothing is dropped."""
    assert not attended({})
    assert not unattended({})
    assert unattended({"CLAUDE_CODE_SESSION_ATTENDED": "0"})
