"""When a report is sent back, and what its agent is told."""

import json
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.handoff.model import parse
from holdfast.handoff.sendback import CUTS, lint, reason, too_many
from holdfast.text import tokens

PATH = "/p/.claude/holdfast/sessions/1/handoffs/a1.report.md"
SENTENCE = "The session state keeps its checkpoint count in the store. "
ROW = "- src/module_{0}/handler.py:{0} calls refresh twice\n"
DIFF = "```diff\n" + "- old line of code\n+ new line of code\n" * 90 + "```"
RECORDS = json.dumps([{"path": f"src/part{n}.py", "line": n} for n in range(80)], indent=1)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("I ran this:\n$ grep -rn token src/", "search queries"),
        ("```sh\nrg -n token\n```", "search queries"),
        ('Grep(pattern: "token")', "tool calls"),
        ("<thinking>\nhm\n</thinking>", "tool calls"),
        ("```go\n" + "line := 1\n" * 6 + "```", "file contents"),
        ("STOP: the build fails with E42 in src/build.ts:12. Constraint: keep the public API.", ""),
        ("I searched for auth. First I thought it was fixed; alternatively we could use cookies.", ""),
        ("```json\n" + '{"a": 1},\n' * 8 + "```", ""),
        ("```\n" + "setup.py\nsrc/a.py:12\n" * 4 + "```", ""),
        ("find the reason, then grep is no longer needed", ""),
    ],
)
def test_a_breach_is_named_with_its_words(text: str, rule: str) -> None:
    """Found by structure, with the offending words and what to cut; what a sentence means is not decided here."""
    found = lint(text)
    assert list(found) == ([rule] if rule else [])
    assert not rule or (CUTS[rule] and found[rule][0].strip('"…') in text)


@pytest.mark.parametrize(
    "text",
    [
        *("7", "8.5/10", "yes", "NO", "42", "PASS", "src/auth/login.ts", "4f2a9c1", "なし", "Keine Befunde."),
        *("- a.py\n- b.py", "".join(ROW.format(n) for n in range(17)), "path,line\n" + "src/a.py,3\n" * 40),
        "| file | line |\n|---|---|\n" + "".join(f"| src/m{n}.py | {n} |\n" for n in range(22)),
        *('{"status": "ok", "errors": []}', json.dumps(list(range(300))), RECORDS, f"```json\n{RECORDS}\n```"),
        *(f"Here is the list:\n```json\n{RECORDS}\n```", DIFF, f"The patch:\n{DIFF}"),
        "```yaml\n" + "key: some value\n" * 150 + "```",
        *("I can't do that: my task forbids reading it.", "I can't help with this request. " * 30),
        *("## VERIFICATION PASSED\n" + SENTENCE * 24, f"<answer>{SENTENCE * 24}</answer>"),
        "Golden broth of coconut and flame,\nlemongrass whispers a fragrant name,\n" * 14,
        json.dumps({"decision": "PROCEED", "context_summary": "JWT exists.", "findings": SENTENCE * 200}),
    ],
)
def test_what_is_within_its_limit_or_in_a_form_of_its_own_is_left_alone(text: str) -> None:
    assert not too_many(parse(text), 500, 2_500)


@given(st.integers(0, 200), st.integers(100, 900))
def test_the_limit_alone_decides_over_prose(sentences: int, limit: int) -> None:
    text = "Decision: PROCEED. " + SENTENCE * sentences
    size = tokens.measure(text, limit)
    for counter in (None, lambda _: size):
        assert too_many(parse(text), limit, 2_500, counter) == (size if size > limit else 0)


REVIEW = f"""# Review
## Verdict: REQUEST CHANGES

## Critical (2)
- [P0] race in lock.py:7
{SENTENCE * 40}
## Must fix
- the lock leaks
## How I looked
```py
{"x = 1;" * 3}
a
b
c
d
```
{SENTENCE * 40}"""
TASK = "Review the lock.\n\n" + SENTENCE * 12 + "\n\nReport: Strengths, Issues, Assessment (Approved/Changes Requested)"
TOO_LONG = 2_900, 10_000, 500


def test_the_reason_says_what_is_kept_and_where() -> None:
    """Sizes, the report's verdict and its labelled rows by line, its parts, the end of the task, breaches, the path.

    The task's form goes before ours, and takes nothing of the content away.
    """
    told = reason(REVIEW, TOO_LONG, PATH, TASK)
    for part in (
        *("2,900 tokens", "room for 500 tokens", "at most 1,460 characters", "(10,000 characters)"),
        *(f"kept at {PATH}", f"Full report: {PATH}", "Say only what", 'line 2 "Verdict: REQUEST CHANGES"'),
        *("(found by pattern; some may mean something else, ", "even if the task asked for"),
        *('line 5 "[P0] race in lock.py:7"', 'line 8 "the lock leaks"', "quoted code", "failure that is not fixed yet"),
        *('4-6 "Critical (2)"', '9-17 "How I looked"', "| Report: Strengths, Issues, Assessment"),
    ):
        assert part in told
    assert told.index("keep to that form") < told.index("Decision: PROCEED") < told.index("Whatever the form")
    cut = told[told.index("Leave out") :]
    assert [title for title in ("Critical", "Must fix", "Verdict", "How I looked") if title in cut] == []
    assert SENTENCE * 12 not in told
    alone = reason("# Plan\n## Phase 1\nStatus: complete\n## Phase 2\nNot begun. " + SENTENCE * 60, TOO_LONG, PATH)
    assert [part for part in ("end of your task", "keep to that form", "complete", "by pattern") if part in alone] == []
    assert told.startswith("Your handoff has")
    assert reason(REVIEW, (2_900, len(REVIEW), 500), PATH).startswith("Your report has")


def test_a_handoff_in_json_is_asked_for_in_json() -> None:
    """A line for the decision would make it another form; numbers of lines would be those of another text."""
    told = reason(json.dumps({"decision": "STOP", "context_summary": REVIEW}), TOO_LONG, PATH)
    assert "same form as before (json)" in told
    assert '"STOP"' in told
    assert "Decision: PROCEED" not in told
    assert "line 5" not in told


@given(st.text(max_size=3_000), st.text(max_size=300).map(lambda text: text * 30))
def test_any_report_and_task_give_a_reason_of_bounded_size(report: str, task: str) -> None:
    """However many rows, headings and paragraphs there are; no line of theirs stands as one of ours."""
    rows = "".join(f"# {n} {report[:90]}\n- [HIGH] {n}\n" for n in range(60))
    told = reason(report + "\n" + rows, (9_000, 31_000, 500), PATH, task)
    assert len(told) < 5_500
    starts = ("Your handoff", "Write, as", "Say only", "- ", "| ", "If the task", "Leave out", "End with")
    assert [line for line in told.split("\n") if not line.startswith(starts)] == []
    assert told.count("[HIGH]") <= 8 + 1
    assert next(number for number in count(0) if f'"{number} ' not in told) <= 20
