"""Where the memory of a project is, and what this machine alone knows of it: the cache.

All worktrees of a repository have the memory of its main checkout; in a state folder that HOLDFAST_DIR names each
project has its own. A clone may bring a memory, a link in the place of a folder, or a `.cache` of its own: nothing is
written or removed through a link, and a cache counts only where it was made on this machine (hot/provenance.py).
"""

import contextlib
import os
import time
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple, Self

from holdfast.checkpoint import git
from holdfast.hot import jsonc
from holdfast.hot.files import Lock, append, kind_of, names_in, read_bytes, read_from, read_text, write_atomic
from holdfast.hot.fingerprint import fingerprint
from holdfast.hot.paths import InState, is_whole, project_folder, state_folder
from holdfast.hot.provenance import (
    HERE,
    IGNORE,
    OF_MEMORY,
    SHARING,
    bears,
    is_plain,
    is_real,
    mark,
    marked,
    private_folder,
    real_folder,
)
from holdfast.session.context import refuse_leading_out

CACHE, SHARED, COLLEAGUES = ".cache", "shared", "colleagues"
IN_HOME = "home"  # of work in the home itself: what is said there is not said for all projects
BACK = "back "  # and a record's id: the mark, in WRITTEN, of one that was taken out of git's sight here
ASIDE = ".foreign"
LONGEST = 1 << 30  # bytes of a log
FEW = 64  # marks that are looked for in a log before it is taken apart: each reads it through, 0.5 ms of 100,000 lines


class Name:
    """What stands in the cache. The uses have a line for each, `<id> <epoch seconds>`, or for many `<id> <the last>
    <number>`, and one that says since when they are counted: what was used before, nobody here knows.
    """

    MADE = "made"  # bears the mark of the file `here`
    CODES = "codes"  # a folder with the numbers of decisions that writers have claimed
    MAINTAINED = "maintained"  # the day of the last maintenance
    WRITTEN = "written.log"  # marks of the records that were written here, as they stand
    OWN = "own.json"  # what the user has let git see, as it was last written here: a pull may change the file
    FORGOTTEN = "forgotten.log"  # marks of what was forgotten here, so that no session brings it back
    USED = "access.log"
    CATALOGUE = "catalogue.db"
    START, WEIGHTS = "start.json", "recall.bin"  # for who cannot afford to open that: each start, each prompt
    COMPILED = (START, WEIGHTS, f"{CATALOGUE}-wal", f"{CATALOGUE}-shm", f"{CATALOGUE}-journal", CATALOGUE)
    """What is made from the records, the catalogue's log before the catalogue itself."""


def folder_of(cwd: str = "") -> str:
    """The folder of the memory of this process's project; it is not made."""
    state, name = _places(cwd)
    return f"{state}/{InState.MEMORY}/{name}" if name else f"{state}/{InState.MEMORY}"


def users_folder() -> str:
    """The folder of the memory that stands above all projects; "" where there is no home."""
    home = os.environ.get("HOME", "")
    return f"{home}/.claude/holdfast/{InState.MEMORY}" if os.path.isabs(home) else ""


def command(folder: str, said: str, program: str = "holdfast memory ") -> str:
    """What to type about the memory in this folder, --user for the user's own. program: "" where it was just said."""
    return f"`{program}{said}{' --user' * (folder == users_folder())}`"


def all_folders(cwd: str = "") -> list[str]:
    """The memories of all projects of this user: of those that the client has listed, or that share this state."""
    state, name = _places(cwd)
    if name not in ("", IN_HOME):
        return [f"{state}/{InState.MEMORY}/{one}" for one in names_in(f"{state}/{InState.MEMORY}")]
    home = os.environ.get("CLAUDE_CONFIG_DIR") or os.environ.get("HOME", "")
    known = jsonc.loads_object(read_bytes(f"{home}/.claude.json", 64_000_000, follow=True))
    places = filter(is_whole, jsonc.field(known, "projects", dict[str, object]()))
    there = (f"{one}/.claude/holdfast/{InState.MEMORY}" for one in places)
    users = users_folder()
    users_own = [users, f"{users}/{IN_HOME}"] if users else []
    found: dict[str, str] = {}
    for one in (folder_of(cwd), *users_own, *there):
        found.setdefault(os.path.realpath(one), one)  # the client may have listed it by a link, too
    return [*filter(is_real, found.values())]


def words_of(cwd: str = "") -> str:
    """The words by which a prompt calls up a memory (hot/prompt_match.py), once they are compiled."""
    return f"{cache_of(folder_of(cwd))}/{Name.WEIGHTS}"


def notes_of(cwd: str = "") -> str:
    """The folder with what is noted of the project's sessions, whichever checkout they are at work in."""
    state, name = _places(cwd)
    return f"{state}/{InState.PROJECTS}/{name}" if name else state


def let_git_see(folder: str) -> None:
    """Have git see what lies in `shared/` of this memory, and nothing else of it. Raises OSError.

    There it merges line by line and keeps both (`union`): a field that stands twice is read (markdown.py).
    """
    write_atomic(f"{folder}/.gitignore", OF_MEMORY[1])
    write_atomic(f"{real_folder(f'{folder}/{SHARED}')}/.gitattributes", "*.md merge=union\n")
    above = f"{os.path.dirname(folder)}/.gitignore"
    if read_text(above, 200) == IGNORE:
        write_atomic(above, SHARING)


def hide_from_git(folder: str) -> None:
    """Undo `let_git_see` where nothing is shared any more and git has none of it. Raises OSError."""
    shared = f"{folder}/{SHARED}"
    for name in names_in(shared) if is_real(shared) else ():  # nothing is removed through a link
        with contextlib.suppress(OSError):  # a record is in there, or it is no folder
            os.rmdir(f"{shared}/{name}")
    if not is_real(shared) or names_in(shared) != [".gitattributes"] or git.tracked(folder, [".gitignore", SHARED]):
        return
    os.unlink(f"{shared}/.gitattributes")
    os.rmdir(shared)
    write_atomic(f"{folder}/.gitignore", OF_MEMORY[0])
    above = f"{os.path.dirname(folder)}/.gitignore"
    if read_text(above, 200) == SHARING:
        write_atomic(above, IGNORE)


def log_of(folder: str) -> str:
    """The log of what maintenance does to the memory in this folder."""
    above, name = os.path.split(folder)
    if os.path.basename(above) == InState.MEMORY:  # one of many
        above = f"{os.path.dirname(above)}/{InState.PROJECTS}/{name}"
    return f"{above}/{InState.MEMORY_LOG}"


def _places(cwd: str) -> tuple[str, str]:
    """(state folder, name of the project in it; "" where it is the project's own)"""
    project = git.main_checkout(project_folder(cwd))
    own, state = f"{project}/.claude/holdfast", state_folder(cwd)
    if state in (own, f"{project_folder(cwd)}/.claude/holdfast"):
        refuse_leading_out(project, own)
        return own, IN_HOME * (os.path.realpath(f"{own}/{InState.MEMORY}") == os.path.realpath(users_folder() or "/"))
    return state, f"{os.path.basename(project) or 'root'}-{fingerprint(project.encode())}"


def cache_of(folder: str) -> str:
    """Where this machine keeps what it alone knows of the memory in this folder. It is not made.

    In the repository's own git folder, which no commit, clone, pull or cleaning reaches: a clone may track any name
    that can be foreseen, and what is tracked no ignore file hides. Without a repository in the memory.
    """
    return git.own_folder(folder) or f"{folder}/{CACHE}"


def take_over(folder: str) -> str:
    """The cache's place. One of ours in the memory, as older versions and a later `git init` leave it, moves there."""
    place, before = cache_of(folder), f"{folder}/{CACHE}"
    if place != before and is_real(before) and not is_real(place) and is_real(folder) and _bears(before):
        with contextlib.suppress(OSError):  # another process has just done so; else the records have less weight
            os.rename(before, f"{real_folder(os.path.dirname(place))}/{os.path.basename(place)}")
    return place


def make_cache(folder: str) -> str:
    """The cache's folder, made if need be and kept out of git; a foreign one is emptied first. Raises OSError."""
    place = cache_of(real_folder(folder))
    if not _bears(place):
        git.refuse_tracked(place)
        for one in (os.path.dirname(place), place):
            _set_aside(one, is_real(one))
        # Several may come first. Whoever empties it after another has noted something loses that: so it waits longer.
        with Lock(f"{real_folder(place)}/made.lock", wait=2):
            if not is_ours(folder):
                _empty(place)
                write_atomic(f"{place}/.gitignore", "*\n")
                write_atomic(f"{place}/{Name.MADE}", marked(place))
    private_folder(folder, OF_MEMORY)
    for name in names_in(folder):  # a submodule of a clone's, which the ignore file above does not reach
        if name != SHARED and kind_of(f"{folder}/{name}/.git"):
            private_folder(f"{folder}/{name}")
    return place


def is_ours(folder: str) -> bool:
    """Whether this memory's cache was made on this machine, in this place."""
    return is_real(folder) and _bears(cache_of(folder))


def _bears(place: str) -> bool:
    made = f"{place}/{Name.MADE}"
    return is_real(place) and is_plain(made) and bears(place, read_text(made, 100))


def _empty(place: str) -> None:
    """Take away what a foreign cache says, by our own names, and every link. Other files are not ours to remove, nor
    what stands in the place of one, which is set aside.
    """
    ours = {*Name.COMPILED, Name.WRITTEN, Name.OWN, Name.FORGOTTEN, Name.USED, Name.MAINTAINED, Name.MADE}
    for name in names_in(place):
        path = f"{place}/{name}"
        named = name in ours or (name == HERE and not mark(place))
        if os.path.islink(path) or (named and is_plain(path)):
            os.unlink(path)
        _set_aside(path, is_real(path) if name == Name.CODES else is_plain(path))


def _set_aside(path: str, fits: bool) -> None:
    """What only we write, and somebody else has something at."""
    if not fits and os.path.lexists(path) and not path.endswith(ASIDE):
        os.rename(path, f"{path}.{time.time_ns():x}{ASIDE}")


def drop_compiled(folder: str) -> None:
    """Throw away what was made of the records for who cannot afford the catalogue."""
    if is_real(cache := cache_of(folder)):
        for name in (Name.START, Name.WEIGHTS):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(f"{cache}/{name}")


class Marks:
    """What stands in WRITTEN or FORGOTTEN of a memory, read on where the log has grown. `mark in marks` is all that
    they tell: a line is a hash with the cache's own mark in it, which nobody elsewhere knows, so that none can be made
    there and pulled over ours. Of WRITTEN it is two, `<id>:<how it stands>`, and of one id the last counts.

    The first few are looked for in the log as it is: to take 100,000 lines apart would cost a command 50 ms.
    """

    def __init__(self, folder: str, log: str) -> None:
        """folder: of the memory; log: Name.WRITTEN or Name.FORGOTTEN."""
        self.folder, self._log, self._is_due, self._asked = folder, log, True, 0
        self._forget("")

    def _forget(self, salt: str) -> None:
        self._salt, self._size, self._end = salt, 0, b""  # bytes that were read, and the last of them
        self._whole = b"\n"  # the lines that are not taken apart yet
        self._last, self._now = dict[bytes, bytes](), set[bytes]()

    def anew(self) -> Self:
        """The same; whoever asks them next learns what was noted until then."""
        self._is_due = True
        return self

    def _follow(self) -> None:
        """Read what was added; all of it where what was read last is not there any more."""
        place = cache_of(self.folder)
        salt = mark(place) if is_real(self.folder) and _bears(place) else ""
        data = read_from(f"{place}/{self._log}", self._size - len(self._end), LONGEST) if salt else b""
        if salt != self._salt or not data.startswith(self._end):
            self._forget(salt)
            data = read_bytes(f"{place}/{self._log}", LONGEST) if salt else b""
        whole = data[len(self._end) : data.rfind(b"\n") + 1]  # what is torn is closed by the next that is noted
        self._whole += whole
        self._size, self._end, self._is_due = self._size + len(whole), (self._end + whole)[-80:], False

    def __contains__(self, mark: object) -> bool:
        if self._is_due:
            self._follow()
        line = _line(self._salt, str(mark)).encode()
        self._asked += 1
        if self._asked <= FEW:
            return self._stands(line)
        if len(self._whole) > 1:
            fresh = dict(one.partition(b":")[::2] for one in self._whole.split())
            self._now.difference_update(map(self._last.get, fresh))
            self._now.update(fresh.values())
            self._last.update(fresh)
            self._whole = b"\n"
        return line in self._now or self._last.get(line) == b""

    def stood(self, name: str) -> bool:
        """Whether the record of this id was written here and is not gone, whatever it says now."""
        self._asked = FEW  # all is taken apart
        return f"id {name}" not in self and _line(self._salt, f"id {name}").encode() in self._last

    def when(self, mark: str) -> float:
        """The epoch seconds that stand behind a mark last (`note`); 0 for none."""
        self._asked = FEW
        return 0.0 if mark in self else float(self._last.get(_line(self._salt, mark).encode(), 0))  # all is taken apart

    def _stands(self, line: bytes) -> bool:
        """Whether it stands for itself, or as the last of an id."""
        end = self._whole.find(b":%b\n" % line)
        while end >= 0:
            name = self._whole[self._whole.rfind(b"\n", 0, end) : end + 1]
            if self._whole.find(name, end) < 0:
                return True
            end = self._whole.find(b":%b\n" % line, end + 1)
        return b"\n%b\n" % line in self._whole


def _line(salt: str, mark: str) -> str:
    return fingerprint(f"{salt} {mark}".encode())


def note(folder: str, log: str, marks: Iterable[str], when: float = 0) -> None:
    """Add marks to Name.WRITTEN or Name.FORGOTTEN; when: as Marks gives it. Raises OSError."""
    told, behind = list(marks), f":{when:.0f}" if when else ""
    if told:
        place = make_cache(folder)
        salt = mark(place)
        append(f"{place}/{log}", "".join(f"{_line(salt, one)}{behind}\n" for one in told))


def note_standing(folder: str, now: Mapping[str, str]) -> None:
    """Note how these records stand: id -> `record.wording`, "" for what is gone. Raises OSError."""
    place = make_cache(folder)
    salt = mark(place)
    lines = [f"{_line(salt, f'id {name}')}:{_line(salt, one) if one else ''}\n" for name, one in now.items()]
    append(f"{place}/{Name.WRITTEN}", "".join(lines))


def own(folder: str) -> dict[str, list[str]]:
    """What the user has let git see: id -> its path within the memory, `record.wording`, the file's text."""
    return jsonc.loads_object(unsealed(folder, Name.OWN))


def keep_own(folder: str, changed: Mapping[str, list[str]]) -> None:
    """Put these in the place of what `own` has of them; [] takes one out. Raises OSError."""
    known = own(folder)
    kept = {name: one for name, one in {**known, **changed}.items() if one}
    if kept != known:
        write_atomic(f"{make_cache(folder)}/{Name.OWN}", sealed(folder, jsonc.dumps(kept)))


def seal(folder: str) -> str:
    """What a catalogue bears that was made on this machine."""
    return _line(mark(cache_of(folder)), Name.CATALOGUE)


def sealed(folder: str, text: str) -> str:
    """What this machine has compiled, with a first line that nobody elsewhere can make: a pull may bring any file."""
    return f"{_line(mark(cache_of(folder)), text)}\n{text}"


def unsealed(folder: str, name: str) -> bytes:
    """What was compiled here into this file of the cache, whole as it was written; b"" for anything else."""
    place = cache_of(folder)
    seal, _, text = read_bytes(f"{place}/{name}").partition(b"\n") if is_ours(folder) else (b"", b"", b"")
    is_whole = seal == _line(mark(place), text.decode("utf-8", "replace")).encode()
    return text if is_whole else b""


class Use(NamedTuple):
    """Of one record: number of uses, and epoch seconds of the last one."""

    times: int = 0
    last: int = 0


def note_uses(folder: str, ids: Iterable[str], now: float) -> None:
    """One use of each of these records, without a lock. A disk that refuses loses only the count."""
    lines = "".join(f"{name} {int(now)}\n" for name in ids)
    with contextlib.suppress(OSError):
        append(f"{make_cache(folder)}/{Name.USED}", lines)


class Uses(NamedTuple):
    """What is counted on this machine: by id, and since when, epoch seconds; infinity where it was never added up."""

    of: dict[str, Use]
    since: float


def uses(folder: str) -> Uses:
    """A torn line is passed over."""
    counts, since = dict[str, Use](), float("inf")
    for line in read_text(f"{cache_of(folder)}/{Name.USED}").splitlines() if is_ours(folder) else ():
        name, *numbers = line.split(" ")
        if len(numbers) in (1, 2) and all(number.isdecimal() and number.isascii() for number in numbers):
            last, *times = (jsonc.whole(number[:20]) for number in numbers)
            if name == "since":
                since = min(since, last)
                continue
            known = counts.get(name, Use())
            counts[name] = Use(known.times + (times[0] if times else 1), max(known.last, last))
    return Uses(counts, since)


def add_up(folder: str, now: float, without: Collection[str] = ()) -> None:
    """Put one line in the place of many, and forget the records in `without`. Raises OSError.

    A use that is noted in this very moment may be missed.
    """
    place = make_cache(folder)
    with Lock(f"{place}/access.lock") as held:
        if held:  # else another process is at it
            known, since = uses(folder)
            lines = (f"{name} {use.last} {use.times}\n" for name, use in known.items() if name not in without)
            write_atomic(f"{place}/{Name.USED}", f"since {int(min(since, now))}\n{''.join(lines)}")
