import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.handoff.condense import condense
from holdfast.text import tokens

PATH = ".claude/holdfast/sessions/1/handoffs/a1.report.md"
REPORT = """Perfect! Now I have everything. Let me write the report.

## Verdict: REQUEST CHANGES

### Critical issues
1. **Data loss** in `src/store/journal.py:42`: `appendRecord` never calls `flushBuffer`.
2. `readSession` fails on an empty file.

### How it works
- `SessionState` keeps `checkpointCount` and `lastCheckpointId`.
- `condenseSession()` runs after each commit in `src/hooks/post_commit.py`.

### Constraints
- Never rewrite `settings.json` while a session runs.

### Details
""" + "\n".join(f"- The helper number {n} named `helperFunction{n}` reads `config_value_{n}`." for n in range(120))


def size(text: str) -> int:
    """The estimate, as a hook without a tokenizer has it."""
    return tokens.estimate(text)


def test_the_order_of_importance_is_kept() -> None:
    """Decision, the critical issue, constraint, files and the path of the whole stand in the handoff."""
    text = condense(REPORT, 400, None, PATH)
    assert text.startswith("Decision: STOP, Verdict: REQUEST CHANGES")
    for part in ("Data loss", "appendRecord", "Never rewrite settings.json", "journal.py", "Open:", "Constraints:"):
        assert part in text
    assert text.endswith(f"\nFull report: {PATH}")
    assert "Perfect" not in text


def test_it_reads_as_sentences_and_lists() -> None:
    """Findings stand under their headings; at least a third of the words are no bare names."""
    text = condense(REPORT, 400, None, PATH)
    words = text.split()
    names = [word for word in words if "_" in word or any(c.isupper() for c in word[1:])]
    assert len(names) < 2 * len(words) / 3
    assert "\n- " in text


@pytest.mark.parametrize("count", [None, size], ids=["estimated", "counted"])
@pytest.mark.parametrize("limit", [100, 250, 500])
@pytest.mark.parametrize(
    "report",
    [
        pytest.param(REPORT, id="report"),
        pytest.param("", id="empty"),
        pytest.param(" \n\t\n", id="white space"),
        pytest.param("x" * 30_000, id="no spaces"),
        pytest.param("配置文件存在于项目目录中" * 400, id="chinese"),
        pytest.param("one huge line " * 4_000, id="one line"),
        pytest.param("```\n" + "code_block_name = someValue\n" * 500, id="open fence"),
        pytest.param("|a|b|\n|-|-|\n" + "| cellName | other_cell |\n" * 400, id="table"),
        pytest.param("#" * 5_000, id="marks"),
        pytest.param("\U0001f600" * 2_000, id="emoji"),
        pytest.param("- \n" * 3_000, id="bare bullets"),
        pytest.param("a/" * 5_000 + "b.py", id="one path"),
        pytest.param("\n".join(f"# heading{n}Name" for n in range(900)), id="headings"),
        pytest.param('{"context_summary": "' + "word " * 3_000 + '"}', id="json"),
        pytest.param("\ud800 half " * 900, id="lone surrogate"),
    ],
)
def test_the_limit_holds_for_anything(report: str, limit: int, count: Callable[[str], int] | None) -> None:
    """Never more than the limit, path line included, and never an empty answer."""
    text = condense(report, limit, count, PATH)
    assert 0 < size(text) <= limit
    assert text == condense(report, limit, count, PATH)


@given(st.text(max_size=3_000), st.integers(100, 600), st.booleans())
def test_the_limit_holds_for_random_text(report: str, limit: int, repeat: bool) -> None:
    """The same for whatever can be typed, also much longer than the limit."""
    text = condense(report * (30 if repeat else 1), limit, None, PATH)
    assert size(text) <= limit


def test_a_short_report_stays_as_it_is() -> None:
    """Nothing is rewritten without need; only the path is added."""
    assert condense("Decision: STOP. E42 in a.py.", 500, None, PATH) == (
        f"Decision: STOP. E42 in a.py.\nFull report: {PATH}"
    )


def test_a_path_that_would_eat_the_budget_is_left_out() -> None:
    """A handoff is more than a path."""
    assert "Full report" not in condense(REPORT, 100, None, "deep/" * 60 + "r.md")


def test_names_the_parent_has_make_room_for_others() -> None:
    """With the first helpers known, more of the later ones are named."""
    known = " ".join(f"helperFunction{n} config_value_{n}" for n in range(60))
    later = [f"{name}{n}" for n in range(60, 120) for name in ("helperFunction", "config_value_")]
    with_known, without = condense(REPORT, 500, None, PATH, known), condense(REPORT, 500, None, PATH)
    assert sum(name in with_known for name in later) > sum(name in without for name in later)


def test_a_structured_handoff_loses_its_findings_first() -> None:
    """When decision, summary and errors fit without the findings, they stay word for word."""
    fields = {"decision": "STOP", "context_summary": "JWT exists in a.ts.", "errors": ["E42"], "findings": REPORT}
    text = condense(json.dumps(fields), 200, None, PATH)
    assert "JWT exists in a.ts." in text
    assert "E42" in text
    assert "helperFunction" not in text


def test_no_decision_is_invented() -> None:
    """A report that states none gets no line that claims one."""
    report = "Here is what I found.\n" + "The store keeps its records in files. " * 200
    assert "Decision:" not in condense(report, 200)
