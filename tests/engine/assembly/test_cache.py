from holdfast.engine.assembly import cache
from holdfast.engine.assembly.tiers import Part


def turn(number: int) -> list[Part]:
    """A request of a loop: everything stable is long, and the task, the plan and the clock change."""
    return [
        Part("policy", "provider", "policy " * 800),
        Part("rules", "instructions", "rule " * 2_000),
        Part("tools", "tools", "tool " * 4_000),
        Part("task", "task", f"question {number}"),
        Part("plan", "plan", f"step {number} of 30"),
        Part("seen", "observations", f"result {number} " * 200),
        Part("clock", "reminders", f"12:{number:02}"),
        *(Part(f"turn {n}", "history", f"turn {n} " * 100) for n in range(number)),
    ]


def test_the_hit_is_the_common_beginning() -> None:
    """From the second request on, and only when it is long enough to be cached."""
    first, second = [("a", 2_000), ("b", 500), ("c", 100)], [("a", 2_000), ("b", 500), ("d", 100)]
    assert cache.rate([first, second]) == cache.Rate(5_200, 2_500)
    assert cache.rate([[("a", 1_023)], [("a", 1_023)]]).hit == 0
    assert cache.rate([[("a", 1_024)], [("a", 1_024)]]).share == 0.5
    assert cache.rate([]).share == 0.0


def test_the_cache_aware_order_hits_what_the_listed_one_misses() -> None:
    """The same parts, thirty requests: the changing task stands early in the list of tiers."""
    found = cache.compare([turn(number) for number in range(30)])
    assert found.listed.share < 0.15
    assert found.aware.share > 0.85
    assert found.listed.sent == found.aware.sent
