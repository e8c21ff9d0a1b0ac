"""The maintenance of a project's memory: planned, carried out, and once a day by itself."""

from typing import NamedTuple

from holdfast.core.dates import iso
from holdfast.policy.memory import circles, lifecycle
from holdfast.store.files import read_text, write_atomic
from holdfast.store.forgetting import MAINTAINED
from holdfast.store.memory import Memory
from holdfast.store.memory_cache import is_ours, make_cache
from holdfast.store.record_files import Problem


class Upkeep(NamedTuple):
    """What maintenance does or would do, and the files that it cannot read."""

    actions: list[lifecycle.Action]
    problems: list[Problem]


def maintain(memory: Memory, now: float, dry: bool = False) -> Upkeep:
    """Archive and remove what has had its time, take back a circle of superseded records; dry: only say so.

    Raises OSError.
    """
    scan, uses = memory.scan(), {name: use.times for name, use in memory.uses().items()}
    counts = lifecycle.Counts(uses, memory.counted_since())
    plan = lifecycle.plan((record for _, record in scan.records.values()), counts, now)
    if not dry:
        for step in plan:
            if step.verb == lifecycle.RESTORE_VERB:
                memory.update(circles.in_use(scan.records[step.id][1]))
        memory.carry_out([(step.verb, step.id, step.rule) for step in plan], iso(now), scan)
        memory.tidy()
        write_atomic(f"{make_cache(memory.folder)}/{MAINTAINED}", iso(now)[:10])
    return Upkeep(plan, scan.problems)


def is_due(memory: Memory, now: float) -> bool:
    """Whether today's maintenance is still to come, by UTC."""
    return not is_ours(memory.folder) or read_text(f"{memory.cache}/{MAINTAINED}", 10) != iso(now)[:10]
