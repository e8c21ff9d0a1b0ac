import os
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from holdfast.errors import BadInput, Fault
from holdfast.search.facts import TextFacts, Where
from holdfast.search.index import Record, SearchIndex
from holdfast.search.sqlite import Among, IndexedText

ANY = Where(archived=None)


def note(name: str, text: str = "tea") -> Record:
    return name, "", text, ""


def filled(path: Path, *names: str) -> Path:
    """An index with these texts, closed."""
    with SearchIndex.open(path) as index:
        index.add_many(map(note, names))
    return path


def held(path: Path) -> int:
    """How many texts stand in the file."""
    with SearchIndex.open(path) as index:
        return index.count()


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SearchIndex]:
    with SearchIndex.open(tmp_path / "index") as made:
        yield made


def test_it_is_private_and_stays(tmp_path: Path) -> None:
    """In a folder that is made for it; what was added is there when it is opened again."""
    path = filled(tmp_path / "made" / "index", "a", "b")
    assert path.stat().st_mode & 0o777 == 0o600
    with SearchIndex.open(path) as index:
        assert (index.count(), index.fresh) == (2, False)


def test_rows_come_back_in_the_order_asked_for(index: SearchIndex) -> None:
    """As they were; numbers that are not there are left out."""
    about = TextFacts("issue", 7, 2, ("t", "u"), True, "2027", "here")
    assert index.add_many([("a", "", "x", "2026"), note("b")], {"a": about}) == 2
    newest = Among(index, ANY).newest(5)
    rows = [IndexedText("a", "2026", "  \n  \n x ", about), IndexedText("b", "", "  \n  \n tea ")]
    assert index.rows([*reversed(newest), 999]) == rows
    assert index.rows(newest) == rows[::-1]


def test_holders_of_a_word_come_the_newest_first(index: SearchIndex) -> None:
    """At most so many, and with one of the others."""
    index.add_many([note("a", "tea milk"), note("b"), note("c", "tea sugar"), note("d", "milk")])
    names = {number: index.rows([number])[0].id for number in Among(index, ANY).newest(9)}
    assert [names[number] for number in Among(index, ANY).holding("tea", 2)] == ["c", "b"]
    assert [names[number] for number in Among(index, ANY).holding("tea", 9, ["milk", "sugar"])] == ["c", "a"]
    assert index.having(["tea", "milk", "salt"]) == {"tea": 3, "milk": 2, "salt": 0}


def test_what_is_removed_is_nowhere_in_the_file(index: SearchIndex, tmp_path: Path) -> None:
    """Neither in the text, nor in the full-text table, nor in the log."""
    index.add_many([note("a", "xylophonequartz"), *(note(f"{i}", f"tea{i}") for i in range(50))])
    files = [tmp_path / "index", tmp_path / "index-wal"]
    assert any(b"xylophone" in file.read_bytes() for file in files if file.exists())
    assert index.remove(["a", "unknown"]) == 1
    assert not any(b"xylophone" in file.read_bytes() for file in files if file.exists())
    assert Among(index, ANY).holding("xylophonequartz", 9) == []
    assert index.remove([]) == 0


def test_a_file_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    """Text, half a header, and a database of SQLite's that is not ours: the bytes stay."""
    path = tmp_path / "index"
    other = sqlite3.connect(tmp_path / "other")
    other.execute("CREATE TABLE texts(n)")
    other.commit()
    other.close()
    for data in (b"my notes\n" * 400, b"SQLite format 3\x00", (tmp_path / "other").read_bytes()):
        path.write_bytes(data)
        with pytest.raises(BadInput, match="is not a search index"):
            SearchIndex.open(path)
        assert path.read_bytes() == data


@pytest.mark.parametrize("keep", [100, 5_000], ids=str)
def test_a_torn_file_of_ours_is_made_anew(tmp_path: Path, keep: int) -> None:
    path = filled(tmp_path / "index", *(f"id{i}" for i in range(300)))
    with path.open("r+b") as file:
        file.truncate(keep)
    with SearchIndex.open(path) as index:
        assert (index.fresh, index.count()) == (True, 0)
        index.add_many([note("a")])
    assert held(path) == 1


@pytest.mark.parametrize("damage", ["PRAGMA user_version = 99", "DROP TABLE words_data", "DROP TABLE frequencies"])
def test_another_version_is_emptied(tmp_path: Path, damage: str) -> None:
    path = filled(tmp_path / "index", "a")
    other = sqlite3.connect(path)
    other.execute("PRAGMA writable_schema = ON")
    try:
        other.execute(damage)
    except sqlite3.OperationalError:  # shadow tables are guarded by newer versions
        other.execute("DELETE FROM sqlite_master WHERE name = 'words_data'")
    other.commit()
    other.close()
    with SearchIndex.open(path) as index:
        assert (index.fresh, index.count()) == (True, 0)
        index.add_many([note("a")])
        assert len(Among(index, ANY).holding("tea", 9)) == 1


def test_a_wrong_use_is_no_damage(tmp_path: Path) -> None:
    path = filled(tmp_path / "index", "a")
    with SearchIndex.open(path) as closed:
        pass
    with pytest.raises(Fault, match="until it is closed"):
        closed.search("tea")
    with SearchIndex.open(path) as index, ThreadPoolExecutor() as other, pytest.raises(Fault, match="in the thread"):
        other.submit(index.search, "tea").result()
    assert [index.is_damaged, closed.is_damaged] == [False, False]
    assert held(path) == 1


def test_damage_found_later_says_what_to_do(tmp_path: Path) -> None:
    path = filled(tmp_path / "index", *(f"id{i}" for i in range(3_000)))
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4_096 * 8)
        file.write(b"\xff" * (size - 4_096 * 8))
    with SearchIndex.open(path) as index, pytest.raises(Fault, match="Delete it; it is made again"):
        index.rows(range(3_000))


WRITER = """
import sys
from holdfast.search.index import SearchIndex
path, name = sys.argv[1:]
with SearchIndex.open(path) as index:
    for i in range(25):
        index.add_many((f"{name}-{i}-{j}", "", f"tea{j}", "") for j in range(20))
        index.add_many([("shared", "", f"{name}x{i}", "")])
"""


def test_four_processes_write_and_nothing_is_lost(tmp_path: Path) -> None:
    """All begin on a file that is not there; a reader never fails meanwhile."""
    path = tmp_path / "index"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2] / "hooks")}
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), f"w{i}"], env=environment, stderr=subprocess.PIPE)
        for i in range(4)
    ]
    with SearchIndex.open(path) as index:
        while any(writer.poll() is None for writer in writers):
            numbers = Among(index, ANY).newest(50)
            assert len(index.rows(numbers)) >= len(numbers) - 1  # the shared one may have been replaced since
        assert [writer.communicate()[1].decode() for writer in writers] == [""] * 4
        assert index.count() == 4 * 25 * 20 + 1
        assert len(Among(index, ANY).holding("tea0", 999)) == 4 * 25


def test_what_is_not_asked_for_takes_no_place(index: SearchIndex) -> None:
    """Of those that are asked for there are as many as are wanted, however many newer ones stand before them."""
    archived = {f"n{i}": TextFacts(archived=True) for i in range(50)}
    index.add_many([note("a"), *(note(name, "tea milk") for name in archived)], archived)
    among = Among(index, Where())
    assert among.holding("tea", 1) == among.newest(1) == [1]
    assert among.holding("tea", 1, ["milk"]) == []
    assert len(Among(index, ANY).holding("tea", 99, ["milk"])) == 50


@pytest.mark.parametrize("version", [10, 11])
@pytest.mark.parametrize("of", ["instead", "beside"])
def test_what_a_pull_put_over_it_is_not_run(tmp_path: Path, version: int, of: str) -> None:
    """A view that never ends in the place of a table, a trigger beside them: the file is made anew."""
    path = filled(tmp_path / "index", "a")
    database = sqlite3.connect(path)
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) AS mark FROM c"
    if of == "instead":
        database.executescript(f"DROP TABLE made; CREATE VIEW made AS {endless}")
    else:
        database.executescript(f"CREATE TRIGGER more AFTER INSERT ON texts BEGIN INSERT INTO made {endless}; END")
    database.execute(f"PRAGMA user_version = {version}")
    database.close()
    assert held(path) == 0
    assert held(filled(path, "b")) == 1


@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to(path.with_name("elsewhere"))])
def test_what_a_clone_has_put_beside_it_stops_nothing_and_leads_nowhere(
    tmp_path: Path, ending: str, make: Callable[[Path], object]
) -> None:
    """A pipe, a folder, a link."""
    path, elsewhere = filled(tmp_path / "index", "a"), tmp_path / "elsewhere"
    elsewhere.write_text("the user's")
    make(Path(f"{path}{ending}"))
    assert held(filled(path, "b")) == 2
    assert elsewhere.read_text() == "the user's"


def test_a_journal_that_names_a_file_of_the_users_deletes_none(tmp_path: Path) -> None:
    """SQLite takes such a file for a journal of several databases, which has had its time."""
    path, precious = filled(tmp_path / "index", "a"), tmp_path / "precious"
    precious.write_text("the user's")
    magic, name = bytes.fromhex("d9d505f920a163d7"), str(precious).encode()
    head = magic + struct.pack(">5I", 0, 1, os.path.getsize(path) // 4096, 512, 4096)
    tail = struct.pack(">I", (1 << 30) // 4096 + 1) + name + struct.pack(">2I", len(name), sum(name)) + magic
    Path(f"{path}-journal").write_bytes(head.ljust(512, b"\0") + tail)
    assert held(filled(path, "b")) == 2
    assert precious.read_text() == "the user's"
