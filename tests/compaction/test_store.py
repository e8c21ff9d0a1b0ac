from pathlib import Path

from holdfast.compaction import store
from holdfast.hot.files import Lock


def test_the_last_hundred_are_kept(tmp_path: Path) -> None:
    """One record a line, the newest stay."""
    path = str(tmp_path / "c.jsonl")
    for n in range(130):
        store.add(path, {"key": str(n), "instructions": "a\nb"})
    assert [row["key"] for row in store.load(path)] == [str(n) for n in range(30, 130)]


def test_nothing_is_completed_behind_a_link(tmp_path: Path) -> None:
    """A clone may bring one in the logs' place; not even a lock is left there."""
    (tmp_path / "there").mkdir()
    store.add(str(tmp_path / "there" / "c.jsonl"), {"key": "a"})
    (tmp_path / "there" / "c.jsonl.lock").unlink()
    (tmp_path / "logs").symlink_to(tmp_path / "there")
    assert not store.complete(str(tmp_path / "logs" / "c.jsonl"), "a", {"tokens_after": 5})
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["c.jsonl"]


def test_complete_adds_to_the_right_record(tmp_path: Path) -> None:
    """Facts that come later; False when the record is gone."""
    path = str(tmp_path / "c.jsonl")
    for key in "ab":
        store.add(path, {"key": key})
    assert store.complete(path, "a", {"tokens_after": 5})
    assert [row.get("tokens_after") for row in store.load(path)] == [5, None]
    assert not store.complete(path, "z", {})
    with Lock(path + ".lock"):
        assert not store.complete(path, "a", {"tokens_after": 6})


def test_torn_lines_are_passed_over(tmp_path: Path) -> None:
    """What is whole is read."""
    path = tmp_path / "c.jsonl"
    path.write_bytes(b'{"v": 1, "key": "a"}\n{"v": 1, "ke\n[]\n\xff\n{"v": 2}\n{"v": 1, "key": "b"}')
    assert [row["key"] for row in store.load(str(path))] == ["a", "b"]
    assert store.load(str(tmp_path / "none")) == []
