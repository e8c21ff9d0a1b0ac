"""What a project's agents share on disk: the protocol of a store, and the one for a machine, an SQLite file.

Each call is one short transaction with the caller's own `now`; nothing is locked between two. Several processes may
write: each waits for another up to `wait`. A file that is torn, or was not made on this machine, is set aside and a
new one begun: claims come back with their owners' next edits. Kept: 10,000 lines of audit, 20 versions of a state.
"""

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol, Self

from holdfast.checkpoint import git
from holdfast.errors import BadInput, Fault
from holdfast.hot.files import Lock, kind_of, open_file, size_of
from holdfast.hot.provenance import marked, private_folder
from holdfast.memory.location import notes_of
from holdfast.team import ownership
from holdfast.team.model import Agent, AuditEntry, Claim, Deed, Moved, Refusal, Versioned, Wanted

FILE = "team.sqlite"
OURS = 0x486F5465
_SCHEMA = (
    "CREATE TABLE agents(id TEXT PRIMARY KEY, session TEXT NOT NULL, kind TEXT NOT NULL, task TEXT NOT NULL,"
    " branch TEXT NOT NULL, started REAL NOT NULL, seen REAL NOT NULL, place TEXT NOT NULL, parent TEXT NOT NULL)",
    "CREATE TABLE claims(pattern TEXT NOT NULL, mode TEXT NOT NULL, holder TEXT NOT NULL, since REAL NOT NULL,"
    " until REAL NOT NULL, why TEXT NOT NULL, PRIMARY KEY (pattern, holder))",
    "CREATE TABLE audit(n INTEGER PRIMARY KEY, at REAL NOT NULL, deed TEXT NOT NULL, agent TEXT NOT NULL,"
    " pattern TEXT NOT NULL, mode TEXT NOT NULL, other TEXT NOT NULL)",
    "CREATE TABLE states(key TEXT NOT NULL, value TEXT NOT NULL, version INTEGER NOT NULL, by TEXT NOT NULL,"
    " at REAL NOT NULL, PRIMARY KEY (key, version))",
    "CREATE TABLE made(mark TEXT NOT NULL)",
)


class Most:
    """Lines of audit and versions of a state that are kept; bytes of a state."""

    AUDITED = 10_000
    VERSIONS = 20
    STATE = 64_000


def folder_of(cwd: str = "") -> str:
    """Where the agents of a project, in any of its worktrees, have what they share; it is not made."""
    place = f"{notes_of(cwd)}/team"
    return git.own_folder(place) or place


class Store(Protocol):
    """What agents share. Raises Fault where it cannot be reached; `now`, `until`: epoch seconds."""

    def renew(self, agent: Agent, until: float, now: float) -> None:
        """Note that the agent is here, and extend the leases of what it holds by task or command; what it took by an
        edit it holds from its last edit on.
        """

    def claim(self, agent: Agent, wanted: Wanted, until: float, now: float) -> Claim | Refusal:
        """Have it, unless a claim is in the way; one whose lease is over is lost to the agent."""

    def give(self, holder: str, to: Agent, now: float) -> list[Claim]:
        """All that one holds is another's from now on; the first one leaves."""

    def release(self, holder: str, pattern: str, now: float) -> list[Claim]:
        """Let go of one pattern, or with "" of all; then the agent leaves too. What was held."""

    def holders(self, now: float) -> list[Claim]:
        """The claims whose lease runs."""

    def agents(self, now: float) -> list[Agent]:
        """Who is here and has not left, the oldest first; whether one still lives its last sign must tell."""

    def audit(self, most: int) -> list[AuditEntry]:
        """Who took, gave, lost and released what, the newest first."""

    def read_state(self, key: str, version: int = 0) -> Versioned | None:
        """The state, or an earlier version of it; None for one that is not kept. Of none there is version 0."""

    def compare_and_set(self, new: Versioned, now: float) -> Versioned | Moved:
        """Write what was made from version `new.version`; Moved where somebody else was first."""


class SqliteStore:
    """The store of one machine. For one thread; other processes open the same file."""

    def __init__(self, folder: str, wait: float = 1) -> None:
        """folder: made if need be; wait: seconds for another writer. Raises OSError and Fault."""
        self.path, self.wait, self.told = f"{private_folder(folder)}/{FILE}", wait, ""
        self._mark = marked(folder)
        with self._faults():
            try:
                self._db = self._opened()
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError) and "no such" not in str(error):
                    raise
                self._db = self._mended()

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def renew(self, agent: Agent, until: float, now: float) -> None:
        """See Store."""
        with self._writing():
            self._meet(agent, now)
            for one in self._claims():
                if one.until < now - ownership.LONGEST:
                    self._drop(one, Note("lost", one.holder), now)
            self._run("DELETE FROM agents WHERE seen <= ?", now - ownership.LONGEST)
            self._run("UPDATE claims SET until = ? WHERE holder = ? AND why <> 'edit'", until, agent.id)

    def claim(self, agent: Agent, wanted: Wanted, until: float, now: float) -> Claim | Refusal:
        """See Store."""
        with self._writing():
            self._meet(agent, now)
            claims, agents = self._claims(), {one.id: one for one in self.agents(now)}
            own = ownership.lines_of(agent, agents)
            if kept := ownership.in_the_way(claims, wanted, own, now):
                return Refusal(wanted, kept, agents.get(kept.holder))
            for one in claims:
                if one.holder not in own and not ownership.holds(one, now) and ownership.covers(one, wanted):
                    self._drop(one, Note("lost", one.holder, agent.id), now)
            made = Claim(wanted.pattern, wanted.mode, agent.id, now, until, wanted.why)
            was = next((one for one in claims if (one.pattern, one.holder) == (made.pattern, agent.id)), None)
            if was is None or was.mode != made.mode:
                self._log(made, Note("took", agent.id), now)
            made = made._replace(since=min(was.since, now) if was else now)
            self._run("REPLACE INTO claims VALUES (?, ?, ?, ?, ?, ?)", *made)
            return made

    def give(self, holder: str, to: Agent, now: float) -> list[Claim]:
        """See Store."""
        with self._writing():
            self._meet(to, now)
            given = [one for one in self._claims() if one.holder == holder]
            for one in given:
                self._drop(one, Note("gave", holder, to.id), now)
                self._run("REPLACE INTO claims VALUES (?, ?, ?, ?, ?, ?)", *one._replace(holder=to.id))
            self._run("DELETE FROM agents WHERE id = ?", holder)
        return given

    def release(self, holder: str, pattern: str, now: float) -> list[Claim]:
        """See Store."""
        with self._writing():
            gone = [one for one in self._claims() if one.holder == holder and pattern in ("", one.pattern)]
            for one in gone:
                self._drop(one, Note("released", holder), now)
            if not pattern:
                self._run("DELETE FROM agents WHERE id = ?", holder)
        return gone

    def holders(self, now: float) -> list[Claim]:
        """See Store."""
        return [one for one in self._claims() if ownership.holds(one, now)]

    def agents(self, now: float) -> list[Agent]:
        """See Store."""
        rows = self._run("SELECT * FROM agents WHERE seen > ? ORDER BY started, id", now - ownership.LONGEST)
        return [Agent(*row) for row in rows]

    def audit(self, most: int) -> list[AuditEntry]:
        """See Store."""
        columns = "at, deed, agent, pattern, mode, other"
        return [AuditEntry(*row) for row in self._run(f"SELECT {columns} FROM audit ORDER BY n DESC LIMIT ?", most)]  # noqa: S608 - names

    def read_state(self, key: str, version: int = 0) -> Versioned | None:
        """See Store."""
        which = "version = ?" if version else "version > ?"
        query = f"SELECT * FROM states WHERE key = ? AND {which} ORDER BY version DESC LIMIT 1"  # noqa: S608 - ours
        rows = self._run(query, key, version)
        return Versioned(*rows[0]) if rows else None if version else Versioned(key)

    def compare_and_set(self, new: Versioned, now: float) -> Versioned | Moved:
        """See Store."""
        if len(new.value.encode("utf-8", "replace")) > Most.STATE:
            raise BadInput(f"a state has at most {Most.STATE:,} bytes", new.key, "Keep a file, and its path here")
        with self._writing():
            there = self.read_state(new.key) or Versioned(new.key)
            if there.version != new.version:
                return Moved(there, self.read_state(new.key, new.version) if new.version else Versioned(new.key))
            made = new._replace(version=new.version + 1, at=now)
            self._run("INSERT INTO states VALUES (?, ?, ?, ?, ?)", *made)
            self._run("DELETE FROM states WHERE key = ? AND version <= ?", made.key, made.version - Most.VERSIONS)
        return made

    def _meet(self, agent: Agent, now: float) -> None:
        known = agent._replace(seen=agent.seen or now, started=agent.started or now)
        self._run("REPLACE INTO agents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", *known)

    def _claims(self) -> list[Claim]:
        return [Claim(*row) for row in self._run("SELECT * FROM claims ORDER BY since, pattern")]

    def _drop(self, claim: Claim, note: "Note", now: float) -> None:
        self._run("DELETE FROM claims WHERE pattern = ? AND holder = ?", claim.pattern, claim.holder)
        self._log(claim, note, now)

    def _log(self, claim: Claim, note: "Note", now: float) -> None:
        row = (now, note.deed, note.agent, claim.pattern, claim.mode, note.other)
        self._run("INSERT INTO audit(at, deed, agent, pattern, mode, other) VALUES (?, ?, ?, ?, ?, ?)", *row)
        self._run("DELETE FROM audit WHERE n <= (SELECT max(n) FROM audit) - ?", Most.AUDITED)

    def _run(self, statement: str, *values: object) -> list[Any]:
        with self._faults():
            return self._db.execute(statement, values).fetchall()

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction; another writer's is waited for."""
        self._run("BEGIN IMMEDIATE")
        try:
            yield
            self._run("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._run("ROLLBACK")
            raise

    def _opened(self) -> sqlite3.Connection:
        os.close(open_file(self.path, os.O_RDWR | os.O_CREAT))
        for beside in (f"{self.path}{ending}" for ending in ("-wal", "-shm", "-journal")):
            if kind_of(beside) == "link":  # SQLite refuses to work beside one
                os.unlink(beside)
        db = sqlite3.connect(self.path, timeout=self.wait, isolation_level=None)
        try:
            self._set_up(db)
        except BaseException:
            db.close()
            raise
        return db

    def _set_up(self, db: sqlite3.Connection) -> None:
        """The tables of an empty file; raises DatabaseError where one holds else than ours, or is a clone's."""
        _patiently(db, "PRAGMA journal_mode = WAL", self.wait)
        db.execute("PRAGMA synchronous = NORMAL")
        if not _tables(db):
            db.execute("BEGIN IMMEDIATE")
            if not _tables(db):
                for statement in _SCHEMA:
                    db.execute(statement)
                db.execute("INSERT INTO made VALUES (?)", (self._mark,))
            db.execute("COMMIT")
        is_made_here = db.execute("SELECT mark FROM made").fetchall() == [(self._mark,)]
        if _tables(db) != set(_SCHEMA) or not is_made_here or not self._mark:
            raise sqlite3.DatabaseError("not made here")

    def _mended(self) -> sqlite3.Connection:
        with Lock(f"{self.path}.lock", self.wait):
            try:
                return self._opened()  # another process has just made a new one
            except sqlite3.DatabaseError:
                self._set_aside()
                return self._opened()

    def _set_aside(self) -> None:
        aside = f"{self.path}.aside"
        if size_of(self.path) > 0:
            self.told = f"who owned what could not be read; it begins anew, the old file is {aside}"
        for ending in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.replace(self.path + ending, aside + ending)

    @contextlib.contextmanager
    def _faults(self) -> Iterator[None]:
        """SQLite's errors as ours."""
        try:
            yield
        except sqlite3.Error as error:
            todo = "Another process is writing; try again" if "locked" in str(error) else "Check the disk"
            raise Fault(f"what agents share cannot be used ({error})", self.path, todo) from error


class Note(NamedTuple):
    """What the audit says of a claim."""

    deed: Deed
    agent: str
    other: str = ""


def _tables(db: sqlite3.Connection) -> set[str]:
    return {sql for (sql,) in db.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")}


def _patiently(db: sqlite3.Connection, statement: str, wait: float) -> None:
    """SQLite does not wait by itself for a lock when it changes the journal."""
    until = time.monotonic() + wait
    while True:
        try:
            db.execute(statement)
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(1 / 50)
