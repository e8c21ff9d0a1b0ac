"""The search index's file: an SQLite database with a full-text table, which can be thrown away.

- Several processes may write: each batch is one transaction, and a writer waits for another up to `WAIT`. Readers see
  the state before or after a batch and never wait (write-ahead log).
- A file of ours that is torn, or of another version, is emptied; `Index.fresh` says so, and whoever holds the texts
  adds them again. A file that is not ours is left alone.
- A trigger takes a text's words out with it, so that what is removed is nowhere.
- What is asked for is decided where the texts stand, however many newer ones have a word as well.
"""

import contextlib
import itertools
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Self

from holdfast.errors import BadInput, Fault
from holdfast.hot.files import kind_of, make_folder, open_file, read_from, size_of
from holdfast.search.ranking import Facts, Where

OURS = 0x486F4C64
"""Whose the file is, in its header."""
WAIT = 10  # seconds


class Row(NamedTuple):
    """One text as it is kept. time: ISO, or ""; body: words between spaces (search/ranking.py)."""

    id: str
    time: str
    body: str
    facts: Facts = Facts()


COLUMNS = ("id", "time", "body", *Facts._fields)
_SCHEMA = (
    # What is asked for stands before what is long.
    "CREATE TABLE texts(n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, time TEXT NOT NULL, kind TEXT NOT NULL,"
    " importance INTEGER NOT NULL, accessed INTEGER NOT NULL, tags TEXT NOT NULL, archived INTEGER NOT NULL,"
    " expires TEXT NOT NULL, source TEXT NOT NULL, body TEXT NOT NULL)",
    "CREATE INDEX aside ON texts(archived) WHERE archived = 1",
    "CREATE TABLE made(mark TEXT NOT NULL)",
    "CREATE VIRTUAL TABLE words USING fts5(body, content='texts', content_rowid='n', detail=none, columnsize=0,"
    " tokenize='ascii')",
    "CREATE VIRTUAL TABLE frequencies USING fts5vocab(words, row)",
    "CREATE TRIGGER removed AFTER DELETE ON texts BEGIN"
    " INSERT INTO words(words, rowid, body) VALUES ('delete', old.n, old.body); END",
)
_DROP = "DELETE FROM texts WHERE id = ?"
_TESTS = {
    "kind": "texts.kind = ?",
    "importance": "texts.importance >= ?",
    "after": "texts.time >= ?",
    "before": "texts.time < ?",
    "archived": "texts.archived = ?",
    "alive": "(texts.expires = '' OR texts.expires > ?)",
}
"""Field of Where -> what a text must be; "", 0 and None ask nothing. `tags` besides."""


def _tagged(tag: str) -> str:
    """A tag as it is kept: between line ends, so that none is found within another."""
    return f"\n{tag}\n"


def _packed(row: Row) -> tuple[object, ...]:
    return (*row[:3], *row.facts._replace(tags="".join(map(_tagged, row.facts.tags))))  # type: ignore[arg-type]  # a column


def _facts(columns: Sequence[Any]) -> Facts:
    found = Facts(*columns)
    return found._replace(tags=tuple(filter(None, columns[3].split("\n"))), archived=bool(found.archived))


class Index:
    """An open index. For one thread; other processes open the same path."""

    def __init__(self, path: str, variant: int = 0) -> None:
        """Open or create. variant: 0 or 1; a file of the other is emptied.

        Raises BadInput for a file of somebody else's, Fault where SQLite cannot work.
        """
        self.path, self.fresh = path, size_of(path) <= 0
        self._header = OURS, 5 * 2 + variant  # version 5 of the tables
        with _faults(path):
            make_folder(os.path.dirname(os.path.abspath(path)))
            try:
                self._db = self._opened()
            except sqlite3.DatabaseError as error:
                known = ("vtable constructor failed", "no such table", "no such column", "use DROP VIEW")
                is_broken = str(error).startswith(known)
                if isinstance(error, sqlite3.OperationalError) and not is_broken:
                    raise
                self._give_up()
                self._db = self._opened()

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def put(self, rows: Iterable[Row]) -> Iterator[int]:
        """Add rows, or replace those of the same id; gives the number of each batch when it is safe on disk."""
        rest, columns = iter(rows), f"({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
        while batch := list(itertools.islice(rest, 2_000)):  # a tenth of a second
            latest = {row.id: row for row in batch}
            with self._writing() as db:
                db.executemany(_DROP, ((one,) for one in latest))
                highest = self.highest()
                db.executemany(f"INSERT INTO texts{columns}", map(_packed, latest.values()))
                # A trigger would do, at three times the cost of all the rest.
                db.execute("INSERT INTO words(rowid, body) SELECT n, body FROM texts WHERE n > ?", (highest,))
            yield len(batch)

    def facts(self, ids: Sequence[str] | None = None) -> dict[str, Facts]:
        """What is known of these texts, or of all, by id; one that is not there is left out."""
        query = f"SELECT id, {', '.join(Facts._fields)} FROM texts"  # noqa: S608 - names
        chosen = [("", ())] if ids is None else [(" WHERE id = ?", (one,)) for one in ids]
        return {row[0]: _facts(row[1:]) for which, values in chosen for row in self.select(query + which, values)}

    @property
    def mark(self) -> str:
        """A line of the caller's on what the index was made from; "" where it began empty."""
        rows = self.select("SELECT mark FROM made")
        return str(rows[0][0]) if rows else ""

    @mark.setter
    def mark(self, mark: str) -> None:
        with self._writing() as db:
            db.execute("DELETE FROM made")
            db.execute("INSERT INTO made(mark) VALUES (?)", (mark,))

    def remove(self, ids: Iterable[str]) -> int:
        """Remove texts; how many there were. Of what they said nothing stays in the file."""
        with self._writing() as db:
            gone = max(0, db.executemany(_DROP, ((one,) for one in ids)).rowcount)
            if gone:
                db.execute("INSERT INTO words(words) VALUES ('optimize')")  # else their words stay until a later merge
        if gone:
            with _faults(self.path):  # pages from before leave the log as well, unless somebody reads just now
                self._db.execute("PRAGMA busy_timeout = 0")
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                self._db.execute(f"PRAGMA busy_timeout = {WAIT * 1_000}")
        return gone

    def count(self) -> int:
        """Texts in the index."""
        return int(self.select("SELECT count(*) FROM texts")[0][0])

    def highest(self) -> int:
        """The number of the newest text: no fewer than there are texts, and known at once."""
        return int(self.select("SELECT max(n) FROM texts")[0][0] or 0)

    def having(self, terms: Iterable[str]) -> dict[str, int]:
        """Term -> number of texts that have it."""
        query = "SELECT doc FROM frequencies WHERE term = ?"
        found = ((term, self.select(query, (term,))) for term in terms)
        return {term: int(rows[0][0]) if rows else 0 for term, rows in found}

    def rows(self, numbers: Sequence[int]) -> list[Row]:
        """The texts of these numbers, in their order; one that has gone since is left out."""
        query = f"SELECT n, {', '.join(COLUMNS)} FROM texts WHERE n IN ({','.join('?' * len(numbers))})"  # noqa: S608 - names and marks
        found = {row[0]: Row(row[1], row[2], row[3], _facts(row[4:])) for row in self.select(query, numbers)}
        return [found[number] for number in numbers if number in found]

    def select(self, query: str, values: Sequence[object] = ()) -> list[Any]:
        """The rows of a query."""
        with _faults(self.path):
            return self._db.execute(query, values).fetchall()

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction; another writer's is waited for."""
        with _faults(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def _opened(self) -> sqlite3.Connection:
        os.close(open_file(self.path, os.O_RDWR | os.O_CREAT))
        for beside in (f"{self.path}{ending}" for ending in ("-wal", "-shm", "-journal")):
            if kind_of(beside) == "link":  # SQLite refuses to work beside one; a pull may bring it
                os.unlink(beside)
        db = sqlite3.connect(self.path, timeout=WAIT, isolation_level=None)
        try:
            self._set_up(db)
        except BaseException:
            db.close()
            raise
        return db

    def _set_up(self, db: sqlite3.Connection) -> None:
        if _header(db) != self._header:
            db.execute("BEGIN IMMEDIATE")
            self._make(db)
            db.execute("COMMIT")
        _refuse_foreign(db)
        _patiently(db, "PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA secure_delete = ON")
        db.execute("SELECT mark FROM made").fetchall()
        db.execute("SELECT rowid FROM words WHERE words MATCH 'a' LIMIT 1").fetchall()
        db.execute("SELECT doc FROM frequencies WHERE term = 'a'").fetchall()

    def _make(self, db: sqlite3.Connection) -> None:
        """The empty tables, unless another process has just made them."""
        header = _header(db)
        if header == self._header:
            return
        if header[0] != OURS and db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            raise _not_ours(self.path)
        for name in ("frequencies", "words", "texts", "made"):
            db.execute(f"DROP TABLE IF EXISTS {name}")
        owner, version = self._header
        for statement in (*_SCHEMA, f"PRAGMA application_id = {owner}", f"PRAGMA user_version = {version}"):
            db.execute(statement)
        self.fresh = True

    def _give_up(self) -> None:
        """Take a damaged file of ours away. Raises BadInput when it is not known to be ours."""
        if read_from(self.path, 68, 4) != OURS.to_bytes(4, "big"):
            raise _not_ours(self.path)
        for ending in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.path + ending)
        self.fresh = True


class Among:
    """The texts of an index that are asked for."""

    def __init__(self, index: Index, where: Where) -> None:
        wanted = {name: getattr(where, name) for name in _TESTS}
        if where.archived is False and not index.select("SELECT 1 FROM texts WHERE archived = 1 LIMIT 1"):
            wanted["archived"] = None  # nothing to leave out: half the time of a question
        given = {name: value for name, value in wanted.items() if value is False or value}
        self._index, self._values = index, [*given.values(), *map(_tagged, where.tags)]
        self._tests = [*(_TESTS[name] for name in given), *["instr(texts.tags, ?) > 0"] * len(where.tags)]

    def holding(self, term: str, most: int, others: Sequence[str] = ()) -> list[int]:
        """Numbers of at most `most` of them that have the term, and one of `others` if any; the newest first.

        Terms are letters and digits, as search/analysis.py gives them.
        """
        match = f'"{term}"' + (" AND (" + " OR ".join(f'"{other}"' for other in others) + ")" if others else "")
        source = "words CROSS JOIN texts ON texts.n = words.rowid" if self._tests else "words"
        where = " AND ".join(["words MATCH ?", *self._tests])
        query = f"SELECT words.rowid FROM {source} WHERE {where} ORDER BY words.rowid DESC LIMIT ?"  # noqa: S608 - ours
        return [row[0] for row in self._index.select(query, (match, *self._values, most))]

    def newest(self, most: int) -> list[int]:
        """Numbers of those that came last, the newest first."""
        where = f"WHERE {' AND '.join(self._tests)}" if self._tests else ""
        query = f"SELECT n FROM texts {where} ORDER BY n DESC LIMIT ?"  # noqa: S608 - ours
        return [row[0] for row in self._index.select(query, (*self._values, most))]


def _refuse_foreign(db: sqlite3.Connection) -> None:
    """Raises DatabaseError where the file, which a pull may have brought, holds more or else than our tables.

    A view in the place of one may compute for ever, a trigger write what nobody said.
    """
    found = {sql for (sql,) in db.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")}
    if {sql for sql in found if not sql.startswith("CREATE TABLE 'words_")} != set(_SCHEMA):
        raise sqlite3.DatabaseError("other tables than ours")


def _header(db: sqlite3.Connection) -> tuple[int, int]:
    owner, version = (db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
    return owner, version


def _patiently(db: sqlite3.Connection, statement: str) -> None:
    """SQLite does not wait by itself for a lock when it changes the journal."""
    until = time.monotonic() + WAIT
    while True:
        try:
            db.execute(statement)
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(1 / 50)


def _not_ours(path: str) -> BadInput:
    return BadInput("is not a search index", path, "Give another path, or move the file away")


@contextlib.contextmanager
def _faults(path: str) -> Iterator[None]:
    """SQLite's errors as ours."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise Fault(f"the search index cannot be used ({error})", path, _todo(str(error))) from error
    except sqlite3.DatabaseError as error:
        todo = "Delete it; it is made again from the texts"
        raise Fault(f"the search index is damaged ({error})", path, todo) from error
    except OSError as error:
        raise Fault(f"the search index cannot be opened ({error.strerror})", path, _todo("")) from error


def _todo(error: str) -> str:
    if "fts5" in error:
        return "Use a Python whose SQLite has FTS5"
    return "Another process is writing; try again" if "locked" in error else "Check the disk and the file's rights"
