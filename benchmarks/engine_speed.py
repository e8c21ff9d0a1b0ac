"""`holdfast bench engine`: how long does the window's manager take, and does it grow with the window?

Made-up conversations, so that sizes are what they are said to be; times are the processor's. Deciding: which of n
blocks leave so that two fifths of their tokens are free. A turn: one call and its result come in, nothing has to leave.
Import: the engine, pydantic with it, against pydantic alone, in fresh interpreters in turn.
"""

import argparse
import math
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from holdfast.cli.output import emit_json, emit_table
from holdfast.engine import eviction
from holdfast.engine.blocks import Block, BlockKind, tokens_of
from holdfast.engine.manager import ContextWindowManager
from holdfast.engine.strategy import ScoringContext

SIZES = (200, 2_000, 20_000)
DECIDE_MS, GROWTH, TURN_MS, IMPORT = 10.0, 1.15, 10.0, 3.0
"""Limits: ms for 2,000 blocks; exponent (n log n is 1.13 between these sizes); ms of turn 2,000; times pydantic, on
which the options stand."""
TURNS, EARLY = 2_000, 10
WIDE = 1_000_000_000
"""A limit that no turn reaches."""


class Figure(NamedTuple):
    """One figure and its limit."""

    name: str
    value: float
    limit: float | None
    """None where it is only shown."""

    def missed(self) -> bool:
        """Whether it is over its limit."""
        return self.limit is not None and self.value > self.limit


def run(args: argparse.Namespace) -> int:
    """Print the figures; 1 when one is missed."""
    figures = [*deciding(), *turning(), importing(args.rounds)]
    if args.json:
        emit_json([figure._asdict() for figure in figures])
    else:
        rows = ((one.name, f"{one.value:.3g}", "" if one.limit is None else f"{one.limit:g}") for one in figures)
        emit_table([("figure", "value", "limit"), *rows])
    return int(any(figure.missed() for figure in figures))


def deciding() -> list[Figure]:
    """Milliseconds for each size, and the exponent of their growth."""
    times = [_best(_decision(made_blocks(size))) for size in SIZES]
    exponent = math.log(times[-1] / times[0]) / math.log(SIZES[-1] / SIZES[0])
    shown = zip(SIZES, times, (DECIDE_MS, DECIDE_MS, None), strict=True)
    return [
        *(Figure(f"deciding {size:,} blocks, ms", took, limit) for size, took, limit in shown),
        Figure("growth of deciding, exponent", exponent, GROWTH),
    ]


def _decision(found: list[Block]) -> Callable[[], object]:
    moment = ScoringContext(found[-1].turn, goal=found[0].id, request=found[0].id)
    target = tokens_of(found) * 2 // 5
    return lambda: eviction.chosen(found, target, moment)


def made_blocks(count: int) -> list[Block]:
    """A request and then calls with their results, of sizes and uses as they come in a session."""
    found = [Block("0.0", BlockKind.USER, "request", 60, 1)]
    for number in range(1, count):
        turn, name = number // 2 + 1, f"c{number // 2}"
        kind, tokens = (
            (BlockKind.CALL, 40 + number * 7 % 200) if number % 2 else (BlockKind.RESULT, 60 + number * 37 % 1_500)
        )
        found.append(
            Block(f"{kind}:{name}", kind, "", tokens, turn, (number, 0), name, fixed=30, used=turn + number % 5)
        )
    return found


def turning() -> list[Figure]:
    """Milliseconds of an early and of a late turn in one long conversation."""
    messages = list(made_messages(TURNS + EARLY))
    manager, took = ContextWindowManager(WIDE), list[float]()
    for turn in range(TURNS + EARLY):
        history = messages[: 2 * turn + 1]
        began = time.process_time()
        manager.on_turn_start(history)
        manager.on_turn_end({"input_tokens": 20_000 + 300 * turn, "output_tokens": 50})
        took.append((time.process_time() - began) * 1_000)
    early, late = sorted(took[EARLY : 2 * EARLY])[EARLY // 2], sorted(took[-EARLY:])[EARLY // 2]
    return [
        Figure(f"turn {EARLY}, ms", early, TURN_MS),
        Figure(f"turn {TURNS:,}, ms", late, TURN_MS),
    ]


def made_messages(turns: int) -> list[dict[str, Any]]:
    """A request, then a call and its result for each turn."""
    found: list[dict[str, Any]] = [{"role": "user", "content": "Make readSession of src/api.py return early."}]
    for turn in range(turns):
        path = f"src/part_{turn % 90}.py"
        call = {"type": "tool_use", "id": f"c{turn}", "name": "Read", "input": {"file_path": path}}
        lines = "\n".join(f"{line}→def handle_{turn}_{line}(value): return value + {line}" for line in range(1, 15))
        found.append({"role": "assistant", "content": [{"type": "text", "text": f"Reading {path}."}, call]})
        found.append(
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"c{turn}", "content": lines}]}
        )
    return found


def _best(action: Callable[[], object], rounds: int = 5) -> float:
    """Milliseconds of the fastest of a few."""
    found = []
    for _ in range(rounds):
        began = time.process_time()
        action()
        found.append((time.process_time() - began) * 1_000)
    return min(found)


def importing(rounds: int) -> Figure:
    """The library's import against pydantic's, beside what the interpreter itself takes."""
    own = ("pass", f"import sys; sys.path[:0] = {sys.path!r}; import holdfast.engine.manager")
    statements = (*own, f"import sys; sys.path[:0] = {sys.path!r}; import pydantic; pydantic.BaseModel")
    times: list[list[float]] = [[], [], []]
    for _ in range(max(3, rounds)):
        for found, statement in zip(times, statements, strict=True):
            began = time.perf_counter()
            subprocess.run([sys.executable, "-c", statement], check=True)
            found.append(time.perf_counter() - began)
    bare, library, pydantic = map(min, times)
    return Figure(
        "import of holdfast.engine.manager / import of pydantic", (library - bare) / (pydantic - bare), IMPORT
    )
