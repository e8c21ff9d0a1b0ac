"""The catalogue of a memory: what its files say, in tables beside them, so that nobody has to read all to find some.

The files are the truth. Where a folder's date is another one, or the memory is small, the marks of its files are
compared and the changed ones are read; what is written here is noted at once. Answers name files, and what is told of a
record is read from there. So it may be torn, old or gone at any time: it is made again, and where a disk refuses it
there is one in memory. A clone's counts for nothing: it lacks the seal of this machine (location.py).
"""

import contextlib
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from holdfast.errors import BadInput, Fault
from holdfast.hot import jsonc
from holdfast.hot.provenance import is_real
from holdfast.memory import files, location, markdown
from holdfast.memory.files import EVERY, PLACES, Problem, Scan, StoredRecord, blob_of, id_of, keys, number_of
from holdfast.memory.location import Marks, Name, Use, make_cache
from holdfast.memory.record import Record, wording
from holdfast.search.sqlite import STANDING, WAIT, TextTables, set_aside
from holdfast.text.dates import iso

SMALL = 2_000  # up to so many records all files are looked at each time, so that an edit in place is seen at once
KEPT = -1  # the mark of what stands here as the user said it (location.own): a pull has changed or lost its file
JUST_NOW = 20_000_000  # nanoseconds: a clock of files ticks every few milliseconds
_TABLE = (
    "CREATE TABLE texts(n INTEGER PRIMARY KEY, place INTEGER NOT NULL, name TEXT NOT NULL, mark INTEGER NOT NULL,"
    " id BLOB, code TEXT, kind INTEGER, time INTEGER, importance INTEGER, tags TEXT, archived INTEGER, holds INTEGER,"
    " since INTEGER, expires INTEGER, grave INTEGER, trust TEXT, wording BLOB, holder BLOB, parent BLOB,"
    " erase INTEGER, against TEXT, strange INTEGER, fault TEXT)"
)
FILE = (  # within the memory; of a name that `files.create` has given the row has only the middle
    f"CASE place {' '.join(f'WHEN {n} THEN {place!r}' for n, place in enumerate(PLACES))} END || '/' ||"
    " CASE WHEN substr(name, -3) = '.md' THEN name"
    " ELSE date(time, 'unixepoch') || '-' || name || '-' || lower(hex(substr(id, 1, 4))) || '.md' END"
)
_IN_ORDER = f"place, {FILE}"
_FIRST = f"mark != {KEPT}, strange, {_IN_ORDER}"  # of those with one id: what was not written here comes behind
_ID = "substr(id, 1, 4) = substr(:id, 1, 4) AND id = :id"  # as it is indexed, in a third of the room
_TWICE = "twice"  # the fault of a file whose id another one has, too: the first counts; "" of that behind a kept one
_DOUBLES = tuple(
    f"CREATE TRIGGER {name} AFTER {event} ON texts WHEN EXISTS(SELECT 1 FROM texts WHERE {same} AND n != {row}.n)"  # noqa: S608 - ours
    f" BEGIN UPDATE texts SET fault = CASE n"
    f" WHEN (SELECT n FROM texts WHERE {same} ORDER BY {_FIRST} LIMIT 1) THEN NULL"
    f" WHEN (SELECT n FROM texts WHERE {same} AND mark != {KEPT} ORDER BY {_FIRST} LIMIT 1) THEN ''"
    f" ELSE '{_TWICE}' END WHERE {same}; END"
    for name, event, row in (("came", "INSERT", "new"), ("left", "DELETE", "old"))
    for same in (_ID.replace(":id", f"{row}.id"),)
)
Progress = Callable[[int, int], None]  # (the number of records done, of all that are to do)
ALIVE = "holds AND (grave IS 0 OR expires > :now)"  # `record.is_alive`; "" for no time is greater than any
TRUSTED = "(trust = 'untrusted' OR ours(wording))"  # a rule or a state as it says itself (`record.trust_of`)


class Text(NamedTuple):
    """The file of a record, unread."""

    n: int
    id: str
    path: str
    time: str
    importance: int
    is_current: bool  # whether it is as the catalogue knows it
    said: str = ""  # what stands here in place of the file's text (KEPT)

    def record(self) -> Record | None:
        return markdown.parse(self.said) if self.said else files.known(self.path)


class Tidings(NamedTuple):
    """What the tables were made from."""

    seal: str
    dates: list[str]  # of the folders of records, as of `files.dates`
    worded: int = 0  # up to this number the texts' words are in `words`
    stemmed: bool = False  # whether as stems
    stale: bool = False  # whether words stand there of texts that are gone


class Catalogue(TextTables):
    """An open catalogue. For one thread and one memory."""

    WHAT, OWNER, VERSION = "catalogue", 0x486F4C43, 11
    HEALS = True
    TABLES = ("frequencies", "words", "texts", "made", "keys", "calls")
    SCHEMA = (
        _TABLE,
        "CREATE INDEX ids ON texts(substr(id, 1, 4))",
        "CREATE INDEX codes ON texts(code) WHERE code != ''",
        "CREATE INDEX held ON texts(kind, time) WHERE holds",
        "CREATE INDEX best ON texts(importance, time) WHERE holds AND kind != 2",
        "CREATE INDEX told ON texts(kind, time) WHERE holds AND wording NOT NULL",
        "CREATE INDEX urgent ON texts(grave, time) WHERE holds AND kind = 1 AND grave <= 1",
        "CREATE INDEX faults ON texts(fault) WHERE fault != ''",
        f"CREATE INDEX kept ON texts(mark) WHERE mark = {KEPT}",
        STANDING,
        "CREATE INDEX pairs ON texts(against) WHERE against != ''",
        "CREATE TABLE keys(key INTEGER, n INTEGER, PRIMARY KEY(key, n)) WITHOUT ROWID",  # as of files.keys
        "CREATE TABLE calls(n INTEGER PRIMARY KEY, words BLOB NOT NULL, names BLOB NOT NULL)",
        "CREATE TABLE made(mark TEXT NOT NULL)",
        "CREATE VIRTUAL TABLE words USING fts5(body, content='', detail=none, columnsize=0, tokenize='ascii')",
        "CREATE VIRTUAL TABLE frequencies USING fts5vocab(words, row)",
        "CREATE TRIGGER gone AFTER DELETE ON texts BEGIN DELETE FROM calls WHERE n = old.n; END",
        *_DOUBLES,
    )

    def __init__(self, own: Marks, path: str, wait: float) -> None:
        """own: what was written of the memory here; path, wait: as of Tables."""
        super().__init__(path, wait=wait)
        self.folder, self.is_whole = own.folder, True
        self._own, self._uses = own, (uses := dict[bytes, int]())
        self._read = dict[int, Record]()  # by their numbers the records that were read last
        self._db.create_function("ours", 1, lambda mark: mark is not None and mark.hex() in own)
        self._db.create_function("stood", 1, lambda name: own.stood(id_of(name)))  # not self, which keeps the file open
        self._db.create_function("used", 1, lambda name: uses.get(name, 0))
        if not self.mark:
            self.mark = jsonc.dumps([location.seal(self.folder), ["0"] * len(PLACES)])
        self.tidings = self._noted()

    def _noted(self) -> Tidings:
        with contextlib.suppress(ValueError, TypeError):
            return Tidings(*jsonc.loads(self.mark))
        return Tidings("", [])  # torn

    def note(self, **changes: Any) -> None:
        """Keep what the tables were made from. Raises Fault."""
        with self.writing():
            self.tidings = self._noted()._replace(**changes)
            self.mark = jsonc.dumps(list(self.tidings))

    def follow(self, reads: int = 0, also: Collection[int] = (), progress: Progress | None = None) -> None:
        """Bring the tables up to the files; `is_whole` says whether all was read. Raises Fault.

        reads: files of 2 KB that are read at most, 0 for all; below that none, nor is anything looked at again where
        some were left: what is written here is noted. also: PLACES looked at as they are too. A date of just
        now does not count: more may be added in the same tick.
        """
        self._own.anew()
        just_now = time.time_ns() - JUST_NOW
        self.tidings = self._noted()
        dates, known = files.dates(self.folder), self.tidings.dates
        also = EVERY if self.highest() <= SMALL else also
        other = [number for number, date in enumerate(dates) if known[number : number + 1] != [date]]
        places = sorted({*other, *also})
        if not places or (reads < 0 and not self.is_whole):
            self._keep_own()
            return
        todo, gone = self._changed(places, other)
        going = list(files.within(todo, reads))[::-1]
        if gone:
            with self.writing() as db:
                self._drop(db, gone)
        for start in range(0, len(going), 2_000):
            self._take(going[start : start + 2_000])
            if progress and len(going) >= 5_000:
                progress(min(start + 2_000, len(going)), len(going))
        self._keep_own()
        self.is_whole = len(going) == len(todo)
        settled = ["0" if n in other and int(date) >= just_now else date for n, date in enumerate(dates)]
        if self.is_whole and settled != known:
            self.note(dates=settled)

    def _changed(self, places: Sequence[int], other: Sequence[int]) -> tuple[list[files.RecordFile], list[int]]:
        """(files to be read, numbers of the rows that hold no more)

        other: the places whose date is another one. Elsewhere names are as they were, and marks alone are compared.
        """
        todo, gone = list[files.RecordFile](), list[int]()
        for place in places:
            named = place in other
            name = f"{FILE} || ' ' ||" if named else ""
            query = f"SELECT {name} mark, n FROM texts WHERE mark != {KEPT} AND place = ?"  # noqa: S608 - ours
            rows = dict[str | int, int](self.select(query, (place,)))
            for one in files.files(self.folder, PLACES[place]):
                if rows.pop(f"{one.name} {one.mark}" if named else one.mark, None) is None:
                    todo.append(one)
            gone += rows.values()
        return todo, gone

    def _drop(self, db: Any, numbers: Sequence[int]) -> None:
        if not self.tidings.stale and any(n <= self.tidings.worded for n in numbers):
            self.note(stale=True)
        db.executemany("DELETE FROM texts WHERE n = ?", ((n,) for n in numbers))

    def _take(self, going: Sequence[files.RecordFile]) -> None:
        """Read these files, the oldest first, so that the newest have the highest numbers."""
        gone = Marks(self.folder, Name.FORGOTTEN)
        taken = [(one, files.unless_forgotten(files.taken(self.folder, one), self._own, gone)) for one in going]
        self._read.clear()
        query = f"SELECT {FILE}, n FROM texts WHERE {_ID.replace('=', 'IS')}"  # noqa: S608 - ours
        had: dict[bytes | None, dict[str, int]] = {}  # of an id, once: a clone may bring 60,000 files without one
        with self.writing() as db:
            for file, one in taken:
                if (known := blob_of(one.record.id) if isinstance(one, StoredRecord) else None) not in had:
                    had[known] = dict(self.select(query, {"id": known}))  # another process may have just taken it
                self._drop(db, [n for n in (had[known].get(file.name),) if n])
                self._put(db, file, one)

    def _put(self, db: Any, file: files.RecordFile, one: StoredRecord | Problem, n: int | None = None) -> None:
        """n: the number that it had, where its words are the same."""
        place, name = os.path.split(file.name)
        known: dict[str, object] = {"place": PLACES.index(place), "mark": file.mark}
        if isinstance(one, Problem):
            known |= {"name": name, "fault": jsonc.dumps([one.what, one.todo])}
        else:
            known |= {"strange": wording(one.record) not in self._own, **files.columns(name, one.record)}
        names = ", ".join(known)
        query = f"INSERT OR REPLACE INTO texts(n, {names}) VALUES (?{', ?' * len(known)})"  # noqa: S608 - names
        number = db.execute(query, (n, *known.values())).lastrowid
        if isinstance(one, StoredRecord):
            rows = {(number_of(text), number) for text in keys(one.record)}
            db.executemany("INSERT OR IGNORE INTO keys(key, n) VALUES (?, ?)", rows)
            self._read[number] = one.record

    def _keep_own(self) -> None:
        """What the user has let git see stands as they said it, whatever a pull has made of the file."""
        own = location.own(self.folder)
        rows = {id_of(name): n for name, n in self.select(f"SELECT id, n FROM texts WHERE mark = {KEPT}")}  # noqa: S608 - ours
        kept = [name for name, (path, said, _) in own.items() if self._is_changed(name, path, said)]
        if rows.keys() == set(kept):
            return
        with self.writing() as db:
            self._drop(db, [*rows.values()])
            for path, _, text in (own[name] for name in kept):
                self._put(db, files.RecordFile(path, KEPT, 0), StoredRecord(path, markdown.parse(text), KEPT))

    def _is_changed(self, name: str, path: str, said: str) -> bool:
        query = f"SELECT {FILE} FROM texts WHERE {_ID} AND mark != {KEPT} ORDER BY {_FIRST} LIMIT 1"  # noqa: S608 - ours
        ((there,),) = self.select(query, {"id": blob_of(name)}) or [(path,)]
        record = files.known(f"{self.folder}/{there}")
        return not record or record.id != name or wording(record) != said

    def noted(self, path: str, record: Record, before: Sequence[str], same: bool = False) -> StoredRecord:
        """Take in what was just written, so that nobody has to look for it. A catalogue that refuses looks later.

        before: the folders' dates before it was. same: whether its words are those that it had.
        """
        name = path[len(self.folder) + 1 :]
        found = next(files.looked_at(self.folder, [name]), None)
        if found is None:  # gone meanwhile
            return StoredRecord(path, record, 0)
        one, place = StoredRecord(path, record, found.mark), PLACES.index(os.path.dirname(name))
        self._own.anew()
        with contextlib.suppress(Fault), self.writing() as db:
            query = f"SELECT n, {FILE}, mark FROM texts WHERE {_ID}"  # noqa: S608 - ours
            rows = self.select(query, {"id": blob_of(record.id)})  # a double's row stays, where that is
            others = {n: file for n, file, mark in rows if mark != KEPT}
            there = {file.name for file in files.looked_at(self.folder, others.values())} - {name}
            had = [n for n, *_ in rows if others.get(n) not in there]
            same = same and len(had) == len(rows) == 1
            if not same:
                self._drop(db, had)
            self._put(db, found, one, had[0] if same else None)
            if self.tidings.dates[place : place + 1] == [before[place]]:
                now = files.dates(self.folder)[place]
                self.note(dates=[now if number == place else date for number, date in enumerate(self.tidings.dates)])
        return one

    def removed(self, ids: Iterable[str]) -> None:
        """Take these out, and their words from calls and log. Raises Fault."""
        with self.writing() as db:
            for these, _ in files.listed_ids([*ids]):
                self._drop(db, [n for (n,) in self.select(f"SELECT n FROM texts WHERE {these}")])  # noqa: S608 - ours
        self.wipe()

    def forget_words(self, stemmed: bool = False) -> None:
        """Empty the words: whoever searches next adds them again. Raises Fault."""
        with self.writing() as db:
            db.execute("INSERT INTO words(words) VALUES ('delete-all')")
            self.note(worded=0, stemmed=stemmed, stale=False)
        self.wipe()

    def count_uses(self, uses: Mapping[str, Use]) -> None:
        """How often records were used, for queries that ask `used(id)`."""
        self._uses.clear()
        self._uses.update({blob_of(name): use.times for name, use in uses.items()})

    def __del__(self) -> None:
        """Whoever lets go of the memory does of the file."""
        with contextlib.suppress(Exception):  # it was not opened; or another thread lets go, and SQLite refuses that
            self.close()

    def found(self, where: str, values: Any = (), rest: str = "") -> list[StoredRecord]:
        """The records of which this holds, in SQL, read from their files; one that has gone meanwhile is left out.

        rest: order and limit.
        """
        query = f"SELECT {FILE}, mark, id FROM texts WHERE fault IS NULL AND ({where}) {rest}"  # noqa: S608 - ours
        rows = self.select(query, values)
        there = {file.name: file for file in files.looked_at(self.folder, (name for name, *_ in rows))}
        own = location.own(self.folder) if any(mark == KEPT for _, mark, _ in rows) else {}
        found: list[StoredRecord | Problem] = []
        for name, mark, known in rows:
            if mark == KEPT:
                _, _, text = own.get(id_of(known), ("", "", ""))
                found += [StoredRecord(f"{self.folder}/{name}", markdown.parse(text), 0)] if text else []
            elif name in there:
                found.append(files.taken(self.folder, there[name]))
        return [one for one in found if isinstance(one, StoredRecord)]

    def files_of(self, numbers: Sequence[int]) -> Iterator[Text]:
        """The files of the records of these numbers that are there, in their order."""
        which = f"fault IS NULL AND n IN ({','.join(map(str, numbers))})"
        query = f"SELECT n, id, {FILE}, mark, time, importance FROM texts WHERE {which}"  # noqa: S608 - numbers
        rows = {row[0]: row[1:] for row in self.select(query)}
        there = {file.name: file.mark for file in files.looked_at(self.folder, (row[1] for row in rows.values()))}
        own = location.own(self.folder) if any(row[2] == KEPT for row in rows.values()) else {}
        for n in (n for n in numbers if n in rows):
            name, file, mark, time, importance = rows[n]
            said = own.get(id_of(name), ("", "", ""))[2] if mark == KEPT else ""
            is_current = bool(said) or there.get(file) == mark
            yield Text(n, id_of(name), f"{self.folder}/{file}", iso(time), importance, is_current, said)

    def scan(self) -> Scan:
        return Scan({one.record.id: one for one in self.found("1", (), f"ORDER BY {_IN_ORDER}")}, self.problems())

    def named(self, ids: Iterable[str]) -> dict[str, StoredRecord]:
        """The records of these ids, in their order."""
        names = [*dict.fromkeys(ids)]
        found = {one.record.id: one for these, _ in files.listed_ids(names) for one in self.found(these)}
        return {name: found[name] for name in names if name in found}

    def places_of(self, ids: Iterable[str]) -> list[str]:
        """Paths of the files that have these ids, doubles included; of each id the one that counts comes first."""
        query = f"SELECT {FILE} FROM texts WHERE {_ID} ORDER BY {_FIRST}"  # noqa: S608
        return [f"{self.folder}/{path}" for name in ids for (path,) in self.select(query, {"id": blob_of(name)})]

    def going_by(self, key: str) -> list[StoredRecord]:
        """The records that may go by this id, beginning of an id, or code."""
        digits, found = key.lower().replace("-", ""), self.found("code = ? AND code != ''", (key.upper(),))
        if len(digits) >= 8:
            ends = {name: blob_of(f"{digits:{end}<32}"[:32]) for name, end in (("low", "0"), ("high", "f"))}
            found += self.found("substr(id, 1, 4) = substr(:low, 1, 4) AND id BETWEEN :low AND :high", ends)
        return [*found, *(one for one in self.known_by([f"was {key.upper()}"]) if one not in found)]

    def naming(self, ids: Iterable[str]) -> Iterator[StoredRecord]:
        """The records that say of one of these that it holds in their place, or that they belong to it."""
        for _, whole in files.listed_ids([*ids]):
            yield from self.found(f"holder IN ({whole}) OR parent IN ({whole})")

    def known_by(self, texts: Iterable[str], limit: int = 200) -> list[StoredRecord]:
        """The records that have one of these among their `keys`, read; the newest first."""
        numbers = ",".join(map(str, map(number_of, texts)))
        which = f"n IN (SELECT n FROM keys WHERE key IN ({numbers}))"  # noqa: S608 - numbers
        return self.found(which, (), f"ORDER BY n DESC LIMIT {limit}")

    def problems(self) -> list[Problem]:
        """The files that are not taken for records, and decisions of one number."""
        query = f"SELECT {FILE}, fault, id FROM texts WHERE fault != '' ORDER BY {_IN_ORDER}"  # noqa: S608 - ours
        found = [Problem(f"{self.folder}/{name}", *self._told(*told)) for name, *told in self.select(query)]
        todo = "Both stay, and are found by it; the next record that is kept gives one of them another"
        for code, (first, *others) in self.twice().items():  # as two branches give it that are merged
            found += [Problem(one.path, f"{code} is also the code of {first.path}", todo) for one in others]
        return [*files.shut(self.folder), *found]

    def _told(self, fault: str, known: bytes) -> Sequence[str]:
        if fault != _TWICE:
            return list(map(str, jsonc.loads(fault)))
        return f"id: it has the id of {self.places_of([id_of(known)])[0]}", "Leave one of the two files"

    def unread(self) -> int:
        """How many files are not taken for records; a folder that is shut counts as one."""
        return int(self.select("SELECT count(*) FROM texts WHERE fault != ''")[0][0]) + len(files.shut(self.folder))

    def twice(self) -> dict[str, list[StoredRecord]]:
        """Code -> the decisions that clones have given it to, where there are several."""
        codes = self.select("SELECT code FROM texts WHERE code != '' GROUP BY code HAVING count(*) > 1")
        found = ((row[0], self.found("code = ? AND code != ''", row, f"ORDER BY {_IN_ORDER}")) for row in codes)
        return {code: given for code, given in found if len(given) > 1}

    def paths(self) -> dict[str, str]:
        """Id of every record -> its path."""
        rows = self.select(f"SELECT id, {FILE} FROM texts WHERE fault IS NULL")  # noqa: S608 - ours
        return {id_of(name): f"{self.folder}/{file}" for name, file in rows}

    def read(self, numbers: Sequence[int]) -> dict[int, Record]:
        """The records of these numbers, as far as they are there."""
        there = ((one.n, self._read.get(one.n) or one.record()) for one in self.files_of(numbers))
        return {n: record for n, record in there if record}


def opened(own: Marks, wait: float = WAIT) -> Catalogue:
    """The memory's catalogue; one in memory where there is no memory, or nothing can be written beside it."""
    with contextlib.suppress(OSError, Fault):
        path = f"{make_cache(own.folder)}/{Name.CATALOGUE}" if is_real(own.folder) else ""
        return _ours(own, path, wait) or _ours(own, path, wait) or Catalogue(own, "", wait)
    return Catalogue(own, "", wait)


def _ours(own: Marks, path: str, wait: float) -> Catalogue | None:
    """The catalogue at this path; what was made elsewhere is set aside. Raises Fault and OSError."""
    with contextlib.suppress(BadInput):
        found = Catalogue(own, path, wait)
        if found.tidings.seal == location.seal(own.folder):
            return found
        found.close()
    set_aside(path)
    return None
