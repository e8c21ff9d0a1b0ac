from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.hook.on import pre_compact, subagent_stop
from holdfast.session.reply import NOTHING

Make = Callable[..., Any]
LONG = "Decision: PROCEED\n\n" + "".join(f"- finding {n} in src/auth/file{n}.py: it does a thing\n" for n in range(300))
SHORT = "Decision: PROCEED, the login is fixed in src/auth/login.py."


@pytest.fixture
def stopped(event_of: Make, session_of: Make) -> Callable[..., Any]:
    """`stopped(text)`: the reply to an agent's stop."""

    def run(text: str, agent: str = "a1", **changes: Any) -> Any:
        event = event_of("SubagentStop.first", last_assistant_message=text, agent_id=agent, **changes)
        return subagent_stop.handle(event, session_of(event))

    return run


def test_two_blocks_then_an_outline(stopped: Make, state: Path) -> None:
    """Asked twice with the measured size; then the outline is made; the full report is on disk."""
    first, second, third = stopped(LONG), stopped(LONG[:-100]), stopped(LONG[:-200])
    assert first.block
    assert second.block
    assert "500" in first.block
    assert third == NOTHING
    handoffs = next(state.glob("sessions/*/handoffs"))
    assert (handoffs / "a1.report.md").read_text() == LONG
    outline = (handoffs / "a1.outline.md").read_text()
    assert "PROCEED" in outline
    own = next(path for path in handoffs.glob("a1.report*.md") if path.read_text() == LONG[:-200])
    assert str(own) in outline
    assert len(outline) < len(LONG) / 3


def test_a_short_handoff_passes(stopped: Make, state: Path) -> None:
    """Nothing said, nothing made."""
    assert stopped(SHORT) == NOTHING
    assert not list(state.glob("sessions/*/handoffs/*.outline.md"))


def test_a_later_short_return_is_not_replaced_by_an_old_one(stopped: Make, state: Path) -> None:
    """An agent may be sent another message; an outline made before belongs to the earlier return."""
    for _ in range(3):
        stopped(LONG)
    assert list(state.glob("sessions/*/handoffs/a1.outline.md"))
    assert stopped(SHORT) == NOTHING
    assert not list(state.glob("sessions/*/handoffs/a1.outline.md"))


@pytest.mark.parametrize(
    "changes",
    [{"agent_type": ""}, {"agent_id": ""}, {"last_assistant_message": ""}, {"last_assistant_message": 5}],
    ids=["internal", "no id", "empty", "odd"],
)
def test_what_is_no_agents_report(changes: dict[str, Any], event_of: Make, session_of: Make) -> None:
    """The client's own forks, and stops without a text."""
    event = event_of("SubagentStop.first", **{"last_assistant_message": LONG, **changes})
    assert subagent_stop.handle(event, session_of(event)) == NOTHING


@pytest.mark.parametrize(
    ("config", "blocks"),
    [
        ('{"handoff.blocks": 0}', 0),
        ('{"handoff.blocks": 1}', 1),
        ('{"handoff.agents": ["Explore"]}', 0),
        ('{"handoff.limits": {"general-purpose": 4000}}', 2),
    ],
)
def test_configuration(config: str, blocks: int, stopped: Make, state: Path) -> None:
    """How often it is asked, and for whom the limit holds."""
    state.mkdir(parents=True)
    (state / "config.json").write_text(config)
    assert sum(bool(stopped(LONG).block) for _ in range(4)) == blocks


def test_left_alone_in_the_background(stopped: Make, state: Path) -> None:
    """With handoff.background on leave nothing is prepared for delivery."""
    state.mkdir(parents=True)
    (state / "config.json").write_text('{"handoff.background": "leave"}')
    assert [bool(stopped(LONG).block) for _ in range(3)] == [True, True, False]
    assert not list(state.glob("sessions/*/handoffs/*.outline.md"))


def test_agents_are_asked_apart(stopped: Make) -> None:
    """One agent's stubbornness is not another's."""
    for _ in range(3):
        stopped(LONG, "a1")
    assert stopped(LONG, "a2").block


def test_the_summariser_s_answer_is_kept(event_of: Make, session_of: Make, state: Path) -> None:
    """While a compaction is under way, and only then."""
    event = event_of("SubagentStop.internal")
    session = session_of(event)
    assert subagent_stop.handle(event, session) == NOTHING
    assert not Path(session.path("summary.txt")).exists()
    pre_compact.handle(event_of("PreCompact.auto"), session)
    assert subagent_stop.handle(event, session) == NOTHING
    assert Path(session.path("summary.txt")).read_text() == event.text("last_assistant_message")
