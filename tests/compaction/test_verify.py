from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.checkpoint import hooks as checkpoints
from holdfast.compaction import verify, waiting
from holdfast.gauge import hooks as gauge
from holdfast.hot import paths
from holdfast.session import worklog

Make = Callable[..., Any]
GOAL = "Replace the session cookie by a signed token within 14 days"


@pytest.fixture
def checked(event_of: Make, session_of: Make, transcript: Any) -> Callable[..., Any]:
    """`checked(summary, packet)`: a session with some work, and what the comparison finds."""
    transcript.user(GOAL)
    transcript.did("Write", file_path="/p/src/signed_token.py")
    transcript.did("TodoWrite", todos=[{"content": "Write the migration guide", "status": "pending"}])

    def run(summary: str, packet: str = "", key: str = "k") -> Any:
        event = event_of("PostCompact.auto", compact_summary=summary)
        session = session_of(event)
        if packet:
            Path(session.path(paths.PACKET)).write_text(packet)
        return session, verify.check(event, session, worklog.fold(event, session), key)

    return run


def test_a_faithful_summary(checked: Make) -> None:
    """Everything retained, nothing queued."""
    session, found = checked(f"{GOAL}\nEdited signed_token.py\n7. Pending Tasks:\n- Write the migration guide")
    assert found["facts"] == {"retained": 3, "recoverable": 0, "altered": 0, "stale": 0, "missing": 0}
    assert (found["correction"], found["altered"], found["missing"]) == (0, [], [])
    assert not waiting.is_there(session.folder)


def test_an_altered_one(checked: Make) -> None:
    """Named with what it says, and corrected; the packet does not make it good."""
    session, found = checked("Replace the session cookie by a signed token within 30 days", packet=GOAL)
    assert [(row["kind"], row["said"][-14:]) for row in found["altered"]] == [("goal", "within 30 days")]
    assert "14 days" in waiting.take(session.folder)["text"]


def test_the_packet_makes_up_for_a_thin_summary(checked: Make) -> None:
    """What was put in again is retained; its size and sections are in the record."""
    packet = (
        f"# x\n## Objective\n> {GOAL}\n## Files\n- /p/src/signed_token.py\n## Plan\n- to do: Write the migration guide"
    )
    session, found = checked("OK done.", packet)
    assert found["facts"]["retained"] == 3
    assert found["facts_in_summary"]["missing"] == 3
    assert found["packet"]["sections"] == ["Objective", "Files", "Plan"]
    assert found["packet"]["characters"] == len(packet)
    assert not waiting.is_there(session.folder)


def test_what_must_stay_is_validated(checked: Make) -> None:
    """Goal, file and next step: held, else asked of the page that the packet names, else missing and delivered."""
    session, found = checked("OK done.", "signed_token.py")
    assert found["must"] == {"items": 3, "held": 1, "on_page": 0, "altered": 0, "missing": 2}
    assert "Write the migration guide" in waiting.take(session.folder)["text"]


def test_the_page_counts_when_the_packet_names_it(event_of: Make, session_of: Make, transcript: Any) -> None:
    """Whoever reads it has everything; a page that nothing names helps nobody."""
    rules = [f"Never touch the folder number_{n} of the generated files." for n in range(40)]
    transcript.user(GOAL)
    for rule in rules:
        transcript.user(rule)
    event = event_of("PostCompact.auto", compact_summary="OK done.")
    session = session_of(event)
    work = worklog.fold(event, session)
    checkpoints.save(session, work, gauge.read(event, session), "before auto compaction")
    page = f"{session.path(paths.CHECKPOINTS)}/0001.md"
    assert [rule for rule in rules if rule not in Path(page).read_text()] == []
    found = {}
    for name, packet in (("named", f"The rest: {page}"), ("unnamed", "The rest is elsewhere")):
        Path(session.path(paths.PACKET)).write_text(packet)
        found[name] = verify.check(event, session, work, name)["must"]
        Path(session.path(paths.VERIFIED)).unlink()
    assert found["named"] == {"items": 42, "held": 0, "on_page": 42, "altered": 0, "missing": 0}
    assert found["unnamed"]["missing"] == 42


def test_over_two_compactions(checked: Make) -> None:
    """The second one is asked for the facts of the first as well; a packet of the first is not taken for its own."""
    _, first = checked("OK done.", packet=GOAL)
    assert first["facts_of_last_time"] is None
    _, second = checked("signed_token.py", key="k2")
    assert second["packet"]["characters"] == 0
    assert second["facts_of_last_time"] == second["facts"]
    assert second["facts"]["missing"] == 2


def test_a_neighbour_is_no_misremembered_file(
    event_of: Make, session_of: Make, transcript: Any, tmp_path: Path
) -> None:
    """A file that is there, beside the changed one, may be named."""
    (tmp_path / "signed_tokens.py").write_text("")
    transcript.did("Write", file_path=str(tmp_path / "signed_token.py"))
    event = event_of("PostCompact.auto", compact_summary="Looked at signed_tokens.py and sign_token.py")
    session = session_of(event)
    found = verify.check(event, session, worklog.fold(event, session), "k")
    assert [row["said"] for row in found["altered"]] == ["sign_token.py"]
