from pathlib import Path

import pytest

from holdfast.hot import paths, thresholds


def test_a_gate_is_read_as_written(tmp_path: Path) -> None:
    """What the warm hooks leave is what the hot road finds."""
    path = str(tmp_path / "gate.json")
    thresholds.save(path, {"look": 50})
    assert thresholds.load(path) == {"v": paths.GATE_VERSION, "look": 50}


@pytest.mark.parametrize("data", [None, b"", b"{", b"[]", b'{"v": 2, "look": 1}', b'{"look": 1}'])
def test_another_or_damaged_gate_is_none(tmp_path: Path, data: bytes | None) -> None:
    """A torn or foreign gate is compiled anew."""
    path = tmp_path / "gate.json"
    if data is not None:
        path.write_bytes(data)
    assert thresholds.load(str(path)) == {}
