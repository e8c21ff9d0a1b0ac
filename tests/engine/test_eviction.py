"""Which blocks leave, and which never do."""

from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.engine.blocks import (
    ASSISTANT,
    CALL,
    OTHER,
    PLACEHOLDER,
    RESULT,
    SYSTEM,
    THINKING,
    TOOLS,
    USER,
    Block,
    tokens_of,
)
from holdfast.engine.eviction import LEAST, Moment, evict, gain, planned, protected
from holdfast.engine.eviction_scores import SCORERS
from holdfast.errors import BadInput
from holdfast.text import tokens
from tests.engine.conversations import Json, conversations, tracked

MOMENT = Moment(turn=20, goal="goal", request="request", answering=40, asked=(0, 30))
OLD = Block("old", RESULT, "text", 900, 2, (4, 0), "c1", "Read a.py")
CALLED = Block("call:c1", CALL, "content: long", 700, 2, (3, 1), "c1", "Write a.py", fixed=60)
ALL = 10**9


def named(block: Block, leaving: Collection[str]) -> str:
    """A placeholder that says how many leave."""
    return f"[Evicted: {block.id} of {len(leaving)}]"


@pytest.mark.parametrize(
    "block",
    [
        OLD._replace(kind=SYSTEM),
        OLD._replace(kind=TOOLS),
        OLD._replace(kind=USER, id="goal"),
        OLD._replace(kind=USER, id="request"),
        OLD._replace(kind=USER, id="0.1", place=(0, 1)),
        OLD._replace(kind=USER, id="30.2", place=(30, 2)),
        OLD._replace(kind=OTHER),
        OLD._replace(keep=True),
        OLD._replace(turn=21),
        OLD._replace(turn=19),
        CALLED._replace(turn=20),
        OLD._replace(kind=ASSISTANT, turn=20),
        OLD._replace(kind=THINKING, place=(40, 0)),
    ],
    ids=[
        "system prompt",
        "tools",
        "goal",
        "newest request",
        "second block of the goal",
        "second block of the request",
        "a server's tool",
        "marked",
        "not answered yet",
        "just answered",
        "open call",
        "last answer",
        "thinking of the last answer",
    ],
)
def test_never_leaves(block: Block) -> None:
    """Whatever it scores and however much is wanted, under every policy."""
    assert protected(block, MOMENT)
    assert all(evict([block], ALL, MOMENT, policy) == () for policy in SCORERS)


def test_the_lowest_score_leaves_first_and_only_as_much_as_is_wanted() -> None:
    """In the order of their scores, until the target is met."""
    found = [OLD._replace(id=f"r{turn}", turn=turn, pair=f"p{turn}") for turn in (9, 3, 6)]
    assert evict(found, ALL, MOMENT, "fifo") == ("r3", "r6", "r9")
    assert evict(found, 900, MOMENT, "fifo") == ("r3", "r6")
    assert evict(found, 0, MOMENT, "fifo") == ()


def test_a_call_leaves_with_its_result_and_never_alone() -> None:
    """The long inputs of the call go with it; a call whose result stays is left as it is."""
    assert evict([CALLED, OLD], ALL, MOMENT) == ("old", "call:c1")
    assert evict([CALLED, OLD._replace(keep=True)], ALL, MOMENT) == ()
    assert evict([CALLED._replace(tokens=60), OLD], ALL, MOMENT) == ("old",)


def test_what_saves_less_than_it_costs_to_say_stays() -> None:
    """A placeholder has up to 50 tokens; thinking needs none."""
    small = OLD._replace(tokens=50 + LEAST - 1)
    assert evict([small], ALL, MOMENT) == ()
    assert evict([small._replace(tokens=50 + LEAST)], ALL, MOMENT) == ("old",)
    assert evict([small._replace(kind=THINKING)], ALL, MOMENT) == ("old",)
    assert evict([OLD._replace(state=PLACEHOLDER)], ALL, MOMENT) == ()


def test_an_unknown_policy_is_refused() -> None:
    """With its name."""
    with pytest.raises(BadInput, match="'random' is no policy"):
        evict([OLD], 1, MOMENT, "random")


def test_changes_say_what_stands_there_and_what_was_freed() -> None:
    """A result its placeholder, a call what is fixed of it, thinking nothing; what gains nothing is no change."""
    thought = Block("t", THINKING, "hm", 300, 2, (3, 0))
    tiny = OLD._replace(id="tiny", tokens=2)
    found = [CALLED, OLD, thought, tiny]
    made = planned(found, [block.id for block in found], 1_500, named, tokens.estimate)
    size = tokens.estimate("[Evicted: old of 4]")
    assert [(change.id, change.text, change.tokens) for change in made.changes] == [
        ("call:c1", "[Evicted: call:c1 of 4]", 60),
        ("old", "[Evicted: old of 4]", size),
        ("t", None, 0),
    ]
    assert made.freed == 640 + 900 - size + 300
    assert made.short == max(0, 1_500 - made.freed)


@given(conversations(), st.sampled_from(sorted(SCORERS)), st.integers(1, 4_000))
def test_over_any_conversation(messages: list[Json], policy: str, target: int) -> None:
    """Nothing protected leaves, nothing twice, no more than one block beyond the target, each call with its result."""
    track = tracked(messages)
    moment = Moment(track.turn, track.goal, track.request, track.answering, track.asked)
    ids = evict(track.blocks, target, moment, policy)
    assert len(set(ids)) == len(ids)
    assert not any(protected(track[name], moment) for name in ids)
    results = [name for name in ids if track[name].kind != CALL]
    for call in (track[name] for name in ids if track[name].kind == CALL):
        assert f"result:{call.pair}" in results
    freed = sum(gain(track[name]) for name in results[:-1])
    assert freed < target or len(results) <= 1
    assert tokens_of(track.blocks) > 0
