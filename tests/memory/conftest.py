"""What the tests of the memory share."""

from pathlib import Path

import pytest

from holdfast.memory.store import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """An empty one."""
    return Memory(str(tmp_path / "memory"))
