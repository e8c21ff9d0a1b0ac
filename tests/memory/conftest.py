"""What the tests of the memory share."""

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.hook.runner import reply_to
from holdfast.memory import files
from holdfast.memory.record import Record
from holdfast.memory.store import Memory
from holdfast.session import aging
from holdfast.text.dates import DAY

Make = Callable[..., Any]


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(str(tmp_path / "memory"))


@pytest.fixture(autouse=True)
def plain_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = itertools.count()
    monkeypatch.setattr(aging, "counter", lambda: ("", next(runs) * 400 * DAY))


@pytest.fixture
def at(event_of: Make, session_of: Make) -> Make:
    """`at("Stop", now=…, session_id="one")`: the event and its session."""

    def build(name: str, now: float = 1_800_000_000.0, **changes: Any) -> tuple[Any, Any]:
        event = event_of(name, **changes)
        return event, session_of(event, now)

    return build


@pytest.fixture
def fire(at: Make) -> Make:
    """`fire("Stop", now=…, session_id="one")`: what the event's hook answers."""
    return lambda name, *now, **changes: reply_to(*at(name, *now, **changes))


@pytest.fixture
def start(fire: Make) -> Make:
    """`start(now)`: what the start of a new session is told."""
    count = itertools.count()

    def run(now: float = 1_800_000_000.0, **changes: Any) -> str:
        new = {"session_id": f"s{next(count)}", "transcript_path": ""}
        return str(fire("SessionStart.startup", now, **new, **changes).context)

    return run


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    seen, real = list[str](), files.read

    def noting(path: str, plain: bool = True) -> Record:
        seen.append(os.path.basename(path))
        return real(path, plain)

    monkeypatch.setattr(files, "read", noting)
    return seen


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    seen, real = list[str](), files.files

    def noting(folder: str, place: str) -> Iterator[files.RecordFile]:
        seen.append(place)
        return real(folder, place)

    monkeypatch.setattr(files, "files", noting)
    return seen
