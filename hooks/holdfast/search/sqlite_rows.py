"""What the search index keeps of a text, and those of its texts that are asked for.

What is asked for is decided where the texts stand: of a thousand texts that have a word, the few that count are found
without looking at the others, however many are newer.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple


class Row(NamedTuple):
    """One text as it is kept."""

    id: str
    time: str
    """ISO, or ""."""
    body: str
    """Words between spaces (search/ranking.py)."""
    vector: bytes = b""
    """For callers with an embedding model; never looked into."""
    kind: str = ""
    importance: int = 0
    accessed: int = 0
    tags: str = ""
    """As `joined` makes it."""
    archived: bool = False
    expires: str = ""
    """ISO, "" for never."""
    source: str = ""
    """Where the text stands, for whoever added it; never looked into."""


FIELDS = Row._fields
FACTS = FIELDS[FIELDS.index("kind") :]
"""What is known of a text beside it: it can change while the text stays."""
COLUMNS = (
    "id TEXT NOT NULL UNIQUE, time TEXT NOT NULL, kind TEXT NOT NULL, importance INTEGER NOT NULL,"
    " accessed INTEGER NOT NULL, tags TEXT NOT NULL, archived INTEGER NOT NULL, expires TEXT NOT NULL,"
    " source TEXT NOT NULL, body TEXT NOT NULL, vector BLOB NOT NULL"
)
"""What is asked for stands before what is long."""
_TESTS = {
    "kind": "texts.kind = ?",
    "importance": "texts.importance >= ?",
    "after": "texts.time >= ?",
    "before": "texts.time < ?",
    "archived": "texts.archived = ?",
    "alive": "(texts.expires = '' OR texts.expires > ?)",
}
"""What may be asked for; "", 0 and None ask nothing. `tags` (all of these) besides."""
_TAG = "instr(texts.tags, ?) > 0"


def joined(tags: Sequence[str]) -> str:
    """Tags as they are kept: between line ends, so that none is found within another."""
    return "".join(f"\n{tag}\n" for tag in tags)


def split(tags: str) -> tuple[str, ...]:
    """The tags of a row."""
    return tuple(tag for tag in tags.split("\n") if tag)


class Among:
    """The texts of an index that are asked for. read: a query and its values -> rows."""

    def __init__(self, read: Callable[[str, Sequence[object]], list[Any]], asked: Mapping[str, Any]) -> None:
        """asked: by the names of `_TESTS`, and `tags`."""
        wanted = {name: asked.get(name) for name in _TESTS}
        if wanted["archived"] is False and not read("SELECT 1 FROM texts WHERE archived = 1 LIMIT 1", ()):
            wanted["archived"] = None  # nothing to leave out: half the time of a question
        set_ = {name: value for name, value in wanted.items() if value is False or value}
        tags = [joined([tag]) for tag in asked.get("tags") or ()]
        self._read, self._values = read, [*set_.values(), *tags]
        self._tests = [*(_TESTS[name] for name in set_), *[_TAG] * len(tags)]

    def holding(self, term: str, most: int, others: Sequence[str] = ()) -> list[int]:
        """Numbers of at most `most` of them that have the term, and one of `others` if any; the newest first."""
        match = _quoted(term)
        if others:
            match += f" AND ({' OR '.join(map(_quoted, others))})"
        source = "words CROSS JOIN texts ON texts.n = words.rowid" if self._tests else "words"
        where = " AND ".join(["words MATCH ?", *self._tests])
        query = f"SELECT words.rowid FROM {source} WHERE {where} ORDER BY words.rowid DESC LIMIT ?"  # noqa: S608 - ours
        return [row[0] for row in self._read(query, (match, *self._values, most))]

    def newest(self, most: int) -> list[int]:
        """Numbers of those that came last, the newest first."""
        where = f"WHERE {' AND '.join(self._tests)}" if self._tests else ""
        query = f"SELECT n FROM texts {where} ORDER BY n DESC LIMIT ?"  # noqa: S608 - ours
        return [row[0] for row in self._read(query, (*self._values, most))]


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'
