from hypothesis import given
from hypothesis import strategies as st

from holdfast.engine.blocks import Block, Kind, State, tokens_of
from holdfast.engine.shared import debt

BLOCKS = st.lists(
    st.builds(
        Block,
        id=st.uuids().map(str),
        kind=st.sampled_from(list(Kind)),
        text=st.just(""),
        tokens=st.integers(0, 5_000),
        turn=st.integers(0, 60),
        about=st.sampled_from(["", "Read a", "Read b"]),
        used=st.integers(0, 60),
        repeat=st.floats(0, 1),
        keep=st.booleans(),
        state=st.sampled_from([State.WHOLE, State.PLACEHOLDER]),
    ),
    max_size=12,
)


def test_each_reason_is_found() -> None:
    """A placeholder, a result with a newer one, a repeat for its share, and what nobody names any more."""
    blocks = [
        Block("a", Kind.RESULT, "", 40, 9, state=State.PLACEHOLDER),
        Block("b", Kind.RESULT, "", 100, 9, about="Read x"),
        Block("c", Kind.ASSISTANT, "", 200, 9, repeat=0.5),
        Block("d", Kind.THINKING, "", 50, 7),
        Block("e", Kind.THINKING, "", 50, 7, used=9),
        Block("f", Kind.RESULT, "", 100, 10, about="Read x"),
        Block("g", Kind.THINKING, "", 70, 1, keep=True),
        Block("h", Kind.SYSTEM, "", 900, 0),
    ]
    assert debt.owed(blocks, 10) == [
        debt.Owed("a", debt.Reason.PLACED, 40),
        debt.Owed("b", debt.Reason.SUPERSEDED, 100),
        debt.Owed("c", debt.Reason.REPEATED, 100),
        debt.Owed("d", debt.Reason.STALE, 50),
    ]
    assert debt.ratio(blocks, 10) == 290 / tokens_of(blocks)


@given(BLOCKS, st.integers(0, 80))
def test_a_window_never_owes_more_than_it_holds(blocks: list[Block], now: int) -> None:
    """Each block owes once, marked ones and the system prompt nothing; the reasons add up."""
    found = debt.owed(blocks, now)
    sizes = {block.id: block for block in blocks}
    assert all(one.tokens <= sizes[one.id].tokens for one in found)
    assert not any(sizes[one.id].keep or sizes[one.id].kind == Kind.SYSTEM for one in found)
    assert len({one.id for one in found}) == len(found)
    assert 0 <= debt.ratio(blocks, now) <= 1
    assert sum(debt.by_reason(found).values()) == sum(one.tokens for one in found)
