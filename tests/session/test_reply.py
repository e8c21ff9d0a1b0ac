import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.session.reply import INJECTION_LIMIT, NOTHING, Reply, clip_utf16, encode, utf16_length

TEXT = st.text(st.characters(codec=None) | st.sampled_from("a😀é\n"), max_size=60)


def units(text: str) -> int:
    """UTF-16 units by the codec."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@given(TEXT, st.integers(-1, 70))
def test_clip_is_the_longest_head_that_fits(text: str, limit: int) -> None:
    """A head of the text within the limit, and one character more would not fit."""
    head = clip_utf16(text, limit)
    assert text.startswith(head)
    assert units(head) <= max(0, limit)
    assert head == text or units(text[: len(head) + 1]) > limit


@given(TEXT.filter(lambda text: not any("\ud800" <= c <= "\udfff" for c in text)))
def test_length_is_counted_as_the_client_counts(text: str) -> None:
    """An emoji counts twice."""
    assert utf16_length(text) == units(text)


def test_nothing_prints_nothing() -> None:
    """The normal answer is no output at all."""
    assert encode(NOTHING, "Stop") == ""


def test_plain_text_stands_alone() -> None:
    """PreCompact's text is no JSON."""
    assert encode(Reply(plain="keep this", user="x"), "PreCompact") == "keep this"


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (Reply(user="u"), {"systemMessage": "u"}),
        (Reply(block="r"), {"decision": "block", "reason": "r"}),
        (Reply(context="c"), {"hookSpecificOutput": {"hookEventName": "E", "additionalContext": "c"}}),
        (Reply(output=""), {"hookSpecificOutput": {"hookEventName": "E", "updatedToolOutput": ""}}),
        (Reply(output=[]), {"hookSpecificOutput": {"hookEventName": "E", "updatedToolOutput": []}}),
        (Reply(inputs={"a": 1}), {"hookSpecificOutput": {"hookEventName": "E", "updatedInput": {"a": 1}}}),
    ],
    ids=["user", "block", "context", "empty output", "empty list", "inputs"],
)
def test_each_part_has_its_place(reply: Reply, expected: object) -> None:
    """A part stands where the client reads it; an empty replacement is still a replacement."""
    assert json.loads(encode(reply, "E")) == expected


def test_a_blocked_prompt_is_not_shown_again() -> None:
    """Only for UserPromptSubmit the prompt's text is left out of the block message."""
    assert (
        json.loads(encode(Reply(block="r"), "UserPromptSubmit"))["hookSpecificOutput"]["suppressOriginalPrompt"] is True
    )
    assert "hookSpecificOutput" not in json.loads(encode(Reply(block="r"), "SubagentStop"))


@given(st.integers(4_990, 5_010))
def test_context_stays_under_the_clients_limit(emoji: int) -> None:
    """Never more than what the client passes whole, in its own units."""
    sent = json.loads(encode(Reply(context="😀" * emoji), "SessionStart"))["hookSpecificOutput"]["additionalContext"]
    assert units(sent) == min(INJECTION_LIMIT, 2 * emoji)
