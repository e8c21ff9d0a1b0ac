"""The compiled forms: what stands in them, and that a disk that refuses costs no start."""

from pathlib import Path
from typing import Any

import pytest

from holdfast.hot import prompt_match
from holdfast.hot.files import read_bytes
from holdfast.memory import cache, derived, desk, recall
from holdfast.memory.record import check
from holdfast.memory.store import Memory

NOW = 1_800_000_000.0


@pytest.fixture
def memory(project: Path) -> Memory:
    """The project's memory."""
    return derived.memory_at(str(project))


def add(memory: Memory, text: str, **fields: Any) -> str:
    """A learning; its id."""
    given = {"id": desk.identity(text), "kind": "learning", "time": "2027-01-10T00:00:00Z", "title": text}
    record = check({**given, "content": {"lesson": text}, **fields})
    memory.add(record)
    return record.id


def table(memory: Memory, prompt: str) -> list[str]:
    """Ids that a prompt would call up."""
    return recall.fitting(recall.rows(read_bytes(f"{memory.cache}/{cache.ROWS}"), prompt), prompt)


def test_both_tables_hold_the_words_of_what_holds(memory: Memory) -> None:
    """Neither what is archived nor a task that was."""
    kept = add(memory, "the cobra importer needs the hyena flag")
    memory.archive(add(memory, "the zebra exporter needs the lynx flag"), "2027-01-11T00:00:00Z")
    add(memory, "mend the otter loader", kind="state", content={"task_description": "mend the otter loader"})
    derived.compiled(memory, NOW)
    assert table(memory, "cobra and hyena") == [kept]
    assert table(memory, "zebra and lynx") == table(memory, "otter loader") == []
    weights = Path(memory.cache, cache.WEIGHTS).read_bytes()
    assert prompt_match.weight(weights, b"cobra and hyena") >= prompt_match.ENOUGH


def test_forgetting_takes_it_out(memory: Memory) -> None:
    """At once, and from the next compiled form."""
    gone = add(memory, "the cobra importer needs the hyena flag")
    derived.compiled(memory, NOW)
    memory.forget([gone])
    assert table(memory, "cobra and hyena") == []
    assert derived.compiled(memory, NOW) == []
    assert table(memory, "cobra and hyena") == []


def test_a_folder_that_cannot_be_written(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The start is told all the same."""
    add(memory, "the cobra importer needs the hyena flag")

    def refuse(*_: object) -> None:
        raise OSError("read-only")

    monkeypatch.setattr(derived, "write_atomic", refuse)
    assert [one.kind for one in derived.compiled(memory, NOW)] == ["learning"]
