"""When a report is sent back, and what its agent is told."""

import json

import pytest

from holdfast.handoff import rules
from holdfast.handoff.rules import Judgement, Terms, judge

LONG = "## Findings\n" + "The session state keeps its checkpoint count in the store. " * 120
SHORT = "Decision: PROCEED\nAuth stands in src/auth.ts; extend validateToken."
MIDDLE = "The store keeps its records in files and writes them after each step of the work. " * 14
TERMS = Terms()


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("I ran this:\n$ grep -rn token src/", "search queries"),
        ("```sh\nrg -n token\n```", "search queries"),
        ('Grep(pattern: "token")', "tool calls"),
        ("<thinking>\nhm\n</thinking>", "tool calls"),
        ("```go\n" + "line := 1\n" * 6 + "```", "file contents"),
    ],
)
def test_a_breach_is_named_with_its_words(text: str, rule: str) -> None:
    """Each rule is found by structure, quotes the offending words and says what to cut."""
    assert rules.lint(text)[rule][0].strip('"…') in text
    assert rules.CUTS[rule]


@pytest.mark.parametrize(
    "text",
    [
        SHORT,
        "STOP: the build fails with E42 in src/build.ts:12. Constraint: keep the public API.",
        "I searched for auth. First I thought it was fixed; alternatively we could use cookies.",
        "```json\n" + '{"a": 1},\n' * 8 + "```",
        "find the reason, then grep is no longer needed",
    ],
)
def test_sentences_are_not_judged(text: str) -> None:
    """What belongs into a handoff is no breach, and what a sentence means is not decided here."""
    assert rules.lint(text) == {}


@pytest.mark.parametrize(
    "text",
    [
        SHORT,
        "yes",
        "auth.ts has validateToken.",
        "- a.py\n- b.py",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        '{"status": "ok", "errors": []}',
        json.dumps({"files": ["src/module.py"] * 150}),
        "Verdict: APPROVE\n" + MIDDLE,
    ],
    ids=["handoff", "one word", "a sentence", "a list", "a table", "json", "long json", "own words"],
)
def test_what_is_short_or_in_the_form_that_was_asked_for_passes(text: str) -> None:
    """Nothing is asked, with or without a decision."""
    assert judge(text, TERMS).action == "accept"


@pytest.mark.parametrize(
    ("text", "terms", "actions"),
    [
        (LONG, TERMS, ["block", "block", "outline", "outline"]),
        (json.dumps(["word"] * 3_000), TERMS, ["block", "block", "outline", "outline"]),
        (LONG, Terms(500, 0), ["outline"]),
        (MIDDLE, TERMS, ["block", "accept"]),
        (MIDDLE, Terms(500, 2, decision=False), ["accept"]),
        (MIDDLE, Terms(500, 0), ["accept"]),
    ],
    ids=["long", "long JSON", "long, never asked", "no decision", "none wanted", "no decision, never asked"],
)
def test_how_often_an_agent_is_asked(text: str, terms: Terms, actions: list[str]) -> None:
    """To shorten twice, then the outline stands in; for a decision alone once; never where the settings say so."""
    judged = [judge(text, terms, asked) for asked in range(len(actions))]
    assert [one.action for one in judged] == actions
    asked_for = [f"{one.tokens:,} tokens" in one.reason and "Decision: PROCEED" in one.reason for one in judged]
    assert asked_for == [one.action == "block" and not text.startswith("[") for one in judged]


def test_the_reason_says_what_is_measured_kept_and_cut() -> None:
    """Size and limit, the kinds that must stay, breaches and long sections that may go, the path."""
    code = "```py\n" + "x = 1\n" * 8 + "```\n"
    found = judge(f"## How\n{code}\n{LONG}", TERMS)
    assert found.action == "block"
    for part in (
        *(f"{found.tokens:,} tokens", "the limit is 500", "complete handoff again", "missing, so state it"),
        *("finding that blocks", "errors still open", "what your task asked for", '"Findings" (', "quoted code"),
    ):
        assert part in found.reason


def test_what_is_labelled_as_severe_is_named_to_be_kept_and_never_to_be_cut() -> None:
    """However long its section is; a long one without such labels is named to be cut."""
    told = LONG.removeprefix("## Findings")
    text = f"# R\n## Must fix\n- the lock leaks\n{told}\n## Critical (2)\n- [P0] race\n{told}\n{LONG}"
    reason = judge(text, TERMS).reason
    kept, cut = reason.split("Cut:")
    assert [row for row in ("the lock leaks", "[P0] race") if row not in kept] == []
    assert "Must fix" not in cut
    assert "Critical" not in cut
    assert "Findings" in cut


def test_data_is_told_its_own_limit_and_no_first_line() -> None:
    """A line in front of it would make it another form, with another limit."""
    reason = judge(json.dumps(["word"] * 3_000), TERMS).reason
    assert "the limit is 2,500 (as JSON from end to end)" in reason
    assert "Decision:" not in reason


def test_the_counter_decides_near_the_limit() -> None:
    """Within the margin of the estimate the counted size is what is compared and quoted."""
    text = "Decision: PROCEED. " + "plain words again " * 112
    assert judge(text, TERMS, 0, lambda _: 501).action == "block"
    assert judge(text, TERMS, 0, lambda _: 500) == Judgement("accept", "", 500)
