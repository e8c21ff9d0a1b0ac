import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.engine.shared import events
from holdfast.engine.shared.context import Context
from holdfast.engine.shared.events import Event, Sizes

SIZES = st.builds(Sizes, *[st.none() | st.integers(0, 10**9)] * 3)
TEXTS = st.text(max_size=12)
EVENTS = st.builds(
    Event, st.sampled_from(events.EVENT_KINDS), st.builds(Context, goal=TEXTS), TEXTS, TEXTS, TEXTS, TEXTS, SIZES, SIZES
)


@given(EVENTS)
def test_an_event_comes_back_as_it_was(event: Event) -> None:
    """With its context and the sizes before and after; what is not known stays unknown."""
    assert events.read_event(events.write_event(event)) == event


@pytest.mark.parametrize("count", [0, 1, 50, 51, 200])
def test_a_long_stream_becomes_a_checkpoint_and_its_last_half(count: int) -> None:
    """The checkpoint carries the newest context of what it stands for."""
    stream = [Event("phase_start", Context(goal=str(n)), after=Sizes(n)) for n in range(count)]
    found = events.folded(stream)
    if count <= 50:
        assert found == tuple(stream)
        return
    assert found[1:] == tuple(stream[-25:])
    assert found[0].kind == "checkpoint"
    assert found[0].context.goal == str(count - 26)
    assert found[0].after == Sizes(count - 26)
    assert found[0].action == f"{count - 25} events folded"


@pytest.mark.parametrize(
    ("kind", "context", "missing"),
    [
        ("handoff", Context(goal="g", inputs=("a",), outputs=("b",)), ()),
        ("phase_start", Context(goal="g"), ("inputs", "outputs")),
        ("checkpoint", Context(phase="p", next=("n",)), ("goal",)),
        ("phase_complete", Context(goal="g", phase="p"), ("next",)),
        ("compression", Context(), ("goal",)),
    ],
)
def test_an_event_that_cannot_stand_alone_says_what_it_lacks(
    kind: str, context: Context, missing: tuple[str, ...]
) -> None:
    """Whoever starts needs inputs and what to return, whoever resumes the phase and the next step."""
    assert events.lacks(Event(kind, context)) == missing
