"""The files of a memory: what is added is there once and whole, what is changed or forgotten is so everywhere."""

import gc
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from holdfast.errors import BadInput
from holdfast.memory import location, search, session_page, store
from holdfast.memory.files import create, drop_leftovers, leftovers
from holdfast.memory.location import Name
from holdfast.memory.markdown import parse, render
from holdfast.memory.record import saying
from holdfast.memory.store import Memory
from holdfast.session import folders
from tests.memory.memories import brought, git, record, step

HOOKS = str(Path(__file__).resolve().parents[2] / "hooks")
WHEN = "2026-11-05T00:00:00Z"


@pytest.fixture
def empty(tmp_path: Path) -> str:
    location.make_cache(str(tmp_path / "memory"))
    return str(tmp_path / "memory")


def files(memory: Memory) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path(memory.folder).glob("*s/*.md")}


def test_another_thread_may_let_go_of_the_memory(empty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    told, held = list[object](), list[object]()
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    opens = threading.Thread(target=lambda: held.append(Memory(empty).catalogue()))
    opens.start()
    opens.join()
    held.clear()
    gc.collect()
    assert told == []


def test_added_records_are_all_there(memory: Memory) -> None:
    """Oldest first, a file each, private; found by id, its beginning, and code."""
    for number, kind in enumerate(("decision", "issue", "state", "learning")):
        path = memory.add(record(kind, number, time=f"2026-11-0{9 - number}T00:00:00Z")).path
        assert path.startswith(f"{memory.folder}/{kind}s/")
        assert os.stat(path).st_mode & 0o777 == 0o600
    assert [one.kind for one in memory.all()] == ["learning", "state", "issue", "decision"]
    assert memory.scan().problems == []
    one = record("decision", 0)
    for key in (one.id, one.id[:8], one.id[:13].upper(), "DEC-2026-11-09-001", "dec-2026-11-09-001"):
        assert memory.get(key).id == one.id


def test_secrets_are_taken_out_whenever_something_is_written(memory: Memory) -> None:
    path = memory.add(record("learning", title="password=hunter2")).path
    assert "hunter2" not in Path(path).read_text()
    memory.update(memory.get("00000000")._replace(title="Now password=hunter2"))
    assert 'title: "Now password=[redacted: password]"' in Path(path).read_text()


def test_adding_one_touches_no_other(memory: Memory) -> None:
    for number in range(5):
        memory.add(record("learning", number))
    before = {path: (data, os.stat(path).st_mtime_ns) for path, data in files(memory).items()}
    memory.add(record("learning", 9))
    after = {path: (data, os.stat(path).st_mtime_ns) for path, data in files(memory).items() if path in before}
    assert after == before


def test_archive_supersede_update(memory: Memory) -> None:
    """Since when, by which; a second time changes nothing."""
    for number in (1, 2, 3):
        memory.add(record("decision", number))
    memory.supersede("00000001", "DEC-2026-11-04-002", WHEN)
    memory.archive("00000003", WHEN)
    memory.archive("00000003", "2027-01-01T00:00:00Z")
    old = memory.get("00000001")
    assert (old.archived, old.superseded_by) == (WHEN, record("decision", 2).id)
    assert memory.get("00000003").archived == WHEN
    assert memory.get("00000002").archived == ""
    with pytest.raises(BadInput, match="cannot supersede itself"):
        memory.supersede("00000002", "DEC-2026-11-04-002", WHEN)
    with pytest.raises(BadInput, match="it is superseded by 00000002 itself"):
        memory.supersede("00000002", "00000001", WHEN)
    with pytest.raises(BadInput, match="there is no record"):
        memory.update(record("issue", 7))


def test_a_forgotten_record_is_nowhere(memory: Memory) -> None:
    """File, copies, references, pages, counts, cache: no file under the memory knows it."""
    for number in (1, 2, 3):
        memory.add(record("decision", number, content={"decision": f"Take swordfish{number}"}))
    memory.supersede("00000002", "00000001", WHEN)
    gone = memory.get("00000001")
    Path(memory.folder, "decisions", "copy.md").write_text(Path(memory.find(gone.id).path).read_text())
    Path(memory.folder, "sessions").mkdir()
    Path(memory.folder, "sessions", "s.md").write_text(f"- swordfish1 ({gone.code})\n- other\n")
    Path(memory.cache, "start.json").write_text("swordfish1")
    memory.used([gone.id], 1_000)
    memory.scan()
    assert len(memory.forget([gone.id])) == 2
    left = b"".join(path.read_bytes() for path in Path(memory.folder).rglob("*") if path.is_file())
    assert b"swordfish1" not in left
    assert gone.id.encode() not in left
    assert b"swordfish2" in left
    assert memory.get("00000002").superseded_by == ""
    assert memory.forget([gone.id]) == []
    assert memory.forget([]) == []


def test_a_plan_is_carried_out_and_logged_first(memory: Memory) -> None:
    """What is gone meanwhile is passed over; the log says which rule, and nothing of the text."""
    for number in (1, 2):
        memory.add(record("learning", number))
    one, two, missing = (record("learning", number) for number in (1, 2, 3))
    steps = [step("archive", one, "rule a"), step("archive", missing, "rule a"), step("delete", two, "rule b")]
    for _ in range(2):
        memory.carry_out(steps, WHEN)
        assert [(one.id, one.archived) for one in memory.all()] == [(record("learning", 1).id, WHEN)]
    assert not Path(memory.cache, Name.FORGOTTEN).exists()
    log = Path(os.path.dirname(memory.folder), "logs", "memory.log").read_text().splitlines()
    assert log[:3] == [f"{WHEN} {one.verb} {one.id} {one.rule}" for one in steps]


def test_a_file_changed_since_it_was_read_is_read_again(memory: Memory) -> None:
    """A plan does not undo what a person wrote meanwhile; a file broken meanwhile is left alone."""
    paths = [Path(memory.add(record("learning", number)).path) for number in (1, 2)]
    found = memory.scan()
    paths[0].write_text(paths[0].read_text().replace("importance: 5", "importance: 9"))
    paths[1].write_text("---\ntorn")
    memory.carry_out([step("archive", one.record) for one in found.records.values()], WHEN)
    assert (memory.get("00000001").importance, memory.get("00000001").archived) == (9, WHEN)
    assert paths[1].read_text() == "---\ntorn"


WRITER = """
import os, sys, uuid
sys.path.insert(0, sys.argv[1])
from holdfast.memory.record import check
from holdfast.memory.store import Memory
memory = Memory(sys.argv[2])
kinds = {"decision": "decision", "learning": "lesson"}
while True:
    for kind, first in kinds.items():
        name = str(uuid.uuid4())
        memory.add(check({"id": name, "kind": kind, "time": "2026-11-04T14:32:00Z", "title": "One of many",
                          "content": {first: "text " * 50}}))
        os.write(1, f"{name}\\n".encode())
"""


def test_eight_writers_that_are_killed_lose_and_double_nothing(memory: Memory) -> None:
    """What was acknowledged is there once and whole; each decision has a code of its own; no half file stands."""
    command = [sys.executable, "-c", WRITER, HOOKS, memory.folder]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(8)]
    told: list[bytes] = []
    for number, process in enumerate(running):
        assert process.stdout
        told += [process.stdout.readline() for _ in range(6 + number)]
        process.send_signal(signal.SIGKILL)
    for process in running:
        told += process.communicate()[0].splitlines(keepends=True)
    names = [line.decode().strip() for line in told if line.endswith(b"\n")]
    found = memory.scan()
    assert found.problems == []
    assert len(names) == len(set(names)) >= 8 * 6
    assert set(names) <= set(found.records)
    assert len(found.records) <= len(names) + 8
    codes = [one.record.code for one in found.records.values() if one.record.kind == "decision"]
    assert len(codes) == len(set(codes))
    assert all(parse(data.decode()).title == "One of many" for data in files(memory).values())


@pytest.mark.parametrize(
    "brought", ["", "*\n!.gitignore\n!config.json\n!memory/\n!memory/**\n"], ids=["", "an older one"]
)
@pytest.mark.parametrize("within", ["", "!*\n"], ids=["", "and one of the memory's"])
def test_git_sees_nothing_of_the_memory(brought: str, within: str, tmp_path: Path) -> None:
    """Whatever git was told to ignore by an earlier version or a clone, and where no session has run yet."""
    state = tmp_path / ".claude" / "holdfast"
    git(tmp_path, "init", "-q")
    for path, text in ((state, brought), (state / "memory", within)):
        path.mkdir(parents=True, exist_ok=True)
        if text:
            (path / ".gitignore").write_text(text)
    memory = Memory(str(state / "memory"))
    memory.add(one := record("decision"))
    memory.used([one.id], 1_000)
    memory.carry_out([step("archive", one)], WHEN)
    git(tmp_path, "add", "-A")
    listed = subprocess.run(["git", "ls-files"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert [one for one in listed.split() if not one.endswith("holdfast/.gitignore")] == []
    assert (state / "logs" / "memory.log").exists()


def test_records_in_a_folder_that_is_a_link_are_not_ours(memory: Memory, tmp_path: Path) -> None:
    other = Memory(str(tmp_path / "other"))
    other.add(record("learning", 1))
    os.makedirs(memory.folder)
    Path(memory.folder, "learnings").symlink_to(Path(other.folder, "learnings"))
    assert memory.all() == []
    with pytest.raises(BadInput):
        memory.get("00000001")
    with pytest.raises(OSError, match="a link or a file stands"):
        memory.add(record("learning", 2))
    assert len(other.all()) == 1


def test_two_that_forget_at_once_both_succeed(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    path = memory.add(one := record("learning", 1)).path
    Path(memory.cache, Name.START).write_text("x")
    Path(memory.folder, "learnings", "x.md.1.2.tmp").write_text(one.id)
    remove = os.unlink

    def after_another(path: str) -> None:
        remove(path)
        remove(path)

    monkeypatch.setattr(os, "unlink", after_another)
    assert memory.forget([one.id]) == [path]
    monkeypatch.undo()
    assert sorted(os.listdir(f"{memory.folder}/learnings")) == []
    assert saying(one) in memory.forgotten()


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Adopt PostgreSQL over MongoDB!", "2026-11-04-adopt-postgresql-over-mongodb-00000000.md"),
        ("../../etc/passwd\x00", "2026-11-04-etc-passwd-00000000.md"),
        ("使用数据库", "2026-11-04-00000000.md"),
        ("x" * 100, f"2026-11-04-{'x' * 40}-00000000.md"),
    ],
    ids=["words", "path", "script", "long"],
)
def test_a_file_is_named_by_day_title_and_id(title: str, name: str, empty: str) -> None:
    assert create(empty, record("learning", title=title))[0] == f"{empty}/learnings/{name}"


def test_decisions_are_numbered_by_day(empty: str) -> None:
    """Each day from 001; a code that is given stays; a removed one is not given again that day."""
    days = ["2026-11-04", "2026-11-04", "2026-11-05", "2026-11-04"]
    made: list[Any] = [create(empty, record("decision", n, time=f"{day}T10:00:00Z")) for n, day in enumerate(days)]
    codes = [f"DEC-{day}-{number}" for day, number in zip(days, ("001", "002", "001", "003"), strict=True)]
    assert [stored.code for _, stored in made] == codes
    assert made[3][0].endswith("/decisions/2026-11-04-003-adopt-postgresql-3-00000003.md")
    Path(made[3][0]).unlink()
    given = "DEC-2026-11-04-020"
    later: list[Any] = [create(empty, record("decision", 8 + n, code=code)) for n, code in enumerate((given, ""))]
    assert [stored.code for _, stored in later] == [given, "DEC-2026-11-04-021"]


@pytest.mark.parametrize("kind", ["decision", "learning"])
def test_what_is_there_already_stays_as_it_is(kind: str, empty: str) -> None:
    path, stored = create(empty, record(kind, 1))
    assert stored
    before = Path(path).read_text()
    assert create(empty, record(kind, 1, importance=9)) == (path, None)
    assert Path(path).read_text() == before
    assert len(list(Path(path).parent.iterdir())) == 1
    assert not list(Path(empty, ".cache").glob("*.tmp"))


@pytest.fixture
def there(tmp_path: Path) -> Path:
    for number, kind in enumerate(("decision", "issue")):
        place = tmp_path / "memory" / f"{kind}s"
        place.mkdir(parents=True)
        (place / f"{kind}.md").write_text(render(record(kind, number, colour=["red"])))
    return tmp_path / "memory"


@pytest.mark.parametrize("damage", ["empty", "garbage", "half", "pages", "mark"])
def test_the_catalogue_may_be_damaged_or_thrown_away(there: Path, damage: str) -> None:
    """The files are the source: whoever opens it next has it again, and what was written here stays ours."""
    for number in range(3, 40):
        Memory(str(there)).add(record("learning", number, trust="trusted"))
    memory = Memory(str(there))
    search.search([memory], search.MemoryQuery("PostgreSQL", 5), 1_800_000_000.0)
    before = memory.scan()
    path = Path(memory.cache, Name.CATALOGUE)
    if damage == "mark":
        memory.known().mark = "[1"
    del memory
    data = path.read_bytes()
    torn = {"empty": b"", "garbage": b"garbage", "half": data[: len(data) // 2], "pages": data[:4_200] + b"x" * 40_000}
    if damage in torn:
        path.write_bytes(torn[damage])
    assert Memory(str(there)).scan() == before
    assert {one.trust for one in Memory(str(there)).in_use(0) if one.kind == "learning"} == {"trusted"}
    found = search.search([Memory(str(there))], search.MemoryQuery("PostgreSQL", 5), 1_800_000_000.0)
    assert len(found.best) == 5


def test_what_is_no_record_is_reported_and_left(there: Path, tmp_path: Path) -> None:
    """Torn, foreign, binary, a link, a pipe, a there, too large: path, what, what to do."""
    place = there / "decisions"
    whole = (place / "decision.md").read_text()
    (tmp_path / "secret.txt").write_text(render(record("decision", 7)))
    written = {
        "torn.md": (whole[:60].encode(), "line 4"),
        "foreign.md": (b"# Notes\n", "line 1"),
        "binary.md": (b"---\n\xff", "byte 4"),
        "empty.md": (b"", "line 1"),
        "large.md": (whole.encode() + b"x" * 256_000, "it"),
    }
    for name, (data, _) in written.items():
        (place / name).write_bytes(data)
    (place / "link.md").symlink_to(tmp_path / "secret.txt")
    (place / "there.md").mkdir()
    os.mkfifo(place / "pipe.md")
    (place / "notes.txt").write_text("ignored")
    (place / ".hidden.md").write_text("ignored")
    before = sorted(path.name for path in place.iterdir())
    for _ in range(2):
        found = Memory(str(there)).scan()
        assert len(found.records) == 2
        told = {os.path.basename(problem.path): problem.what for problem in found.problems}
        expected = {name: what for name, (_, what) in written.items()}
        expected |= dict.fromkeys(("link.md", "there.md", "pipe.md"), "it")
        assert {name: what.split(":")[0].split(" is ")[0][:24] for name, what in told.items()} == expected
        assert all(problem.todo for problem in found.problems)
    assert sorted(path.name for path in place.iterdir()) == before


def test_doubles_are_reported_and_both_stay(there: Path) -> None:
    place = there / "decisions"
    (place / "copy.md").write_text((place / "decision.md").read_text())
    for number in (4, 5):
        (place / f"{number}.md").write_text(render(record("decision", number, code="DEC-2026-11-04-001")))
    found = Memory(str(there)).scan()
    assert [(os.path.basename(problem.path), problem.what) for problem in found.problems] == [
        ("decision.md", f"id: it has the id of {place / 'copy.md'}"),
        ("5.md", f"DEC-2026-11-04-001 is also the code of {place / '4.md'}"),
    ]
    assert len(found.records) == 4


ID = "1a2b3c4d-1111-4111-8111-111111111111"


LONG = "Never deploy the zanzibarian cluster on a Friday, nor on the day before a day on which nobody is at work"
PAGE = f"""# Session s1
- agents: main, Explore
- asked for: Mind the tests. Never push to main. Then rest
- asked for: explain why we never push to main, and to whom it matters
- branch: main
- main
- the main thing
- asked for: * **Rule:** {LONG}. Go on
- asked for: Look at it: „{LONG}“
- asked for: 修复它。永远不要部署。谢谢
- asked for: {"look " * 50}and: {LONG[:40]}…
- gone ({ID})
- gone [1a2b3c4d]
- gone DEC-2026-11-04-001
- kept x1a2b3c4d
- kept DEC-2026-11-04-0010
"""


@pytest.mark.parametrize(
    ("names", "titles", "gone"),
    [
        ((), (), []),
        ((), ("push to main",), []),
        ((), ("explain why we never push to main",), [3]),
        ((), ("main",), [5]),
        ((), ("the", "session"), []),
        ((), ("Never push to main.",), [2]),
        ((), (LONG,), [7, 8, 10]),
        ((), ("永远不要部署。",), [9]),
        (("1a2b3c4d", "DEC-2026-11-04-001"), (), [11, 12, 13]),
    ],
)
def test_what_leaves_a_page(names: tuple[str, ...], titles: tuple[str, ...], gone: list[int]) -> None:
    """Lines that name a record, or say a title: as the line, or as one of its sentences; not among other words."""
    left = session_page.without(PAGE, names, titles).splitlines()
    assert [at for at, line in enumerate(PAGE.splitlines()) if line not in left] == gone


@pytest.mark.parametrize(
    ("asked", "title", "left"),
    [
        ("Move the cache to Redis and test Redis", "Redis", "Move the cache to Redis and test Redis"),
        ("Mend reconnect_after_timeout", "reconnect_after_timeout", "Mend reconnect_after_timeout"),
        ("Then go on with it", "go on", "Then go on with it"),
        ("Mind the docs. Never push to main.", "Never push to main", "Mind the docs. \u2026."),
        ("Mind the docs. Never push to\u2026", "Never push to main", "Mind the docs. \u2026"),
        ("修复它。永远不要部署。谢谢", "永远不要部署。", "修复它。\u2026。谢谢"),
        ("Bitte die Überprüfung fertig machen", "Überprüfung", "Bitte die Überprüfung fertig machen"),
        ("Потом иди дальше", "иди дальше", "Потом иди дальше"),
        ("Закончи рефакторинг. Никогда не пушь в main.", "рефакторинг", "Закончи рефакторинг. Никогда не пушь в main."),
        ("Закончи рефакторинг. Никогда не пушь в main.", "Никогда не пушь в main", "Закончи рефакторинг. \u2026."),
        ("修复它。部署。谢谢", "部署", "修复它。部署。谢谢"),
        ("修复它。Redis 用。谢谢", "Redis 用", "修复它。Redis 用。谢谢"),
    ],
)
def test_what_leaves_a_state(asked: str, title: str, left: str) -> None:
    """The forgotten text, whole or cut; no word that may stand in any request."""
    state = record("state", title=asked)
    assert session_page.unsaid(state, {title}).title == left


@pytest.mark.parametrize("noted", [[""], ["", "text", "00000000\nx"]])
def test_a_page_is_unedited_that_we_cut_or_noted_no_text_of(memory: Memory, noted: list[str]) -> None:
    memory.add(one := record())
    (page := Path(memory.folder, "sessions/p.md")).parent.mkdir()
    page.write_text(noted[-1] or "x")
    location.note(memory.folder, "written.log", [session_page.mark_of("p.md", text) for text in noted])
    memory.forget([one.id])
    session_page.keep(str(page), "z", memory.written())
    assert page.read_text() == "z"


def test_a_clones_title_takes_no_line_of_the_users(memory: Memory) -> None:
    theirs, own = record("learning", 1, title="go on"), record("learning", 2, title="rest now")
    memory.add(own)
    brought(memory.folder, theirs)
    page = Path(memory.folder, "sessions", "s1.md")
    page.parent.mkdir()
    page.write_text(f"- go on\n- rest now\n- {theirs.id[:8]}: go on\n- kept\n")
    memory.forget([theirs.id, own.id])
    assert page.read_text() == "- go on\n- kept\n"


def test_nothing_is_followed_out_of_the_memory(tmp_path: Path) -> None:
    """Neither a cache nor a folder nor a page that is a link; a device in a page's place is not read."""
    memory, out = tmp_path / "memory", tmp_path / "out"
    memory.mkdir()
    out.mkdir()
    names = ("start.json", "page.md")
    for name in names:
        (out / name).write_text(f"- {ID}\n")
    (memory / ".cache").symlink_to(out)
    (memory / "sessions").symlink_to(out)
    (memory / "page.md").symlink_to(out / "page.md")
    (memory / "zero.md").symlink_to("/dev/zero")
    os.mkfifo(memory / "pipe.md")
    there = Memory(str(memory))
    there.forget([there.add(record("learning")).record.id])
    store.drop_compiled(Memory(str(memory)).catalogue(), True)
    drop_leftovers(str(memory), {ID})
    assert {path.name: path.read_text() for path in out.iterdir()} == dict.fromkeys(names, f"- {ID}\n")


def test_folders_deeper_than_calls_go(memory: Memory) -> None:
    """A clone may bring them: what maintenance looks for is found all the same, and whoever removes them can."""
    memory.add(record("learning"))
    deep = f"{memory.folder}/learnings"
    Path(deep, "x.tmp").touch()
    for _ in range(1_100):
        os.mkdir(deep := f"{deep}/d")
    assert list(leftovers(memory.folder)) == [f"{memory.folder}/learnings/x.tmp"]
    assert folders.remove(memory.folder) > 1
    assert not os.path.exists(memory.folder)


def test_the_log_of_maintenance_is_not_written_through_a_link(memory: Memory, tmp_path: Path) -> None:
    """A clone may bring one in the logs' place; without the log nothing is done."""
    memory.add(one := record("learning"))
    (tmp_path / "outside").mkdir()
    Path(os.path.dirname(memory.folder), "logs").symlink_to(tmp_path / "outside")
    with pytest.raises(OSError, match="a link or a file stands"):
        memory.carry_out([step("archive", one)], WHEN)
    assert list((tmp_path / "outside").iterdir()) == []
    assert not memory.get(one.id).archived


def test_two_decisions_whose_ids_begin_alike_are_both_kept(empty: str) -> None:
    first, second = (record("decision", 1, id=f"00000001-0000-4000-8000-00000000000{end}") for end in "ab")
    assert create(empty, first)[1] is not None
    assert create(empty, second)[1] is not None
    assert len(list(Path(empty, "decisions").iterdir())) == 2


@pytest.mark.parametrize(
    "name", ["x.md", "2026-11-04-x.md-00000001.md", "2026-11-04-00000001.md", "2026-11-05-x-00000001.md", "-x-.md"]
)
@pytest.mark.parametrize("time", ["2026-11-04T14:32:00Z", "2026-11-04T23:59:59.5-02:00", "1969-12-31T23:59:59.5Z"])
def test_a_file_of_any_name_is_found(memory: Memory, name: str, time: str) -> None:
    """The catalogue leaves out what it can tell of a name, and tells it whole."""
    stored = memory.add(record("learning", 1, time=time))
    for path in (stored.path, f"{os.path.dirname(stored.path)}/{name}"):
        os.rename(memory.find(stored.record.id).path, path)
        assert Memory(memory.folder).find(stored.record.id).path == path
        assert memory.catalogue().paths() == {stored.record.id: path}
