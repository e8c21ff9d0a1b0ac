"""What the tests of the memory share."""

from pathlib import Path

import pytest

from holdfast.memory.store import Memory
from holdfast.session import aging


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """An empty one."""
    return Memory(str(tmp_path / "memory"))


@pytest.fixture(autouse=True)
def plain_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that the machine's counter does not contradict: the tests set it."""
    monkeypatch.setattr(aging, "counter", lambda: ("", 0.0))
