import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.handoff import model
from holdfast.handoff.model import Handoff, parse, render

FULL: dict[str, Any] = {
    "task_id": "t-1",
    "phase": "research",
    "status": "complete",
    "decision": "PROCEED",
    "context_summary": "Auth stands in src/auth.ts.",
    "files_of_interest": ["src/auth.ts"],
    "files_changed": ["src/b.ts"],
    "errors": ["E42 open"],
    "tokens_used": 15000,
    "findings": {"patterns": ["validateToken"]},
}
EXPECTED = Handoff(
    "t-1",
    "research",
    "complete",
    "PROCEED",
    "Auth stands in src/auth.ts.",
    ("src/auth.ts",),
    ("src/b.ts",),
    ("E42 open",),
    15000,
    "patterns: validateToken",
)
XML = """<handoff><task_id>t-1</task_id><phase>research</phase><status>complete</status>
<decision>PROCEED</decision><context_summary>Auth stands in src/auth.ts.</context_summary>
<files_of_interest><file>src/auth.ts</file></files_of_interest><files_changed>
- src/b.ts
</files_changed><errors><error>E42 open</error></errors><tokens_used>15,000</tokens_used>
<findings>patterns: validateToken</findings></handoff>"""


@pytest.mark.parametrize(
    ("text", "form"),
    [
        pytest.param(f"Here:\n```json\n{json.dumps(FULL)}\n```\n", "json-fence", id="fence"),
        pytest.param(f"Here:\n```\n{json.dumps(FULL)}", "json-fence", id="fence without label or end"),
        pytest.param(json.dumps(FULL, indent=1), "json", id="bare"),
        pytest.param(f"Result: {json.dumps(FULL)} done", "json", id="bare in prose"),
        pytest.param(XML, "xml", id="xml"),
    ],
)
def test_every_form_gives_the_same_value(text: str, form: str) -> None:
    """One handoff, five ways to write it, no complaints."""
    parsed = parse(text)
    assert parsed.form == form
    assert parsed.handoff == EXPECTED
    assert parsed.problems == ()


def test_prose_is_read_for_decision_paths_and_errors() -> None:
    """Plain prose is the summary; the rest is taken out of it."""
    parsed = parse("Verdict: REQUEST CHANGES\n\nsrc/a.py breaks.\n\nOpen errors:\n- E1 in src/a.py\n")
    assert parsed.form == "prose"
    assert parsed.handoff.decision == "STOP"
    assert parsed.handoff.files_of_interest == ("src/a.py",)
    assert parsed.handoff.errors == ("E1 in src/a.py",)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param('{"decision": "PROCEED", "context_summary": "cut o', "does not parse", id="torn json"),
        pytest.param('```json\n{"decision": PROCEED}\n```', "does not parse", id="bad json"),
        pytest.param('{"decision": "PROCEED"}', "context_summary is missing", id="no summary"),
        pytest.param('{"decision": "blue", "context_summary": "x"}', "allowed: PROCEED", id="unknown decision"),
        pytest.param('{"context_summary": ["a", "b"]}', "is a list, not text", id="summary a list"),
        pytest.param('{"context_summary": "x", "errors": "one"}', "is text, not a list", id="errors a text"),
        pytest.param('{"context_summary": "x", "tokens_used": "many"}', "not a whole number", id="tokens"),
        pytest.param("<context_summary>x", "not closed", id="open tag"),
        pytest.param("<decision>STOP</decision><decision>PROCEED</decision>", "occurs twice", id="twice"),
        pytest.param('{"context_summary": ' + "[" * 100_000, "does not parse", id="deep"),
        pytest.param('{"context_summary": ' + "[" * 700 + "]" * 700 + "}", "", id="fairly deep"),
        pytest.param(" \n", "empty", id="empty"),
    ],
)
def test_malformed_input_is_named_and_kept(text: str, problem: str) -> None:
    """A clear problem, no crash, and every word is still somewhere."""
    parsed = parse(text)
    assert any(problem in said for said in parsed.problems) or not problem
    for word in ("cut o", "blue", "PROCEED", "one", "many"):
        assert word not in text or word in str(parsed)


def test_unknown_fields_and_text_around_are_kept() -> None:
    """What no field takes is the rest."""
    parsed = parse('Before {"context_summary": "x", "mood": {"a": 1}} after')
    assert "mood: a: 1" in parsed.rest
    assert "Before" in parsed.rest
    assert "after" in parsed.rest


@given(st.text(max_size=400))
def test_any_text_is_read_and_nothing_is_lost(text: str) -> None:
    """Every word of it is in the value, whatever the form."""
    said = str(parse(text).handoff.context_summary) + parse(text).rest + str(parse(text))
    for word in re.findall(r"[a-zA-Z]{4,}", text):
        assert word in said


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(model.FIELDS), VALUES, min_size=1), st.booleans())
def test_any_types_in_the_fields_give_a_handoff(fields: dict[str, Any], fenced: bool) -> None:
    """Wrong types are coerced and named; the value has the right types."""
    text = json.dumps(fields)
    parsed = parse(f"```json\n{text}\n```" if fenced else text)
    assert parsed.form in ("json-fence", "json")
    assert all(isinstance(error, str) for error in parsed.handoff.errors)
    assert isinstance(parsed.handoff.tokens_used, int)
    assert parsed.handoff.decision in (*model.DECISIONS, "")


def test_render_leaves_the_findings_out() -> None:
    """The parent reads decision, summary, errors, files and the path, not the raw findings."""
    text = render(EXPECTED, ".claude/r.md", "extra")
    assert "validateToken" not in text
    for part in ("PROCEED", "Auth stands", "E42 open", "src/b.ts", "extra", "Full report: .claude/r.md"):
        assert part in text


def test_what_is_rendered_reads_back() -> None:
    """Decision and open errors survive being rendered and parsed as prose."""
    again = parse(render(EXPECTED)).handoff
    assert again.decision == "PROCEED"
    assert again.errors == ("E42 open",)
    assert again.files_changed == ("src/b.ts",)
