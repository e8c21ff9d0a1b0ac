"""`holdfast bench tokens`: how far off are estimates of tokens, held against the usage that recorded sessions hold?

Each session begins with nothing learned. Before a growth is looked at it is predicted three ways: from the visible
texts alone, with what frames and thinking cost (transcript/usage.py), and with this session's own factor
(gauge/calibration.py). Growths of 0 or less, after a compaction or with another model are left out.
"""

import argparse
import itertools
import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from benchmarks.replay import sessions
from holdfast.cli.output import emit_json, emit_table
from holdfast.errors import BadInput
from holdfast.gauge import calibration
from holdfast.hot.files import read_from
from holdfast.transcript import rows as transcript
from holdfast.transcript.usage import ApiTurn, turns

TARGET = 0.05
"""Of the median error of one turn's growth, over all sessions."""
BLIND = 10
"""Turns without a usage, after which the window's size is held against the next one."""
ALL = "all"


class Errors(NamedTuple):
    """Of one turn, as shares of what was recorded."""

    text: float
    framed: float
    calibrated: float
    window: float
    """Of the whole window, from the usage before."""


def run(args: argparse.Namespace) -> int:
    """Print a line per family of sessions and one for all; 1 when the target is missed."""
    if not args.data:
        raise BadInput("needs recorded sessions", "--data", "Give a folder of transcripts (.jsonl)")
    found: dict[str, list[Errors]] = {ALL: []}
    blind: dict[str, list[float]] = {ALL: []}
    for file in sessions.transcripts([args.data]):
        session = comparable(file)
        for name in (_family(file, args.data), ALL):
            found.setdefault(name, []).extend(errors_of(session))
            blind.setdefault(name, []).extend(blind_of(session))
    if not found[ALL]:
        raise BadInput("no session has two usages in one window", args.data, "Give transcripts with more than one turn")
    rows = [_row(name, found[name], blind[name]) for name in sorted(found, key=lambda name: name == ALL) if found[name]]
    missed = rows[-1]["calibrated"][0] >= TARGET
    emit_json({"target": TARGET, "missed": missed, "rows": rows}) if args.json else _print(rows, missed)
    return int(missed)


def comparable(file: str) -> list[ApiTurn]:
    """The turns of a session file that have one before them in the same window, with the same model."""
    chunk = transcript.parse_chunk(read_from(file, 0, os.path.getsize(file)) + b"\n")
    return [turn for turn in turns(chunk.rows) if turn.before]


def errors_of(session: list[ApiTurn]) -> Iterator[Errors]:
    """The errors of one session, each prediction made before its growth was learned."""
    state = calibration.Calibration()
    for turn in session:
        growth, estimate = turn.after - turn.before, max(0, turn.added.total())
        if growth > 0:
            calibrated = state.tokens(estimate)
            text, framed, learned = (abs(guess - growth) for guess in (turn.added.text(), estimate, calibrated))
            yield Errors(text / growth, framed / growth, learned / growth, learned / turn.after)
        state = calibration.observe(state, estimate, growth)


def blind_of(session: list[ApiTurn]) -> Iterator[float]:
    """Errors of the window's size when no usage was seen for ten turns."""
    state = calibration.Calibration()
    for start in range(0, len(session) - BLIND + 1, BLIND):
        part = session[start : start + BLIND]
        if all(one.after == two.before for one, two in itertools.pairwise(part)):
            guess = part[0].before + sum(state.tokens(one.added.total()) for one in part)
            yield abs(guess - part[-1].after) / part[-1].after
        for one in part:
            state = calibration.observe(state, max(0, one.added.total()), one.after - one.before)


def _family(file: str, data: str) -> str:
    inside = os.path.relpath(file, data)
    return inside.split(os.sep)[0] if os.sep in inside else os.path.basename(os.path.abspath(data))


def _row(name: str, errors: list[Errors], blind: list[float]) -> dict[str, Any]:
    bands = {field: _bands([getattr(one, field) for one in errors]) for field in Errors._fields}
    return {"name": name, "turns": len(errors), **bands, "window_after_ten": _bands(blind)}


def _bands(values: list[float]) -> tuple[float, float] | None:
    if not values:
        return None
    return round(calibration.quantile(values, 0.5), 5), round(calibration.quantile(values, 0.95), 5)


def _print(rows: list[dict[str, Any]], missed: bool) -> None:
    print("Median and p95 of |estimate - recorded| / recorded. First the growth of one turn, then the whole window:")
    head = ("sessions", "turns", "texts alone", "+ frames", "calibrated", "window", "window, 10 turns blind")
    emit_table([head, *map(_cells, rows)])
    print(f"target: median of calibrated below {TARGET:.0%} over all: {'MISSED' if missed else 'met'}")


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    keys = ("text", "framed", "calibrated", "window", "window_after_ten")
    shown = (f"{row[key][0]:.2%} {row[key][1]:.1%}" if row[key] else "-" for key in keys)
    return row["name"], f"{row['turns']:,}", *shown
