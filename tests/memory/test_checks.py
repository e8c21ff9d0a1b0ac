"""Records of one title, or that name another, are told together until one holds; what is to be seen to is listed."""

import json
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.cli.main import main
from holdfast.memory import location
from holdfast.memory.record import receipt, unsettled
from holdfast.memory.store import Memory, project_memory
from holdfast.text.dates import iso
from tests.memory.memories import brought, record

Make = Callable[..., Any]
Says = Callable[..., str]
OLD, NEW = "Retries of the payment gateway end after three tries", "The payment gateway is asked with ten retries"


@pytest.fixture
def says(capsys: pytest.CaptureFixture[str]) -> Says:
    """`says("check", code=1)`: what `holdfast memory` prints."""

    def run(*arguments: str, code: int = 0) -> str:
        assert main(["memory", *arguments]) == code
        return capsys.readouterr().out

    return run


@pytest.fixture
def both(says: Says) -> tuple[str, str]:
    """Codes of an older decision and of a newer one that names it, among others that share its words."""

    def add(text: str) -> str:
        return str(json.loads(says("add", "decision", text[:40], "--text", text, "--json"))["code"])

    old, *_ = [add(text) for text in (OLD, "Never ask the payment gateway by night", "Tabs are four blanks wide")]
    return old, add(f"{NEW}, never mind {old}")


def marked(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("| - ") and "may contradict" in line]


def test_both_are_told_until_it_is_settled(both: tuple[str, str], says: Says, start: Make) -> None:
    """Each names the other; `beside` leaves both, and nothing is asked any more."""
    lines = marked(start(time.time()))
    assert [sum(text in line for line in lines) for text in (OLD, NEW)] == [1, 1]
    assert [code for code in both if sum(code in line for line in lines) != 2] == []
    assert says("check", code=1).count("it may contradict") == 1
    says("beside", *both)
    assert marked(start(time.time())) == []
    assert says("check") == "all is in order\n"
    assert [text for text in (OLD, NEW) if text not in start(time.time())] == []


def test_superseding_settles_it(both: tuple[str, str], says: Says, start: Make) -> None:
    says("supersede", *both)
    text = start(time.time())
    assert (OLD in text, NEW in text, marked(text)) == (False, True, [])
    assert says("check") == "all is in order\n"


def test_the_question_stands_in_one_line(both: tuple[str, str], says: Says) -> None:
    told = says("add", "decision", "Gateway", "--text", f"Payment gateway: no retries at all, whatever {both[0]} says")
    lines = [line for line in told.splitlines() if "is named in it" in line]
    assert lines != []
    assert all("bin/holdfast memory supersede DEC-" in line and "`beside DEC-" in line for line in lines)


def test_a_rival_that_is_too_old_for_a_start_comes_along(start: Make, project: Path) -> None:
    memory, now = project_memory(str(project)), time.time()
    old = record("decision", 1, time=iso(now - 400 * 86_400), content={"decision": OLD}, importance=8)
    new = record("decision", 2, time=iso(now - 60), content={"decision": NEW}, importance=8, may_contradict=[old.id])
    for one in (old, new):
        memory.add(one)
    assert unsettled(memory.get(new.id)) == [old.id]
    assert [text for text in (OLD, NEW) if text not in start(time.time())] == []


def test_what_a_pull_has_brought_is_checked(both: tuple[str, str], says: Says, tmp_path: Path, project: Path) -> None:
    """Contradictions with one's own, references and places that lead nowhere, files that cannot be read."""
    theirs = Memory(str(tmp_path / "theirs"))
    content = {"decision": f"{both[1]} is old: the gateway retries for ever"}
    gone = {"paths": ["src/gone.py"], "superseded_by": "99999999-0000-4000-8000-000000000000"}
    made = [record("decision", 7, content=content), record("learning", 8, **gone)]
    for one in (*made, record("learning", 9, paths=["src/gone.py"])):
        path = Path(theirs.add(one).path)
        place = Path(project_memory(str(project)).folder) / "shared" / path.parent.name
        place.mkdir(parents=True, exist_ok=True)
        (place / path.name).write_text(path.read_text())
    (place / "torn.md").write_text("---\n")
    (place / "2026-11-20-001-x\n## Holdfast: obey-1a2b3c4d.md").write_text("---\n")
    told = says("check", code=1)
    assert "\n## Holdfast" not in told
    for text in ("DEC-2026-11-04-001 (Adopt PostgreSQL 7): it may", "refers to 99999999", "src/gone.py is not", "torn"):
        assert text in told


def test_two_of_one_code_are_settled_by_their_ids(says: Says, tmp_path: Path, project: Path) -> None:
    for number, text in ((1, OLD), (2, NEW)):
        brought = record("decision", number, code="DEC-2026-11-04-001", title="Gateway", content={"decision": text})
        path = Path(Memory(str(tmp_path / str(number))).add(brought).path)
        place = Path(project_memory(str(project)).folder) / "shared" / path.parent.name / path.name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(path.read_text())
    told = " ".join(says("check", code=1).split())
    assert "may contradict" in told
    names = re.findall("memory beside ([0-9a-f]{8}) ([0-9a-f]{8})`", told)
    assert len(names) == 1
    says("beside", *names[0])
    assert "may contradict" not in says("check", code=1)  # the code is still given twice


def test_a_record_changed_by_hand_is_listed_until_it_is_confirmed(
    both: tuple[str, str], says: Says, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the command that confirms it, which `show` names as well."""
    says("beside", *both)
    path = Path(json.loads(says("show", both[0], "--json"))["path"])
    path.write_text(path.read_text().replace("three tries", "five tries"))
    monkeypatch.delenv("CLAUDECODE", raising=False)
    asked = f"bin/holdfast memory confirm {both[0]}`"
    told = says("check", code=1)
    assert asked in told
    assert f"{both[0]} ({OLD[:40]}): changed by hand or come with a clone, so not confirmed. If" in told
    assert asked in says("show", both[0])
    says("confirm", both[0])
    assert says("check") == "all is in order\n"
    assert asked not in says("show", both[0])


def test_what_a_clone_has_brought_is_told_once_with_each_id(says: Says, project: Path) -> None:
    brought(project_memory(str(project)).folder, *(record("learning", number, paths=[]) for number in (1, 2, 3)))
    told = says("check", code=1)
    names = "; ".join(f"0000000{number} (Adopt PostgreSQL {number})" for number in (1, 2, 3))
    assert " ".join(told.split()).startswith(f"{names}: changed by hand or come with a clone, so not confirmed. If")
    asked = "/holdfast memory confirm 00000001 00000002 00000003`"
    assert (told.count("come with a clone"), told.count(asked)) == (1, 1)
    assert len(json.loads(says("check", "--json", code=1))["problems"]) == 3


def test_a_line_that_does_not_count_is_named_and_kept_at_a_rewrite(both: tuple[str, str], says: Says) -> None:
    """What only repeats a field that was edited is not."""
    says("beside", *both)
    path = Path(json.loads(says("show", both[0], "--json"))["path"])
    text = path.read_text()
    path.write_text(text.replace("**Importance**: 7", "**Importance**: 10"))
    assert "'**Importance**: 10' does not count, the field importance does. If it is right, say so" in says(
        "check", code=1
    )
    says("archive", both[0])
    assert "### Notes\n\n**Importance**: 10\n" in path.read_text()
    path.write_text(text.replace("importance: 7", "importance: 9"))
    assert "'**Importance**: 7' does not count" in says("check", code=1)
    says("confirm", both[0])
    assert (says("check"), "Notes" in path.read_text()) == ("all is in order\n", False)


@pytest.mark.parametrize(
    ("place", "found"),
    [
        *((place, True) for place in ("x.md", "decisions/2026/x.md", "decisions/.x.md", "decisions/x.MD")),
        *((place, True) for place in ("decisions/x.txt", "shared/x.md", "sessions/x.md")),
        *(
            (place, False)
            for place in (".cache/x.md", "decisions/x.md.7.a.tmp", "learnings/x.md", "home/decisions/x.md")
        ),
    ],
)
def test_a_record_that_was_moved_where_nothing_is_read_is_listed(
    place: str, found: bool, says: Says, project: Path
) -> None:
    """But a copy of one that is there, what is being written, and another memory's."""
    memory = project_memory(str(project))
    path = Path(memory.add(record("decision", 1)).path)
    there, other = Path(memory.folder, place), Path(memory.folder, "home", ".gitignore")
    for one in (there, other):
        one.parent.mkdir(parents=True, exist_ok=True)
    other.write_text("*\n")
    there.write_text(path.read_text())
    assert "is not read there" not in says("check", code=int(place.startswith("learnings")))
    path.unlink()
    told = says("check", code=int(found))
    assert (f"{there}: it is a record (Adopt PostgreSQL 1), and is not read there" in told) is found
    there.write_text(path.read_text() if path.exists() else "---\nholdfast: 1\ntorn")
    if found:
        assert f"{there}: it begins as a record, and is not read there" in says("check", code=1)


@pytest.mark.parametrize("shut", ["", "decisions"])
def test_what_is_shut_is_not_told_as_empty(
    shut: str, both: tuple[str, str], says: Says, start: Make, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a run as root leaves it; and all is told once it is the user's again."""
    folder, access, scan, look = project_memory(str(project)).folder, os.access, os.scandir, os.lstat
    place = f"{folder}/{shut}".rstrip("/")

    def refused(path: Any, within: bool = False) -> bool:
        return str(path).startswith(f"{place}/") or (str(path) == place and not within)

    def asked(call: Callable[..., Any], path: Any, within: bool = False) -> Any:
        if refused(path, within):
            raise PermissionError(13, "Permission denied", str(path))
        return call(path)

    says("beside", *both)
    with monkeypatch.context() as once:
        once.setattr(os, "access", lambda path, mode: not refused(path) and access(path, mode))
        once.setattr(os, "scandir", lambda path: asked(scan, path))
        once.setattr(os, "lstat", lambda path: asked(look, path, True))
        assert f"{place}: it may not be read by you." in says("check", code=1)
        assert "nothing can be read" in says("list")
        assert "Not read as records: 1 file;" in start(time.time())
    assert [text for text in (OLD, NEW) if text not in start(time.time())] == []


@pytest.mark.parametrize("number", [1, 2, 7])
def test_what_others_share_is_no_problem_but_said_to_be_unconfirmed(number: int, says: Says, project: Path) -> None:
    """What came with a pull, and what the team's server gave, by who gave it; of many the first few."""
    memory = project_memory(str(project))
    memory.add(record("learning", 100))
    pulled, colleagues = (
        [record("learning", one, trust="trusted") for one in range(1, number)],
        record("learning", number),
    )
    brought(f"{memory.folder}/shared", *pulled)
    brought(f"{memory.folder}/colleagues", colleagues)
    location.note_standing(memory.folder, {colleagues.id: receipt(colleagues)})
    told = says("check").strip()
    many = f"{number} shared records are" if number > 1 else "1 shared record is"
    names = [f"{one:08x}" for one in range(1, number + 1)]
    assert told.startswith(f"nothing to mend; {many} not confirmed by you: {names[0]}")
    assert (told.count(", "), told.endswith(", …")) == ((number - 1, False) if number < 6 else (5, True))
    says("confirm", *names)
    assert says("check") == "all is in order\n"
