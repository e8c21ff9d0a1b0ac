"""The page of a session: its seven parts, its limit, and lines that can be taken out."""

from typing import Any

from hypothesis import given, settings

from holdfast.memory import session_page
from holdfast.memory.record import Record, check
from holdfast.text.tokens import estimate
from tests.worklog.states import SESSIONS, after, bash, did, edit, told, user

FACTS = session_page.Facts("s-1", "shop", "2026-11-04 10:00", "2026-11-04 11:30", 90, "clear", 81_000, 40, ("/p/b.py",))
FIELDS = {
    "decision": {"decision": "use cents", "rationale": "floats drift"},
    "issue": {"description": "rows are lost", "severity": "high"},
    "state": {"task_description": "the ledger", "substeps_remaining": ["wire it"]},
    "learning": {"lesson": "fork first"},
}


def record(number: int, kind: str, **fields: Any) -> Record:
    """A record of a session."""
    given = {"id": f"{number:08x}-0000-4000-8000-000000000000", "time": "2026-11-04T14:32:00Z", "title": "t"}
    return check({**given, "kind": kind, "content": FIELDS[kind], **fields})


def test_all_seven_parts() -> None:
    """In their order, each line of a record with its id."""
    work = after(
        user("Move the ledger"),
        edit("/p/a.py", "def to_cents(): ..."),
        edit("/p/b.py", "x = 1"),
        bash("git commit -m 'cents'", "[main 1234567] cents"),
        told("done"),
    )
    page = session_page.page(work, [record(n, kind) for n, kind in enumerate(FIELDS, 1)], FACTS)
    heads = [line[3:] for line in page.splitlines() if line.startswith("## ")]
    assert heads == ["Session", "Decisions", "Issues", "State", "Learnings", "Files", "Figures"]
    assert "- 00000001: use cents (because: floats drift)" in page
    assert "- 00000003: the ledger (to do: wire it)" in page
    assert "- /p/a.py (edited 1x): to_cents" in page
    assert "- /p/b.py (deleted since)" in page
    assert "- commit 1234567 cents" in page
    assert "ended: 2026-11-04 11:30 (clear)" in page
    assert "81,000 tokens" in page


def test_what_became_of_a_file() -> None:
    """Made here, edited, both, or gone again: as the client's results say, whatever the call was."""
    made = "File created successfully at: {}"
    work = after(
        did("Write", made.format("/p/new.py"), file_path="/p/new.py", content="x = 1"),
        did("Write", made.format("/p/b.py"), file_path="/p/b.py", content="x = 1"),
        did("Edit", made.format("/p/by_edit.py"), file_path="/p/by_edit.py", old_string="", new_string="x = 1"),
        did("Write", "The file /p/old.py has been updated.", file_path="/p/old.py", content="x = 1"),
        edit("/p/new.py", "y = 2"),
        edit("/p/new.py", "z = 3"),
        did("Write", "no space", failed=True, file_path="/p/never.py", content="x = 1"),
    )
    page = session_page.page(work, [], FACTS)
    assert "- /p/new.py (created, edited 2x)" in page
    assert "- /p/by_edit.py (created)" in page
    assert "- /p/old.py (edited 1x)" in page
    assert "- /p/b.py (created, deleted since)" in page
    assert "never.py" not in page


def test_what_is_empty_is_left_out() -> None:
    """Of a session that only talked."""
    page = session_page.page(after(user("hi"), told("hello")), [], FACTS)
    assert [line for line in page.splitlines() if line.startswith("## ")] == ["## Session", "## Figures"]


def test_what_was_asked_for_goes_with_the_state() -> None:
    """Whose line has its id, and is taken out when it is forgotten; without a state the request is told."""
    work = after(user("Move the ledger to cents"), told("done"))
    assert "asked for: Move the ledger to cents" in session_page.page(work, [record(1, "decision")], FACTS)
    with_state = session_page.page(work, [record(1, "decision"), record(3, "state")], FACTS)
    assert [line for line in with_state.splitlines() if "ledger" in line] == ["- 00000003: the ledger (to do: wire it)"]


def test_a_long_session_stays_within_the_limit() -> None:
    """The oldest lines of the longest part go, and their number is told."""
    many = [record(n, "decision", content={"decision": f"choice {n} " + "of words " * 30}) for n in range(1, 300)]
    page = session_page.page(after(user("Move the ledger")), many, FACTS)
    assert estimate(page) <= session_page.LIMIT
    assert "older ones left out)" in page
    assert "choice 299" in page
    assert "choice 1 " not in page


@given(SESSIONS)
@settings(max_examples=20)
def test_any_session_has_a_page(work: dict[str, Any]) -> None:
    """Within the limit."""
    assert 0 < estimate(session_page.page(work, [], FACTS)) <= session_page.LIMIT
