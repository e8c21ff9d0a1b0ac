"""What stands in for a report that its agent will not shorten."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.handoff import structure
from holdfast.handoff.outline import MARK, Caption, essence, outline
from holdfast.text import tokens

PATH = ".claude/holdfast/sessions/1/handoffs/a1.report.md"
REPORT = """Perfect! Now I have everything. Let me write the report.

## Verdict: REQUEST CHANGES

### Critical issues
1. **Data loss** in `src/store/journal.py:42`: `appendRecord` never calls `flushBuffer`.
2. `readSession` fails on an empty file.

### How it works
- `condenseSession()` runs after each commit in `src/hooks/post_commit.py`.

| Severity | Where |
|---|---|
| High | lock.py:7 |
| Low | names |

### Must fix before merge
- close the file

```
$ pytest
E   ValueError: empty file
12 passed
```

### Details
""" + "\n".join(f"- The helper number {n} named `helperFunction{n}` reads `config_value_{n}`." for n in range(120))


def size(text: str) -> int:
    return tokens.estimate(text)


def test_an_outline_has_the_lines_that_count_with_their_numbers() -> None:
    """Decision, labelled rows and items, what must be fixed, the error, headings, the path; and it says what it is."""
    text = outline(REPORT, 500, None, PATH)
    assert text.startswith(MARK)
    assert f"{PATH}]" in text.split("\n")[0]
    for line in (
        "3: ## Verdict: REQUEST CHANGES",
        "6: 1. **Data loss** in `src/store/journal.py:42`: `appendRecord` never calls `flushBuffer`.",
        "12: | Severity | Where |",
        "14: | High | lock.py:7 |",
        "18: - close the file",
        "22: E   ValueError: empty file",
        "26: ### Details",
        "146: - The helper number 119 named `helperFunction119` reads `config_value_119`.",
        "9: ### How it works",
    ):
        assert line in text.split("\n")
    assert [absent for absent in ("12 passed", "`helperFunction1`") if absent in text] == []


def test_every_line_stands_in_the_report_as_shown() -> None:
    lines = REPORT.split("\n")
    shown = [line.partition(": ") for line in outline(REPORT, 500, None, PATH).split("\n")[1:]]
    numbered = [(int(number), said) for number, _, said in shown if number.isdigit()]
    assert len(numbered) > 8
    assert [(n, said) for n, said in numbered if lines[n - 1].strip() != said] == []


@pytest.mark.parametrize(
    ("lines", "counts"),
    [
        *((lines, True) for lines in (
            *("- [HIGH] x", "- **Critical:** x", "1. P0: x", "### Finding 3: x (Severity: high)", "**Priority:** P1"),
            *("🔴 x", "| CRITICAL | x |", "### BLOCKER - x", "- [CRITICAL] Datenverlust", "### Critical 2: x"),
            *("Failing tests (2): a and b", "- **Must fix:** the lock leaks", "## 3. Open questions\n- which one"),
            *("## Issues (must fix before merge)\n- the lock leaks", "Errors:\n- E42", "## Must fix\n- none\n- it"),
            *("## High\nOne paragraph tells it.", "## Critical\n- one\n\nAnd another."),
            *("### Important (Should Fix)\n- the lock leaks", "## Hoch\n\n1. offen", "**重要**: ログインできない"),
            *("- [ ] close it", "## Critical\nnone", "## Open errors (0)\n\nnone"),
        )),
        *((lines, False) for lines in (
            *("- Critical files of it", "- high throughput", "| High | x |", "- Blockers were discussed", "## Highs"),
            *("- high 5 ms more", "Failing tests before my change: 3, after: 0"),
            *("CRITICAL CSS is inlined now", "- CRITICAL path of the build is fine", "HIGH the retry has no limit"),
            *("HIGHER than it was", "High load was seen", "CRITICAL FILES OF IT", "P0 is not in use"),
            *("Blocking calls in asyncio: none were found", "## Blocking calls in asyncio\n- none", "Errors: n/a"),
            *("- [x] close it", "Open errors: none", "- **Must fix:** keine."),
        )),
    ],
)  # fmt: skip
def test_labels_count_where_they_stand_alone(lines: str, counts: bool) -> None:
    """Leading, in brackets, as field, sign, cell, whole heading; not in a sentence, nor before "none" in its line."""
    report = f"# R\n\n| Confidence | b |\n|---|---|\n{lines}\n\n" + "and so on, at length.\n" * 400
    text = outline(report, 200, None, PATH)
    assert (Caption.LABELLED in text) is counts
    assert not counts or f": {lines.splitlines()[-1]}" in text


def test_all_that_is_open_goes_before_the_headings_of_the_rest() -> None:
    sections = "".join(f"## The module number {number}\n\nIt was read.\n\n" for number in range(40))
    left = [*(f"- [ ] move file {one}" for one in range(4)), "", "## Open", *(f"{one}. lock {one}" for one in range(9))]
    text = outline(f"# Report\n\n{FILLER}\n\n{sections}## Left\n" + "\n".join(left), 500, None, PATH)
    assert [line for line in left if line not in text] == []


FILLER = "The store keeps its records. " * 20
PROSE = f"{FILLER}\n" * 9


@pytest.mark.parametrize(
    ("report", "told"),
    [
        pytest.param("# R\nI recommend to proceed.\n" + FILLER * 9, "", id="none is invented"),
        pytest.param(f"# P\n## Step 1\n{FILLER}\nVerdict: not yet\n## Step 2\n{FILLER * 9}",
                     "2: ## Step 1\n…\n4: Verdict: not yet", id="of a part, with its heading"),
        pytest.param(f"# P\nVerdict: fine\n## Step 2\n{FILLER * 9}", "2: Verdict: fine", id="at the top"),
        pytest.param(f"# P\n## A\n{FILLER * 9}\n## B\nVerdict: fine", "5: Verdict: fine", id="at the end"),
        pytest.param(f"# P\n{FILLER * 9}\nVerdict: no\n\n1. a\n2. b\n3. c\n\nSo.",
                     "3: Verdict: no\n5: 1. a\n6: 2. b\n7: 3. c", id="with the list under it"),
        pytest.param(f"# P\n{FILLER * 9}\nNOT before a decision: stay", "", id="a sentence before a colon"),
    ],
)  # fmt: skip
def test_a_decision_is_quoted_with_what_it_is_about(report: str, told: str) -> None:
    """Of a part with the part's heading, and never said to be missing: it may be labelled in other words."""
    text = outline(report, 300, None, PATH)
    stated = text.partition(f"\n{Caption.STATED}\n")[2]
    for following in (Caption.END, Caption.NEAR, Caption.REST):
        stated = stated.partition(f"\n{following}")[0]
    assert stated.removesuffix("\n…") == told
    assert "No line" not in text


@pytest.mark.parametrize(
    ("told", "beside"),
    [
        ("## Result\nNot ready.\n- a\n- b\n- c", ""),
        ("## Result\nNot ready.", "\n## Files\n- `src/a.py`\n- docs/b.md - notes"),
        ("So it is.", "\n\nSources:\n- [A page](https://a.example/b)\n- https://a.example/c"),
        ("## Findings\n- `src/a.py:7` leaks\n- `b.py:9` too", ""),
        ("## Result\n**Not ready**\nno", "\n\n| File | What |\n|---|---|\n| `a/b.py` | new |"),
        ("## Result\nNot ready, run this.", "\n\n```sh\nmake\n```"),
    ],
    ids=["list", "files", "links", "places", "table of files", "code"],
)
def test_the_end_is_the_last_section_that_says_something(told: str, beside: str) -> None:
    """Whole where it is short; a list of files or links behind it is none, one of places in files is.

    Where one stands behind it, or code, it is not said to be the end.
    """
    text = outline(f"# R\n{PROSE}{told}{beside}\n", 300, None, PATH)
    _, _, end = text.partition(f"\n{Caption.NEAR if beside else Caption.END}\n")
    shown = end.partition(f"\n{Caption.REST}")[0].removesuffix("\n…").split("\n")
    lines = told.split("\n")
    assert [line.partition(": ")[2] for line in shown][-len(lines) :] == lines


@pytest.mark.parametrize(
    ("report", "told"),
    [
        ("Here it is:\n# Text\nFirst words.\n" + "More of it, at length, and then more.\n" * 90, "More of it"),
        (f"# R\n{FILLER}\nTests do NOT verify:\n" + "- this and all of that\n" * 40, "Tests do NOT verify:"),
        (f"# R\n{PROSE}\n## End\n{FILLER * 3} They do NOT verify:\n- this", "do NOT verify:"),
    ],
    ids=["the beginning is no end", "a long list", "a long line"],
)
def test_the_last_lines_stand_with_what_leads_to_them(report: str, told: str) -> None:
    """A list without the line above it, or without that line's end, may say the opposite; the end is no beginning."""
    end = outline(report, 300, None, PATH).partition(Caption.END)[2].partition(Caption.REST)[0]
    assert told in end
    assert "First words" not in end


def test_a_cut_line_keeps_whole_paths() -> None:
    """Long ones lose their first parts before the sentence is cut; none ends in its middle."""
    deep = "/home/dev/work/company/project/cmd/entire/cli/strategy/hooks.go"
    findings = (f"- [HIGH] In `{deep}` at {n} the exit code of `{deep}:{n}` is lost, {FILLER}\n" for n in range(5))
    text = outline(f"# R\n{''.join(findings)}", 500, None, PATH)
    shown = [line for line in text.split("\n") if "[HIGH]" in line]
    assert len(shown) == 5
    assert [line for line in shown if "…/strategy/hooks.go` at" not in line or "/home" in line] == []


ODD = {
    "report": REPORT,
    "empty": "",
    "no spaces": "x" * 30_000,
    "chinese": "配置文件存在于项目目录中" * 400,
    "open fence": "```\n" + "code_block_name = someValue\n" * 500,
    "table": "|a|b|\n|-|-|\n" + "| CRITICAL | other_cell |\n" * 400,
    "marks": "#" * 5_000,
    "headings": "\n".join(f"# heading{n}Name" for n in range(900)),
    "json": '{"context_summary": "' + "word " * 3_000 + '"}',
    "data": "[" + "1234, " * 4_000 + "1]",
    "lone surrogate": "\ud800 half " * 900,
    "fences that nobody closes": "```a\n" * 20_000,
}


@pytest.mark.parametrize("limit", [100, 500])
@pytest.mark.parametrize("report", ODD.values(), ids=ODD)
def test_the_limit_holds_for_anything(report: str, limit: int) -> None:
    for count in (None, size):
        text = outline(report, limit, count, PATH)
        assert 0 < size(text) <= limit
        assert text == outline(report, limit, count, PATH)


@given(st.text(st.characters(codec=None) | st.sampled_from("#*|-: \nHIGH"), max_size=600), st.integers(100, 600))
def test_the_limit_holds_for_random_text(report: str, limit: int) -> None:
    assert size(outline(report * 12, limit, None, PATH)) <= limit


def test_a_report_that_fits_stays_as_it_is() -> None:
    assert outline("Decision: STOP. E42.", 500, None, PATH) == f"Decision: STOP. E42.\nFull report: {PATH}"
    assert "deep/" not in outline(REPORT, 100, None, "deep/" * 60 + "r.md")


def test_a_structured_handoff_loses_its_findings_first() -> None:
    """When decision, summary and errors fit without them, they stay word for word."""
    fields = {"decision": "STOP", "context_summary": "JWT exists in a.ts.", "errors": ["E42"], "findings": REPORT}
    text = outline(json.dumps(fields), 200, None, PATH)
    assert text == f"Decision: STOP\nJWT exists in a.ts.\nOpen errors:\n- E42\nFull report: {PATH}"


SEVERE = "".join(f"### Critical {n}\n\nThe row {n} is {'lost ' * 90}\n\nMore of it.\n\n" for n in range(4))
ROWS = "".join(f"- [CRITICAL] finding number {n} of the review of this module\n" for n in range(200))
STEPS = "".join(f"## Step {n}\nDo {n}.\n### Detail {n}\n{FILLER}\n**Note {n}**\n{FILLER}\n" for n in range(10))
POINTS = "".join(f"- item {n} of the list: {'checked, with its reason, ' * 12}\n" for n in range(70))
LISTS = "".join(f"## Plan {n}\n\n" + f"- It holds {'the old and the new ' * 4}rows.\n" * 3 for n in range(5))
END = "## Risks\n\nERROR: migration 0042 fails on NULL prices\n\n## Next\n\n- stage it\n"
FIRST = {
    "each severe finding before any at length": (
        f"# R\n\n{SEVERE}## Conclusion\n\nNot ready.\n\nThe rest can wait.\n",
        "## Conclusion|Not ready.|The rest can wait."
        + "".join(f"|: ### Critical {n}\n|: The row {n} is lost lost" for n in range(4)),
    ),
    "sections take turns": (f"# Review\n{ROWS}\n## Open errors\n- E1 stays\n\n## Other\n", "E1 stays|more lines)"),
    "upper headings before deeper ones": (
        f"# Plan\n{STEPS}",
        "".join(f": ## Step {n}\n|" for n in range(10)) + ": Do 0.\n",
    ),
    "the only line of a section before one of several": (
        f"Planned:\n{LISTS}## Commit\n\nAll is staged, but the commit failed.\n\n```sh\ngit commit\n```\n"
        "## Push\n\n- It was refused.\n\n────\n\n## Next\n\nGo on.",
        ": All is staged, but the commit failed.\n|: - It was refused.\n|: ## Plan 0\n|: Planned:\n",
    ),
    "what is severe before the points of any section": (
        f"# Report\n\n## Decision\n\nDecision: move.\n\n{POINTS}\n{END}",
        "\n5: Decision: move.\n|\n80: ERROR: migration 0042 fails on NULL prices\n|\n3: ## Decision\n|\n78: ## Risks\n"
        "|\n82: ## Next\n|\n84: - stage it\n",
    ),
}


@pytest.mark.parametrize(("report", "told"), FIRST.values(), ids=FIRST)
def test_what_counts_more_has_room_first(report: str, told: str) -> None:
    """Lines give way in width first, and how many are missing is said."""
    text = outline(report, 500 if END in report else 450, None, PATH)
    assert [part for part in told.split("|") if part not in f"{text}\n"] == []
    assert "**Note 0" not in text


CLAIM = f"We could remove the cache layer of {'the old ' * 30}server, but it breaks the login."
PRINTED = "```\n$ pytest\nFAILED tests/test_a.py::test_b - KeyError: 'x'\n```\n"
OTHERS = f"{FILLER * 12}\n## State\nAll pass."
CODE = '```go\nerror: return fmt.Errorf("x")\n```\n```python\nraise ValueError: no\n```\n'


HALVES = {
    "a first sentence": (f"# R\n{FILLER * 12}\n## Result\n\n{CLAIM} {'More of it. ' * 60}\n", [f": {CLAIM}"]),
    "a line that leads to a list": (
        f"# P\n{FILLER * 12}\n## Verdict\n{'Well made and tested. ' * 20}No critical issues were found:\n- a\n- b",
        ["…No critical issues were found:"],
    ),
    "a message": (
        f"# R\n{FILLER * 12}\nStep 5, taken back since:\n{PRINTED}{OTHERS}",
        [": Step 5, taken back since:\n", ": FAILED tests/test_a.py::test_b"],
    ),
    "a message behind sentences": (f"# R\n{FILLER * 12}So it says `KeyError: 17`.\n{OTHERS}", [": …So it says `Key"]),
    "a message behind words": (f"# R\n{'It is, ' * 99}so it says `KeyError: 17`.\n{OTHERS}", [": …KeyError: 17`."]),
    "no message in source code": (
        f"{CODE}- it raises KeyError: 'id'\n```\nFAILED tests/a.py::b\n```\n" + "so on and on.\n" * 500,
        [f"{Caption.ERRORS}\n7: - it raises KeyError: 'id'\n9: FAILED tests/a.py::b\nFrom the report"],
    ),
}


@pytest.mark.parametrize(("report", "told"), HALVES.values(), ids=HALVES)
def test_half_of_what_was_said_never_says_the_opposite(report: str, told: list[str]) -> None:
    """A sentence is told to its end, a lead by its last sentence, a message under the line that says at what state."""
    text = outline(report, 300, None, PATH)
    places = [text.index(part) for part in told]
    assert places == sorted(places)


EVIDENCE = "".join(f"- src/m{n % 8}.py:{n}: returns x*{n}, checked with value {3 * n}\n" for n in range(200))


@pytest.mark.parametrize(
    "told",
    ["## Open\n- move the rows\n- f7 is not verified", "TODO: f7 is not verified", "## Next\n1. f7 is not verified"],
)
def test_what_is_open_is_told_before_lines_that_are_alike_but_for_numbers(told: str) -> None:
    text = outline(f"# R\n## Decision\nDecision: go.\n{told}\n## Evidence\n{EVIDENCE}", 300, None, PATH)
    labelled = text.partition(Caption.LABELLED)[2].partition(Caption.END)[0]
    assert [line for line in told.splitlines() if line not in labelled] == []
    assert text.partition(Caption.END)[2].partition(Caption.REST)[0].count("checked with value") == 1
    assert essence(text)[:2] == ["Decision: go.", "\n".join(told.splitlines()[told.startswith("#") :])]


def test_a_report_of_a_heading_and_links_alone_is_outlined() -> None:
    report = "**Files:**\n" + "".join(f"- [part {n}](docs/part{n}.md)\n" for n in range(90))
    assert outline(report, 60, path=PATH).startswith(MARK)


def test_of_a_report_longer_than_any_no_end_is_claimed() -> None:
    """It is told how far it was read, and what stands last there is not called its end."""
    shown = outline("# Work\n" + "a word or two\n" * structure.MOST + "Decision: STOP\n", 200, path=PATH)
    assert f"read to line {structure.MOST:,}" in shown
    assert Caption.END not in shown
    assert "STOP" not in shown


def test_where_headings_are_left_out_is_said() -> None:
    """Two findings of seven would read as all of them."""
    findings = "".join(f"### Finding {n}\n\n{'Text of it. ' * 60}\n\n" for n in range(1, 8))
    shown = outline(f"# Report\n\n## Findings\n\n{findings}## Matrix\n\nRows.\n\n## Last\n\nIt ends.", 170)
    last = [line for line in shown.splitlines() if "### Finding" in line][-1]
    assert f"{last}\n…\n" in shown
    assert "\nFrom the report, headings only:\n" in shown
    assert shown.endswith(" headings among them")
    assert "## Matrix" in shown.partition(last)[2]


def test_an_outline_of_json_says_what_it_is() -> None:
    told = outline(json.dumps([{"module": n, "note": "rounding loses a cent"} for n in range(200)]), 300, path=PATH)
    assert "tokens of JSON with 200 values: " in told.split("\n")[0]


TABLE = "| Item | Kind |\n|---|---|\n" + "".join(f"| part {n} of it | {'P1' * (n < 9)} |\n" for n in range(20))
TREE = "".join(f"- **Way {n}**\n   - first of {n}, as it is\n   - second of {n}\n\n" for n in "ABCDE")
TEXTS = {
    "a list under the decision": "## Decision\nDecision: move two\n\n" + "- the column of orders stays\n" * 80,
    "a labelled table": f"## Plan\n{TABLE}\n## Then\n{PROSE}",
    "headings without room for more": "".join(f"## Part {n}\n\n**Note:**\n\n{FILLER}\n---\n" for n in range(30)),
    "code and rules": f"## Code\n{PROSE}\n---\n```go\n{'x := 1' * 9}\n\ny := 2\n```\n## Last\nIt was:\n{TREE}Done.",
    "an end that fills it": f"## One\n{PROSE}\n## Last\n" + f"It {'is as it was, ' * 30}\n\n" * 8,
}


@pytest.mark.parametrize("body", TEXTS.values(), ids=TEXTS)
def test_what_is_left_out_is_marked_where_it_stood_and_counted(body: str) -> None:
    """Between two lines, if not only the text of a heading; at last how many lines, code and rules too, and how many of
    them are headings by their mark. No caption stands above nothing."""
    report = f"# Report\n{body}"
    text = outline(report, 300, None, PATH)
    shown = [line.partition(": ") for line in text.split("\n")[1:-1]]
    numbers = [int(number) if number.isdigit() else 0 for number, _, _ in shown]
    lines = dict(enumerate(report.split("\n"), 1))
    filled = {number for number, line in lines.items() if line.strip("-|` ")}
    for before, after in pairwise(numbers):
        between = filled.intersection(range(before + 1, after)) if before else set()
        both = before and lines[before].startswith("#") and lines[after or before].startswith("#")
        assert [lines[number] for number in between if lines[number].startswith("#") or not both] == []
    left = [line for number, line in lines.items() if line.strip() and number not in numbers]
    headings = sum(line.startswith("#") for line in left)
    among = f", {headings} heading{'s' * (headings > 1)} among them" if headings else ""
    assert text.split("\n")[-1] == f"{Caption.HIDDEN} {len(left)} lines{among}"
    captions = [
        place for place, (said, _, _) in enumerate(shown) if said.endswith(("states it", "only", "report", "text"))
    ]
    assert [shown[place] for place in captions if not [*numbers, 0][place + 1] and shown[place + 1][0] != "…"] == []


def test_of_a_long_end_points_are_shown_before_their_points() -> None:
    """Two of the last point's own would read as what the section says."""
    text = outline(f"# Report\n{PROSE}\n## Five ways\n\n{TREE}So it is.", 300, None, PATH)
    end = text.partition(f"{Caption.END}\n")[2].partition(f"\n{Caption.REST}")[0]
    assert [line.partition(": ")[2] for line in end.split("\n")] == [
        *("## Five ways", "", "- **Way D**", "", "- **Way E**", "", "So it is.")
    ]


def test_the_essence_is_the_report_s_own_words_with_their_gaps() -> None:
    """Nothing of the rest, which may begin an outline, no caption, no count of what is missing."""
    rest = f"{Caption.REST}, headings only:\n1: Report\n{Caption.HIDDEN} 9 lines"
    end = f"{Caption.NEAR}\n3: one\n…\n5: two\n…\n7: three"
    assert essence(f"{MARK}]\n{rest}") == []
    assert essence(f"{MARK}]\n{end}\n{rest}") == ["one\n…\ntwo\n…\nthree"]
    labelled = f"{Caption.LABELLED}\n| # Open\n| E: 1\n…\n(4 more lines)"
    assert essence(f"{MARK}]\n{labelled}\n{end}\n{Caption.STATED}\n9: GO\n…") == ["GO", "E: 1"]


def test_headings_beside_a_labelled_one_come_before_the_whole_end() -> None:
    """They may hold findings too; where nothing is labelled the end is told whole first."""
    body = f"### Critical\n\nNone found. It is well made.\n\n### Other\n\n{PROSE}\n### Last\n"
    report = f"# Report\n{body}" + "".join(f"Then {one} {'is as it was, ' * 12}.\n\n" for one in "abcdefgh")
    assert ": ### Other" in outline(report, 460, None, PATH)
    assert ": ### Other" not in outline(report.replace("Critical", "Parts"), 460, None, PATH)
