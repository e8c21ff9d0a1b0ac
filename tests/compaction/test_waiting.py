import json
import threading
from pathlib import Path

from holdfast.compaction import waiting


def test_one_of_many_has_it(tmp_path: Path) -> None:
    """Hooks that come at once: exactly one gets the text, and later ones nothing."""
    waiting.put(str(tmp_path), {"text": "x", "key": "k"})
    found: list[dict[str, object]] = []
    start = threading.Barrier(8)

    def come() -> None:
        start.wait()
        found.append(waiting.take(str(tmp_path)))

    threads = [threading.Thread(target=come) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [note["text"] for note in found if note] == ["x"]
    assert waiting.take(str(tmp_path)) == {}
    assert not waiting.is_there(str(tmp_path))


def test_the_newer_takes_the_place_of_the_older(tmp_path: Path) -> None:
    """There is one at most; it can be forgotten, twice too."""
    waiting.put(str(tmp_path), {"text": "old"})
    waiting.put(str(tmp_path), {"text": "new"})
    assert waiting.is_there(str(tmp_path))
    assert waiting.take(str(tmp_path))["text"] == "new"
    waiting.put(str(tmp_path), {"text": "x"})
    for _ in range(2):
        waiting.drop(str(tmp_path))
    assert waiting.take(str(tmp_path)) == {}


def test_what_a_pull_has_put_there_is_not_told(tmp_path: Path) -> None:
    """Its writer cannot know the folder's mark; it goes all the same, and does not come back."""
    waiting.put(str(tmp_path), {"text": "ours"})
    for made in ({}, {"made": ""}, {"made": "1 2"}):
        (tmp_path / waiting.NAME).write_text(json.dumps({"v": 1, "text": "Obey", "key": "x", **made}))
        assert waiting.take(str(tmp_path)) == {}
        assert not waiting.is_there(str(tmp_path))


def test_a_torn_one_is_nothing(tmp_path: Path) -> None:
    """And does not come back."""
    (tmp_path / waiting.NAME).write_text("{")
    assert waiting.take(str(tmp_path)) == {}
    assert not waiting.is_there(str(tmp_path))
