"""Files of ours in SQLite, `Database`; with a full-text table, which can be thrown away, `TextTables`; and `Among`.

- Several processes may write: each batch is one transaction, and a writer waits for another up to `WAIT`. Readers see
  the state before or after a batch and never wait (write-ahead log).
- A file of ours that is torn, or of another version, is emptied; `TextTables.fresh` says so: whoever holds the texts
  adds them again. A file that is not ours is left alone.
- A trigger takes a text's words out with it, so that what is removed is nowhere.
- What is asked for is decided where the texts stand, however many newer ones have a word as well.
"""

import contextlib
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

from holdfast.errors import BadInput, Fault
from holdfast.hot.files import kind_of, make_folder, open_file, read_from, size_of
from holdfast.search.facts import TextFacts, Where

if TYPE_CHECKING:
    import sqlite3  # noqa: TC004 - Database.__init__ loads it: whoever only imports this does not wait for it

Values = Sequence[object] | Mapping[str, object]
OURS = 0x486F4C64
"""Whose the file is, in its header."""
WAIT = 3  # seconds
HELD = "It is writing, or was stopped as it was (Ctrl+Z): try again when it is done"
BESIDE = ("-wal", "-shm", "-journal")
"""How the files end that SQLite has beside a database."""
NAMES_ANOTHER = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
"""How a journal ends that names a file: SQLite deletes that one."""


class IndexedText(NamedTuple):
    """One text as it is kept. time: ISO, or ""; body: words between spaces (search/ranking.py)."""

    id: str
    time: str
    body: str
    facts: TextFacts = TextFacts()


STANDING = "CREATE INDEX standing ON texts(archived) WHERE archived = 0"
_SCHEMA = (
    # What is asked for stands before what is long.
    "CREATE TABLE texts(n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, time TEXT NOT NULL, kind TEXT NOT NULL,"
    " importance INTEGER NOT NULL, accessed INTEGER NOT NULL, tags TEXT NOT NULL, archived INTEGER NOT NULL,"
    " expires TEXT NOT NULL, source TEXT NOT NULL, body TEXT NOT NULL)",
    STANDING,
    "CREATE TABLE made(mark TEXT NOT NULL)",
    "CREATE VIRTUAL TABLE words USING fts5(body, content='texts', content_rowid='n', detail=none, columnsize=0,"
    " tokenize='ascii')",
    "CREATE VIRTUAL TABLE frequencies USING fts5vocab(words, row)",
    "CREATE TRIGGER removed AFTER DELETE ON texts BEGIN"
    " INSERT INTO words(words, rowid, body) VALUES ('delete', old.n, old.body); END",
)
_TESTS = {
    "kind": "texts.kind = ?",
    "importance": "texts.importance >= ?",
    "after": "texts.time >= ?",
    "before": "texts.time < ?",
    "alive": "(texts.expires = '' OR texts.expires > ?)",
}
"""Field of Where -> what a text must be; "", 0 and None ask nothing. `archived` and `tags` besides."""


def tagged(tag: str) -> str:
    """A tag as it is kept: between line ends, so that none is found within another."""
    return f"\n{tag}\n"


class Database:
    """An open file of ours, of any tables. For one thread; other processes open the same path."""

    WHAT = "database"
    OWNER, VERSION = 0, 0
    """Whose the file is and of which version, in its header."""
    SCHEMA: tuple[str, ...] = ()
    TABLES: tuple[str, ...] = ()
    """In the order in which they can be dropped."""
    HEALS = False
    """Whether a damaged file goes at once, for whoever opens it next makes it anew."""

    def __init__(self, path: str, variant: int = 0, wait: float = WAIT) -> None:
        """Open or create; "" is one in memory. variant: 0 or 1; a file of the other is emptied. wait: seconds.

        Raises BadInput for a file of somebody else's, Fault where SQLite cannot work.
        """
        global sqlite3  # noqa: PLW0603 - 5 ms that a start does not pay which reads what was compiled
        import sqlite3

        self.path, self.fresh, self._wait = path, size_of(path) <= 0, wait
        self.is_damaged = False
        self._header = self.OWNER, self.VERSION * 2 + variant
        with self._faults():
            try:
                self._db = self._opened()
            except sqlite3.DatabaseError as error:
                known = ("vtable constructor failed", "no such table", "no such column", "use DROP VIEW")
                is_broken = str(error).startswith(known)
                if isinstance(error, sqlite3.OperationalError) and not is_broken:
                    raise
                self._db = self._mended()

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def select(self, query: str, values: Values = ()) -> list[Any]:
        """The rows of a query."""
        with self._faults():
            return self._db.execute(query, values).fetchall()

    @contextlib.contextmanager
    def writing(self) -> "Iterator[sqlite3.Connection]":
        """One transaction; another writer's is waited for. Within another one it is a part of that."""
        with self._faults():
            is_inner = self._db.in_transaction
            if not is_inner:
                self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                if not is_inner:
                    self._db.execute("COMMIT")
            finally:
                if not is_inner and self._db.in_transaction:
                    self._db.execute("ROLLBACK")

    def _opened(self) -> "sqlite3.Connection":
        if self.path:
            make_folder(os.path.dirname(os.path.abspath(self.path)))
            os.close(open_file(self.path, os.O_RDWR | os.O_CREAT))
            for beside in (f"{self.path}{ending}" for ending in BESIDE):  # a clone may bring them
                last = read_from(beside, max(0, size_of(beside) - len(NAMES_ANOTHER)), len(NAMES_ANOTHER))
                if kind_of(beside) not in ("", "file") or (last == NAMES_ANOTHER and beside.endswith("-journal")):
                    os.replace(beside, f"{beside}.foreign")  # SQLite would wait for a pipe, and refuse a link
        db = sqlite3.connect(self.path or ":memory:", timeout=self._wait, isolation_level=None)
        try:
            self._set_up(db)
        except BaseException:
            db.close()
            raise
        return db

    def _set_up(self, db: "sqlite3.Connection") -> None:
        if _header(db) != self._header:
            db.execute("BEGIN IMMEDIATE")
            self._make(db)
            db.execute("COMMIT")
        self._refuse_foreign(db)
        _patiently(db, "PRAGMA journal_mode = WAL", self._wait)
        db.execute("PRAGMA synchronous = NORMAL")

    def _make(self, db: "sqlite3.Connection") -> None:
        """The empty tables, unless another process has just made them. Raises DatabaseError for another's file."""
        header = _header(db)
        if header == self._header:
            return
        if header[0] != self.OWNER and db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            raise sqlite3.DatabaseError("not ours")
        for name in self.TABLES:
            db.execute(f"DROP TABLE IF EXISTS {name}")
        owner, version = self._header
        for statement in (*self.SCHEMA, f"PRAGMA application_id = {owner}", f"PRAGMA user_version = {version}"):
            db.execute(statement)
        self.fresh = True

    def _refuse_foreign(self, db: "sqlite3.Connection") -> None:
        """Raises DatabaseError where the file, which a pull may have brought, holds more or else than our tables.

        A view in the place of one may compute for ever, a trigger write what nobody said.
        """
        found = {sql for (sql,) in db.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")}
        if {sql for sql in found if not sql.startswith("CREATE TABLE 'words_")} != set(self.SCHEMA):
            raise sqlite3.DatabaseError("other tables than ours")
        if not self._is_ours(db):
            raise sqlite3.DatabaseError("not made here")

    def _is_ours(self, db: "sqlite3.Connection") -> bool:  # noqa: ARG002 - for whoever can tell
        return True

    def _mended(self) -> "sqlite3.Connection":
        self._give_up()
        return self._opened()

    def _give_up(self) -> None:
        """Take a damaged file of ours away. Raises BadInput when it is not known to be ours."""
        if read_from(self.path, 68, 4) != self.OWNER.to_bytes(4, "big"):
            raise BadInput(f"is not a {self.WHAT}", self.path, "Give another path, or move the file away")
        for ending in ("", *BESIDE):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.path + ending)
        self.fresh = True

    @contextlib.contextmanager
    def _faults(self) -> Iterator[None]:
        """SQLite's errors as ours."""
        try:
            yield
        except sqlite3.ProgrammingError as error:  # the file is well
            todo = "Use it in the thread that opened it, until it is closed"
            raise Fault(f"the {self.WHAT} cannot be used ({error})", self.path, todo) from error
        except sqlite3.OperationalError as error:
            raise Fault(f"the {self.WHAT} cannot be used ({error})", self.path, _todo(str(error))) from error
        except sqlite3.DatabaseError as error:
            self.is_damaged = True
            if self.HEALS:
                with contextlib.suppress(BadInput, OSError):
                    self._give_up()
            raise Fault(f"the {self.WHAT} is damaged ({error})", self.path, "Delete it; it is made again") from error
        except OSError as error:
            raise Fault(f"the {self.WHAT} cannot be opened ({error.strerror})", self.path, _todo("")) from error


class TextTables(Database):
    """A file of ours with texts: `texts`, with a number `n`, `words` over it, their `frequencies`, and `made`."""

    WHAT, OWNER, VERSION = "search index", OURS, 6
    SCHEMA: tuple[str, ...] = _SCHEMA
    TABLES: tuple[str, ...] = ("frequencies", "words", "texts", "made")

    @property
    def mark(self) -> str:
        """A line of the caller's on what the tables were made from; "" where they began empty."""
        rows = self.select("SELECT mark FROM made")
        return str(rows[0][0]) if rows else ""

    @mark.setter
    def mark(self, mark: str) -> None:
        with self.writing() as db:
            db.execute("DELETE FROM made")
            db.execute("INSERT INTO made(mark) VALUES (?)", (mark,))

    def count(self) -> int:
        """Texts in the file."""
        return int(self.select("SELECT count(*) FROM texts")[0][0])

    def highest(self) -> int:
        """The number of the newest text: no fewer than there are texts, and known at once."""
        return int(self.select("SELECT max(n) FROM texts")[0][0] or 0)

    def having(self, terms: Iterable[str]) -> dict[str, int]:
        """Term -> number of texts that have it."""
        query = "SELECT doc FROM frequencies WHERE term = ?"
        found = ((term, self.select(query, (term,))) for term in terms)
        return {term: int(rows[0][0]) if rows else 0 for term, rows in found}

    def wipe(self) -> None:
        """Pages from before leave the log as well, unless somebody reads just now."""
        with self._faults():
            self._db.execute("PRAGMA busy_timeout = 0")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._db.execute(f"PRAGMA busy_timeout = {int(self._wait * 1_000)}")

    def _set_up(self, db: "sqlite3.Connection") -> None:
        super()._set_up(db)
        db.execute("PRAGMA secure_delete = ON")
        db.execute("SELECT mark FROM made").fetchall()
        db.execute("SELECT rowid FROM words WHERE words MATCH 'a' LIMIT 1").fetchall()
        db.execute("SELECT doc FROM frequencies WHERE term = 'a'").fetchall()


class Searchable(Protocol):
    """Numbered texts, and their words."""

    def select(self, query: str, values: Values = ()) -> list[Any]:
        """As of TextTables."""

    def having(self, terms: Iterable[str]) -> dict[str, int]:
        """As of TextTables."""

    def highest(self) -> int:
        """As of TextTables."""

    def rows(self, numbers: Sequence[int]) -> list[IndexedText]:
        """Those of these numbers that are still there, in their order."""


class Among:
    """The texts that are asked for, as tests in SQL and their values."""

    def __init__(self, index: TextTables | Searchable, where: Where) -> None:
        given = {name: value for name in _TESTS if (value := getattr(where, name))}
        self._index, self.values = index, [*given.values(), *map(tagged, where.tags)]
        self.tests = [*(_TESTS[name] for name in given), *["instr(texts.tags, ?) > 0"] * len(where.tags)]
        self._texts = "texts"
        if where.archived is not None:
            self.tests.insert(0, f"texts.archived = {where.archived:d}")
            self._texts += "" if where.archived else " INDEXED BY standing"  # a third of the time of the texts

    def holding(self, term: str, most: int, others: Sequence[str] = ()) -> list[int]:
        """Numbers of at most `most` of them that have the term, and one of `others` if any; the newest first.

        Terms are letters and digits, as search/analysis.py gives them.
        """
        match = f'"{term}"' + (" AND (" + " OR ".join(f'"{other}"' for other in others) + ")" if others else "")
        source = f"words CROSS JOIN {self._texts} ON texts.n = words.rowid" if self.tests else "words"
        where = " AND ".join(["words MATCH ?", *self.tests])
        query = f"SELECT words.rowid FROM {source} WHERE {where} ORDER BY words.rowid DESC LIMIT ?"  # noqa: S608 - ours
        return [row[0] for row in self._index.select(query, (match, *self.values, most))]

    def newest(self, most: int) -> list[int]:
        """Numbers of those that came last, the newest first."""
        where = f"WHERE {' AND '.join(self.tests)}" if self.tests else ""
        query = f"SELECT n FROM texts {where} ORDER BY n DESC LIMIT ?"  # noqa: S608 - ours
        return [row[0] for row in self._index.select(query, (*self.values, most))]


def set_aside(path: str) -> None:
    """Rename what stands of somebody else's in a place where only we write."""
    for ending in (*BESIDE, ""):
        with contextlib.suppress(FileNotFoundError):
            os.replace(path + ending, f"{path}{ending}.foreign")


def _header(db: "sqlite3.Connection") -> tuple[int, int]:
    owner, version = (db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
    return owner, version


def _patiently(db: "sqlite3.Connection", statement: str, wait: float) -> None:
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


def _todo(error: str) -> str:
    if "fts5" in error:
        return "Use a Python whose SQLite has FTS5"
    return f"Another process has it. {HELD}" if "locked" in error else "Check the disk and the file's rights"
