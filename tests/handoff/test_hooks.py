import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from holdfast.handoff import hooks, orchestrator
from holdfast.text.tokens import estimate

Make = Callable[..., Any]
LONG = "Decision: PROCEED\n\n" + "".join(f"- finding {n} in src/auth/file{n}.py: it does a thing\n" for n in range(300))


def test_every_report_is_kept(event_of: Make, session_of: Make) -> None:
    """A second text gets a file of its own, the same text again does not."""
    session = session_of(event_of("Stop"))
    path = hooks.keep_report(session, "a1", "the whole report")
    other = hooks.keep_report(session, "a1", "short")
    assert hooks.keep_report(session, "a1", "the whole report") == path
    assert Path(path).read_text() == "the whole report"
    assert Path(other).read_text() == "short"


def test_an_agents_id_is_no_path(event_of: Make, session_of: Make) -> None:
    """Files stay in the session's folder."""
    session = session_of(event_of("Stop"))
    assert Path(hooks.path_of(session, "../../x", hooks.REPORT)).parent == Path(session.path("handoffs"))


def test_within_limit(event_of: Make, session_of: Make) -> None:
    """What fits stays as it is; what does not is condensed and names the whole; a kept report is named too."""
    event = event_of("PostToolUse.Agent")
    session = session_of(event)
    assert hooks.within_limit(session, event, "a1", "short", 500) == "short"
    shown = hooks.within_limit(session, event, "a1", LONG, 500)
    assert estimate(shown) <= 575
    assert hooks.path_of(session, "a1", hooks.REPORT) in shown
    assert hooks.path_of(session, "a1", hooks.REPORT) in hooks.within_limit(session, event, "a1", "short", 500)


def test_names_that_the_parent_has_give_way(event_of: Make, session_of: Make, tmp_path: Path) -> None:
    """What stands in the parent's window since the last compaction makes room for what only the report says."""
    names = [f"resolveCustomer{chr(65 + n // 26)}{chr(65 + n % 26)}Name" for n in range(150)]
    report = "Decision: PROCEED\n\n" + "".join(
        f"- `{name}` needs a lock before it writes to the table\n" for name in names
    )
    path = tmp_path / "parent.jsonl"
    path.write_text(json.dumps({"type": "user", "message": {"content": " ".join(names[:75])}}) + "\n")
    shown = {}
    for transcript in (str(path), str(tmp_path / "none.jsonl")):
        event = event_of("PostToolUse.Agent", transcript_path=transcript)
        shown[transcript] = hooks.within_limit(session_of(event), event, "a1", report, 500)
    only, alone = (sum(name in text for name in names[75:]) for text in shown.values())
    assert only > alone


def test_a_return_is_absorbed_once_per_text(event_of: Make, session_of: Make) -> None:
    """Two hooks may see the same return; the next agent is told of it."""
    session = session_of(event_of("Stop"))
    for text in ("Decision: PROCEED. Uses argon2", "Decision: PROCEED. Uses argon2", "Decision: STOP. It does not"):
        hooks.absorb(session, "a1", "explore auth", text)
    state = orchestrator.load(session.read("orchestrator.json"))
    assert state["kept_out"]["returns"] == 2
    assert state["decisions"] == {"explore auth": "STOP"}
    assert "explore auth: STOP" in Path(session.path("subagent_start.txt")).read_text()
