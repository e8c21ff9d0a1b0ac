"""A recorded session with a manager in its loop."""

from typing import Any

from benchmarks.replay import managed, ways
from benchmarks.replay.api_messages import Recording, recording
from tests.benchmarks.replay.test_api_messages import prompt
from tests.benchmarks.replay.test_sessions import BOUNDARY, result, said

Json = dict[str, Any]
FIRST, STEP, LIMIT = 12_000, 700, 30_000


def worked(turns: int, compacted: int = 0) -> list[Json]:
    """Rows of so many calls, each with a result of about 700 tokens; each turn says a name of nine turns before."""
    rows: list[Json] = [prompt("Mend the pools of src/api.py, all of them.")]
    for turn in range(turns):
        if turn == compacted > 0:
            rows.append({**BOUNDARY, "compactMetadata": {"preTokens": FIRST + STEP * turn}})
        number = turn - compacted if turn >= compacted > 0 else turn
        called = {"id": f"c{turn}", "name": "Read", "input": {"file_path": f"src/part_{turn}.py"}}
        rows.append(said(f"See handlePool{max(0, turn - 9)}.", FIRST + STEP * number, f"m{turn}", (called,)))
        lines = (f"def handlePool{turn}_{line}(value): pass" for line in range(60))
        rows.append(result(f"c{turn}", "\n".join([f"handlePool{turn}", *lines])))
    return rows


def session(turns: int, compacted: int = 0) -> Recording:
    """The recording of such rows."""
    return recording(worked(turns, compacted))


def test_without_management_the_windows_are_one() -> None:
    """Sizes go on growing where the client compacted, as they grew before."""
    plain, cut = managed.asks(session(40)), managed.asks(session(40, 20))
    assert [ask.size for ask in plain] == [FIRST + STEP * turn for turn in range(40)]
    assert [ask.recorded for ask in cut][19:21] == [FIRST + STEP * 19, FIRST]
    assert [ask.size for ask in cut[:20]] == [ask.size for ask in plain[:20]]
    crossing = cut[20].size - cut[19].size
    assert 200 < crossing < 3_000
    assert [ask.size - cut[20].size for ask in cut[20:]] == [STEP * turn for turn in range(20)]


def test_a_managed_window_outlasts_an_unmanaged_one() -> None:
    """The same recording: one overflows, the other is within the limit to the end, and says what that took."""
    played, alone = (
        managed.run(session(90), ways.WAYS[way](LIMIT, "claude-opus-4-5"), LIMIT)
        for way in (ways.DEFAULT, ways.NOTHING)
    )
    assert (alone.before, alone.after, alone.ended) == (26, 26, 0)
    assert (played.before, played.after, played.ended) == (26, 90, 1)
    assert played.peak_after <= LIMIT < played.peak_before == alone.peak_after
    assert 0 < played.input_after < played.input_before == alone.input_after
    assert played.evictions > 0
    assert played.rewritten > 0
    assert played.rewritten < played.written_after <= played.input_after
    assert (alone.evictions, alone.rewritten, alone.models, played.models) == (0, 0, 0, 0)


def test_harm_is_told_by_what_is_used_later() -> None:
    """Clearing all but a few results loses names that the manager's placeholders keep; doing nothing loses none."""
    held = {}
    for name in (ways.NOTHING, ways.DEFAULT, f"last {ways.LAST} results"):
        limit = 24_000
        found = managed.run(session(60), ways.WAYS[name](limit, "claude-opus-4-5"), limit).harm
        held[name] = found.held / found.uses
    assert held[ways.NOTHING] == 1
    assert held[ways.DEFAULT] > held[f"last {ways.LAST} results"]
