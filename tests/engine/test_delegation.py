"""What a sub-agent should do."""

import pytest

from holdfast.engine import delegation
from holdfast.engine.delegation import Piece, decide
from holdfast.text.tokens import estimate
from tests.engine.conversations import Json, asked, given, looked, said


@pytest.mark.parametrize(
    ("piece", "delegate"),
    [
        (Piece(True, 30, False, True), True),
        (Piece(True, 10, False, False, thrifty=True), True),
        (Piece(True, 3, False, False), False),
        (Piece(False, 30, False, False), False),
        (Piece(True, 30, True, True), False),
    ],
    ids=["a survey", "a thrifty survey", "a look", "tied to the work", "needs the conversation"],
)
def test_the_five_questions_decide(piece: Piece, delegate: bool) -> None:
    found = decide(piece)
    assert found.delegate is delegate
    assert len([reason for reason in found.reasons if reason.startswith(("for: ", "against: "))]) >= 2


def explored(files: int, later: str = "Now the tests.") -> list[Json]:
    """A survey of so many files, then other work."""
    found = [asked("Find middleware that lets anybody in.")]
    for n in range(files):
        found += looked(n, "Read", {"file_path": f"src/mid_{n}.py"}, f"def guard_number_{n}(): " + "x = 1; " * 80)
    found += [*looked(900, "Bash", {"command": "pytest"}, "ok"), said(later), asked("Go on.")]
    return found


@pytest.mark.parametrize(
    ("messages", "told"),
    [
        (explored(12), "the 12 looks of turns 1 to 13 "),
        (explored(9), "hand over"),
        (explored(12, "guard_number_3 is the one."), "hand over"),
    ],
    ids=["large and never used again", "too few calls", "used again"],
)
def test_the_candidate_is_the_largest_run_that_nobody_used_again(messages: list[Json], told: str) -> None:
    """With what was looked at, when, and its size; what is small or in use belongs where it is."""
    assert told in delegation.advice(given(messages)).note


@pytest.mark.parametrize("line", ["a", "| a | b |", "日本", "```"], ids=["short lines", "a table", "no blanks", "code"])
def test_a_report_of_any_form_comes_back_within_500_tokens(line: str) -> None:
    found = delegation.returned(f"{line}\n" + "step_1 = 2\n" * 2_000 + f"{line}\n" * 2_000)
    assert 300 < estimate(found) <= 500


def test_a_report_comes_back_as_a_handoff() -> None:
    """At most 500 tokens, with the path of the whole."""
    report = "# Findings\n" + "\n".join(f"- src/mid_{n}.py: guard_number_{n} lets anybody in" for n in range(200))
    short = delegation.returned(report, "reports/7.md")
    assert short.startswith("# Findings\n- src/mid_0.py")
    assert estimate(short) <= 500
    assert delegation.returned("short", "x") == "short"
    assert short.endswith("Whole report: reports/7.md")
