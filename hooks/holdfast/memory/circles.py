"""Which record holds where each of several says that another one holds in its place?

Rule: the newest of the circle holds, as if it were neither archived nor superseded; the others stay set aside. Merges
and hand edits close such circles: one branch has A give way to B, the other B to A, and read as they stand both would
be lost. A record that is marked for deletion holds nothing. Source: requirement J4.
"""

from collections.abc import Iterable, Mapping

from holdfast.memory.record import Record, in_use
from holdfast.text.dates import seconds


def circles(records: Iterable[Record]) -> list[list[Record]]:
    """The records that supersede each other in a circle, the newest of each circle first."""
    after = {record.id: record for record in records if record.superseded_by}
    found, seen = [], set[str]()
    for start in after:
        way: dict[str, Record] = {}
        at = start
        while at in after and at not in seen:
            seen.add(at)
            way[at] = after[at]
            at = after[at].superseded_by
        if at in way:
            own = list(way)[list(way).index(at) :]
            found.append(sorted((way[one] for one in own), key=_newest_first))
    return found


def _newest_first(record: Record) -> tuple[bool, float, str]:
    return record.delete, -seconds(record.time), record.id


def holding(records: Iterable[Record]) -> Mapping[str, tuple[Record, list[str]]]:
    """Id of the record that holds in each circle -> (it, in use again; ids of the circle)."""
    found = {circle[0].id: (in_use(circle[0]), [one.id for one in circle]) for circle in circles(records)}
    return {name: row for name, row in found.items() if not row[0].delete}


def mended(records: Iterable[Record]) -> list[Record]:
    """The records in their order, those that hold in a circle in use again."""
    given = list(records)
    held = holding(given)
    return [held[one.id][0] if one.id in held else one for one in given]
