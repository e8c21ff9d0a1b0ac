"""What the manager is compared with."""

from benchmarks.replay.ways import CLEARED, LAST, WAYS, KeepLast
from holdfast.engine.messages import check, pieces
from tests.engine.conversations import Json, asked, looked

MODEL = "claude-opus-4-5"


def conversation(calls: int) -> list[Json]:
    """So many calls with long results."""
    steps = (looked(n, "Read", {"file_path": f"f{n}.py"}, f"long text {n} " * 200) for n in range(calls))
    return [asked("Go."), *(message for step in steps for message in step)]


def test_only_the_last_results_stay_when_the_window_is_full() -> None:
    """Nothing before; afterwards what was cleared stays so, and the rest is told to the cache."""
    loop = KeepLast(10_000, MODEL)
    assert loop.on_turn_start(conversation(8)).plans == ()
    loop.on_turn_end({"input_tokens": 9_000})
    turn = loop.on_turn_start(conversation(8))
    shown = [piece.text for piece in pieces(turn.messages) if piece.kind == "tool_result"]
    assert [text == CLEARED for text in shown] == [True] * (8 - LAST) + [False] * LAST
    assert turn.cost is not None
    assert 0 < turn.cost.rewritten < 10_000
    check(turn.messages)
    loop.on_turn_end({"input_tokens": 2_000})
    assert loop.on_turn_start(conversation(9)).messages[: len(turn.messages)] == turn.messages


def test_a_managed_way_reads_what_it_archived_and_nothing_else() -> None:
    """By the place that a placeholder names."""
    way = WAYS["evict, fifo"](10_000, MODEL)
    turn = way.start(conversation(12))
    assert turn.plans
    assert way.read("a1").startswith("long text")
    assert way.read("a99") == ""
