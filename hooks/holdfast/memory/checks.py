"""What of a memory is to be seen to, after a pull or at any time: nothing is changed, and nothing is guessed."""

from collections.abc import Container, Iterator

from holdfast.memory import files, location, repository, strays, supersession
from holdfast.memory.files import FOLDERS, Problem, Scan
from holdfast.memory.record import Record, beside, called, is_alive, trust_of, unsettled
from holdfast.memory.store import Memory
from holdfast.text.lines import one_line
from holdfast.text.quoting import CARRIED, is_carried


def check(memory: Memory, project: str, now: float) -> list[Problem]:
    """Files that cannot be read or were changed by hand, pairs that may contradict, references and places that lead
    nowhere.
    """
    scan = memory.scan()
    records = {name: one.record for name, one in scan.records.items()}
    found = [*scan.problems, *_pairs(memory, records, now)]
    unread = {one.path for one in scan.problems}
    for one in memory.kept.values():
        there, name = files.known(one.path), called(one.record)  # as a start calls it
        name = name if len(memory.matching(name)) == 1 else one.record.id[:8]
        became = f"was changed{_anew(there, one.record)}" if there or one.path in unread else "is gone"
        what = f"its file {became}; sessions are told the user's words of before ({name}, {one.record.title})"
        keeps = "`confirm` keeps the file's, " * bool(there and there.id == one.record.id)
        typed = location.command(memory.folder, f"restore {name}")
        todo = f"{typed} puts those back, {keeps}`forget` removes the record"
        found.append(Problem(one.path, what, todo))
    for name, (place, *_) in location.own(memory.folder).items():
        if name in records and name not in memory.kept and not scan.records[name].path.endswith(f"/{place}"):
            typed = location.command(memory.folder, f"share {called(records[name])}")
            todo = f"{typed} puts it back; with `--back` it stays out of git"
            found.append(Problem(scan.records[name].path, f"it was moved here, from {place}", todo))
    found += _foreign(memory, now)
    seen: dict[str, str] = {}
    for path, record, _ in scan.records.values():
        names = {record.parent, record.superseded_by, *unsettled(record)} - {""}
        lost = sorted(name for name in names if name not in records)
        found += [Problem(path, f"it refers to {name[:8]}, which is not here", "Pull or edit it") for name in lost]
        gone = repository.gone(project, record.paths, seen) if is_alive(record, now) else []
        typed = location.command(memory.folder, f"edit {called(record)} --path PLACE")
        todo = f"Say where it is: {typed}, or supersede the record"
        found += [Problem(path, f"{place} is not in the code", todo) for place in gone]
    return [*found, *_overruled(scan, memory.kept), *_strays(memory, records)]


def _anew(there: Record | None, before: Record) -> str:
    """What a file says otherwise than before, as far as one line has room."""
    known = {"title": before.title, **before.content}
    said = {"title": there.title, **there.content} if there else {}
    anew = [f"{name}: {value}" for name, value in said.items() if value and value != known.get(name)]
    return f", it says now {one_line('; '.join(anew), 200)!r}" if anew else ""


def _overruled(scan: Scan, kept: Container[str]) -> Iterator[Problem]:
    """Lines of a file that seem to say something and do not count."""
    for name, (path, record, _) in scan.records.items():
        for line, field in files.overruled(path, record).items() if name not in kept else ():
            todo = f"If it is right, say so at the top: `{field}: …`"
            yield Problem(path, f"{one_line(line, 120)!r} does not count, the field {field} does", todo)


def _strays(memory: Memory, known: Container[str]) -> Iterator[Problem]:
    """Files of records that are not here, by another name or in another place than is read."""
    for path in strays.elsewhere(memory.folder):
        record = files.known(path)
        if not record or record.id not in known:
            what = f"is a record ({record.title})" if record else "begins as a record"
            place = FOLDERS[record.kind] if record else "decisions"
            todo = f"Put it into {place}/, by a name that ends with .md and begins with no dot"
            yield Problem(path, f"it {what}, and is not read there", todo)


def summary(memory: Memory, now: float, found: list[Problem]) -> Iterator[str]:
    """What is said below the problems: that there are none, and which records of others nobody here has confirmed."""
    names = [called(one) for one in _unconfirmed(memory, now, of_others=True)]
    if names:
        some = f"{', '.join(names[:5])}{', …' * (len(names) > 5)}"
        many = f"{len(names)} shared record{'s are' if len(names) > 1 else ' is'} not confirmed by you: {some}"
        yield f"{'nothing to mend; ' * (not found)}{many}"
    elif not found:
        yield "all is in order"


def _foreign(memory: Memory, now: float) -> Iterator[Problem]:
    those = _unconfirmed(memory, now, of_others=False)
    for number, one in enumerate(those):
        what = "changed by hand or come with a clone, so not confirmed"
        some = those[number // 5 * 5 :][:5]  # as many as a line has room for
        typed = location.command(memory.folder, f"confirm {' '.join(map(called, some))}")
        todo = f"If {'it is' if len(some) == 1 else 'they are'} right: {typed}"
        yield Problem(f"{called(one)} ({one.title})", what, todo)


def _unconfirmed(memory: Memory, now: float, of_others: bool) -> list[Record]:
    """Records that hold and read otherwise than what was written here: private ones, or what is others' by right."""
    carried = (one for one in memory.in_use(now) if is_carried(one.trust))
    return [one for one in carried if (one.trust != CARRIED or memory.is_shared(one.id)) is of_others]


def _pairs(memory: Memory, records: dict[str, Record], now: float) -> Iterator[Problem]:
    """Those that are noted, and what others have brought of the title or with the code of one of our own."""
    own, seen = memory.written(), set[frozenset[str]]()
    alive = [one for one in records.values() if one.kind in ("decision", "learning") and is_alive(one, now)]
    brought = [one for one in alive if is_carried(trust_of(one, own))]
    brought = sorted(brought, key=lambda one: one.time)[-200:]  # the newest: each is compared with all
    near = [(one.id, other) for one in brought for other in supersession.touching(one, alive)]
    for name, other in [*((one.id, other) for one in records.values() for other in unsettled(one)), *near]:
        both = [records[one] for one in (name, other) if one in records and is_alive(records[one], now)]
        if len(both) == 2 and frozenset((name, other)) not in seen and not _is_settled(both, own):
            seen.add(frozenset((name, other)))
            alike = called(both[0]) == called(both[1])  # a code that two clones gave
            names = " ".join(one.id[:8] if alike else called(one) for one in both)
            what = f"it may contradict {called(both[1])} ({both[1].title})"
            instead = location.command(memory.folder, "supersede OLD NEW", "")
            todo = f"Say {location.command(memory.folder, f'beside {names}')}, or {instead}"
            yield Problem(f"{called(both[0])} ({both[0].title})", what, todo)


def _is_settled(both: list[Record], own: Container[str]) -> bool:
    """Whether these were said to stand beside each other; what a clone says settles nothing of our own."""
    ours = [one for one in both if not is_carried(trust_of(one, own))] or both
    return any(other.id in beside(one) for one in ours for other in both)
