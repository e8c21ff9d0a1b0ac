import json

from holdfast.engine import status
from holdfast.engine.blocks import RESULT, SYSTEM, Block
from holdfast.engine.options import Options
from holdfast.engine.usage_tracker import Meter

FOUND = [Block("system_prompt", SYSTEM, "", 2_000), Block("result:1", RESULT, "", 40_000)]


def test_it_tells_what_is_known_in_plain_json() -> None:
    """Gauge, budget, health, what was done, and the cache."""
    meter = Meter(100_000, Options())
    meter.read(FOUND)
    meter.reported({"input_tokens": 30_000, "cache_read_input_tokens": 50_000}, FOUND)
    found = json.loads(json.dumps(status.report(meter, 80_000, [{"freed": 9_000, "calls": 1}, {"freed": 1_000}])))
    assert (found["zone"], found["share"], found["limit"]) == ("orange", 0.8, 100_000)
    assert (found["plans"], found["freed"], found["model_calls"]) == (2, 10_000, 1)
    assert found["cache_read_share"] == 0.625
    assert [row["used"] for row in found["components"] if row["name"] == "results"] == [40_000]
    assert found["health"]["utilisation"]["value"] == 0.8
    assert [alert["metric"] for alert in found["alerts"]] == ["results_share"]
    assert found["todo"]


def test_what_is_not_known_is_none() -> None:
    """Before the first turn, without a limit."""
    found = status.report(Meter(0, Options()), 0, [])
    assert found["zone"] == "unknown"
    unknown = ("limit", "share", "tokens_per_turn", "turns_left", "cache_read_share")
    assert {key: found[key] for key in unknown} == dict.fromkeys(unknown)
    assert (found["components"], found["todo"], found["plans"]) == ([], [], 0)
