import re
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import pictures
from holdfast.report.schema import Trace, WindowChange
from tryout.recording import carried

ROOT = Path(__file__).resolve().parents[2]
WORDS = {"tool calls", "tokens in the window", "compaction", "digest", "handoff", "limit"}


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "pictures").glob("*.svg")), ids=lambda path: path.name)
def test_a_picture_holds_figures_alone(path: Path) -> None:
    """Nothing of what a recorded session said, no script, nothing from elsewhere; and it is small."""
    root = ET.fromstring(path.read_text(encoding="utf-8"))  # noqa: S314 - our own files
    kinds = {str(one.tag).rpartition("}")[2] for one in root.iter()}
    assert kinds <= {"svg", "defs", "style", "g", "rect", "path", "text", "circle", "title"}
    told = [one.text or "" for one in root.iter() if str(one.tag).endswith(("text", "title"))]
    parts = {part for text in told for part in text.split(": ")}
    assert {part for part in parts if not re.fullmatch(r"[\d,]+k?", part)} <= WORDS
    assert not re.search(r"https?://(?!www\.w3\.org/)|url\(|@import", path.read_text(encoding="utf-8"))
    assert path.stat().st_size < 30_000
    assert f"docs/pictures/{path.name}" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_page_of_the_carried_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    drawn = ROOT / "docs" / "pictures" / "page.png"
    assert drawn.stat().st_size < 200_000
    assert "docs/pictures/page.png" in (ROOT / "README.md").read_text(encoding="utf-8")
    if not shutil.which("chromium"):
        pytest.skip("no browser is here: install Debian's package chromium")
    pictures.shown(_beginning(tmp_path), tmp_path / "page.png")
    assert (tmp_path / "page.png").read_bytes()[:16] == drawn.read_bytes()[:16]


def _beginning(folder: Path) -> Path:
    recorded = carried(folder / "recorded")
    part = folder / recorded.name
    part.write_text("".join(recorded.read_text(encoding="utf-8").splitlines(keepends=True)[:17]), encoding="utf-8")
    return part


def test_a_recorded_session_is_played_and_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the real hooks, up to its first digest: at which call, and how large the window was recorded then."""
    monkeypatch.setenv("HOME", str(tmp_path))
    found = pictures.played(_beginning(tmp_path))
    assert [one.kind for one in found.marks] == ["digest"]
    assert (found.marks[0].number, found.marks[0].tokens) in found.points
    drawn = pictures.picture(found)
    assert drawn == pictures.picture(found)
    assert 'id="window"' in drawn


def test_what_each_answer_did() -> None:
    """A mark is drawn with its kind; a picture that nobody can name is refused."""
    marks = [
        WindowChange(kind=kind, number=number, tokens=9)
        for number, kind in enumerate(("compaction", "handoff"), start=1)
    ]
    points = [(1, 9), (2, 9)]
    found = Trace(
        session="", project="", by="answers", points=points, marks=marks, limit=None, components=[], agents=[]
    )
    told = re.findall(r"<title>([^<]*)", pictures.picture(found))
    assert {"1 compaction: 1: 9", "1 handoff: 2: 9"} <= set(told)
    for wrong in ("../x=/dev/null", "name", "name=/nowhere"):
        assert pictures.main([wrong]) == 2
