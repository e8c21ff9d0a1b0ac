import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.errors import BadInput
from holdfast.memory.cache import saying, wording
from holdfast.memory.markdown import parse, render
from holdfast.memory.record import Record
from holdfast.memory.shapes import ARCHIVE, DELETE, RESTORE
from holdfast.memory.store import Memory
from tests.memory.memories import record

HOOKS = str(Path(__file__).resolve().parents[2] / "hooks")
WHEN = "2026-11-05T00:00:00Z"


def same(one: Record) -> Record:
    """Nothing to take out."""
    return one


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """An empty one."""
    return Memory(str(tmp_path / "memory"), same)


def files(memory: Memory) -> dict[str, bytes]:
    """Every record's file."""
    return {str(path): path.read_bytes() for path in Path(memory.folder).glob("*s/*.md")}


def test_added_records_are_all_there(memory: Memory) -> None:
    """Oldest first, a file each, private; found by id, its beginning, and code."""
    for number, kind in enumerate(("decision", "issue", "state", "learning")):
        path = memory.add(record(kind, number, time=f"2026-11-0{9 - number}T00:00:00Z"))
        assert path.startswith(f"{memory.folder}/{kind}s/")
        assert os.stat(path).st_mode & 0o777 == 0o600
    assert [one.kind for one in memory.all()] == ["learning", "state", "issue", "decision"]
    assert memory.scan().problems == []
    one = record("decision", 0)
    for key in (one.id, one.id[:8], one.id[:13].upper(), "DEC-2026-11-09-001", "dec-2026-11-09-001"):
        assert memory.get(key).id == one.id


@pytest.mark.parametrize("key", ["", "0000", "ffffffff", "DEC-2026-11-09-002", "../x", "title"])
def test_a_record_that_is_not_there(memory: Memory, key: str) -> None:
    """Said with where to look."""
    memory.add(record("decision"))
    with pytest.raises(BadInput, match=r"there is no record .* `holdfast memory list` has all"):
        memory.get(key)


def test_a_code_that_two_have_is_not_guessed(memory: Memory) -> None:
    """As after a merge: both stay, and the id decides."""
    for number in (1, 2):
        memory.add(record("decision", number, code="DEC-2026-11-04-001"))
    with pytest.raises(BadInput, match="names 2 records"):
        memory.get("DEC-2026-11-04-001")
    assert memory.get("00000002").code == "DEC-2026-11-04-001"
    assert len(memory.scan().problems) == 1


def test_a_renamed_file_is_found(memory: Memory) -> None:
    """People may call it what they like."""
    os.rename(memory.add(record("issue", 3)), f"{memory.folder}/issues/mine.md")
    assert memory.get("00000003").kind == "issue"


def test_secrets_are_taken_out_whenever_something_is_written(tmp_path: Path) -> None:
    """The memory cannot be had without what cleans its records."""
    memory = Memory(
        str(tmp_path / "memory"), lambda one: one._replace(title=one.title.replace("hunter2", "[redacted]"))
    )
    path = memory.add(record("learning", title="It is hunter2"))
    assert "hunter2" not in Path(path).read_text()
    memory.update(memory.get("00000000")._replace(title="Now hunter2 again"))
    assert 'title: "Now [redacted] again"' in Path(path).read_text()


def test_adding_one_touches_no_other(memory: Memory) -> None:
    """The files of the others stay byte for byte, and their dates too."""
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
    Path(memory.folder, "decisions", "copy.md").write_text(Path(memory.find(gone.id)[0]).read_text())
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
    one, two, missing = (record("learning", number).id for number in (1, 2, 3))
    steps = [(ARCHIVE, one, "rule a"), (ARCHIVE, missing, "rule a"), (DELETE, two, "rule b")]
    for _ in range(2):
        memory.carry_out(steps, WHEN)
        assert [(one.id, one.archived) for one in memory.all()] == [(one, WHEN)]
    assert memory.forgotten().lines == frozenset()
    log = Path(os.path.dirname(memory.folder), "logs", "memory.log").read_text().splitlines()
    assert log[:3] == [f"{WHEN} {verb} {name} {rule}" for verb, name, rule in steps]


def test_what_is_taken_back_stands_in_the_log_first(memory: Memory) -> None:
    """Where the log cannot be written nothing is changed; then the record is in use again."""
    memory.add(one := record("decision", 1, archived=WHEN, superseded_by=record("decision", 2).id))
    log = Path(os.path.dirname(memory.folder), "logs", "memory.log")
    log.mkdir(parents=True)
    with pytest.raises(OSError, match="Is a directory"):
        memory.carry_out([(RESTORE, one.id, "rule c")], WHEN)
    assert memory.get(one.id).archived == WHEN
    log.rmdir()
    memory.carry_out([(RESTORE, one.id, "rule c")], WHEN)
    assert memory.get(one.id) == one._replace(archived="", superseded_by="", code=memory.get(one.id).code)
    assert log.read_text() == f"{WHEN} restore {one.id} rule c\n"


def test_what_the_user_has_marked_for_removal_is_forgotten(memory: Memory) -> None:
    """As by `forget`: a fork of the session does not bring it back."""
    one = record("learning", 1, delete=True)
    memory.add(one)
    memory.carry_out([(DELETE, one.id, "any: marked for deletion by the user")], WHEN)
    assert not memory.all()
    assert saying(one) in memory.forgotten()


def test_a_file_changed_since_it_was_read_is_read_again(memory: Memory) -> None:
    """A plan does not undo what a person wrote meanwhile; a file broken meanwhile is left alone."""
    paths = [Path(memory.add(record("learning", number))) for number in (1, 2)]
    found = memory.scan()
    paths[0].write_text(paths[0].read_text().replace("importance: 5", "importance: 9"))
    paths[1].write_text("---\ntorn")
    memory.carry_out([(ARCHIVE, name, "rule") for name in found.records], WHEN, found)
    assert (memory.get("00000001").importance, memory.get("00000001").archived) == (9, WHEN)
    assert paths[1].read_text() == "---\ntorn"


def test_tidying_removes_only_what_has_no_writer(memory: Memory) -> None:
    """Old leftovers and claims; young ones may be in use."""
    memory.add(record("decision"))
    old, young = Path(memory.cache, "a.md.1.tmp"), Path(memory.cache, "b.md.2.tmp")
    for path in (old, young):
        path.touch()
    os.utime(old, (0, 0))
    claim = next(Path(memory.cache, "codes").iterdir())
    memory.tidy()
    assert (old.exists(), young.exists(), claim.exists()) == (False, True, True)
    os.utime(claim, (0, 0))
    memory.tidy()
    assert not claim.exists()


WRITER = """
import os, sys, uuid
sys.path.insert(0, sys.argv[1])
from holdfast.memory.record import check
from holdfast.memory.store import Memory
from holdfast.memory.cache import saying, wording
memory = Memory(sys.argv[2], lambda one: one)
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
    codes = [one.code for _, one in found.records.values() if one.kind == "decision"]
    assert len(codes) == len(set(codes))
    assert all(parse(data.decode()).title == "One of many" for data in files(memory).values())


def git(folder: Path, *arguments: str) -> None:
    """Run git without anybody's settings."""
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    who = ("-c", "user.name=x", "-c", "user.email=x@example.com")
    subprocess.run(["git", *who, *arguments], cwd=folder, env=env, check=True, capture_output=True)


def test_git_sees_the_records_and_nothing_else(tmp_path: Path) -> None:
    """Inside a state folder that shares only what a team would want, also where no session has run yet."""
    state = tmp_path / ".claude" / "holdfast"
    git(tmp_path, "init", "-q")
    memory = Memory(str(state / "memory"), same)
    path = memory.add(record("decision"))
    memory.used([record("decision").id], 1_000)
    memory.carry_out([(ARCHIVE, record("decision").id, "rule")], WHEN)
    git(tmp_path, "add", "-A")
    listed = subprocess.run(["git", "ls-files"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert listed.split() == [".claude/holdfast/.gitignore", os.path.relpath(path, tmp_path)]
    assert (state / "logs" / "memory.log").exists()


def test_an_empty_plan_makes_nothing(memory: Memory) -> None:
    """Neither folders nor a log."""
    memory.carry_out([], WHEN)
    assert list(Path(memory.folder).parent.iterdir()) == []


def test_one_id_in_two_files_blocks_nothing(memory: Memory) -> None:
    """The file that a listing takes is the one that is found, changed and named."""
    memory.add(record("learning", 1))
    first = Path(memory.folder, "learnings", "2026-11-03-copy-00000001.md")
    first.write_bytes(next(iter(files(memory).values())))
    memory.archive("00000001", WHEN)
    assert memory.find("00000001") == memory.scan().records[record("learning", 1).id]
    assert memory.find("00000001")[0] == str(first)
    assert memory.get("00000001").archived == WHEN


def test_records_in_a_folder_that_is_a_link_are_not_ours(memory: Memory, tmp_path: Path) -> None:
    """They are not read, and cannot be forgotten."""
    other = Memory(str(tmp_path / "other"), same)
    other.add(record("learning", 1))
    os.makedirs(memory.folder)
    Path(memory.folder, "learnings").symlink_to(Path(other.folder, "learnings"))
    assert memory.all() == []
    with pytest.raises(BadInput):
        memory.get("00000001")
    with pytest.raises(OSError, match="a link or a file stands"):
        memory.add(record("learning", 2))
    assert len(other.all()) == 1


def test_what_was_written_here_is_known(memory: Memory) -> None:
    """Also after a change of ours; what came with the repository does not become ours by one."""
    memory.add(record("issue", 1))
    path = Path(memory.add(record("issue", 2)))
    path.write_text(path.read_text().replace("number 2", "number 3"))
    for key in ("00000001", "00000002"):
        one = memory.get(key)
        memory.update(one._replace(content={**one.content, "status": "resolved"}))
    assert [wording(one) in memory.written() for one in memory.all()] == [True, False]


def test_only_what_people_forget_stays_forgotten(memory: Memory) -> None:
    """What has had its time may be said again."""
    memory.add(record("learning", 1))
    memory.add(record("learning", 2))
    memory.forget(["00000001-1111-4111-8111-111111111111"])
    memory.carry_out([(DELETE, record("learning", 2).id, "rule")], WHEN)
    assert memory.all() == []
    assert [saying(record("learning", number)) in memory.forgotten() for number in (1, 2)] == [True, False]


def test_the_log_of_maintenance_is_not_written_through_a_link(memory: Memory, tmp_path: Path) -> None:
    """A clone may bring one in the logs' place; without the log nothing is done."""
    memory.add(one := record("learning"))
    (tmp_path / "outside").mkdir()
    Path(os.path.dirname(memory.folder), "logs").symlink_to(tmp_path / "outside")
    with pytest.raises(OSError, match="a link or a file stands"):
        memory.carry_out([(ARCHIVE, one.id, "rule")], WHEN)
    assert list((tmp_path / "outside").iterdir()) == []
    assert not memory.get(one.id).archived


def brought(memory: Memory, *records: Record) -> None:
    """Records that a clone or a pull has put there."""
    for one in records:
        place = Path(memory.folder, f"{one.kind}s", f"brought-{one.id[:8]}.md")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(render(one))


def test_what_a_clone_has_marked_for_removal_gags_nobody(memory: Memory) -> None:
    """Its words were never the user's: they may be said here."""
    brought(memory, one := record("learning", 1, delete=True))
    memory.carry_out([(DELETE, one.id, "any: marked for deletion by the user")], WHEN)
    assert memory.all() == []
    assert saying(one) not in memory.forgotten()


def test_a_code_that_another_record_has_stays_in_the_pages(memory: Memory) -> None:
    """A clone may give its record any code; where nobody else has it, its lines go."""
    code = "DEC-2026-11-04-001"
    kept, gone = record("decision", 1, code=code), record("decision", 2, code=code, delete=True)
    memory.add(kept)
    brought(memory, gone)
    page = Path(memory.folder, "sessions", "2026-11-04-a.md")
    page.parent.mkdir()
    page.write_text(f"- {code} decided\n- [{gone.id[:8]}] brought\n")
    memory.carry_out([(DELETE, gone.id, "any: marked for deletion by the user")], WHEN)
    assert page.read_text() == f"- {code} decided\n"
    memory.forget([kept.id])
    assert page.read_text() == ""


def test_two_that_forget_at_once_both_succeed(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the one removes under the other's hands."""
    path = memory.add(one := record("learning", 1))
    Path(memory.cache, "search.index").write_text("x")
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
