from collections.abc import Callable
from pathlib import Path
from typing import Any

from holdfast.core.tokens import estimate
from holdfast.policy import orchestrator
from holdfast.runtime import handoffs

Make = Callable[..., Any]
LONG = "Decision: PROCEED\n\n" + "".join(f"- finding {n} in src/auth/file{n}.py: it does a thing\n" for n in range(300))


def test_the_fullest_report_is_kept(event_of: Make, session_of: Make) -> None:
    """A shorter second attempt does not replace it."""
    session = session_of(event_of("Stop"))
    path = handoffs.keep_report(session, "a1", "the whole report")
    assert handoffs.keep_report(session, "a1", "short") == path
    assert Path(path).read_text() == "the whole report"


def test_an_agents_id_is_no_path(event_of: Make, session_of: Make) -> None:
    """Files stay in the session's folder."""
    session = session_of(event_of("Stop"))
    assert Path(handoffs.path_of(session, "../../x", handoffs.REPORT)).parent == Path(session.path("handoffs"))


def test_within_limit(event_of: Make, session_of: Make) -> None:
    """What fits stays as it is; what does not is condensed and names the whole; a kept report is named too."""
    session = session_of(event_of("Stop"))
    assert handoffs.within_limit(session, "a1", "short", 500) == "short"
    shown = handoffs.within_limit(session, "a1", LONG, 500)
    assert estimate(shown) <= 575
    assert handoffs.path_of(session, "a1", handoffs.REPORT) in shown
    assert handoffs.path_of(session, "a1", handoffs.REPORT) in handoffs.within_limit(session, "a1", "short", 500)


def test_a_return_is_absorbed_once_per_text(event_of: Make, session_of: Make) -> None:
    """Two hooks may see the same return; the next agent is told of it."""
    session = session_of(event_of("Stop"))
    for text in ("Decision: PROCEED. Uses argon2", "Decision: PROCEED. Uses argon2", "Decision: STOP. It does not"):
        handoffs.absorb(session, "a1", "explore auth", text)
    state = orchestrator.load(session.read("orchestrator.json"))
    assert state["kept_out"]["returns"] == 2
    assert state["decisions"] == {"explore auth": "STOP"}
    assert "explore auth: STOP" in Path(session.path("subagent_start.txt")).read_text()
