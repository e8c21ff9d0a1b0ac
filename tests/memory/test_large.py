"""A memory whose files a stop, an end, a start and `memory add` do not look through: what they keep is told at once."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.cli.main import main
from holdfast.memory import briefing, catalogue, checks, files, lifecycle
from holdfast.memory.store import Memory, project_memory
from holdfast.text.dates import iso
from tests.memory.memories import record

Make = Callable[..., Any]


@pytest.fixture
def large(project: Path, monkeypatch: pytest.MonkeyPatch) -> Memory:
    """With more records than are looked at each time, a rule and a grave issue among the oldest; compiled."""
    monkeypatch.setattr(catalogue, "SMALL", 10)
    monkeypatch.setattr(catalogue, "JUST_NOW", 0)
    memory, now = project_memory(str(project)), time.time()
    memory.add(
        record("decision", 1, tags=["rule"], content={"decision": "Indent with tabs"}, trust="trusted", importance=9)
    )
    memory.add(record("issue", 2, content={"description": "BUG-7: balances are rounded", "severity": "high"}))
    for number in range(3, 60):
        memory.add(
            record("learning", number, time=iso(now - 90 * 86_400), content={"lesson": f"Lesson {number} holds"})
        )
    briefing.renew(project_memory(str(project)), now)
    return memory


def test_what_is_kept_is_told_and_the_rest_stays(
    large: Memory, looked: list[str], fire: Make, start: Make, transcript: Any
) -> None:
    now = time.time()
    transcript.user("Go on")
    transcript.assistant("DECISION: use heron queues because they are short")
    fire("Stop", now)
    Path(large.cache, "maintained").write_text(iso(now)[:10])
    transcript.did("Bash", "[main 1234abc] Fix BUG-7", command="git commit -m x")
    transcript.assistant("Lesson: the pool must be opened after the fork.")
    fire("SessionEnd", now + 1)
    text = start(now + 2)
    assert looked == []
    told = ("Indent with tabs", "use heron queues", "opened after the fork", "BUG-7")
    assert [one in text for one in told] == [True, True, True, False]
    assert Memory(large.folder).get(record("issue", 2).id).content["status"] == "resolved"


def test_an_added_record_is_compared_and_told(large: Memory, looked: list[str], capsys: Any) -> None:
    assert main(["memory", "add", "decision", "Tabs", "--text", "Indent with tabs", "--tag", "rule", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["stored"] is False
    assert main(["memory", "add", "decision", "Use heron queues", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["stored"] is True
    assert looked == []
    assert {one.title for one in briefing.told(Memory(large.folder), time.time())} >= {"Use heron queues"}
    old = record("learning", 3).id
    assert main(["memory", "add", "learning", "Lesson 3 is over", "--supersedes", old]) == 0
    assert Memory(large.folder).get(old).archived


def test_what_a_pull_brings_meanwhile_is_told_too(large: Memory, fire: Make, start: Make, transcript: Any) -> None:
    place = Path(large.folder) / "decisions"
    theirs = record("decision", 5_000, tags=["rule"], title="Pulled")
    other = Memory(str(Path(large.folder).parent / "other")).add(theirs)
    (place / "pulled.md").write_text(Path(other.path).read_text())
    transcript.user("Go on")
    transcript.assistant("DECISION: use heron queues because they are short")
    fire("Stop", time.time())
    text = start(time.time() + 2)
    assert ("use heron queues" in text, "Pulled" in text, "Indent with tabs" in text) == (True, True, True)


def test_the_first_ends_of_two_days_see_what_was_edited_in_place(large: Memory) -> None:
    paths = [Memory(large.folder).find(record(kind, n).id).path for kind, n in (("decision", 1), ("learning", 3))]
    lifecycle.maintain(Memory(large.folder), time.time())
    for path in map(Path, paths):
        path.write_text(path.read_text().replace("importance: ", "importance: 1"))
    seen = []
    for day in (1, 2):
        memory = Memory(large.folder)
        lifecycle.maintain(memory, time.time() + day * 86_400, looked=lifecycle.in_turn(memory))
        seen.append(memory.known().unread())
    assert seen == [1, 2]


def test_what_was_just_kept_is_looked_for_once(
    large: Memory, looked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a day's first end, whose maintenance looks at that folder anyway: what it compiles next need not."""
    monkeypatch.setattr(catalogue, "JUST_NOW", 1 << 60)
    large.add(record("learning", 60))
    large.catalogue(files.EVERY)
    del looked[:]
    Memory(large.folder).catalogue()
    assert looked == []


def test_torn_files_are_looked_up_once_however_many_a_clone_brings(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, asked, select = project_memory(str(project)), list[Any](), catalogue.Catalogue.select
    (folder := Path(memory.folder, "learnings")).mkdir(parents=True)
    for number in range(50):
        (folder / f"2026-11-20-x-{number:08x}.md").write_text("torn")

    def noted(self: Any, query: str, values: Any = ()) -> list[Any]:
        asked.append(values)
        return select(self, query, values)

    monkeypatch.setattr(catalogue.Catalogue, "select", noted)
    assert len(checks.check(memory, str(project), time.time())) >= 50
    assert asked.count({"id": None}) == 1
