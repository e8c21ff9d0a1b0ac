"""What this machine alone knows of the records: which were written here, in which words, and which were forgotten here.

A clone may bring any record, also one that says that the user said it. So a record is trusted as it says only where
this machine has written it in these words; else it came with the repository, or was changed by hand.

    .cache/written.log      marks of the records that were written here, as they read
    .cache/forgotten.log    marks of what was forgotten here, so that no copy of the session brings it back

A pull writes over both, so their lines are hashed with the cache's mark.
"""

import re
from collections.abc import Container, Iterable

from holdfast.hot.files import append, read_text
from holdfast.hot.fingerprint import fingerprint
from holdfast.hot.jsonc import dumps
from holdfast.hot.provenance import mark
from holdfast.memory.cache import CACHE, FORGOTTEN, WRITTEN, is_ours, make_cache
from holdfast.memory.record import Record, first, without_secrets
from holdfast.text import quoting

_WORD = re.compile(r"[^\W_]+")
_NOT_SAID = ("archived", "superseded_by", "delete", "parent", "extra")


def trust_of(record: Record, own: Container[str]) -> str:
    """How far it is trusted here: as it says, where this machine wrote it in these words, or nobody is to trust it.

    own: `written` of its memory.
    """
    return record.trust if record.trust == "untrusted" or wording(record) in own else quoting.CARRIED


def believed(record: Record, own: Container[str]) -> Record:
    """The record without secrets, and trusted no more than it is here."""
    return without_secrets(record._replace(trust=trust_of(record, own)))


class Marks:
    """What stands in one of the two logs. `mark in marks` is all that they tell: a line is a hash with the cache's own
    mark in it, which nobody elsewhere knows, so that none can be made there and pulled over ours.
    """

    def __init__(self, salt: str = "", lines: Iterable[str] = ()) -> None:
        """salt: the mark of the cache; lines: those of the log."""
        self._salt, self.lines = salt, frozenset(lines)

    def __contains__(self, mark: object) -> bool:
        return _line(self._salt, mark) in self.lines


def _line(salt: str, mark: object) -> str:
    return fingerprint(f"{salt} {mark}".encode())


def note(folder: str, log: str, marks: Iterable[str]) -> None:
    """Add marks to WRITTEN or FORGOTTEN. Raises OSError."""
    told = list(marks)
    if told:
        place = make_cache(folder)
        salt = mark(place)
        append(f"{place}/{log}", "".join(f"{_line(salt, one)}\n" for one in told))


def note_written(folder: str, record: Record) -> None:
    """This record was written here, in these words. Raises OSError."""
    note(folder, WRITTEN, [wording(record)])


def written(folder: str) -> Marks:
    """Marks (`wording`) of what was written on this machine; what else is there came with the repository."""
    return _marks(folder, WRITTEN)


def wording(record: Record) -> str:
    """A mark of which record it is, who said it, what it says and how it ranks: of all that is told of it."""
    said = [value for name, value in record._asdict().items() if name not in _NOT_SAID]
    return fingerprint(dumps(said).encode())


def note_forgotten(folder: str, records: Iterable[Record]) -> None:
    """These were forgotten: no session that says the same brings them back. Raises OSError."""
    note(folder, FORGOTTEN, map(saying, records))


def forgotten(folder: str) -> Marks:
    """Marks of what was forgotten, as `saying` makes them."""
    return _marks(folder, FORGOTTEN)


def saying(record: Record) -> str:
    """A mark of what a record says first, whatever its punctuation; nobody reads the words from it."""
    return fingerprint(key(record).encode("utf-8", "replace"))


def key(record: Record) -> str:
    """By which the same thing said twice is known: the kind and the words of its first field, without signs."""
    return " ".join([record.kind, *_WORD.findall(first(record.kind, record.content).lower())])


def _marks(folder: str, log: str) -> Marks:
    place = f"{folder}/{CACHE}"
    return Marks(mark(place), read_text(f"{place}/{log}").split()) if is_ours(folder) else Marks()
