import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.handoff import model as handoffs
from holdfast.handoff import rules

LONG = "## Findings\n" + "The session state keeps its checkpoint count in the store. " * 120
SHORT = "Decision: PROCEED\nAuth stands in src/auth.ts; extend validateToken."


def fixed(size: int) -> Callable[[str], int]:
    """A counter that always says the same."""
    return lambda text: size


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        pytest.param("I searched for 'auth' and found it.", "search queries", id="searched"),
        pytest.param("grep -rn token src/", "search queries", id="a grep"),
        pytest.param("First, I looked at auth.ts. Then I opened it.", "thinking steps", id="steps"),
        pytest.param("Perfect! Now I have it all.", "thinking steps", id="announcing"),
        pytest.param("```go\n" + "line := 1\n" * 6 + "```", "file contents", id="code"),
        pytest.param("    12→import a\n    13→import b\n    14→x\n    15→y\n", "file contents", id="numbered lines"),
        pytest.param("The import error was fixed by a new path.", "resolved errors", id="resolved"),
        pytest.param("Alternatively we could use cookies.", "alternatives not chosen", id="alternative"),
    ],
)
def test_lint_names_the_breach_with_its_words(text: str, rule: str) -> None:
    """Each rule is found, quotes the offending words and says what to cut."""
    breaches = [breach for breach in rules.lint(text) if breach.rule == rule]
    assert breaches
    assert breaches[0].words.rstrip("…") in " ".join(text.split())
    assert breaches[0].cut


@pytest.mark.parametrize(
    "text",
    [
        SHORT,
        "STOP: the build fails with E42 in src/build.ts:12. Constraint: keep the public API.",
        "Follow the validateToken pattern. No conflicts found. Add tests to auth.test.ts.",
    ],
)
def test_lint_leaves_good_handoffs_alone(text: str) -> None:
    """What belongs into a handoff is no breach."""
    assert rules.lint(text) == ()


@given(st.text(max_size=300))
def test_lint_quotes_briefly(text: str) -> None:
    """Any text is read; a quotation is short and on one line."""
    for breach in rules.lint(text):
        assert len(breach.words) <= 70
        assert "\n" not in breach.words


def test_a_small_handoff_with_a_decision_is_accepted() -> None:
    """The common case costs nothing and says nothing."""
    assert rules.judge(SHORT, 500) == rules.Verdict("accept", "", rules.judge(SHORT, 500).tokens)


def test_an_over_long_report_is_sent_back_with_what_to_cut() -> None:
    """The reason quotes size and limit, names sections and breaches, and asks for the whole handoff again."""
    text = "Let me explain. I searched for auth.\n" + LONG + "\n## Small\nx\n"
    verdict = rules.judge(text, 500, 0, None, ".claude/r.md")
    assert verdict.action == "block"
    for part in (
        f"{verdict.tokens:,} tokens",
        "limit is 500",
        "Findings",
        "searched for auth",
        "complete handoff again",
    ):
        assert part in verdict.reason
    assert verdict.reason.endswith("Full report: .claude/r.md")
    assert "decision is missing" in verdict.reason.replace("The decision", "decision")


@pytest.mark.parametrize(("asked", "action"), [(0, "block"), (1, "block"), (2, "condense"), (3, "condense")])
def test_an_agent_is_asked_twice_at_most(asked: int, action: str) -> None:
    """After two blocks the report is condensed."""
    assert rules.judge(LONG, 500, asked).action == action


@pytest.mark.parametrize(("asked", "action"), [(0, "block"), (1, "accept")])
def test_a_missing_decision_alone_is_asked_for_once(asked: int, action: str) -> None:
    """A small text without any recognisable decision; the second time it may pass."""
    verdict = rules.judge("auth.ts has validateToken.", 500, asked)
    assert verdict.action == action
    assert ("PROCEED" in verdict.reason) == (action == "block")


def test_terms_switch_asking_off() -> None:
    """No decision wanted, or no blocks allowed: nothing is asked."""
    assert rules.judge("x y", rules.Terms(500, 2, False)).action == "accept"
    assert rules.judge("x y", rules.Terms(500, 0)).action == "accept"
    assert rules.judge(LONG, rules.Terms(500, 0)).action == "condense"


def test_the_counter_decides_near_the_limit() -> None:
    """Within the margin of the estimate the counted size is what is compared and quoted."""
    text = "Decision: PROCEED. " + "plain words again " * 112
    assert rules.judge(text, 500, 0, fixed(501)).action == "block"
    assert rules.judge(text, 500, 0, fixed(500)) == rules.Verdict("accept", "", 500)


def test_findings_of_a_structured_handoff_do_not_count() -> None:
    """The parent never reads them: a 3,800-token return with a short summary passes."""
    text = json.dumps({"decision": "PROCEED", "context_summary": "JWT exists.", "findings": {"all": LONG}})
    verdict = rules.judge(f"```json\n{text}\n```", 500)
    assert verdict.action == "accept"
    assert verdict.tokens < 50
    assert LONG not in rules.parent_text(handoffs.parse(text))
