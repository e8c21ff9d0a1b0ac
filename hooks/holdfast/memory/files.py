"""The files of a memory read as records: what stands there, and what cannot be read and why.

What was read is kept in `.cache/records.tsv`, a line per file: name, inode, time of change, size, the record's values
as JSON. A file that is as it was is not opened again. The cache may be thrown away at any time; what does not fit
in it is passed over. Nothing here follows a link, opens anything but a plain file, or changes a record.
"""

import gc
import itertools
import os
import re
import stat
from typing import Any, NamedTuple

from holdfast.errors import BadInput
from holdfast.hot import jsonc
from holdfast.hot.files import append, read_bytes, write_atomic
from holdfast.hot.provenance import real_within
from holdfast.memory import markdown
from holdfast.memory.cache import CACHE, READ, is_ours, make_cache
from holdfast.memory.record import KINDS, SHAPES, Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

FOLDERS = {kind: f"{kind}s" for kind in KINDS}
LARGEST = 256_000  # bytes of a file
_NAMES = {kind: tuple(fields) for kind, fields in SHAPES.items()}
_HEAD = f"2 {markdown.VERSION} {' '.join([*Record._fields, *itertools.chain(*_NAMES.values())])}\n"
_KIND, _CONTENT = Record._fields.index("kind"), Record._fields.index("content")
_SEQUENCES = tuple(map(Record._fields.index, ("tags", "paths")))
_USUAL = [Record._field_defaults.get(name, NotImplemented) for name in Record._fields]
_ID = re.compile(rb'"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22})"')
_TOGETHER = 500  # lines appended at once, so that a killed process has kept most of its work
_SPARE = 1_000  # lines of files that have gone or changed, before the cache is written anew


class Problem(NamedTuple):
    """A file that is not taken for a record: it stays as it is."""

    path: str
    what: str
    todo: str


class Scan(NamedTuple):
    """All of a memory: id -> (path, record), and the files with a problem."""

    records: dict[str, tuple[str, Record]]
    problems: list[Problem]
    marks: dict[str, str]
    """id -> how its file looked: another mark is another text."""


class File(NamedTuple):
    """One that may be a record's."""

    name: str
    """Folder and name within the memory."""
    mark: str
    """By which a change is seen; "" for what is no plain file."""


NOTHING = Scan({}, [], {})


def scan(folder: str, before: Scan = NOTHING) -> Scan:
    """Every record of the memory. Never raises for what stands in a file; a folder that is not there is empty.

    before: what an earlier scan gave; what has stayed as it was is taken from there.
    """
    collects = gc.isenabled()
    gc.disable()  # nothing here points in circles, and looking for that takes longer than reading 100,000 records
    try:
        return _scan(folder, before)
    finally:
        if collects:
            gc.enable()


def _scan(folder: str, before: Scan) -> Scan:
    had = {path: (before.marks[name], record) for name, (path, record) in before.records.items()}
    cache = _Cache(folder)
    found: dict[str, tuple[str, Record]] = {}
    problems: list[Problem] = []
    marks: dict[str, str] = {}
    for file in files(folder):
        path = f"{folder}/{file.name}"
        try:
            mark, record = had.get(path, ("", None))
            if not record or mark != file.mark:
                record = cache.read(file)
            if record.id in found:
                raise BadInput(f"it has the id of {found[record.id][0]}", "id", "Leave one of the two files")
            found[record.id], marks[record.id] = (path, record), file.mark
        except BadInput as error:
            where = f"{error.where}: " if error.where else ""
            problems.append(Problem(path, f"{where}{error.what}", error.todo))
    cache.keep(len(found))
    return Scan(found, [*problems, *_doubled(found)], marks)


class _Cache:
    """What was read before, looked into when it is first needed."""

    def __init__(self, folder: str) -> None:
        self._folder, self._fresh, self._lines = folder, list[str](), 0
        self._known: dict[str, tuple[str, str]] | None = None

    def read(self, file: File) -> Record:
        """The record of this file, out of the cache where it is as it was. Raises BadInput."""
        if self._known is None:
            self._known, self._lines = _cached(self._folder)
        mark, text = self._known.get(file.name, ("", ""))
        record = _from_cache(text) if mark == file.mark else None
        if record is None:
            record = read(f"{self._folder}/{file.name}", bool(file.mark))
            self._fresh.append(_line(file, record))
            if len(self._fresh) >= _TOGETHER:
                self._lines += _keep(self._folder, self._fresh)
        return record

    def keep(self, records: int) -> None:
        """Write down what was read. records: how many there are; of a much longer cache nothing is kept."""
        self._lines += _keep(self._folder, self._fresh)
        if self._lines > 2 * records + _SPARE:
            forget_cache(self._folder)


def read(path: str, plain: bool = True) -> Record:
    """The record of one file. Raises BadInput: what is wrong with it, and what to do."""
    if not plain:
        raise BadInput("it is a link or no plain file, and is not opened", "", "Put the file itself there")
    data = read_bytes(path, LARGEST + 1)
    if len(data) > LARGEST:
        raise BadInput(
            f"it is larger than {LARGEST:,} bytes", "", "Keep the conclusion, and name the file with the rest"
        )
    try:
        return markdown.parse(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise BadInput(f"byte {error.start} is not UTF-8", "", "Save it as UTF-8") from None


def remember(folder: str, path: str, record: Record) -> None:
    """Note what was just written, so that nobody has to read it again. A disk that refuses loses only this."""
    try:
        file = File(path[len(folder) + 1 :], mark_of(os.stat(path)))
        _keep(folder, [_line(file, record)])
    except OSError:
        pass


def forget_cache(folder: str, ids: "Collection[str]" = ()) -> None:
    """Take every line that names one of these out of the cache; without ids all of it goes. Raises OSError."""
    path = f"{folder}/{CACHE}/{READ}"
    lines = read_bytes(path, 1 << 30).splitlines(keepends=True) if is_ours(folder) else []
    gone = {name.encode() for name in ids}
    kept = [line for line in lines if gone and gone.isdisjoint(_ID.findall(line))]
    if len(kept) < len(lines):
        write_atomic(path, b"".join(kept))


def files(folder: str) -> "Iterator[File]":
    """The files that may be records, in the order in which the first of two with one id counts."""
    for place in real_within(folder, FOLDERS.values()):
        try:
            with os.scandir(f"{folder}/{place}") as entries:
                named = sorted((entry.name, entry) for entry in entries if entry.name.endswith(".md"))
        except OSError:
            continue
        for name, entry in named:
            if name.startswith("."):
                continue
            try:
                info = entry.stat(follow_symlinks=False)
            except OSError:  # gone meanwhile
                continue
            yield File(f"{place}/{name}", mark_of(info) if stat.S_ISREG(info.st_mode) else "")


def dates(folder: str) -> list[int]:
    """When each of the memory's folders was last added to or removed from."""
    return [date(f"{folder}/{place}") for place in FOLDERS.values()]


def date(path: str) -> int:
    """When it was changed, nanoseconds; 0 for none."""
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def mark_of(info: os.stat_result) -> str:
    """By which a file is known to be as it was."""
    return f"{info.st_ino} {info.st_mtime_ns} {info.st_size}"


def _cached(folder: str) -> tuple[dict[str, tuple[str, str]], int]:
    """(name -> (mark, JSON), number of lines); nothing of a cache of another version, or of another machine."""
    if not is_ours(folder):
        return {}, 0
    text = read_bytes(f"{folder}/{CACHE}/{READ}", 1 << 30).decode("utf-8", "replace")
    if not text.startswith(_HEAD):
        return {}, 0
    rows = [line.split("\t") for line in text.split("\n")[1:-1]]
    return {row[0]: (row[1], row[2]) for row in rows if len(row) == 3}, len(rows)


def _from_cache(text: str) -> Record | None:
    try:
        values: list[Any] = jsonc.loads(text)
        for place in _SEQUENCES:
            if place < len(values):
                values[place] = tuple(values[place])
        content = (tuple(value) if type(value) is list else value for value in values[_CONTENT])
        values[_CONTENT] = dict(zip(_NAMES[values[_KIND]], content, strict=True))
        return Record(*values)
    except (ValueError, TypeError, KeyError, IndexError):
        return None


def _line(file: File, record: Record) -> str:
    """The values without their names, and without those at the end that are as they mostly are."""
    name = file.name.replace("\t", "").replace("\n", "")  # such a name is read anew each time
    values: list[Any] = list(record)
    values[_CONTENT] = [record.content[part] for part in _NAMES[record.kind]]
    while values[-1] == _USUAL[len(values) - 1]:
        values.pop()
    return f"{name}\t{file.mark}\t{jsonc.dumps(values)}\n"


def _keep(folder: str, fresh: list[str]) -> int:
    """Append these lines to the cache and empty the list; their number. Not being able to costs time, no more."""
    if not fresh:
        return 0
    lines, path = "".join(fresh), f"{folder}/{CACHE}/{READ}"
    number = len(fresh)
    fresh.clear()
    try:
        make_cache(folder)
        whole = read_bytes(path, len(_HEAD)) == _HEAD.encode()
        append(path, lines) if whole else write_atomic(path, _HEAD + lines)
    except OSError:
        pass
    return number


def _doubled(found: dict[str, tuple[str, Record]]) -> "Iterator[Problem]":
    """Decisions of one number, as two branches make them that are merged: both stay."""
    first: dict[str, str] = {}
    for path, record in found.values():
        other = first.setdefault(record.code, path) if record.code else path
        if other != path:
            todo = "Both stay; give one of them another code, in the file"
            yield Problem(path, f"{record.code} is also the code of {other}", todo)
