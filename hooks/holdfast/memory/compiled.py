"""What is made of the memory beforehand, so that a start and a prompt cost the same with ten records and ten thousand.

`start.json` in the cache has the few records that a start tells: {"v", "until", "folders", "files", "entries"}. It is
old when a record was added or removed since (the dates of their folders), when a file that it tells of was changed,
when `until` has come (0 is never), and when it is torn or of another version. `recall.tsv` and `recall.bin` have the
words by which a prompt calls a record up (recall.py). Whoever changes records compiles them, a stop, an end or a
command; so does a start that finds them old, as after a pull.
"""

from collections.abc import Iterable
from typing import Any

from holdfast.hot import prompt_match
from holdfast.hot.files import read_bytes, write_atomic
from holdfast.hot.jsonc import dumps, loads_object
from holdfast.memory import briefing, recall, supersession
from holdfast.memory.briefing import Entry
from holdfast.memory.cache import CACHE, ROWS, START, WEIGHTS, is_ours, make_cache
from holdfast.memory.files import date, dates
from holdfast.memory.provenance import believed
from holdfast.memory.record import Record, is_alive
from holdfast.memory.store import Memory

VERSION = 2
WATCHED = 300  # records up to which an edit by hand in any of them is seen by a start; of more, in those that it tells
RECALLED = 2_000  # records that a prompt can call up: the most important, then the newest
_FORM = (str, str, int, str, str, (int, float), list, list, (int, float))
"""The types of an Entry as JSON has them."""


def entries(memory: Memory, now: float) -> list[Entry]:
    """The records that a start tells, compiled anew if need be."""
    there = ready(memory.folder, now)
    return renew(memory, now) if there is None else there


def ready(folder: str, now: float) -> list[Entry] | None:
    """The records that a start tells, as they were compiled; None where that is to be done anew."""
    if not is_ours(folder):  # it came with a clone
        return None
    data = loads_object(read_bytes(f"{folder}/{CACHE}/{START}"))
    until, files, rows = data.get("until"), data.get("files"), data.get("entries")
    if data.get("v") != VERSION or data.get("folders") != dates(folder) or not isinstance(until, (int, float)):
        return None
    if not isinstance(rows, list) or not isinstance(files, dict) or 0 < until <= now or not all(map(_is_entry, rows)):
        return None
    if any(date(path) != changed for path, changed in files.items()):
        return None
    found = (Entry(*row) for row in rows)
    return [one._replace(lines=tuple(one.lines), paths=tuple(one.paths)) for one in found]


def _is_entry(row: Any) -> bool:
    """Whether the values are of the types of an entry; a list is one of texts."""
    return (
        isinstance(row, list)
        and len(row) == len(_FORM)
        and all(map(isinstance, row, _FORM))  # type: ignore[arg-type] # of which each is a type, or a tuple of types
        and all(isinstance(text, str) for value in row if isinstance(value, list) for text in value)
    )


def renew(memory: Memory, now: float) -> list[Entry]:
    """Compile all of it; the records that a start tells. A disk that refuses keeps none."""
    folders = dates(memory.folder)  # before reading: what is added meanwhile makes it old
    found = memory.scan().records
    records = supersession.with_circles_mended(record for _, record in found.values())
    uses = {name: use.times for name, use in memory.uses().items()}
    chosen, own = briefing.choose(records, uses, now), memory.written()
    told = [briefing.entry(believed(record, own)) for record in chosen]
    watched = found if len(found) <= WATCHED else [record.id for record in chosen]
    files = {path: date(path) for path in (found[name][0] for name in watched)}
    state = {"until": briefing.holds_until(told), "folders": folders, "files": files, "entries": told}
    try:
        make_cache(memory.folder)
        _write_table(memory, [record for record in records if is_alive(record, now)])
        write_atomic(f"{memory.cache}/{START}", dumps({"v": VERSION, **state}))
    except OSError:  # read-only: each start compiles for itself
        pass
    return told


def _write_table(memory: Memory, alive: Iterable[Record]) -> None:
    worth = sorted(alive, key=lambda record: (record.importance, record.time, record.id), reverse=True)[:RECALLED]
    table = recall.compiled(record for record in worth if record.kind != "state")
    write_atomic(f"{memory.cache}/{ROWS}", recall.render(table))
    write_atomic(f"{memory.cache}/{WEIGHTS}", prompt_match.weights({word: row[0] for word, row in table.items()}))
