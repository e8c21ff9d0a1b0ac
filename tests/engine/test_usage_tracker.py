from holdfast.engine import blocks
from holdfast.engine.blocks import Block, Edit, Kind, State
from holdfast.engine.options import Options
from holdfast.engine.usage_tracker import Usage, UsageTracker, usage_of

SYSTEM_BLOCK = Block("system_prompt", Kind.SYSTEM, "", 1_000)
TASK = Block("0.0", Kind.USER, "", 20, 1, (0, 0))


def result(number: int, tokens: int = 1_000) -> Block:
    """A tool's result."""
    return Block(f"result:{number}", Kind.RESULT, "", tokens, number + 1, (2 * number, 0))


class Reported:
    """A client's usage object."""

    input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens = 10, None, 90, 5


def test_a_usage_is_read_from_an_object_or_a_mapping() -> None:
    """Missing, empty and impossible figures count nothing."""
    assert usage_of(Reported()) == Usage(100, 5, 90)
    assert usage_of({"input_tokens": 7, "output_tokens": -3, "cache_read_input_tokens": "many"}) == Usage(7, 0, 0)
    assert usage_of({}) == Usage(0, 0, 0)


def test_without_a_report_all_is_estimated_with_a_margin() -> None:
    """Five percent for what no client counts."""
    gauge = UsageTracker(100_000, Options())
    assert gauge.used([SYSTEM_BLOCK, result(1, 9_000)]) == 10_500
    assert gauge.read([SYSTEM_BLOCK, result(1, 9_000)]).source == "estimated"


def test_a_report_is_the_truth_and_only_what_came_since_is_added() -> None:
    """The answer's own blocks were counted as output."""
    gauge, found = UsageTracker(100_000, Options()), [SYSTEM_BLOCK, TASK]
    gauge.reported({"input_tokens": 20_000, "output_tokens": 500}, found)
    assert gauge.used(found) == 20_500
    found += [Block("call:1", Kind.CALL, "", 400, 1, (1, 0)), result(1)]
    assert gauge.used(found) == 21_500
    assert gauge.read(found).source == "reported"


def test_an_answer_whose_usage_is_not_known_is_estimated() -> None:
    """As after an interrupted stream: only the answer that was reported is left out."""
    gauge, found = UsageTracker(100_000, Options()), [SYSTEM_BLOCK, TASK]
    gauge.reported({"input_tokens": 20_000, "output_tokens": 500}, found)
    found += [
        Block("call:1", Kind.CALL, "", 400, 1, (1, 0)),
        result(1),
        Block("call:2", Kind.CALL, "", 600, 2, (3, 0)),
        result(2),
    ]
    assert gauge.used(found) == 20_500 + 1_000 + 600 + 1_000


def test_what_a_plan_freed_is_taken_off() -> None:
    """Before the next report tells."""
    gauge, found = UsageTracker(100_000, Options()), [SYSTEM_BLOCK, result(1, 8_000)]
    gauge.reported({"input_tokens": 60_000}, found)
    old = {block.id: block for block in found}
    plan = blocks.plan("eviction", old, [Edit("result:1", "[Evicted]", 50, State.PLACEHOLDER, "")], 5_000)
    gauge.made(plan, old)
    assert gauge.used(found) == 60_000 - 7_950


def test_the_loops_own_usage_teaches_the_factor() -> None:
    """Texts that cost a third more than estimated are soon predicted so."""
    gauge, found, size = UsageTracker(1_000_000, Options()), [SYSTEM_BLOCK], 10_000
    for turn in range(1, 30):
        gauge.reported({"input_tokens": size}, found)
        found.append(result(turn, 3_000))
        size += 4_000
    assert abs(gauge.used(found) - size) < 0.02 * size
    assert 1.3 < gauge.fit.factor < 1.36
    assert gauge.fit.report()["median_error"] < 0.02


def test_evictions_do_not_spoil_what_is_learned() -> None:
    """The growth is that of what was added, whatever left meanwhile."""
    gauge, found, size = UsageTracker(1_000_000, Options()), [SYSTEM_BLOCK], 50_000
    for turn in range(1, 40):
        gauge.reported({"input_tokens": size}, found)
        found.append(result(turn, 2_000))
        size += 2_000
        if turn % 10 == 0:
            old = {block.id: block for block in found}
            gauge.made(blocks.plan("eviction", old, [Edit("result:1", "", 0, State.PLACEHOLDER, "")], 0), old)
            found[1] = found[1]._replace(tokens=0)
            size -= old["result:1"].tokens
    assert 0.98 < gauge.fit.factor < 1.02


def test_budget_health_and_cache_are_kept() -> None:
    """Each turn feeds them; a window too full with results is told."""
    gauge, found = UsageTracker(100_000, Options()), [SYSTEM_BLOCK, result(1, 40_000)]
    gauge.read(found)
    gauge.reported({"input_tokens": 1_000, "cache_read_input_tokens": 41_000}, found)
    assert [alert.metric for alert in gauge.alerts] == ["results_share"]
    account = gauge.account(found)
    assert account is not None
    assert account.used["results"] == 40_000
    assert (gauge.sent, gauge.cached) == (42_000, 41_000)


def test_the_fidelity_of_a_summary_reaches_the_health() -> None:
    """Once, in the turn in which it was made; a poor one is told."""
    gauge, found = UsageTracker(100_000, Options()), [SYSTEM_BLOCK, result(1, 8_000)]
    old = {block.id: block for block in found}
    made = blocks.plan("compaction", old, [Edit("result:1", None, 0, State.PLACEHOLDER, "")], 0)._replace(fidelity=0.6)
    gauge.made(made, old)
    gauge.reported({"input_tokens": 1_000}, [SYSTEM_BLOCK])
    assert [alert.metric for alert in gauge.alerts] == ["fidelity"]
    gauge.reported({"input_tokens": 1_000}, [SYSTEM_BLOCK])
    assert [snapshot.fidelity for snapshot in gauge.health] == [0.6, None]
