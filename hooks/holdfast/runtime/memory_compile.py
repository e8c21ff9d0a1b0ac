"""The compiled forms of the memory that make a start and a prompt cheap.

They hold the few records that a start tells, and the words by which a prompt calls one up. They are compiled when a
session is put away, and by a start that finds them old (store/memory_ready.py).
"""

from holdfast.core import telling
from holdfast.core.record import Record
from holdfast.policy.memory import recall, redact, rehydrate
from holdfast.policy.memory.rehydrate import Entry
from holdfast.store import memory_ready
from holdfast.store.files import write_atomic
from holdfast.store.memory import Memory, folder_of
from holdfast.store.record_files import make_cache

RECALLED = 2_000  # records that a prompt can call up: the most important, then the newest


def memory_at(project: str) -> Memory:
    """The memory of a project, to write to."""
    return Memory(folder_of(project), redact.record)


def compiled(memory: Memory, now: float) -> list[Entry]:
    """Compile start.json and the table for prompts; the records that a start tells. A disk that refuses keeps none."""
    folders = memory_ready.dates(memory.folder)  # before reading: what is added meanwhile makes it old
    found = memory.scan().records
    records = [record for _, record in found.values()]
    uses = {name: use.times for name, use in memory.uses().items()}
    chosen = rehydrate.choose(records, uses, now)
    entries = [rehydrate.entry(redact.record(record)) for record in chosen]
    files = [found[record.id][0] for record in chosen]
    alive = [record for record in records if rehydrate.is_alive(record, now)]
    told = {"made": now, "until": rehydrate.holds_until(entries), "folders": folders}
    try:
        make_cache(memory.folder)
        _write_table(memory, alive)
        memory_ready.save(memory.folder, entries, files, told)
    except OSError:  # read-only: each start compiles for itself
        pass
    return entries


def _write_table(memory: Memory, alive: list[Record]) -> None:
    worth = sorted(alive, key=lambda record: (record.importance, record.time, record.id), reverse=True)[:RECALLED]
    table = recall.compiled(record for record in worth if record.kind != "state")
    write_atomic(f"{memory.cache}/{memory_ready.ROWS}", recall.render(table))
    write_atomic(
        f"{memory.cache}/{memory_ready.WEIGHTS}", telling.weights({word: row[0] for word, row in table.rows.items()})
    )
