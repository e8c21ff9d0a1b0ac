import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.text import phrasing
from holdfast.text.markdown import names, sentences, statements


@pytest.mark.parametrize(
    ("report", "kind"),
    [
        pytest.param("Verdict: approve.", "decision", id="verdict"),
        pytest.param("## Recommendation\nUse files.", "decision", id="recommendation"),
        pytest.param("`readSession` fails on empty files.", "error", id="failure"),
        pytest.param("## Issues\n- The count may drift.", "error", id="heading of issues"),
        pytest.param("## Critical issues\n- The count may drift.", "severe", id="critical"),
        pytest.param("Severity: high, tokens leak.", "severe", id="severity"),
        pytest.param("## Strengths\n- Clean names.", "praise", id="praise"),
        pytest.param("The crash in readSession was fixed.", "finding", id="resolved is no error"),
        pytest.param("You must keep the order.", "constraint", id="must"),
        pytest.param("The store keeps records.", "finding", id="plain"),
    ],
)
def test_kinds(report: str, kind: str) -> None:
    """What a statement says, or the heading above it, decides what it is."""
    assert [part.kind for part in statements(report) if part.text] == [kind]


def test_headings_lists_tables_and_code() -> None:
    """Each statement knows its section; tables become items; code lends names only; fillers go."""
    found = statements(
        "Let me write the report.\n## 2. Hooks:\n- `hookName` runs first.\n\n| Name | Use |\n|---|---|\n"
        "| stop_hook | ends it |\n\n**Flow**\nOne sentence. Another one here.\n```go\nfunc startSession() {}\n```\n"
    )
    said = [(part.heading, part.text) for part in found if part.text]
    assert said == [
        ("Hooks", "hookName runs first."),
        ("Hooks", "stop_hook: ends it"),
        ("Flow", "One sentence."),
        ("Flow", "Another one here."),
    ]
    assert [part.names for part in found if part.kind == "code"] == [("startSession",)]


def test_names_in_headings_are_not_lost() -> None:
    """A name that stands only in a heading is still a name of the report."""
    assert ("TestPostCommit_Condenses",) in [part.names for part in statements("### TestPostCommit_Condenses\ntext")]


def test_parts_of_a_path_are_no_names_of_their_own() -> None:
    """The path is enough."""
    assert names("see src/post_commit.py and runHook") == ("src/post_commit.py", "runHook")


def test_a_block_may_be_a_statement() -> None:
    """Where asked for and short: signs that say what a sentence would; else its names only."""
    report = "States:\n```\npending -> active\nactive -> closed\n```"
    assert [part.text for part in statements(report) if part.text] == []
    shown = [part for part in statements(report, phrasing.marked, 200) if part.text]
    assert [(part.heading, part.text, part.kind) for part in shown] == [
        ("States", "pending -> active active -> closed", "code")
    ]
    assert [part.text for part in statements(report, phrasing.marked, 20) if part.text] == []
    code = "```go\nfunc run() {\n}\n```"
    assert [part.text for part in statements(code, phrasing.marked, 200) if part.text] == ["func run() {; }"]


def test_how_statements_are_cleaned() -> None:
    """As asked: names keep their marks, or lose them."""
    assert [part.text for part in statements("The `run_all` call **stops**.")] == ["The run_all call stops."]
    assert [part.text for part in statements("The `run_all` call **stops**.", phrasing.marked)] == [
        "The `run_all` call stops."
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One. Two!\n\n- three? Four", ["One.", "Two!", "three?", "Four"]),
        ("see e.g. the file a.py. next", ["see e.g. the file a.py. next"]),
        ("1. first\n2) second", ["first", "second"]),
        ("| a | b | c |", ["a: b; c"]),
        ("\n \n", []),
    ],
    ids=["kinds", "lower case goes on", "numbers", "table", "blank"],
)
def test_sentences(text: str, found: list[str]) -> None:
    """Sentences and list items without their marks."""
    assert sentences(text) == found


@given(st.text(max_size=300))
def test_sentences_are_cut_from_the_text(text: str) -> None:
    """In order, and never empty; a table's cells are set anew."""
    if "|" not in text:
        at = 0
        for part in sentences(text):
            assert part
            at = text.index(part, at) + len(part)


@given(st.text(max_size=500))
def test_any_text_is_cut(report: str) -> None:
    """Names of a statement stand in the report; order is kept."""
    found = statements(report)
    assert [part.order for part in found] == sorted(part.order for part in found)
