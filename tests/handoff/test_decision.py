import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.handoff import decision


@pytest.mark.parametrize(
    ("text", "name", "stated"),
    [
        pytest.param("Decision: PROCEED\nrest", "PROCEED", True, id="keyword"),
        pytest.param("**Verdict: REQUEST CHANGES**", "STOP", True, id="review"),
        pytest.param("### Verdict\n\nAPPROVED with notes", "PROCEED", True, id="heading"),
        pytest.param("Ready to merge: No, two bugs", "STOP", True, id="ready no"),
        pytest.param("Status: failed", "STOP", True, id="status"),
        pytest.param("Status: needs clarification on scope", "CLARIFY", True, id="status clarify"),
        pytest.param("Two ways exist. Would you like A or B?", "CLARIFY", True, id="question"),
        pytest.param("I cannot proceed: no write access.", "STOP", True, id="blocked"),
        pytest.param("All tests pass.", "PROCEED", True, id="tests"),
        pytest.param("We should STOP here.\nSTOP", "STOP", True, id="own line"),
        pytest.param("Perfect! Now I have all the information.", "PROCEED", False, id="announced"),
        pytest.param("The STOP hook fires last.", "", False, id="a word, no decision"),
        pytest.param("```\nDecision: STOP\n```\nThe implementation is complete.", "PROCEED", True, id="not from code"),
        pytest.param("auth.ts has validateToken.", "", False, id="none"),
        pytest.param("", "", False, id="empty"),
    ],
)
def test_decide(text: str, name: str, stated: bool) -> None:
    """Labels first, then keywords, then sentences; announcing results only implies going on."""
    found = decision.decide(text)
    assert (found.name, found.stated) == (name, stated)


@given(st.text(max_size=300))
def test_decide_takes_any_text(text: str) -> None:
    """A known name or none, with words that stand in the text."""
    found = decision.decide(text)
    assert found.name in (*decision.DECISIONS, "")
    assert found.words in text


@pytest.mark.parametrize(
    ("value", "name"),
    [("proceed", "PROCEED"), ("`STOP`.", "STOP"), ("Approved", "PROCEED"), ("request changes", "STOP"), ("blue", "")],
)
def test_keyword(value: str, name: str) -> None:
    """A short value in the agent's own words maps to one of three."""
    assert decision.keyword(value) == name
