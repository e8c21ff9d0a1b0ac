from pathlib import Path

import pytest

from holdfast.hot import thresholds


def test_what_is_saved_is_loaded_and_changed(tmp_path: Path) -> None:
    path = str(tmp_path / "thresholds.json")
    thresholds.save(path, {"next_check_call": 50, "queue": False})
    thresholds.update(path, {"queue": True})
    assert thresholds.load(path) == {"v": thresholds.VERSION, "next_check_call": 50, "queue": True}


@pytest.mark.parametrize("data", ["", "{", "[1]", '{"v": 1, "look": 50}', '{"v": "2"}'])
def test_another_version_or_damage_is_none(tmp_path: Path, data: str) -> None:
    path = tmp_path / "thresholds.json"
    path.write_text(data)
    thresholds.update(str(path), {"queue": True})
    assert (thresholds.load(str(path)), path.read_text()) == ({}, data)
