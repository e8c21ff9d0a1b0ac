from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from holdfast.checkpoint import progress


def test_entries(tmp_path: Path) -> None:
    """A heading once, an entry per milestone, empty details left out; the end is read without blank lines."""
    path = str(tmp_path / "progress.md")
    assert progress.end(path) == ""
    for n in (1, 2, 3):
        progress.add(path, f"day {n}", "commit", [("task", f"a\nb {n}"), ("open", "")])
    text = Path(path).read_text()
    assert text.startswith("# Progress\n\n## day 1 commit\n- task: a b 1\n\n## day 2")
    assert progress.end(path) == "## day 2 commit\n- task: a b 2\n## day 3 commit\n- task: a b 3"
    assert progress.end(path, 1) == "## day 3 commit\n- task: a b 3"


@given(st.text(st.characters(codec="utf-8") | st.sampled_from("\n#- "), max_size=200))
def test_no_text_breaks_the_log(tmp_path: Path, text: str) -> None:
    """Whatever a title or detail holds, it stays on its line."""
    path = tmp_path / "p.md"
    path.unlink(missing_ok=True)
    progress.add(str(path), "day 1", text, [("task", text)])
    assert len([line for line in path.read_text(encoding="utf-8").split("\n") if line]) <= 3


def test_a_link_in_its_place_is_not_read(tmp_path: Path) -> None:
    """A clone may bring one to any file."""
    progress.add(str(tmp_path / "other.md"), "day 1", "commit", [])
    (tmp_path / "progress.md").symlink_to("other.md")
    assert progress.end(str(tmp_path / "other.md")) == "## day 1 commit"
    assert progress.end(str(tmp_path / "progress.md")) == ""


def test_a_long_log_costs_its_end(tmp_path: Path) -> None:
    """The last entries are whole however long the log is."""
    path = str(tmp_path / "p.md")
    for n in range(300):
        progress.add(path, f"day {n}", "x" * 100, [("task", "é" * 100)])
    assert [line[:10].strip() for line in progress.end(path).splitlines() if line.startswith("##")] == [
        "## day 298",
        "## day 299",
    ]
