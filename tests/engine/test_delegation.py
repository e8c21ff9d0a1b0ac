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
        (Piece(False, 4, True, False, thrifty=True), False),
    ],
    ids=[
        "a survey",
        "a thrifty survey",
        "a look",
        "tied to the work",
        "needs the conversation",
        "nothing speaks for it",
    ],
)
def test_the_five_questions_decide(piece: Piece, delegate: bool) -> None:
    """Each says what it found."""
    found = decide(piece)
    assert found.delegate is delegate
    assert len(found.reasons) >= 2
    assert all(reason.startswith(("for: ", "against: ")) for reason in found.reasons)


def explored(files: int, later: str = "Now the tests.") -> list[Json]:
    """A survey of so many files, then other work."""
    found = [asked("Find middleware that lets anybody in.")]
    for n in range(files):
        found += looked(n, "Read", {"file_path": f"src/mid_{n}.py"}, f"def guard_number_{n}(): " + "x = 1; " * 80)
    found += [*looked(900, "Bash", {"command": "pytest"}, "ok"), said(later), asked("Go on.")]
    return found


def test_the_candidate_is_the_largest_run_that_nobody_used_again() -> None:
    """With what was looked at, when, and its size."""
    found = given(explored(12))
    run = delegation.exploration(found.blocks, found.context.turn)
    assert (run[0].about, run[0].turn, run[-1].turn) == ("Read src/mid_0.py", 1, 13)
    assert "the 12 looks of turns 1 to 13" in delegation.advice(found).note


@pytest.mark.parametrize(
    "messages", [explored(9), explored(12, "guard_number_3 is the one.")], ids=["too few calls", "used again"]
)
def test_what_is_small_or_in_use_is_no_candidate(messages: list[Json]) -> None:
    """It belongs where it is."""
    found = given(messages)
    assert delegation.exploration(found.blocks, found.context.turn) == []
    assert "hand over" in delegation.advice(found).note


def test_a_report_comes_back_as_a_handoff() -> None:
    """At most 500 tokens, with the path of the whole."""
    report = "# Findings\n" + "\n".join(f"- src/mid_{n}.py: guard_number_{n} lets anybody in" for n in range(200))
    short = delegation.returned(report, "reports/7.md")
    assert short.startswith("# Findings\n- src/mid_0.py")
    assert estimate(short) <= 500
    assert delegation.returned("short", "x") == "short"
    assert short.endswith("Whole report: reports/7.md")
