import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.runtime.notices import agent_of, attended, tag

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
