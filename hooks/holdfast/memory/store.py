"""The memory of a project: one Markdown file per record, which people read, git merges and any process may add to.

    memory/decisions/2026-11-04-003-adopt-postgresql-1a2b3c4d.md
    memory/issues/  memory/states/  memory/learnings/  memory/sessions/

What this machine has made of them stands apart (location.cache_of, catalogue.py). A record is added without a lock
(files.py); changing one replaces its file under a lock. Why it is so: docs/decisions/0015-memory-files.md.
"""

import contextlib
import os
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple

from holdfast.errors import BadInput, Fault
from holdfast.hot.files import Lock, append, names_in, write_atomic
from holdfast.hot.provenance import is_plain, is_real, keep_out_of_git, real_folder, real_within
from holdfast.memory import catalogue, files, location, markdown, session_page, strays
from holdfast.memory.catalogue import KEPT, Catalogue, Progress
from holdfast.memory.files import EVERY, FOLDERS, Scan, StoredRecord
from holdfast.memory.location import SHARED, Marks, Name, Use, make_cache
from holdfast.memory.record import (
    WAS,
    Record,
    first,
    in_use,
    said,
    saying,
    settled,
    trust_of,
    unsettled,
    with_unsettled,
    without_references,
    without_secrets,
    wording,
)
from holdfast.search.sqlite import WAIT
from holdfast.text.dates import DAY

Change = Callable[[Record], Record]
Guard = Callable[[str], AbstractContextManager[object]]
PAGES = "sessions"  # folder of the sessions' summaries within the memory
SHORTEST_ID = 8  # characters of an id by which people and pages name a record
Verb = Literal["archive", "delete", "restore"]


class Step(NamedTuple):
    """What is to be done with a record, and the rule that says so."""

    verb: Verb
    id: str
    name: str  # its code, or the beginning of its id
    kind: str
    title: str
    rule: str
    by_clock: bool = False  # whether the rule asks for an age


class Memory:
    """The records of one folder. Secrets are taken out of whatever is written."""

    def __init__(self, folder: str, lock: Guard = Lock, reads: int = 0) -> None:
        """lock: what keeps other writers off a file's path; a command waits longer than a hook may. reads: files that
        are read anew at most, for a hook, which nobody waits for: a clone may bring any number. 0 is all.
        """
        self.folder = folder.rstrip("/")
        self.cache = location.take_over(self.folder)
        self._lock, self._reads = lock, reads
        self._catalogue: Catalogue | None = None
        self._own, self._was_there = Marks(self.folder, Name.WRITTEN), False
        self.compiled: dict[str, Any] = {}  # by briefing.py, where a disk may keep none
        self.missed: Fault | None = None  # why the catalogue could not be brought up to the files

    def add(self, record: Record) -> StoredRecord:
        """Store a record; a decision gets its number. One that is there already stays as it is. Raises OSError."""
        make_cache(self.folder)
        known, before = self.known(), files.dates(self.folder)
        path, stored = files.create(self.folder, without_secrets(record))
        if not stored:
            return StoredRecord(path, files.read(path, is_plain(path)), 0)
        self.stands(path, stored)
        return known.noted(path, stored, before)

    def known(self) -> Catalogue:
        """The catalogue as this process has it, with what was changed here since."""
        return self._catalogue if self._catalogue and not self._is_new() else self.catalogue()

    def _is_new(self) -> bool:
        """Whether the memory has been made since the catalogue was opened."""
        return not self._was_there and is_real(self.folder)

    def stands(self, path: str, record: Record) -> None:
        """Note that the record reads so as it was written here; of the user's that git sees, the text as well."""
        location.note_standing(self.folder, {record.id: wording(record)})
        is_seen = path.startswith(f"{self.folder}/{SHARED}/") or record.id in location.own(self.folder)
        if record.trust == "trusted" and is_seen:
            said = [path[len(self.folder) + 1 :], wording(record), markdown.render(record)]
            location.keep_own(self.folder, {record.id: said})

    @property
    def kept(self) -> dict[str, StoredRecord]:
        """By id, as the user said it, what git sees of theirs and has changed or lost since: a pull takes none away."""
        return {one.record.id: one for one in self.known().found(f"mark = {KEPT}")}

    def catalogue(self, also: Collection[int] = (), progress: Progress | None = None) -> Catalogue:
        """What stands in the memory, brought up to its files as far as others let us; also: as of `follow`."""
        wait = 0.2 if self._lock is Lock else WAIT
        if self._catalogue is None or self._is_new():
            self._was_there = is_real(self.folder)
            self._catalogue, left = catalogue.opened(self._own, wait), self._reads
        else:  # one share for all that a hook does
            left = -1 if self._reads else 0
        try:
            self._catalogue.follow(left, also, progress)
        except Fault as fault:  # another process is writing: what is missing is seen the next time
            self.missed = fault
        if self._catalogue.is_damaged:
            self._catalogue = catalogue.opened(self._own, wait)
            self._catalogue.follow(self._reads)
        return self._catalogue

    def scan(self) -> Scan:
        """Every record by its id with its path, and the files with a problem: all are read."""
        return self.catalogue().scan()

    def all(self) -> list[Record]:
        """Every record, the oldest first."""
        records = [one.record for one in self.scan().records.values()]
        return sorted(records, key=lambda record: (record.time, record.id))

    def in_use(self, now: float) -> list[Record]:
        """The records that hold, each trusted no more than it is here, whatever its file says; the oldest first."""
        own = self.written()
        found = (one.record for one in self.catalogue().found(catalogue.ALIVE, {"now": now}, "ORDER BY time, id"))
        return [one._replace(trust=trust_of(one, own)) for one in found]

    def get(self, key: str) -> Record:
        """The record with this id, beginning of an id (8 characters at least), or code. Raises BadInput."""
        return self.find(key).record

    def find(self, key: str) -> StoredRecord:
        """As `get`. Of several files with one id the one that comes first."""
        fits = self.matching(key)
        if len(fits) == 1:
            return fits[0]
        if fits:
            ids = " or ".join(one.record.id for one in fits)
            raise BadInput(f"{key!r} names {len(fits)} records", self.folder, f"Name one by its id: {ids}")
        raise self.missed or strays.no_record(key.strip(), self.folder, self.catalogue().problems())

    def matching(self, key: str) -> list[StoredRecord]:
        """The records that go by this id, beginning of an id, or code; of a code that clones gave twice, both."""
        key, fits = key.strip(), list[StoredRecord]()
        for one in self.catalogue().going_by(key):
            is_code = key.upper() in (one.record.code, one.record.extra.get(WAS))
            is_id = len(key) >= SHORTEST_ID and one.record.id.startswith(key.lower())
            fits += [one] if key and (is_code or is_id) else []
        return fits

    def update(self, record: Record) -> str:
        """Replace the record of this id; its path. Raises BadInput when there is none, and OSError."""
        return self._rewrite(self.find(record.id), lambda _: record)

    def archive(self, key: str, when: str) -> str:
        """Set a record aside since `when` (ISO 8601); its path. One that is archived stays as it is."""
        return self._rewrite(self.find(key), lambda one: one._replace(archived=one.archived or when))

    def beside(self, keys: Sequence[str]) -> None:
        """Note that these do not contradict each other. Raises BadInput and OSError."""
        found = [self.find(key) for key in keys]
        ids = {one.record.id for one in found}
        if len(ids) == 1:
            raise BadInput("that is one record, named twice", keys[0], "Name two")
        for one in found:
            self._rewrite(one, lambda record: settled(record, ids))

    def share(self, key: str, back: bool = False) -> str:
        """Put a record where git sees it, or back; its path. Raises BadInput for a state, which is one person's."""
        found = self.find(key)
        if found.record.kind == "state":
            raise BadInput("where the work stands is one person's", key, "Share a decision, an issue or a learning")
        place = f"{self.folder}/{'' if back else f'{SHARED}/'}{FOLDERS[found.record.kind]}"
        if not back:
            make_cache(self.folder)
            location.let_git_see(self.folder)
        path = f"{real_folder(place)}/{os.path.basename(found.path)}"
        for one in self.known().named(unsettled(found.record)).values():  # what stays private names what leaves
            self._rewrite(one, lambda other: with_unsettled(other, dict.fromkeys([*unsettled(other), found.record.id])))
        known, before = self.known(), files.dates(self.folder)
        record = self._told_at(path, files.with_overruled(found.path, found.record, found.record, self.written()))
        with self._changing():
            write_atomic(path, markdown.render(record))
            for there in {found.path} - {path}:
                os.unlink(there)
            location.keep_own(self.folder, {record.id: []} if back else {})
            if wording(found.record) in self.written():
                self.stands(path, record)
            location.note_standing(self.folder, {(mark := location.BACK + record.id): mark * back})
        known.noted(path, record, before)
        return path

    def _told_at(self, path: str, record: Record) -> Record:
        """As it may stand there: without secrets, and where git sees it without the ids of what git does not see."""
        is_seen = path.startswith(f"{self.folder}/{SHARED}/")
        return without_references(without_secrets(record), lambda name: is_seen and not self.is_shared(name))

    def is_shared(self, name: str) -> bool:
        """Whether the record of this id lies where git sees it."""
        shared = (path.startswith(f"{self.folder}/{SHARED}/") for path in self.known().places_of([name]))
        return next(shared, False)

    def confirm(self, key: str) -> str:
        """Note that the record, as it reads now, is the user's word on this machine; its path. Raises BadInput."""
        found = self.find(key)
        if kept := found.record.id in self.kept:
            there, is_there = files.known(found.path), os.path.lexists(found.path)
            if not there or there.id != found.record.id:
                what = "it holds no record of this id that can be read" if is_there else "there is no such file"
                raise BadInput(what, found.path, "Restore or forget it")
            found = found._replace(record=there)
        users = without_secrets(found.record._replace(trust="trusted", agent="user"))
        edited = wording(found.record) not in self.written()
        with self._changing():
            self.stands(found.path, users)
        return self._rewrite(found, lambda _: users, kept, edited)

    def settle_codes(self) -> list[str]:
        """Give all but one of the decisions of one code, as clones make them, another; a line for each. Raises OSError.

        Every clone gives the same: shared before one's own, that before what merely lies here, whatever time it bears,
        the older before the newer, and the number is the id's.
        """
        lines, own = [], self.written()

        def place(one: Record) -> tuple[bool, bool, str, str]:
            is_shared = self.is_shared(one.id)
            return not is_shared, not is_shared and wording(one) not in own, one.time, one.id

        for code, given in self.catalogue().twice().items():
            records = sorted((one.record for one in given), key=place)
            for record in records[1:]:
                other = f"{code[:15]}{1_000 + int(record.id[:8], 16) % 999_000}"
                self.update(record._replace(code=other, extra={**record.extra, WAS: code}))
                lines.append(f"{code} was given twice; {record.id[:SHORTEST_ID]} is {other} now, and found by both")
        return lines

    def supersede(self, old: str, new: str, when: str) -> str:
        """Archive `old` and say in it that `new` holds in its place; the old one's path."""
        found, newer = self.find(old), self.get(new)
        if found.record.id == newer.id:
            raise BadInput("a record cannot supersede itself", old, "Name the newer one second")
        if newer.superseded_by:  # nothing would hold any more where that is the older one
            todo = f"Name the record that holds, or take it back with {location.command(self.folder, 'restore')} first"
            raise BadInput(f"it is superseded by {newer.superseded_by[:8]} itself", new, todo)
        return self._rewrite(found, lambda one: one._replace(archived=one.archived or when, superseded_by=newer.id))

    def _rewrite(self, known: StoredRecord, change: Change, kept: bool = False, edited: bool = False) -> str:
        """Replace one file, read again where it has changed; its path. kept: as of `kept`, as it was until now; edited:
        its fields were, by hand.
        """
        make_cache(self.folder)
        path, tables, before = known.path, self.known(), files.dates(self.folder)
        kept = kept or known.record.id in self.kept  # the user's goes back in the place of the other
        with self._changing():  # not had in time: the last one wins
            try:
                is_known = kept or files.is_as_it_was(path, known.mark)
                old = known.record if is_known else files.read(path, is_plain(path))
            except BadInput:  # gone or broken meanwhile: not ours to mend
                return path
            own = () if kept or edited else self.written()
            new = self._told_at(path, files.with_overruled(path, change(old), old, own))
            if new != old or kept or edited:
                for place in (os.path.dirname(os.path.dirname(path)), os.path.dirname(path)):
                    real_folder(place)  # a pull may have taken it away, or brought a link
                write_atomic(path, markdown.render(new))
                if wording(new) != wording(old) and wording(old) in self.written():  # what was ours stays ours
                    self.stands(path, new)
                is_same = (new.title, said(new)) == (old.title, said(old))
                if kept:
                    tables.follow(also=EVERY)
                else:
                    tables.noted(path, new, before, is_same)
        return path

    def _changing(self) -> AbstractContextManager[object]:
        return self._lock(f"{self.cache}/change.lock")

    def carry_out(self, plan: Sequence[Step], when: str) -> None:
        """Do as a plan says; each step stands in the log first. Whoever is stopped begins anew.

        when: ISO 8601. Raises OSError.
        """
        if not plan:
            return
        changes: dict[str, Change] = {"archive": lambda one: one._replace(archived=when), "restore": in_use}
        log, known = location.log_of(self.folder), self.catalogue()
        keep_out_of_git(os.path.dirname(real_folder(os.path.dirname(log))))
        append(log, "".join(f"{when} {step.verb} {step.id} {step.rule}\n" for step in plan))
        for step in plan:
            for one in known.named([step.id]).values() if step.verb in changes else ():
                self._rewrite(one, changes[step.verb])
        gone = [step.id for step in plan if step.verb == "delete"]
        if gone:  # what has had its time may be said again; what the user has marked is forgotten
            ours, going = self.written(), known.named(gone)
            marked = [one.record for one in going.values() if one.record.delete]
            self._note_forgotten([one for one in marked if wording(one._replace(delete=False)) in ours], True)
            self._remove(going, bool(marked))

    def forget(self, ids: Iterable[str], by_user: bool = True) -> list[str]:
        """Remove records everywhere; the files' paths. No session brings them back, by_user: nor as the user's word."""
        going = self.catalogue().named(ids)
        self._note_forgotten([one.record for one in going.values()], by_user)
        return self._remove(going, True) if going else []

    def _note_forgotten(self, records: Collection[Record], by_user: bool) -> None:
        users = [f"user {saying(one)}" for one in records if by_user or trust_of(one, self.written()) == "trusted"]
        location.note(self.folder, Name.FORGOTTEN, map(saying, records))
        location.note(self.folder, Name.FORGOTTEN, users, time.time())

    def _remove(self, going: dict[str, StoredRecord], forever: bool) -> list[str]:
        """Files, references of others, lines of pages, counts, what was compiled; paths of the files."""
        known, gone = self.catalogue(), set(going)
        codes = {one.record.code for one in going.values()} - {""}
        codes = {code for code in codes if all(one.record.id in gone for one in self.matching(code))}
        own = self.written()  # no clone's words take a line of the user's
        ours = [one.record for one in going.values() if wording(one.record) in own]
        words = {text for one in ours for text in (one.title, first(one.kind, one.content))}

        def left(record: Record) -> Record:
            return session_page.unsaid(without_references(record, gone.__contains__), words)

        for one in [*known.naming(gone), *known.found("kind = 2")]:
            if one.record.id not in gone and left(one.record) != one.record:
                self._rewrite(one, left)
        short = {name if name.startswith("DEC-") else name[:SHORTEST_ID] for name in gone | codes}
        for place in real_within(self.folder, [PAGES]):
            session_page.clear(f"{self.folder}/{place}", short, words, own)
        location.note_standing(self.folder, dict.fromkeys(gone, ""))
        mine = {f"{self.folder}/{path}" for name, (path, *_) in location.own(self.folder).items() if name in gone}
        with self._changing():
            location.keep_own(self.folder, {name: [] for name in gone})
        location.add_up(self.folder, time.time(), gone)
        drop_compiled(known, forever)  # before the files: whoever is killed here can forget again
        paths = [path for path in {*known.places_of(gone), *mine} if files.is_of(path, gone, path in mine)]
        with self._changing():
            for path in paths:
                with contextlib.suppress(FileNotFoundError):  # another process forgets it as well
                    os.unlink(path)
        known.removed(gone)
        drop_compiled(known, forever)  # and after them: another process may just have read one
        files.drop_leftovers(self.folder, [name[:SHORTEST_ID] for name in gone])
        return paths

    def uses(self) -> dict[str, Use]:
        """How often each record was used and when last, by id."""
        return location.uses(self.folder).of

    def written(self) -> Marks:
        """Marks (`record.wording`) of what was written on this machine; the rest came with the repository."""
        return self._own.anew()

    def forgotten(self) -> Marks:
        """Marks (`record.saying`) of what was forgotten here."""
        return Marks(self.folder, Name.FORGOTTEN)

    def used(self, ids: Iterable[str], now: float) -> None:
        """Count one use of each of these records."""
        location.note_uses(self.folder, ids, now)

    def tidy(self) -> None:
        """Add up the uses, and remove what killed writers have left behind. Raises OSError."""
        location.add_up(self.folder, time.time())
        stale = dict.fromkeys(files.leftovers(self.folder), 60.0)  # seconds after which they have no writer any more
        codes = f"{self.cache}/{Name.CODES}"
        for path, seconds in {**stale, **{f"{codes}/{name}": 2.0 * DAY for name in names_in(codes)}}.items():
            with contextlib.suppress(OSError):  # gone meanwhile
                if time.time() - os.stat(path).st_mtime > seconds:
                    os.unlink(path)


def project_memory(project: str, lock: Guard = Lock, reads: int = 0) -> Memory:
    """The memory of a project."""
    return Memory(location.folder_of(project), lock, reads)


def users_memory(lock: Guard = Lock) -> Memory:
    """The user's own, above all projects. Raises BadInput where there is no home."""
    folder = location.users_folder()
    if not folder:
        raise BadInput("there is no home folder", "HOME", "Set it to a whole path")
    return Memory(folder, lock)


def drop_compiled(known: Catalogue, forever: bool) -> None:
    """Throw away what was made of the records; forever: what they said is to stand in no byte. Raises Fault."""
    location.drop_compiled(known.folder)
    if forever:
        known.forget_words()
