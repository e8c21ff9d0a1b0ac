"""The compiled forms of the memory that make a start and a prompt cheap.

They hold the few records that a start tells, and the words by which a prompt calls one up. Whoever changes records
compiles them, a stop, an end or the command line; so does a start that finds them old (memory/precomputed.py), as
after a pull.
"""

from collections.abc import Callable, Container

from holdfast.hot import prompt_match
from holdfast.hot.files import write_atomic
from holdfast.memory import briefing, precomputed, recall
from holdfast.memory.briefing import Entry
from holdfast.memory.cache import ROWS, WEIGHTS, make_cache, wording
from holdfast.memory.location import folder_of
from holdfast.memory.record import Record
from holdfast.memory.store import Memory
from holdfast.text import quoting, redaction

WATCHED = 300  # records up to which an edit by hand in any of them is seen by a start; of more, in those that it tells
RECALLED = 2_000  # records that a prompt can call up: the most important, then the newest


def memory_at(project: str) -> Memory:
    """The memory of a project, to write to."""
    return Memory(folder_of(project), redaction.record)


def compiled(memory: Memory, now: float) -> list[Entry]:
    """Compile start.json and the table for prompts; the records that a start tells. A disk that refuses keeps none."""
    folders = precomputed.dates(memory.folder)  # before reading: what is added meanwhile makes it old
    found = memory.scan().records
    records = [record for _, record in found.values()]
    uses = {name: use.times for name, use in memory.uses().items()}
    chosen = briefing.choose(records, uses, now)
    own = memory.written()
    entries = [briefing.entry(believed(record, own)) for record in chosen]
    told_of = found if len(found) <= WATCHED else [record.id for record in chosen]
    files = [found[name][0] for name in told_of]
    alive = [record for record in records if briefing.is_alive(record, now)]
    told = {"until": briefing.holds_until(entries), "folders": folders}
    try:
        make_cache(memory.folder)
        _write_table(memory, alive)
        precomputed.save(memory.folder, entries, files, told)
    except OSError:  # read-only: each start compiles for itself
        pass
    return entries


def believed(record: Record, own: Container[str]) -> Record:
    """The record without secrets, and trusted no more than it is here. own: what was written on this machine."""
    return redaction.record(record._replace(trust=trust_of(record, own)))


def trust_of(record: Record, own: Container[str]) -> str:
    """How far it is trusted here: as it says, where this machine wrote it in these words, or nobody is to trust it."""
    return record.trust if record.trust == "untrusted" or wording(record) in own else quoting.CARRIED


def in_use(memory: Memory, now: float) -> list[Record]:
    """The records that hold, each trusted no more than it is here, whatever its file says; the oldest first."""
    alive = [record for record in memory.all() if briefing.is_alive(record, now)]
    own = memory.written()
    return [record._replace(trust=trust_of(record, own)) for record in alive]


def trust_in(memory: Memory) -> Callable[[Record], str]:
    """`trust_of` for a memory that is being written to; it reads what was written here each time: ask of few."""
    return lambda record: trust_of(record, memory.written())


def _write_table(memory: Memory, alive: list[Record]) -> None:
    worth = sorted(alive, key=lambda record: (record.importance, record.time, record.id), reverse=True)[:RECALLED]
    table = recall.compiled(record for record in worth if record.kind != "state")
    write_atomic(f"{memory.cache}/{ROWS}", recall.render(table))
    write_atomic(f"{memory.cache}/{WEIGHTS}", prompt_match.weights({word: row[0] for word, row in table.items()}))
