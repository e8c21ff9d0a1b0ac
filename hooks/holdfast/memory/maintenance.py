"""The maintenance of a project's memory: planned, carried out, and once a day by itself."""

import os
from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple

from holdfast.hot.files import read_text, write_atomic
from holdfast.memory import derived, lifecycle
from holdfast.memory.cache import MAINTAINED, is_ours, make_cache
from holdfast.memory.files import Problem
from holdfast.memory.record import Record
from holdfast.memory.store import Memory
from holdfast.text.dates import iso


class Upkeep(NamedTuple):
    """What maintenance does or would do, and the files that it cannot read."""

    actions: list[lifecycle.Action]
    problems: list[Problem]


def maintain(memory: Memory, now: float, dry: bool = False) -> Upkeep:
    """Archive and remove what has had its time, take back a circle of superseded records; dry: only say so.

    Where there is no memory nothing is made. Raises OSError.
    """
    if not os.path.lexists(memory.folder):
        return Upkeep([], [])
    scan, uses = memory.scan(), {name: use.times for name, use in memory.uses().items()}
    counts = lifecycle.Counts(uses, memory.counted_since())
    plan = lifecycle.plan(_judged((record for _, record in scan.records.values()), memory.written()), counts, now)
    if not dry:
        memory.carry_out([(step.verb, step.id, step.rule) for step in plan], iso(now), scan)
        memory.tidy()
        write_atomic(f"{make_cache(memory.folder)}/{MAINTAINED}", iso(now)[:10])
    return Upkeep(plan, scan.problems)


def _judged(records: Iterable[Record], own: Container[str]) -> Iterator[Record]:
    """The records, a state of the user's only as far as it is trusted here: no rule asks that of the others."""
    for record in records:
        is_users = record.kind == "state" and record.trust == "trusted"
        yield record._replace(trust=derived.trust_of(record, own)) if is_users else record


def is_due(memory: Memory, now: float) -> bool:
    """Whether today's maintenance is still to come, by UTC."""
    return not is_ours(memory.folder) or read_text(f"{memory.cache}/{MAINTAINED}", 10) != iso(now)[:10]
