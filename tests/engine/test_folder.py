import json
from pathlib import Path

from holdfast.checkpoint import store
from holdfast.engine.folder import LoopFolder


def test_a_checkpoint_has_a_page_and_a_number(tmp_path: Path) -> None:
    """The path is that of the page; the newest whole one can be loaded."""
    folder = LoopFolder(f"{tmp_path}/state")
    paths = [folder.save({"work": {"n": number}}, lambda whole: f"page {whole['number']}") for number in range(2)]
    assert [Path(path).read_text() for path in paths] == ["page 1", "page 2"]
    newest = store.load(f"{tmp_path}/state", 2)
    assert (newest["number"], newest["work"], newest["session"]) == (2, {"n": 1}, "loop")


def test_each_thing_done_is_a_line(tmp_path: Path) -> None:
    """Of JSON, beside the checkpoints."""
    folder = LoopFolder(f"{tmp_path}/state")
    folder.log({"by": "eviction"})
    folder.log({"by": "compaction"})
    lines = (tmp_path / "state" / "audit.jsonl").read_text().splitlines()
    assert [json.loads(line)["by"] for line in lines] == ["eviction", "compaction"]


def test_without_a_folder_nothing_is_written(tmp_path: Path) -> None:
    """Nor where none can be made: the log is not worth the work."""
    LoopFolder("").log({"by": "eviction"})
    assert LoopFolder("").save({}, str) == ""
    (tmp_path / "file").write_text("")
    LoopFolder(f"{tmp_path}/file/state").log({"by": "eviction"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]
