"""The part of `holdfast replay` that has a window's manager in the loop: `--engine` and `--policies`."""

import sys
from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.replay import compare
from benchmarks.replay import ways as baselines
from benchmarks.replay.api_messages import read_recording
from benchmarks.replay.compare import Case
from holdfast.cli.output import emit_table
from holdfast.gauge.pressure import percent


def figures(files: Sequence[str], every: int, policies: bool) -> dict[str, Any]:
    """`engine`, and `policies` when they are asked for; progress goes to stderr."""
    cases = [one for one in (compare.case(read_recording(file)) for file in files) if one][::every]
    names = list(baselines.WAYS) if policies else [baselines.DEFAULT]
    ways = {name: _both(cases, name) for name in names}
    found = {"engine": {"sessions": len(cases), **ways[baselines.DEFAULT]}}
    return {**found, "policies": ways} if policies else found


def _both(cases: list[Case], name: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for limit, share in (("recorded", 1.0), ("tight", compare.TIGHT)):
        sys.stderr.write(f"{name}, {limit} limit, {len(cases)} sessions …\n")
        done = compare.runs(cases, baselines.WAYS[name], share)
        found[limit] = compare.figures(done)
        if name == baselines.DEFAULT and share == 1.0:
            found["extrapolated_calls"] = compare.extrapolated(cases, done)
    return found


def show(figures: dict[str, Any]) -> None:
    """The tables of what is there."""
    if "engine" in figures:
        emit_table(_lines(figures["engine"]))
    if "policies" in figures:
        for limit, told in (("recorded", "at the recorded limit"), ("tight", "with four fifths of the room")):
            emit_table([("", ""), (told, *_COLUMNS), *_rows(figures["policies"], limit)])


def _lines(engine: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "engine", f"{engine['sessions']} sessions, a window's manager in the loop"
    for limit, told in (("recorded", "recorded limit"), ("tight", "4/5 of the room")):
        one = engine[limit]
        calls, harm, cache = one["calls"], one["harm"], one["cache"]
        ended = f"{calls['recording_ended_first']} of {calls['sessions']} recordings ended first"
        yield told, f"calls {calls['before']} -> {calls['after']} ({_times(calls['ratio'])}; {ended})"
        yield (
            "  input",
            f"{_share(one['input']['saved'])} saved; peak {one['peak']['before']:,} -> {one['peak']['after']:,}",
        )
        read = f"{_share(cache['read_before'])} -> {_share(cache['read_after'])}"
        price = f"price {cache['price_before']:,} -> {cache['price_after']:,}"
        yield "  cache", f"read {read}, rewritten {cache['rewritten']:,}, {price}; model calls {one['model_calls']}"
        yield "  names used later", f"{_share(harm['names_held'])} of {harm['names_used']} held"
        yield (
            "  edits",
            f"{_share(harm['edits_held'])} of {harm['edits']} held, {_share(harm['edits_in_window'])} in the window",
        )
        yield "  user's words", f"{_share(harm['user_texts_whole'])} of {harm['user_texts']} messages whole at the end"
        yield "  time", f"{one['ms_per_turn']} ms a turn, the slowest {one['ms_slowest']} ms"
    yield (
        "extrapolated",
        f"{engine['extrapolated_calls']} calls (mean) until a window is full with all gone that may leave",
    )


_COLUMNS = ("calls", "peak", "saved", "cache read", "names", "edits", "in window", "ms")


def _rows(ways: dict[str, Any], limit: str) -> Iterator[tuple[str, ...]]:
    for name, both in ways.items():
        one = both[limit]
        yield (
            name,
            _times(one["calls"]["ratio"]),
            f"{one['peak']['after']:,}",
            _share(one["input"]["saved"]),
            _share(one["cache"]["read_after"]),
            _share(one["harm"]["names_held"]),
            _share(one["harm"]["edits_held"]),
            _share(one["harm"]["edits_in_window"]),
            str(one["ms_per_turn"]),
        )


def _share(value: float | None) -> str:
    return "-" if value is None else percent(value, digits=1)


def _times(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}x"
