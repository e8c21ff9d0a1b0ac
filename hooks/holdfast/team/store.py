"""What a project's agents share, in four tables: `Store`, whatever database they stand in, and `SqliteStore`, a file.

Each call is one short transaction with the caller's own `now`; nothing is locked between two. Several processes may
write: each waits for another up to `wait`. A file that is torn, or was not made on this machine, is set aside and a
new one begun: claims come back with their owners' next edits. Kept: 10,000 lines of audit, 20 versions of a state.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from holdfast.errors import BadInput
from holdfast.hot.files import Lock, size_of
from holdfast.hot.provenance import marked, private_folder
from holdfast.search.sqlite import Database, set_aside
from holdfast.team import ownership
from holdfast.team.location import FILE
from holdfast.team.model import Agent, AuditEntry, Claim, Deed, Moved, Refusal, Versioned, Wanted

if TYPE_CHECKING:
    import sqlite3

Value = TypeVar("Value", Agent, AuditEntry, Claim, Versioned)


class Table(NamedTuple):
    """Where values stand, and by which of their fields there is one of each."""

    name: str
    keys: tuple[str, ...] = ()


TABLES: dict[type, Table] = {
    Agent: Table("agents", ("id",)),
    Claim: Table("claims", ("pattern", "holder")),
    Versioned: Table("states", ("key", "version")),
    AuditEntry: Table("audit"),
}
_OLDEST_FIRST = "ORDER BY since, pattern"
TIMES = {"at", "since", "until", "started", "seen"}


class Store(ABC):
    """What agents share. Raises Fault where it cannot be reached; `now`, `until`: epoch seconds of this machine."""

    HERE: tuple[str, ...] = ()
    """Columns before a value's own that say whose it is."""
    here: tuple[str, ...] = ()
    """What stands in them."""
    REMOVE = "DELETE FROM {} WHERE {}"
    """How rows of a table go."""
    ahead = 0
    """Seconds by which the clock of the times that are kept is ahead of this machine's."""

    def renew(self, agent: Agent, until: float, now: float) -> None:
        """Note that the agent is here, and extend the leases of what it holds by task or command; what it took by an
        edit it holds from its last edit on.
        """
        with self._deciding():
            self._meet(agent, now)
            longer = f"UPDATE claims SET until = ? WHERE {self._which('holder = ?')} AND why <> 'edit'"
            self._run(longer, until + self.ahead, *self.here, agent.id)

    def claim(self, agent: Agent, wanted: Wanted, until: float, now: float) -> Claim | Refusal:
        """Have it, unless a claim is in the way; one whose lease is over is lost to the agent."""
        with self._deciding():
            there, agents = self._about(wanted), self._ask(Agent, "id <> ?", agent.id)
            me = self._meet(agent, now)
            claims, known = list(there), {one.id: one for one in (*agents, me)}
            own = ownership.lines_of(agent, known)
            if kept := ownership.in_the_way(claims, wanted, own, now):
                return Refusal(wanted, kept, known.get(kept.holder))
            for one in claims:
                if one.holder not in own and not ownership.holds(one, now) and ownership.covers(one, wanted):
                    self._drop("pattern = ? AND holder = ?", (one.pattern, one.holder), ("lost", agent.id), now)
            was = next((one for one in claims if (one.pattern, one.holder) == (wanted.pattern, agent.id)), None)
            since = min(was.since, now) if was else now
            made = Claim(wanted.pattern, wanted.mode, agent.id, since, until, wanted.why)
            if was is None or was.mode != made.mode:
                self._put(AuditEntry(now, "took", agent.id, made.pattern, made.mode))
            self._put(made)
            return made

    def give(self, holder: str, to: Agent, now: float) -> list[Claim]:
        """All that one holds is another's from now on; the first one leaves."""
        with self._deciding():
            self._meet(to, now)
            given = self._drop("holder = ?", (holder,), ("gave", to.id), now)
            for one in given:
                self._put(one._replace(holder=to.id))
            self._forget("id = ?", holder)
        return given

    def release(self, holder: str, pattern: str, now: float) -> list[Claim]:
        """Let go of one pattern, or with "" of all; what was held.

        With "" the agent leaves too, and whoever was not seen for a day is forgotten with all that is theirs.
        """
        with self._deciding():
            which = "holder = ? AND ? IN ('', pattern)"
            gone = self._drop(which, (holder, pattern), ("released", ""), now)
            if not pattern:
                long_ago = now + self.ahead - ownership.LONGEST
                self._drop("until < ?", (long_ago,), ("lost", ""), now)
                self._forget("(id = ? OR seen <= ?)", holder, long_ago)
        return gone

    def holders(self, now: float) -> list[Claim]:
        """The claims whose lease runs."""
        return [one for one in self._about() if ownership.holds(one, now)]

    def agents(self, now: float) -> list[Agent]:
        """Who is here and has not left, the oldest first; whether one still lives its last sign must tell."""
        return list(self._ask(Agent, "seen > ? ORDER BY started, id", now + self.ahead - ownership.LONGEST))

    def audit(self, most: int) -> list[AuditEntry]:
        """Who took, gave, lost and released what, the newest first."""
        return list(self._ask(AuditEntry, "number > 0 ORDER BY number DESC LIMIT ?", most))

    def read_state(self, key: str, version: int = 0) -> Versioned | None:
        """The state, or an earlier version of it; None for one that is not kept. Of none there is version 0."""
        which = f"key = ? AND version {'=' if version else '>'} ? ORDER BY version DESC LIMIT 1"
        return next(self._ask(Versioned, which, key, version), None if version else Versioned(key))

    def compare_and_set(self, new: Versioned, now: float) -> Versioned | Moved:
        """Write what was made from version `new.version`; Moved where somebody else was first."""
        if len(new.value.encode("utf-8", "replace")) > 64_000:
            raise BadInput("a state has at most 64,000 bytes", new.key, "Keep a file, and its path here")
        with self._deciding(new.key):
            there = self.read_state(new.key) or Versioned(new.key)
            if there.version != new.version:
                return Moved(there, self.read_state(new.key, new.version) if new.version else Versioned(new.key))
            made = new._replace(version=new.version + 1, at=now)
            self._put(made)
            self._remove("states", "key = ? AND version <= ?", new.key, made.version - 20)  # so many are kept
        return made

    @abstractmethod
    def _deciding(self, key: str = "") -> AbstractContextManager[object]:
        """One transaction; who decides on the same key meanwhile waits."""

    @abstractmethod
    def _run(self, query: str, *values: object) -> Iterable[Sequence[Any]]:
        """A statement with `?` for each value; its rows may come later."""

    def _which(self, test: str) -> str:
        return " AND ".join((*(f"{name} = ?" for name in self.HERE), test))

    def _ask(self, kind: type[Value], which: str, *values: object) -> Iterator[Value]:
        """The values for which this holds; asked at once, read when they are needed."""
        query = f"SELECT {', '.join(kind._fields)} FROM {TABLES[kind].name} WHERE {self._which(which)}"
        rows = self._run(query, *self.here, *values)
        return (_at(kind(*row), -self.ahead) for row in rows)

    def _put(self, value: Value) -> None:
        """Write it, in the place of the one with the same keys."""
        table: Table = TABLES[type(value)]
        names = (*self.HERE, *value._fields)
        new = ", ".join(f"{one} = excluded.{one}" for one in value._fields)
        over = f" ON CONFLICT ({', '.join((*self.HERE, *table.keys))}) DO UPDATE SET {new}" if table.keys else ""
        query = f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))}){over}"
        self._run(query, *self.here, *_at(value, self.ahead))

    def _meet(self, agent: Agent, now: float) -> Agent:
        known = agent._replace(seen=agent.seen or now, started=agent.started or now)
        self._put(known)
        return known

    def _about(self, wanted: Wanted | None = None) -> Iterator[Claim]:
        """All claims, or those that may be about what is wanted: of a plain path, globs, sections and itself."""
        paths = [ownership.parts(one)[0] for one in (wanted.pattern, *wanted.within)] if wanted else ["*"]
        if set("".join(paths)) & set("*?"):
            return self._ask(Claim, f"1 = 1 {_OLDEST_FIRST}")
        which = f"(pattern IN ({', '.join('?' * len(paths))}) OR pattern LIKE ? OR pattern LIKE ? OR pattern LIKE ?)"
        return self._ask(Claim, f"{which} {_OLDEST_FIRST}", *paths, "%*%", "%?%", "%#%")

    def _drop(self, which: str, values: Sequence[object], note: tuple[Deed, str], now: float) -> list[Claim]:
        """Take these claims away and say so in the audit, with whose they are now; what they were."""
        gone = self._ask(Claim, f"{which} {_OLDEST_FIRST}", *values)
        columns = "".join(f"{one}, " for one in self.HERE)
        self._run(
            f"INSERT INTO audit ({columns}at, deed, agent, pattern, mode, other)"
            f" SELECT {columns}?, ?, holder, pattern, mode, ? FROM claims WHERE {self._which(which)}",
            *(now + self.ahead, *note, *self.here, *values),
        )
        self._remove("claims", which, *values)
        return list(gone)

    def _forget(self, which: str, *values: object) -> None:
        self._remove("agents", which, *values)

    def _remove(self, table: str, which: str, *values: object) -> None:
        self._run(self.REMOVE.format(table, self._which(which)), *self.here, *values)


def _at(value: Value, ahead: int) -> Value:
    """The value with its times by a clock that is so much ahead."""
    times: dict[str, Any] = {one: getattr(value, one) + ahead for one in value._fields if one in TIMES and ahead}
    return value._replace(**times) if times else value


class SqliteStore(Store, Database):
    """The store of one machine. For one thread; other processes open the same file."""

    WHAT, OWNER, VERSION = "list of who owns what", 0x486F5465, 1
    SCHEMA = (
        "CREATE TABLE agents(id TEXT PRIMARY KEY, session TEXT NOT NULL, kind TEXT NOT NULL, task TEXT NOT NULL,"
        " branch TEXT NOT NULL, started REAL NOT NULL, seen REAL NOT NULL, place TEXT NOT NULL, parent TEXT NOT NULL)",
        "CREATE TABLE claims(pattern TEXT NOT NULL, mode TEXT NOT NULL, holder TEXT NOT NULL, since REAL NOT NULL,"
        " until REAL NOT NULL, why TEXT NOT NULL, PRIMARY KEY (pattern, holder))",
        "CREATE TABLE audit(number INTEGER PRIMARY KEY, at REAL NOT NULL, deed TEXT NOT NULL, agent TEXT NOT NULL,"
        " pattern TEXT NOT NULL, mode TEXT NOT NULL, other TEXT NOT NULL)",
        "CREATE TABLE states(key TEXT NOT NULL, value TEXT NOT NULL, version INTEGER NOT NULL, by TEXT NOT NULL,"
        " at REAL NOT NULL, PRIMARY KEY (key, version))",
        "CREATE TABLE made(mark TEXT NOT NULL)",
    )
    TABLES = ("agents", "claims", "audit", "states", "made")

    def __init__(self, folder: str, wait: float = 1) -> None:
        """folder: made if need be; wait: seconds for another writer. Raises OSError and Fault."""
        self.told, path = "", f"{private_folder(folder)}/{FILE}"
        self._mark = marked(folder)
        super().__init__(path, wait=wait)

    def _run(self, query: str, *values: object) -> list[Any]:
        return self.select(query, values)

    def _deciding(self, key: str = "") -> AbstractContextManager[object]:  # noqa: ARG002 - one lock
        return self.writing()

    def _forget(self, which: str, *values: object) -> None:
        super()._forget(which, *values)
        self._run("DELETE FROM audit WHERE number <= (SELECT max(number) FROM audit) - ?", 10_000)

    def _make(self, db: "sqlite3.Connection") -> None:
        import sqlite3

        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, self._header[1]):  # what agents share is nowhere else: it is not emptied
            raise sqlite3.DatabaseError("of another version")
        super()._make(db)
        db.execute("INSERT INTO made SELECT ? WHERE NOT EXISTS (SELECT 1 FROM made)", (self._mark,))

    def _is_ours(self, db: "sqlite3.Connection") -> bool:
        return bool(self._mark) and db.execute("SELECT mark FROM made").fetchall() == [(self._mark,)]

    def _mended(self) -> "sqlite3.Connection":
        import sqlite3

        with Lock(f"{self.path}.lock", self._wait):
            try:
                return self._opened()  # another process has just made a new one
            except sqlite3.DatabaseError:
                if size_of(self.path) > 0:
                    self.told = f"who owned what could not be read; it begins anew, the old file is {self.path}.foreign"
                set_aside(self.path)
                return self._opened()
