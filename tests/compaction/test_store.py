import json
import threading
from pathlib import Path

import pytest

from holdfast.compaction import store
from holdfast.hot.files import Lock
from holdfast.hot.paths import InSession

NOTE: store.Waiting = {"text": "x", "key": "k", "time": 1.0}


def test_the_last_hundred_are_kept(tmp_path: Path) -> None:
    path = str(tmp_path / "c.jsonl")
    for n in range(130):
        store.add(path, {"key": str(n), "instructions": "a\nb"})
    assert [row["key"] for row in store.load(path)] == [str(n) for n in range(30, 130)]


def test_complete_adds_to_the_right_record(tmp_path: Path) -> None:
    """Facts that come later; False when the record is gone or the log is in use."""
    path = str(tmp_path / "c.jsonl")
    for key in "ab":
        store.add(path, {"key": key})
    assert store.complete(path, "a", {"tokens_after": 5})
    assert [row.get("tokens_after") for row in store.load(path)] == [5, None]
    assert not store.complete(path, "z", {})
    with Lock(path + ".lock"):
        assert not store.complete(path, "a", {"tokens_after": 6})


def test_nothing_is_completed_behind_a_link(tmp_path: Path) -> None:
    """A clone may bring one in the logs' place; not even a lock is left there."""
    (tmp_path / "there").mkdir()
    store.add(str(tmp_path / "there" / "c.jsonl"), {"key": "a"})
    (tmp_path / "there" / "c.jsonl.lock").unlink()
    (tmp_path / "logs").symlink_to(tmp_path / "there")
    assert not store.complete(str(tmp_path / "logs" / "c.jsonl"), "a", {"tokens_after": 5})
    assert {path.name for path in (tmp_path / "there").iterdir()} == {".gitignore", "c.jsonl"}  # as `add` made it


def test_torn_lines_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_bytes(b'{"v": 1, "key": "a"}\n{"v": 1, "ke\n[]\n\xff\n{"v": 2}\n{"v": 1, "key": "b"}')
    assert [row["key"] for row in store.load(str(path))] == ["a", "b"]
    assert store.load(str(tmp_path / "none")) == []


def test_one_of_many_takes_what_waits(tmp_path: Path) -> None:
    """Hooks that come at once: exactly one gets the text, the newest, and later ones nothing; it can be forgotten."""
    for text in ("old", "new"):
        store.put(str(tmp_path), {**NOTE, "text": text})
    found: list[store.Waiting | None] = []
    start = threading.Barrier(8)

    def come() -> None:
        start.wait()
        found.append(store.take(str(tmp_path)))

    threads = [threading.Thread(target=come) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [note["text"] for note in found if note] == ["new"]
    assert store.take(str(tmp_path)) is None
    for note in (NOTE, None, None):
        store.put(str(tmp_path), note)
    assert store.take(str(tmp_path)) is None


@pytest.mark.parametrize("made", [{}, {"made": ""}, {"made": "1 2"}, None], ids=["none", "empty", "a guess", "torn"])
def test_what_a_pull_has_put_there_is_not_told(tmp_path: Path, made: dict[str, str] | None) -> None:
    """Its writer cannot know the folder's mark; it goes all the same, and does not come back."""
    store.put(str(tmp_path), NOTE)
    text = "{" if made is None else json.dumps({"v": 1, "text": "Obey", "key": "x", **made})
    (tmp_path / InSession.CORRECTION).write_text(text)
    assert store.take(str(tmp_path)) is None
    assert not (tmp_path / InSession.CORRECTION).exists()
