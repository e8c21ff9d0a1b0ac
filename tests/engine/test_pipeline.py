"""The steps together, through the manager that carries them out."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given as over
from hypothesis import strategies as st

from holdfast.engine import facts, pipeline
from holdfast.engine import messages as conversation
from holdfast.engine import options as allowed
from holdfast.engine.blocks import Edit, Plan
from holdfast.engine.manager import ContextWindowManager
from holdfast.engine.strategy import StrategyInput
from holdfast.text.tokens import estimate
from tests.engine.conversations import Json, Model, asked, conversations, given, looked, play, said, texts


@pytest.mark.parametrize(("share", "most"), [(0.75, 3), (0.85, 4), (0.92, 5), (0.95, 6)])
def test_each_step_has_its_share(share: float, most: int) -> None:
    """Requirement K6, the cheapest first."""
    assert [name for name, _ in pipeline.due(share, allowed.STEPS)] == list(allowed.STEPS[:most])


def test_what_frees_next_to_nothing_is_left_alone() -> None:
    """All behind it would be cached anew for it; unless it is all that was wanted."""

    def little(_: StrategyInput) -> Plan:
        return Plan("x", (Edit("0.0", "y", 1, "digest", ""),), freed=9, cut=3)

    found = given([asked("Go.")], used=990, limit=1_000)
    assert pipeline.attempt("x", little, found) == Plan("x", short=390)
    assert pipeline.attempt("x", little, found._replace(used=605)).freed == 9


@over(conversations(times=20))
def test_every_step_takes_less_than_it_frees_and_says_where_the_whole_is(messages: list[Json]) -> None:
    """Over any conversation; a change is shorter, and nothing of the user's or of the last step is touched."""
    found = given(messages, summarise=100)
    blocks = {block.id: block for block in found.blocks}
    for name, step in pipeline.due(0.91, allowed.STEPS):
        for change in step(found).changes:
            block = blocks[change.id]
            assert change.tokens < block.tokens, name
            assert change.text is None or "whole: a" in change.text
            assert not found.context.protects(block)


def told(messages: Sequence[conversation.Message]) -> set[str]:
    """What the user says in them."""
    return {piece.text for piece in conversation.pieces(messages) if piece.kind == "user_message"}


def long_work(steps: int) -> list[Json]:
    """A task of many steps with talk between."""
    messages = [asked("Find out why the pool is exhausted. Never restart the service.")]
    for n in range(steps):
        text = "\n".join(f"pool_{n}_{k} holds {k} sockets of client_{n}" for k in range(60))
        messages += looked(n, "Bash", {"command": f"cat pool_{n}.log"}, text)
        messages += [
            said(f"DECISION: raise the limit_{n} to {n + 40}, because client_{n} waits. " * 3),
            asked("Go on."),
        ]
    return messages


@pytest.mark.parametrize("steps", [allowed.STEPS, ("compact",)], ids=["all", "compaction alone, again and again"])
def test_it_stops_when_the_target_is_met(steps: tuple[str, ...]) -> None:
    """Each turn's last plan meets it, and none before does; what was decided first stands at the end."""
    manager = ContextWindowManager(20_000, steps=steps)
    turns = play(manager, long_work(30))
    acted = [turn for turn in turns if turn.plans]
    assert len(acted) >= 3
    assert all(turn.used <= 20_000 for turn in turns)
    for turn in acted:
        assert [plan.short == 0 for plan in turn.plans] == [False] * (len(turn.plans) - 1) + [True]
    cuts = [plan.cut for turn in turns for plan in turn.plans if plan.cut]
    assert cuts == sorted(set(cuts))
    shown = texts(turns[-1].messages)
    assert "Never restart the service." in shown
    assert not cuts or all(f"raise the limit_{n} to {n + 40}, because client_{n} waits." in shown for n in range(30))


STEPS = st.lists(st.sampled_from(allowed.STEPS), min_size=1, unique=True).map(tuple)


@over(conversations(times=5), st.integers(6_000, 9_000), STEPS, st.booleans())
def test_any_steps_on_any_conversation_keep_the_rules(
    messages: list[Json], limit: int, steps: tuple[str, ...], asks: bool
) -> None:
    """Requests obey the API's rules, hold all that the user said, are never larger than the history, and repeat.

    So do three hand-overs one after the other, and the calls of a model are told.
    """
    models = [Model("The pool is fine.") for _ in "12"] if asks else [None, None]
    given_options: dict[str, Any] = {"steps": steps, "summarise": 60, "policy": "semantic_merge"}
    turns, again = (play(ContextWindowManager(limit, model=model, **given_options), messages) for model in models)
    for number, turn in enumerate(turns):
        sofar = messages[: 2 * number + 1]
        conversation.check(turn.messages)
        assert estimate(texts(turn.messages)) <= estimate(texts(sofar))
        assert told(sofar) <= told(turn.messages)
        assert turn.messages[-1]["role"] == "user"
        assert all(plan.freed >= 0 for plan in turn.plans)
    assert [turn.messages for turn in turns] == [turn.messages for turn in again]
    assert not models[0] or sum(plan.calls for turn in turns for plan in turn.plans) == len(models[0].asked)
    manager = ContextWindowManager(limit, model=models[0])
    found: list[conversation.Message] = [*messages]
    for number in range(3):
        found = [*manager.on_overflow(found).messages, said("Yes."), asked(f"Go on {number}.")]
        conversation.check(found)
        assert told(messages) <= told(found)


@over(conversations(times=5), st.integers(6_000, 9_000))
def test_a_compaction_loses_nothing_that_must_stay(messages: list[Json], limit: int) -> None:
    """Word by word, whatever was said (requirement K8), and it is never longer than what it replaces."""
    manager = ContextWindowManager(limit, steps=("compact",))
    for end in range(1, len(messages) + 1, 2):
        turn = manager.on_turn_start(messages[:end])
        cuts = [plan for plan in turn.plans if plan.cut]
        assert all(plan.freed > 0 for plan in cuts)
        assert not cuts or facts.lacking(manager.work(), texts(turn.messages)) == []
