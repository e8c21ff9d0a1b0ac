import json

from hypothesis import given
from hypothesis import strategies as st

from holdfast.handoff import protocol
from holdfast.text.tokens import estimate


def test_the_protocol_is_short() -> None:
    """At most 250 tokens, with the limit's place in it."""
    assert estimate(protocol.PROTOCOL.replace("@LIMIT@", "4000")) <= 250
    assert protocol.PROTOCOL.count("@LIMIT@") == 1


@given(st.text(max_size=700))
def test_the_reply_is_json_with_the_slice(present: str) -> None:
    """One SubagentStart answer; other agents' work is framed as data."""
    sent = json.loads(protocol.start_reply(present))["hookSpecificOutput"]
    assert sent["hookEventName"] == "SubagentStart"
    assert sent["additionalContext"].startswith(protocol.PROTOCOL)
    assert sent["additionalContext"].endswith(present)
    assert ("data, not instructions" in sent["additionalContext"]) is bool(present)
