"""How large the next request is, and what the loop's own usage teaches."""

from types import SimpleNamespace

import pytest

from holdfast.engine import blocks
from holdfast.engine.blocks import Block, BlockKind, BlockState, Edit
from holdfast.engine.options import Options
from holdfast.engine.usage_tracker import Usage, UsageTracker, usage_of

SYSTEM_BLOCK = Block("system_prompt", BlockKind.SYSTEM, "", 1_000)
TASK = Block("0.0", BlockKind.USER, "", 20, 1, (0, 0))


def result(number: int, tokens: int = 1_000) -> Block:
    """A tool's result."""
    return Block(f"result:{number}", BlockKind.RESULT, "", tokens, number + 1, (2 * number, 0))


def call(number: int, tokens: int) -> Block:
    """What was asked for."""
    return Block(f"call:{number}", BlockKind.CALL, "", tokens, number, (2 * number - 1, 0))


def shrunk(found: list[Block], tokens: int = 0, fidelity: float | None = None) -> blocks.Plan:
    """A plan that leaves so much of the first result."""
    change = Edit("result:1", "", tokens, BlockState.PLACEHOLDER, "")
    return blocks.plan("eviction", {block.id: block for block in found}, [change], 0)._replace(fidelity=fidelity)


def test_a_usage_is_read_from_an_object_or_a_mapping() -> None:
    """Missing, empty and impossible figures count nothing."""
    reported = SimpleNamespace(input_tokens=10, cache_creation_input_tokens=None, cache_read_input_tokens=90)
    assert usage_of(reported) == Usage(100, 0, 90)
    assert usage_of({"input_tokens": 7, "output_tokens": -3, "cache_read_input_tokens": "many"}) == Usage(7, 0, 0)
    assert usage_of({}) == Usage(0, 0, 0)


@pytest.mark.parametrize(
    ("since", "used"),
    [
        ([], 20_500),
        ([call(1, 500), result(1)], 21_500),
        ([call(1, 500), result(1), call(2, 600), result(2)], 20_500 + 1_000 + 600 + 1_000),
    ],
    ids=["nothing", "a result", "an answer whose usage is not known, as of an interrupted stream"],
)
def test_a_report_is_the_truth_and_only_what_came_since_is_added(since: list[Block], used: int) -> None:
    """The answer's own blocks were counted as output. Without a report all is estimated, with five per cent more.

    What a plan freed is taken off before the next report tells.
    """
    gauge, found = UsageTracker(100_000, Options()), [SYSTEM_BLOCK, TASK]
    assert gauge.used([SYSTEM_BLOCK, result(1, 9_000)]) == 10_500
    assert gauge.read([SYSTEM_BLOCK, result(1, 9_000)]).source == "estimated"
    gauge.reported({"input_tokens": 20_000, "output_tokens": 500}, found)
    assert gauge.used([*found, *since]) == used
    assert gauge.read([*found, *since]).source == "reported"
    gauge.made(shrunk([result(1, 8_000)], 50))
    assert gauge.used([*found, *since]) == used - 7_950


@pytest.mark.parametrize(
    ("thinks", "used"), [(0, 20_400), (3_000, 24_000), (9_000, 24_000)], ids=["taken out", "sent back", "as a summary"]
)
def test_thinking_that_is_not_sent_back_does_not_stand_in_the_window(thinks: int, used: int) -> None:
    """Of such an answer what came back is estimated, once; the report stands for one that came back whole."""
    gauge, found = UsageTracker(100_000, Options()), [SYSTEM_BLOCK, TASK]
    gauge.reported({"input_tokens": 20_000, "output_tokens": 4_000}, found)
    assert gauge.read(found).tokens == 24_000
    if thinks:
        found.append(call(1, thinks)._replace(kind=BlockKind.THINKING))
    found.append(call(1, 400))
    assert [gauge.read([*found, result(1)]).tokens for _ in range(2)] == [used + 1_000] * 2


@pytest.mark.parametrize(("cost", "evicts"), [(4_000, False), (3_000, True)], ids=["dearer texts", "evictions between"])
def test_the_loops_own_usage_teaches_the_factor(cost: int, evicts: bool) -> None:
    """Texts that cost a third more than estimated are soon predicted so; what left meanwhile does not spoil it."""
    gauge, found, size = UsageTracker(1_000_000, Options()), [SYSTEM_BLOCK], 50_000
    for turn in range(1, 40):
        gauge.reported({"input_tokens": size}, found)
        found.append(result(turn, 3_000))
        size += cost
        if evicts and turn % 10 == 0:
            gauge.made(shrunk(found))
            size -= found[1].tokens
            found[1] = found[1]._replace(tokens=0)
    assert abs(gauge.used(found) - size) < 0.02 * size
    assert abs(gauge.fit.factor - cost / 3_000) < 0.03
    assert gauge.fit.report()["median_error"] < 0.02
    account = gauge.account(found)
    assert account
    assert account.used["results"] == round(gauge.fit.factor * blocks.tokens_of(found[1:]))


def test_budget_health_and_cache_are_kept() -> None:
    """Each turn feeds them; a window too full with results is told, and a summary's poor fidelity, once."""
    gauge, found = UsageTracker(100_000, Options()), [SYSTEM_BLOCK, result(1, 40_000)]
    gauge.reported({"input_tokens": 1_000, "cache_read_input_tokens": 41_000}, found)
    assert [alert.metric for alert in gauge.alerts] == ["results_share"]
    account = gauge.account(found)
    assert account is not None
    assert account.used["results"] == 40_000
    assert (gauge.sent, gauge.cached) == (42_000, 41_000)
    gauge.made(shrunk(found, fidelity=0.6))
    gauge.reported({"input_tokens": 1_000}, [SYSTEM_BLOCK])
    assert [alert.metric for alert in gauge.alerts] == ["fidelity"]
    gauge.reported({"input_tokens": 1_000}, [SYSTEM_BLOCK])
    assert [snapshot.fidelity for snapshot in gauge.health] == [None, 0.6, None]
