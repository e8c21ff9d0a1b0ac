"""The example's API refuses what the real one refuses; without that its run would show nothing."""

from typing import Any

import pytest

import fake_api

ASKED = {"role": "user", "content": "Go."}
CALL = {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "grep", "input": {}}]}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "x" * 900}]}
THOUGHT = {"type": "thinking", "thinking": "h" * 900, "signature": "c2ln"}


@pytest.mark.parametrize(
    "messages",
    [
        [CALL, RESULT],
        [ASKED, CALL],
        [ASKED, CALL, ASKED],
        [ASKED, RESULT],
        [ASKED, CALL, RESULT, RESULT],
        [ASKED, {"role": "assistant", "content": [{"type": "text", "text": ""}]}],
        [{"role": "user", "content": []}],
    ],
    ids=["begins with the model", "no result", "no result, a word", "no call", "twice", "empty text", "no content"],
)
def test_messages_that_break_the_rules_are_refused(messages: list[Any]) -> None:
    """As the real API does, with 400; a call with its result and a plain text are not."""
    with pytest.raises(fake_api.Refused):
        fake_api.check(messages)
    fake_api.check([ASKED, CALL, RESULT])
    fake_api.check([ASKED])


def test_what_is_cleared_is_what_was_asked_for_and_is_told() -> None:
    """The oldest results but those to keep, above the trigger; thinking of all but the newest turns."""
    said = {**CALL, "content": [THOUGHT, *CALL["content"]]}
    messages = [ASKED, said, RESULT, said, RESULT]
    uses = {"type": "clear_tool_uses_20250919", "keep": {"type": "tool_uses", "value": 1}}
    thinking = {"type": "clear_thinking_20251015", "keep": {"type": "thinking_turns", "value": 1}}
    high, low = ({**uses, "trigger": {"type": "input_tokens", "value": value}} for value in (100_000, 100))
    for edits, counts in (([high], []), ([low], [1]), ([thinking, low], [1, 1])):
        body = {"messages": messages, "context_management": {"edits": edits}}
        sent, applied = fake_api.edited(body)
        found = [edit.get("cleared_tool_uses") or edit.get("cleared_thinking_turns") for edit in applied]
        assert found == counts
        freed = sum(edit["cleared_input_tokens"] for edit in applied)
        assert freed == fake_api.tokens(body) - fake_api.tokens(sent)
        assert sent["messages"][3:] == messages[3:]
