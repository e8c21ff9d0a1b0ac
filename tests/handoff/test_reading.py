"""What is read out of a report: its fields in every form, its decision by structure, its lines by their marks."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.handoff import decision, model, schema, structure
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
    **{**FULL, "files_of_interest": ("src/auth.ts",), "files_changed": ("src/b.ts",), "errors": ("E42 open",)}
)._replace(findings="patterns: validateToken")
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
        pytest.param(f"```sh\nls\n```\n```json\n{json.dumps(FULL)}\n```", "json-fence", id="second fence"),
        pytest.param(json.dumps(FULL, indent=1), "json", id="bare"),
        pytest.param(f"Result: {json.dumps(FULL)} done", "json", id="bare in prose"),
        pytest.param(XML, "xml", id="xml"),
        pytest.param(f"Here:\n{XML}\n", "xml", id="xml behind prose"),
        pytest.param(f"```xml\n{XML}\n```", "xml", id="xml in a fence"),
    ],
)
def test_every_form_gives_the_same_value(text: str, form: str) -> None:
    parsed = parse(text)
    assert (parsed.form, parsed.handoff, parsed.problems) == (form, EXPECTED, ())


def test_code_in_a_field_does_not_end_the_fence() -> None:
    text = f"```json\n{json.dumps({**FULL, 'context_summary': 'run ```make``` first'})}\n```\nafter"
    assert parse(text).handoff.context_summary == "run ```make``` first"
    assert parse(text).rest == "after"


def test_prose_is_read_for_decision_paths_and_errors() -> None:
    parsed = parse(
        "Decision: STOP\n\nsrc/a.py breaks.\n\n## Open errors (1)\n- E1 in src/a.py\n\n**Files changed:** src/b.py"
    )
    assert parsed.form == "prose"
    assert parsed.handoff.decision == "STOP"
    assert parsed.handoff.files_of_interest == ("src/a.py",)
    assert parsed.handoff.files_changed == ("src/b.py",)
    assert parsed.handoff.errors == ("E1 in src/a.py",)


@pytest.mark.parametrize(
    ("listed", "errors"),
    [
        *((f"Errors: {said}", ()) for said in ("none", "None.", "n/a", "0", "-", "keine", "無し", "(none)")),
        ("## Open errors\n\n- none", ()),
        *(
            (f"Errors: {said}", (said,))
            for said in ("E42", "EPIPE", "OutOfMemory", "lock.py", "two tests", "文件不存在")
        ),
        ("## Errors\n- flaky\n- slow", ("flaky", "slow")),
    ],
)
def test_a_list_that_says_that_it_is_empty_is_empty(listed: str, errors: tuple[str, ...]) -> None:
    """Known by its form, a bare word alone, in any language; names and several entries are none such."""
    assert parse(f"Decision: STOP\n\n{listed}").handoff.errors == errors


@pytest.mark.parametrize(
    "text",
    [
        "Decision: STOP\nThe page has <status> and <errors> in it.\nBoth are wrong.",
        "Decision: STOP\nIt prints <findings>none</findings> and <phase>two</phase>.\nBoth are wrong.",
        "Decision: STOP\nThe parser takes `<decision>PROCEED</decision>` for one.",
        "Decision: STOP\nIt prints\n<decision>PROCEED</decision>\n<context_summary>x</context_summary>",
        'Decision: STOP\nThe hook prints {"decision": "block"} for it.',
        'Decision: STOP\nThe hook prints\n```json\n{"decision": "PROCEED"}\n```',
        "Decision: STOP\nIt prints\n```xml\n<handoff><decision>PROCEED</decision></handoff>\n```",
    ],
    ids=["open", "closed", "quoted", "on lines of their own", "JSON", "fenced JSON", "fenced"],
)
def test_tags_in_prose_make_no_handoff(text: str) -> None:
    """Only a summary or a decision does, as in JSON; nothing is cut out or swallowed."""
    parsed = parse(text)
    assert (parsed.form, parsed.read, parsed.handoff.decision) == ("prose", text, "STOP")
    assert parsed.problems == ()


@pytest.mark.parametrize("text", ['{"status": "ok", "errors": []}', "[1, 2]", '```json\n[{"path": "a.py"}]\n```'])
def test_json_that_is_no_handoff_is_data(text: str) -> None:
    """Its task asked for that form, so it is neither filled in nor said in other words."""
    assert (parse(text).form, parse(text).read) == ("data", text)
    assert parse(f"Here it is:\n{text}").form == "data"
    assert parse(f"One thing first.\n\nThen: {text}").form == "prose"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param('{"decision": "PROCEED", "context_summary": "cut o', "does not parse", id="torn json"),
        pytest.param('```json\n{"decision": PROCEED}\n```', "does not parse", id="bad json"),
        pytest.param("<context_summary>x", "not closed", id="open tag"),
        pytest.param("<decision>STOP</decision><decision>PROCEED</decision>", "occurs twice", id="twice"),
        pytest.param('{"context_summary": ' + "[" * 100_000, "does not parse", id="deep"),
        pytest.param('{"context_summary": ' + "[" * 700 + "]" * 700 + "}", "", id="fairly deep"),
        pytest.param(" \n", "empty", id="empty"),
    ],
)
def test_malformed_input_is_named_and_kept(text: str, problem: str) -> None:
    parsed = parse(text)
    assert any(problem in said for said in parsed.problems) or not problem
    for word in ("cut o", "PROCEED"):
        assert word not in text or word in str(parsed)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"decision": "PROCEED"}', "context_summary: Field required"),
        ('{"decision": "blue", "context_summary": "x"}', "decision: Input should be 'PROCEED', 'STOP', 'CLARIFY'"),
        ('{"context_summary": ["a", "b"]}', "context_summary: Input should be a valid string"),
        ('{"context_summary": "x", "errors": "one"}', "errors: Input should be a valid array"),
        ('{"context_summary": "x", "tokens_used": "many"}', "tokens_used: Input should be a valid integer"),
        ('{"context_summary": "x", "mood": "many"}', "mood: Extra inputs are not permitted"),
    ],
)
def test_fields_that_do_not_fit_are_read_and_named(text: str, problem: str) -> None:
    """Hooks read them all the same; commands hold them against the one definition."""
    parsed = parse(text)
    (said,) = schema.problems(parsed.given)
    assert said.startswith(problem)
    for word in ("blue", "one", "many", "PROCEED"):
        assert word not in text or word in str(parsed)


def test_unknown_fields_and_text_around_are_kept() -> None:
    rest = parse('Before {"context_summary": "x", "mood": {"a": 1}} after').rest
    assert rest.split("\n") == ["mood: a: 1", "Before", "after"]


@given(st.text(max_size=400))
def test_any_text_is_read_and_nothing_is_lost(text: str) -> None:
    said = str(parse(text)) + parse(text).handoff.context_summary + parse(text).rest
    assert [word for word in re.findall(r"[a-zA-Z]{4,}", text) if word not in said] == []


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(model.FIELDS), VALUES), VALUES, st.booleans())
def test_any_types_in_the_fields_give_a_handoff(fields: dict[str, Any], said: Any, fenced: bool) -> None:
    text = json.dumps({**fields, "context_summary": said})
    parsed = parse(f"```json\n{text}\n```" if fenced else text)
    assert parsed.form in ("json-fence", "json")
    schema.Handoff.model_validate_json(json.dumps({**parsed.handoff._asdict(), "context_summary": "x"}))


def test_what_is_rendered_reads_back_without_its_findings() -> None:
    text = render(EXPECTED, "extra")
    assert "validateToken" not in text
    assert "extra" in text
    again = parse(text).handoff
    assert (again.decision, again.errors, again.files_changed) == ("PROCEED", ("E42 open",), ("src/b.ts",))


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        pytest.param("Decision: PROCEED\nrest", "PROCEED", "PROCEED", id="field"),
        pytest.param("- **Decision:** stop, two tests fail", "STOP", "stop, two tests fail", id="bold field in a list"),
        pytest.param("## Decision\n\nCLARIFY: which key?", "CLARIFY", "CLARIFY: which key?", id="heading"),
        pytest.param("We looked.\n**STOP**", "STOP", "STOP", id="keyword as a label"),
        pytest.param("**Verdict: REQUEST CHANGES**", "", "REQUEST CHANGES", id="own words"),
        pytest.param("### Final verdict\n\nAPPROVED with notes", "", "APPROVED with notes", id="own words, heading"),
        pytest.param("Status: failed", "", "failed", id="the only status"),
        pytest.param("## A\nStatus: ok\n## B\nStatus: failed", "", "", id="a status for each part"),
        pytest.param("# R\n## A\nStatus: ok\n## B", "", "", id="a status of one part"),
        pytest.param("# R\n## Git status\nnothing staged", "", "", id="a status of a thing"),
        pytest.param("Decision: STOP\n## Task 2\nDecision: PROCEED", "STOP", "STOP", id="the first line decides"),
        pytest.param("# R\nDecision: STOP\nDecision: PROCEED", "", "STOP / PROCEED", id="lines differ"),
        pytest.param("Decision: PROCEED, STOP or CLARIFY", "", "PROCEED, STOP or CLARIFY", id="a choice is none"),
        pytest.param("```\nDecision: STOP\n```", "", "", id="not from code"),
        pytest.param(
            "```md\nDecision: PROCEED\n```\nis the form\nDecision: STOP\n```text\nx\n```",
            "STOP",
            "STOP",
            id="not around it",
        ),
        pytest.param("| Decision | STOP |", "", "", id="not from a table"),
        pytest.param("The STOP hook fires last. I cannot proceed, all tests pass.", "", "", id="no sentence"),
        pytest.param("STOP-hook: fires last", "", "", id="a name that begins so"),
        pytest.param("Wir haben geprüft.\n\nDecision\uff1aSTOP", "STOP", "STOP", id="wide colon"),
        pytest.param("", "", "", id="empty"),
    ],
)
def test_a_decision_is_found_by_its_place_only(text: str, name: str, words: str) -> None:
    """Fields, headings and labels; a report's own words are kept and not translated; what differs is not chosen."""
    assert (decision.keyword(decision.find(text)), decision.find(text)) == (name, words)


@given(st.text(st.characters(codec=None) | st.sampled_from("*#`:-| \nSTOP"), max_size=300))
def test_any_text_has_lines_and_a_decision_or_none(text: str) -> None:
    """Every line that is not blank comes once at most, with its number; a decision is a keyword or none."""
    lines = structure.scan(text)
    assert [line.text.split() for line in lines] == [text.split("\n")[line.number - 1].split() for line in lines]
    assert sorted({line.number for line in lines}) == [line.number for line in lines]
    assert decision.keyword(decision.find(text)) in (*decision.DECISIONS, "")


@pytest.mark.parametrize("end", ["~~~\nend", "end\n````\n"])
def test_lines_are_known_by_their_marks(end: str) -> None:
    """Headings with their depth, items, rows, code with its language, between tags too; an open fence is none, and none
    that stands around the whole as Markdown.
    """
    text = f"````md\n# A\n**Bold:**\nLabel:\n1. item\n| a |\n```py\n# no heading\n```\n<out>\n- own\n</out>\n{end}"
    kinds = [(line.kind, line.depth if line.kind == "heading" else line.language) for line in structure.scan(text)]
    assert kinds == [
        *(
            ("heading", 1),
            ("heading", structure.Depth.BOLD),
            ("heading", structure.Depth.COLON),
            ("item", ""),
            ("row", ""),
        ),
        *(("code", "py"), ("text", ""), ("item", ""), ("text", ""), ("text", "")),
    ]
