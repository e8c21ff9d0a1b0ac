"""The files of a memory as records: what stands there, what cannot be read and why, and how one is added.

What was read is kept in the cache, `records.tsv`, a line per file: name, mark (inode, ctime, size), the record's
values as JSON. A file that is as it was is not opened again; the cache may be thrown away at any time. Nothing here
follows a link, opens anything but a plain file, or changes one. A new file is written beside, then linked to a name
that nobody has: writers need no lock, and one that is killed leaves no half file. Between them a claimed file in the
cache decides who has the number of a decision.
"""

import contextlib
import gc
import heapq
import itertools
import math
import os
import re
import stat
from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple

from holdfast.errors import BadInput
from holdfast.hot import jsonc
from holdfast.hot.files import append, claim, names_in, read_bytes, read_from, size_of, write_atomic
from holdfast.hot.provenance import is_plain, is_real, real_folder, real_within
from holdfast.memory import markdown
from holdfast.memory.location import COLLEAGUES, SHARED, Name, cache_of, is_ours, make_cache
from holdfast.memory.record import KINDS, SHAPES, Record

FOLDERS = {kind: f"{kind}s" for kind in KINDS}
PLACES = (
    *FOLDERS.values(),
    *(f"{top}/{place}" for top in (SHARED, COLLEAGUES) for kind, place in FOLDERS.items() if kind != "state"),
)
"""Folders of records: what is one person's, what its user has let through for the team, what the team's server has of
others; no state but one's own.
"""
HEAD = f"3 {markdown.VERSION} {' '.join([*Record._fields, *itertools.chain(*SHAPES.values())])}\n"
"""First line of the cache: a cache of other fields is made anew."""

TAIL = 3_000_000
"""Bytes at the end of the cache that have the records written or read last."""


class Problem(NamedTuple):
    """A file that is not taken for a record: it stays as it is."""

    path: str
    what: str
    todo: str


class Found(NamedTuple):
    """A record, and where it stands."""

    path: str
    record: Record
    mark: str
    """How the file looked: another mark is another text."""


class Scan(NamedTuple):
    """A memory: the records by their ids, and the files with a problem."""

    records: dict[str, Found]
    problems: list[Problem]
    is_whole: bool = True
    """False where some files were not looked at."""
    is_newest: bool = False
    """Whether it is the newest part of a large memory, by its cache."""


class Share(NamedTuple):
    """How much of a memory a hook looks at, which nobody waits for: a clone may bring any number of records."""

    reads: int = 0
    """Files of 2 KB that are read anew, at most; the next hook goes on, what was read is kept. 0 is all, -1 none."""
    newest: int = 0
    """Files that are looked at, those that were changed last on this machine; 0 is all."""


class File(NamedTuple):
    """One that may be a record's."""

    name: str
    """Folder and name within the memory."""
    mark: str
    """By which a change is seen; "" for what is no plain file."""


def scan(folder: str, before: Scan | None = None, share: Share = Share()) -> Scan:  # noqa: B008 - a value
    """Every record of the memory. Never raises for what stands in a file; a folder that is not there is empty.

    before: what an earlier scan gave; what has stayed as it was is taken from there.
    """
    collects = gc.isenabled()
    gc.disable()  # nothing here points in circles, and looking for that takes longer than reading 100,000 records
    try:
        return _scan(folder, before, share)
    finally:
        if collects:
            gc.enable()


def _scan(folder: str, before: Scan | None, share: Share) -> Scan:
    had = {one.path: one for one in before.records.values()} if before else {}
    rows, lines = _tail(folder) if share.newest else ({}, 0)
    is_newest = len(rows) > share.newest > 0  # what was read or written last stands last: nobody has to look at all
    listed = _looked_at(folder, list(rows)[-share.newest :]) if is_newest else list(files(folder))
    is_part = is_newest or 0 < share.newest < len(listed)
    if not is_newest:
        listed = heapq.nlargest(share.newest, listed, key=_changed) if is_part else listed
        is_known = before and before.is_whole and not before.problems
        rows, lines = ({}, 0) if is_known else _cached(folder)
    known: dict[str, Found | Problem] = {}
    for file in listed:
        one: Found | Problem | None = had.get(f"{folder}/{file.name}")
        if not isinstance(one, Found) or one.mark != file.mark:
            one = _from_row(f"{folder}/{file.name}", file.mark, *rows.get(file.name, ("", "")))
        if one:
            known[file.name] = one
    todo = [file for file in listed if file.name not in known]
    fresh = list(_within(todo, share.reads))
    known |= {file.name: _taken(f"{folder}/{file.name}", file) for file in fresh}
    found = Scan({}, [])
    for one in (known[file.name] for file in listed if file.name in known):
        first = found.records.setdefault(one.record.id, one) if isinstance(one, Found) else one
        if isinstance(first, Problem):
            found.problems.append(first)
        elif first is not one:
            what = f"id: it has the id of {first.path}"
            found.problems.append(Problem(one.path, what, "Leave one of the two files"))
    _keep(folder, [_row(file, known[file.name]) for file in fresh])
    if lines + len(fresh) > 2 * len(listed) + 1_000 and not is_part:  # many lines of files that have gone or changed
        forget_cache(folder)
    found.problems.extend(_doubled(found))
    return found._replace(is_whole=not is_part and len(fresh) == len(todo), is_newest=is_newest)


def _within(todo: list[File], reads: int) -> Iterator[File]:
    """Those that are read now, the newest by their names first: a start is to know of them, whatever else is there."""
    left = reads or math.inf
    for file in sorted(todo, key=lambda one: os.path.basename(one.name), reverse=True):
        left -= 1 + _bytes(file) // 2_000
        if left < 0:
            return
        yield file


def _looked_at(folder: str, names: Iterable[str]) -> list[File]:
    """Those of these files that are there, none of them behind a link."""
    there, found = frozenset(places(folder)), []
    for name in names:
        with contextlib.suppress(OSError):
            info = os.lstat(f"{folder}/{name}")
            if os.path.dirname(name) in there:
                found.append(File(name, mark_of(info) if stat.S_ISREG(info.st_mode) else ""))
    return found


def named(folder: str, names: Iterable[str]) -> dict[str, Found]:
    """By id the records of these files, as far as they are there and can be read; names: within the folder."""
    taken = (_taken(f"{folder}/{file.name}", file) for file in _looked_at(folder, names))
    return {one.record.id: one for one in taken if isinstance(one, Found)}


def _tail(folder: str) -> tuple[dict[str, tuple[str, str]], int]:
    """The last lines of a large cache, as `_cached`, the newest last; nothing of a small one."""
    path = f"{cache_of(folder)}/{Name.READ}"
    size = size_of(path)
    if size <= TAIL or not is_ours(folder) or read_bytes(path, len(HEAD)) != HEAD.encode():
        return {}, 0
    lines = read_from(path, size - TAIL, TAIL).decode("utf-8", "replace").split("\n")[1:-1]
    newest: dict[str, tuple[str, str]] = {}
    for row in (line.split("\t") for line in reversed(lines)):
        if len(row) == 3:
            newest.setdefault(row[0], (row[1], row[2]))
    return dict(reversed(newest.items())), len(lines)


def _taken(path: str, file: File) -> Found | Problem:
    try:
        return Found(path, read(path, bool(file.mark)), file.mark)
    except BadInput as error:
        return Problem(path, f"{error.where}: {error.what}" if error.where else error.what, error.todo)


def _doubled(found: Scan) -> Iterator[Problem]:
    """Decisions of one number, as two branches make them that are merged: both stay."""
    first: dict[str, str] = {}
    for path, record, _ in found.records.values():
        other = first.setdefault(record.code, path) if record.code else path
        if other != path:
            todo = "Both stay, and are found by it; the next record that is kept gives one of them another"
            yield Problem(path, f"{record.code} is also the code of {other}", todo)


def read(path: str, plain: bool = True) -> Record:
    """The record of one file. Raises BadInput: what is wrong with it, and what to do."""
    if not plain:
        raise BadInput("it is a link or no plain file, and is not opened", "", "Put the file itself there")
    largest = 256_000
    data = read_bytes(path, largest + 1)
    if len(data) > largest:
        raise BadInput(f"it is larger than {largest:,} bytes", "", "Keep the conclusion, and name the file with it all")
    try:
        return markdown.parse(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise BadInput(f"byte {error.start} is not UTF-8", "", "Save it as UTF-8") from None


def files(folder: str) -> Iterator[File]:
    """The files that may be records, in the order in which the first of two with one id counts."""
    for place in places(folder):
        for entry in _entries(f"{folder}/{place}"):
            with contextlib.suppress(OSError):  # gone meanwhile
                info = entry.stat(follow_symlinks=False)
                yield File(f"{place}/{entry.name}", mark_of(info) if stat.S_ISREG(info.st_mode) else "")


def places(folder: str) -> list[str]:
    """The folders of records that are there, none of them behind a link."""
    if not is_real(folder):
        return []
    return [place for place in PLACES if real_within(os.path.dirname(f"{folder}/{place}"), [os.path.basename(place)])]


def _entries(folder: str) -> list[os.DirEntry[str]]:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        named = (entry for entry in entries if entry.name.endswith(".md") and not entry.name.startswith("."))
        return sorted(named, key=lambda one: one.name)
    return []


def dates(folder: str) -> list[str]:
    """When each of the memory's folders was last added to or removed from, nanoseconds; 0 for none."""
    found = []
    for place in PLACES:
        try:
            found.append(str(os.stat(f"{folder}/{place}").st_mtime_ns))
        except OSError:
            found.append("0")
    return found


def mark_of(info: os.stat_result) -> str:
    """By which a file is known to be as it was."""
    return f"{info.st_ino} {info.st_ctime_ns} {info.st_size}"


def _bytes(file: File) -> int:
    """Of it so many are read."""
    return min(int(file.mark.split(" ")[2]), 256_000) if file.mark else 0


def _changed(file: File) -> int:
    """When a file was last changed on this machine, whatever date it was given."""
    return int(file.mark.split(" ")[1]) if file.mark else 0


def is_as_it_was(path: str, mark: str) -> bool:
    """Whether the file still has this mark."""
    try:
        return mark_of(os.lstat(path)) == mark
    except OSError:
        return False


def remember(folder: str, path: str, record: Record) -> Found:
    """Note what was just written, so that nobody has to read it again. A disk that refuses loses only this."""
    try:
        mark = mark_of(os.lstat(path))
    except OSError:  # gone meanwhile
        return Found(path, record, "")
    found = Found(path, record, mark)
    _keep(folder, [_row(File(path[len(folder) + 1 :], mark), found)])
    return found


def forget_cache(folder: str, ids: Collection[str] = ()) -> None:
    """Take every line that names one of these out of the cache; without ids all of it goes. Raises OSError."""
    path = f"{cache_of(folder)}/{Name.READ}"
    lines = read_bytes(path, 1 << 30).splitlines(keepends=True) if is_ours(folder) else []
    gone = {name.encode() for name in ids}
    kept = [line for line in lines if gone and gone.isdisjoint(line.split(b'"'))]
    if len(kept) < len(lines):
        write_atomic(path, b"".join(kept))


def _keep(folder: str, fresh: list[str]) -> None:
    """Append these lines to the cache. Not being able to costs time, no more."""
    lines, path = "".join(fresh), f"{cache_of(folder)}/{Name.READ}"
    with contextlib.suppress(OSError):
        if lines:
            make_cache(folder)
            append(path, lines) if read_bytes(path, len(HEAD)) == HEAD.encode() else write_atomic(path, HEAD + lines)


def _cached(folder: str) -> tuple[dict[str, tuple[str, str]], int]:
    """(name -> (mark, JSON), number of lines); nothing of a cache of another version, or of another machine."""
    data = read_bytes(f"{cache_of(folder)}/{Name.READ}", 1 << 30) if is_ours(folder) else b""
    if not data.startswith(HEAD.encode()):
        return {}, 0
    rows = [line.split("\t") for line in data.decode("utf-8", "replace").split("\n")[1:-1]]
    return {row[0]: (row[1], row[2]) for row in rows if len(row) == 3}, len(rows)


_KIND, _CONTENT, *_SEQUENCES = map(Record._fields.index, ("kind", "content", "tags", "paths"))
_USUAL = [Record._field_defaults.get(name, NotImplemented) for name in Record._fields]


def _from_row(path: str, mark: str, known: str, text: str) -> Found | Problem | None:
    """What the cache has of a file; None where it is another one now. mark: as it looks; known: as it was read."""
    if mark != known or not text:
        return None
    try:
        values: list[Any] = jsonc.loads(text)
        if len(values) == 2:
            return Problem(path, *map(str, values))
        for place in _SEQUENCES:
            if place < len(values):
                values[place] = tuple(values[place])
        content = (tuple(value) if type(value) is list else value for value in values[_CONTENT])
        values[_CONTENT] = dict(zip(SHAPES[values[_KIND]], content, strict=True))
        return Found(path, Record(*values), mark)
    except (ValueError, TypeError, KeyError, IndexError):
        return None


def _row(file: File, one: Found | Problem) -> str:
    """The values without their names, and without those at the end that are as they mostly are."""
    name = file.name.replace("\t", "").replace("\n", "")  # such a name is read anew each time
    values: list[Any] = [one.what, one.todo] if isinstance(one, Problem) else list(one.record)
    if isinstance(one, Found):
        values[_CONTENT] = [one.record.content[part] for part in SHAPES[one.record.kind]]
        while values[-1] == _USUAL[len(values) - 1]:
            values.pop()
    return f"{name}\t{file.mark}\t{jsonc.dumps(values)}\n"


def known(path: str) -> Record | None:
    """The record of a file; None where there is none that can be read."""
    try:
        return read(path, is_plain(path))
    except BadInput:
        return None


def create(folder: str, record: Record) -> tuple[str, Record | None]:
    """(path, record as stored); None for one whose file is there already. Raises OSError."""
    make_cache(folder)
    place = real_folder(f"{folder}/{FOLDERS[record.kind]}")
    shared = f"{folder}/{SHARED}/{FOLDERS[record.kind]}" if real_within(folder, [SHARED]) else place
    names, ending = list(dict.fromkeys([*names_in(place), *names_in(shared)])), f"-{record.id[:8]}.md"
    alike = (f"{there}/{name}" for there in (place, shared) for name in names if name.endswith(ending))
    there = next((path for path in alike if (one := known(path)) and one.id == record.id), "")
    if there:
        return there, None
    if record.kind == "decision":
        record = record._replace(code=record.code or _number(record.time[:10], names, folder))
    path = f"{place}/{file_name(record)}"
    whole = f"{cache_of(folder)}/{os.path.basename(path)}.{os.getpid()}.tmp"
    write_atomic(whole, markdown.render(record))
    return path, record if _linked(whole, path) else None


def _linked(whole: str, path: str) -> bool:
    """Whether the finished file now has its name; False where another one has it. Raises OSError."""
    try:
        os.link(whole, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        if os.path.exists(path):
            return False
        os.rename(whole, path)
    finally:
        if os.path.exists(whole):
            os.unlink(whole)
    return True


def file_name(record: Record) -> str:
    """<date>-<number of a decision>-<words of the title>-<8 of the id>.md"""
    words = "-".join(re.findall("[a-z0-9]+", record.title.lower()))[:40].strip("-")
    parts = (record.time[:10], record.code[15:], words, record.id[:8])
    return "-".join(part for part in parts if part) + ".md"


def _number(day: str, names: list[str], folder: str) -> str:
    """The next free DEC-… of a day, ours alone. names: of the decisions' files. Raises OSError."""
    codes = real_folder(f"{cache_of(folder)}/{Name.CODES}")
    today = (name for name in [*names, *names_in(codes)] if name.startswith(f"{day}-"))
    taken = (name[len(day) + 1 :].partition("-")[0] for name in today)
    used = [int(number) for number in taken if 3 <= len(number) <= 6 and number.isdecimal()]
    number = max(used, default=0) + 1
    while not claim(f"{codes}/{day}-{number:03d}"):
        if not os.path.exists(f"{codes}/{day}-{number:03d}"):
            raise OSError(f"{codes} cannot be written to")
        number += 1
    return f"DEC-{day}-{number:03d}"
