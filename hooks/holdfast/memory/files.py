"""The files of a memory as records: what stands there, what cannot be read and why, and how one is added.

Nothing here follows a link, opens anything but a plain file, or changes one. A new file is written beside, then linked
to a name that nobody has: writers need no lock, and one that is killed leaves no half file. Between them a claimed file
in the cache decides who has the number of a decision.
"""

import contextlib
import itertools
import math
import os
import re
import stat
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from typing import NamedTuple

from holdfast.errors import BadInput
from holdfast.hot.files import claim, names_in, read_bytes, read_text, write_atomic
from holdfast.hot.fingerprint import fingerprint
from holdfast.hot.provenance import is_plain, is_real, real_folder, real_within
from holdfast.memory import markdown
from holdfast.memory.location import COLLEAGUES, SHARED, Name, cache_of, make_cache
from holdfast.memory.record import (
    KINDS,
    RULE,
    SEVERITIES,
    WAS,
    Record,
    first,
    is_resolved,
    is_set_aside,
    key,
    saying,
    unsettled,
    wording,
)
from holdfast.search.sqlite import tagged
from holdfast.text.dates import iso, seconds
from holdfast.transcript.check_runs import programs

LARGEST = 256_000  # bytes of a record's file
FOLDERS = {kind: f"{kind}s" for kind in KINDS}
PLACES = (
    *FOLDERS.values(),
    *(f"{top}/{place}" for top in (SHARED, COLLEAGUES) for kind, place in FOLDERS.items() if kind != "state"),
)
"""Folders of records: what is one person's, what its user has let through for the team, what the team's server has of
others; no state but one's own.
"""
EVERY = range(len(PLACES))
SHUT = "Give it back to yourself: `holdfast doctor` has the command"


class Problem(NamedTuple):
    """A file that is not taken for a record: it stays as it is."""

    path: str
    what: str
    todo: str


class StoredRecord(NamedTuple):
    """A record, and where it stands."""

    path: str
    record: Record
    mark: int  # how the file looked: another mark is another text


class Scan(NamedTuple):
    """A memory: the records by their ids, and the files with a problem."""

    records: dict[str, StoredRecord]
    problems: list[Problem]


class RecordFile(NamedTuple):
    """One that may be a record's."""

    name: str  # folder and name within the memory
    mark: int  # by which a change is seen; 0 for what is no plain file, or has a name that is no text
    size: int


def within(todo: Iterable[RecordFile], reads: int) -> Iterator[RecordFile]:
    """Those that are read now, the newest by their names first: a start is to know of them, whatever else is there.

    reads: files of 2 KB, at most: a clone may bring any number; 0 is all, below none.
    """
    left = reads or math.inf
    for file in sorted(todo, key=lambda one: os.path.basename(one.name), reverse=True):
        left -= 1 + min(file.size, LARGEST) // 2_000
        if left < 0:
            return
        yield file


def looked_at(folder: str, names: Iterable[str]) -> Iterator[RecordFile]:
    """Those of these files that are there, none of them behind a link. names: within the memory."""
    there: dict[str, bool] = {}
    for name in names:
        place = os.path.dirname(name)
        if place not in there:
            there[place] = place in PLACES and _is_there(folder, place)
        with contextlib.suppress(OSError):
            if there[place]:
                yield _file(name, os.lstat(f"{folder}/{name}"))


def taken(folder: str, file: RecordFile) -> StoredRecord | Problem:
    """What the file holds, or why it is no record."""
    path = f"{folder}/{file.name}"
    try:
        return StoredRecord(path, read(path, bool(file.mark)), file.mark)
    except BadInput as error:
        return Problem(path, f"{error.where}: {error.what}" if error.where else error.what, error.todo)


def unless_forgotten(one: StoredRecord | Problem, own: Container[str], gone: Container[str]) -> StoredRecord | Problem:
    """It, unless others have brought back what was forgotten here. own, gone: as of Memory.written and forgotten."""
    if isinstance(one, Problem) or saying(one.record) not in gone or wording(one.record) in own:
        return one
    what = "it was forgotten here, and a pull or a copy has brought it back"
    return Problem(one.path, what, "Remove it, or say again what is to hold")


def read(path: str, plain: bool = True) -> Record:
    """The record of one file. Raises BadInput: what is wrong with it, and what to do."""
    if not plain:
        what = "it is a link or no plain file, or its name is not UTF-8, and is not opened"
        raise BadInput(what, "", "Put the file itself there, by such a name")
    data = read_bytes(path, LARGEST + 1)
    if not data and not os.access(path, os.R_OK):
        raise BadInput("it may not be read by you", "", SHUT)
    if len(data) > LARGEST:
        raise BadInput(f"it is larger than {LARGEST:,} bytes", "", "Keep the conclusion, and name the file with it all")
    try:
        return markdown.parse(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise BadInput(f"byte {error.start} is not UTF-8", "", "Save it as UTF-8") from None


def overruled(path: str, record: Record) -> dict[str, str]:
    """The lines of a record's file that do not count (`markdown.overruled`)."""
    return markdown.overruled(read_text(path, LARGEST), record)


def with_overruled(path: str, new: Record, old: Record, own: Container[str]) -> Record:
    """The new record with these lines of the old one's file as notes. own: as of Memory.written; where the fields were
    edited, such lines are but what these said before.
    """
    return markdown.with_notes(new, overruled(path, old) if wording(old) in own else ())


def files(folder: str, place: str) -> Iterator[RecordFile]:
    """The files in one of PLACES that may be records. A link is no place."""
    entries = list[os.DirEntry[str]]()
    if _is_there(folder, place):
        with contextlib.suppress(OSError), os.scandir(f"{folder}/{place}") as found:
            entries += found
    for entry in entries:
        with contextlib.suppress(OSError):  # gone meanwhile
            if entry.name.endswith(".md") and not entry.name.startswith("."):
                name = entry.name.encode("utf-8", "backslashreplace").decode()
                file = _file(f"{place}/{name}", entry.stat(follow_symlinks=False))
                yield file if name == entry.name else file._replace(mark=0)


def _file(name: str, info: os.stat_result) -> RecordFile:
    return RecordFile(name, mark_of(info) if stat.S_ISREG(info.st_mode) else 0, info.st_size)


def _is_there(folder: str, place: str) -> bool:
    """Whether this folder of records is there, and not behind a link."""
    above, name = os.path.split(f"{folder}/{place}")
    return is_real(folder) and bool(real_within(above, [name]))


def dates(folder: str) -> list[str]:
    """When each of the memory's folders was last added to or removed from, nanoseconds; 0 for none, or one that is shut
    to us.
    """
    found = ["0"] * len(PLACES)
    for number, place in enumerate(PLACES):
        with contextlib.suppress(OSError):
            when = os.stat(f"{folder}/{place}").st_mtime_ns
            found[number] = str(when if os.access(f"{folder}/{place}", os.R_OK | os.X_OK) else 0)
    return found


def shut(folder: str) -> list[Problem]:
    """The memory's folders that are there, for all that we can see, and may not be looked into."""
    found = list[str]()
    for path in (folder, *(f"{folder}/{place}" for place in PLACES)):
        try:
            is_shut = stat.S_ISDIR(os.lstat(path).st_mode) and not os.access(path, os.R_OK | os.X_OK)
        except OSError as error:  # one above may be
            is_shut = isinstance(error, PermissionError)
        if is_shut and folder not in found:
            found.append(path)
    return [Problem(path, "it may not be read by you", SHUT) for path in found]


def mark_of(info: os.stat_result) -> int:
    """By which a file is known to be as it was: inode, time of change and size in one number, never 0."""
    return (info.st_ctime_ns ^ (info.st_ino << 40) ^ (info.st_size << 20)) & (1 << 47) - 1 | 1


def is_as_it_was(path: str, mark: int) -> bool:
    """Whether the file still has this mark."""
    try:
        return mark_of(os.lstat(path)) == mark
    except OSError:
        return False


def known(path: str) -> Record | None:
    """The record of a file; None where there is none that can be read."""
    try:
        return read(path, is_plain(path))
    except BadInput:
        return None


def is_of(path: str, ids: Container[str], broken: bool) -> bool:
    """Whether a file's record is one of these; broken: what nobody can read there is, too."""
    found = known(path)
    return found.id in ids if found else broken and is_plain(path)


def leftovers(folder: str) -> Iterator[str]:
    """Paths of the temporary files that writers have in the memory's own folders."""
    places = [folder, cache_of(folder)]
    for _ in range(3):  # ours go no deeper, and a clone's might without end
        there = ((place, name) for place in filter(is_real, places) for name in names_in(place))
        others = [f"{place}/{name}" for place, name in there if not name.endswith(".md")]
        yield from (path for path in others if path.endswith(".tmp") and is_plain(path))
        places = others


def drop_leftovers(folder: str, names: Collection[str]) -> None:
    """Remove those that name one of these records: their writer was killed, or writes them in vain."""
    for path in leftovers(folder):
        text = read_bytes(path)
        if any(name.encode() in text for name in names):
            with contextlib.suppress(FileNotFoundError):  # its writer was faster
                os.unlink(path)


def create(folder: str, record: Record) -> tuple[str, Record | None]:
    """(path, record as stored); None for one whose file is there already. Raises OSError."""
    make_cache(folder)
    place, ending = real_folder(f"{folder}/{FOLDERS[record.kind]}"), f"-{record.id[:8]}.md"
    shared = [f"{folder}/{one}/{FOLDERS[record.kind]}" for one in real_within(folder, [SHARED])]
    names = {there: names_in(there) for there in (place, *shared)}
    alike = (f"{there}/{name}" for there in names for name in names[there] if name.endswith(ending))
    there = next((path for path in alike if (one := known(path)) and one.id == record.id), "")
    if there:
        return there, None
    if record.kind == "decision":
        code = record.code or _number(record.time[:10], itertools.chain(*names.values()), folder)
        record = record._replace(code=code)
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


def _number(day: str, names: Iterable[str], folder: str) -> str:
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


def keys(record: Record) -> Iterator[str]:
    """By which a record is known again: its words; of one in use also what shows it, its title."""
    if record.extra.get(WAS):
        yield f"was {record.extra[WAS]}"
    if record.kind == "state":
        return
    yield f"said {key(record)}"
    if is_set_aside(record):
        return
    said = first(record.kind, record.content)
    if shown := record.content.get("reproduction_steps"):
        yield f"{record.kind} shown by {shown}"
    if record.kind == "issue" and not is_resolved(record):
        yield from (f"open {sign}" for sign in signs([str(shown or "")[:160]], [said[:160]]))
    if record.kind == "decision":
        yield f"title {record.title.casefold()}"


def signs(commands: Iterable[str], texts: Iterable[str]) -> set[str]:
    """By which an open issue and the work that resolves it are brought together: kinds of commands, numbers.

    commands: by which it is shown, or that were run; texts: what it says first, or what names what was done.
    """
    numbers = (re.findall(r"(?<![A-Z])[A-Z]++-\d+", one) for one in texts)
    begun = (one.partition(" ")[0] for command in commands for one in programs(command))
    return set(begun).union(*numbers)


def number_of(text: str) -> int:
    """By which the tables know one of the `keys`."""
    return int(fingerprint(text.encode("utf-8", "replace"))[:8], 16)


def blob_of(name: str) -> bytes:
    """An id as the tables have it; nothing for what is none."""
    with contextlib.suppress(ValueError):
        return bytes.fromhex(name.replace("-", ""))
    return b""


def listed_ids(ids: Sequence[str]) -> Iterator[tuple[str, str]]:
    """For some of these ids after the other, in SQL: (what holds of their rows, as it is indexed; a list of them)"""
    for start in range(0, len(ids), 400):
        some = [blob_of(name).hex() for name in ids[start : start + 400]]
        begins, whole = (",".join(f"x'{one[:most]}'" for one in some) for most in (8, 32))
        yield f"substr(id, 1, 4) IN ({begins}) AND id IN ({whole})", whole


def id_of(blob: bytes) -> str:
    """The id as records have it."""
    digits = blob.hex()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def when_of(time: str) -> int | str:
    """A time as the tables have it: epoch seconds, or ""."""
    return int(seconds(time)) if time else ""


def middle(name: str, one: Record) -> str:
    """A file's name as the tables have it: of one as `file_name` gives it, without what the row says besides."""
    start, end = f"{iso(float(when_of(one.time)))[:10]}-", f"-{one.id[:8]}.md"
    found = name[len(start) : -len(end)]
    return found if f"{start}{found}{end}" == name and found and not found.endswith(".md") else name


def columns(name: str, one: Record) -> dict[str, object]:
    """The row of a record in a file of this name; what is not asked of its kind is left out."""
    is_open = not is_set_aside(one) and not is_resolved(one)
    is_judged = is_open and (one.kind == "state" or (one.kind == "decision" and RULE in one.tags))
    row: dict[str, object] = {
        "name": middle(name, one),
        "id": blob_of(one.id),
        "code": one.code,
        "kind": KINDS.index(one.kind),
        "time": when_of(one.time),
        "importance": one.importance,
        "tags": "".join(map(tagged, one.tags)),
        "archived": int(is_set_aside(one)),
        "holds": int(is_open),
        "since": when_of(one.archived),
        "expires": when_of(one.expires),
        "grave": SEVERITIES.index(one.content["severity"]) + 4 * is_resolved(one) if one.kind == "issue" else None,
        "trust": one.trust if is_judged else None,
        "wording": bytes.fromhex(wording(one)) if is_judged else None,
        "holder": blob_of(one.superseded_by) if one.superseded_by else None,
        "parent": blob_of(one.parent) if one.parent else None,
        "erase": 1 if one.delete else None,
        "against": "\n".join(unsettled(one)) or None,
    }
    return row
