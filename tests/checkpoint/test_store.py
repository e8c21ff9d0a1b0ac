import os
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from holdfast.checkpoint import store
from holdfast.checkpoint.model import Draft
from holdfast.hot import provenance

HOOKS = Path(__file__).resolve().parents[2] / "hooks"


def page(data: Any) -> str:
    return f"# {data.get('n')}"


def draft(**fields: Any) -> Draft:
    return cast("Draft", fields)


def test_numbers_rise_and_the_newest_counts(tmp_path: Path) -> None:
    """Each has a number of its own; only the newest are kept, each in both forms."""
    folder, made = str(tmp_path / "c"), provenance.marked(str(tmp_path))
    saved = [store.save(folder, draft(n=n, made=made), page) for n in range(store.KEPT + 5)]
    assert [data["number"] for data in saved] == list(range(1, store.KEPT + 6))
    assert store.newest(folder) == saved[-1]
    assert len(os.listdir(folder)) == 2 * store.KEPT
    assert Path(store.readable_path(folder, saved[-1])).read_text() == f"# {store.KEPT + 4}"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b'{"v": 5, "number": 2}',
        b'{"v": 9, "number": 2, "whole": true}',
        b'{"v": 5, "number": 1, "whole": true}',
        *(b'{"v": 5, "number": 2, "whole": true, "%s": [1]}' % key for key in (b"work", b"stamp", b"time", b"note")),
    ],
    ids=["empty", "torn", "list", "not whole", "version", "another's number", *("work", "stamp", "time", "note")],
)
def test_a_torn_checkpoint_is_passed_over(tmp_path: Path, data: bytes) -> None:
    """The newest whole one counts, and its number is not used again."""
    folder = str(tmp_path / "c")
    first = store.save(folder, draft(n=1, made=provenance.marked(str(tmp_path))), page)
    (tmp_path / "c" / "0002.json").write_bytes(data)
    (tmp_path / "c" / "notes.json").write_text("x")
    assert store.newest(folder) == first
    assert store.load(folder, 2) is None
    assert store.listed(folder) == [(1, first), (2, None)]
    assert store.save(folder, draft(n=3), page)["number"] == 3


@pytest.mark.parametrize("brought", ["a guess", "no mark", "a link in the mark's place"])
def test_a_checkpoint_that_was_not_saved_here_is_passed_over(tmp_path: Path, brought: str) -> None:
    """A pull may write it over ours, or beside them with a higher number."""
    folder = str(tmp_path / "c")
    first = store.save(folder, draft(n=1, made=provenance.marked(str(tmp_path))), page)
    store.save(folder, draft(n=2, made={"a guess": "1 2"}.get(brought, "")), page)
    found: Any = first
    if brought == "a link in the mark's place":
        (tmp_path / "here").unlink()
        (tmp_path / "here").symlink_to("nowhere")
        found = None
    assert store.newest(folder) == found


def test_parallel_saves(tmp_path: Path) -> None:
    code = (
        "import sys; from holdfast.checkpoint import store as c\n"
        "for n in range(3): print(c.save(sys.argv[1], {}, str)['number'])"
    )
    command = [sys.executable, "-S", "-c", code, str(tmp_path)]
    started = [
        subprocess.Popen(command, env={"PYTHONPATH": str(HOOKS)}, stdout=subprocess.PIPE, text=True) for _ in range(6)
    ]
    numbers = [int(line) for process in started for line in process.communicate()[0].split()]
    assert len(numbers) == len(set(numbers)) == 18
    assert not list(tmp_path.glob("*.lock"))


def test_where_the_json_stands_its_page_does_too(tmp_path: Path) -> None:
    """The page is made from the numbered checkpoint and written first: a process may be killed between the two."""
    seen: list[tuple[int, bool]] = []

    def noted(data: Any) -> str:
        seen.append((data["number"], (tmp_path / "0001.json").exists()))
        return "x"

    store.save(str(tmp_path), draft(), noted)
    assert seen == [(1, False)]


def test_what_a_killed_process_left_is_cleared_away(tmp_path: Path) -> None:
    """Old locks and half files go; those that somebody may be writing stay, and their number is not taken."""
    for name in ("0001.lock", "0001.json.7.ab.tmp", "0003.lock"):
        (tmp_path / name).touch()
    for name in ("0001.lock", "0001.json.7.ab.tmp"):
        os.utime(tmp_path / name, (1, 1))
    assert [store.save(str(tmp_path), draft(), page)["number"] for _ in range(2)] == [2, 4]
    assert sorted(path.name for path in tmp_path.glob("*.[lt]*")) == ["0003.lock"]


def test_the_progress_log(tmp_path: Path) -> None:
    """A heading once, an entry per milestone, empty details left out; its end is read without blank lines."""
    path = str(tmp_path / "progress.md")
    assert store.last_progress(path) == ""
    for n in range(300):
        store.add_progress(path, f"day {n}\ncommit", [("task", f"a\n- b {n} ## c" + "é" * 100), ("open", "")])
    assert Path(path).read_text().startswith("# Progress\n\n## day 0 commit\n- task: a - b 0 ## c")
    lines = store.last_progress(path).splitlines()
    assert [line[:17] for line in lines] == [
        *("## day 298 commit", "- task: a - b 298"),
        *("## day 299 commit", "- task: a - b 299"),
    ]


def test_a_link_in_the_log_s_place_is_not_read(tmp_path: Path) -> None:
    store.add_progress(str(tmp_path / "other.md"), "day 1", [])
    (tmp_path / "progress.md").symlink_to("other.md")
    assert store.last_progress(str(tmp_path / "progress.md")) == ""
