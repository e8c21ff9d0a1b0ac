from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.cli import main as cli
from holdfast.errors import BadInput
from holdfast.knowledge import build as work
from holdfast.knowledge import upkeep
from holdfast.knowledge.build import Site
from holdfast.knowledge.document import CLOSE, OPEN
from holdfast.knowledge.markers import LIMITS
from holdfast.memory import markdown
from holdfast.memory.location import folder_of
from holdfast.memory.store import Memory
from holdfast.text.tokens import measure
from tests.knowledge.made import record

Remember = Callable[..., str]
NOW = 1_800_000_000.0


@pytest.fixture
def remember(project: Path) -> Remember:

    def add(kind: str, title: str, content: dict[str, object] | None = None, **others: object) -> str:
        one = record(kind, title, content, **others)
        Memory(folder_of()).add(one)
        return one.id

    return add


@pytest.fixture
def place(project: Path, remember: Remember) -> Site:
    """A project with two folders, and a record of each kind."""
    for name, text in {
        "README.md": "# Shop\n\nA shop that sells bolts.\n",
        "src/a.py": '"""Takes payments."""\n',
        "docs/m.md": "# Manual\n",
    }.items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(text)
    remember("state", "Pay", {"completion_percentage": 60}, paths=["src/a.py"])
    remember("decision", "Use JWT", paths=["src/a.py"], importance=9)
    return work.here(NOW)


def write(place: Site, marker: str, own: str = "", change: tuple[str, str] = ("", "")) -> Path:
    """Edit a document by hand: words between the marks, or a change above them."""
    path = Path(place.folder, {one.marker: one.path for one in work.build(place)}[marker])
    path.write_text(path.read_text().replace(f"{OPEN}\n", f"{OPEN}\n{own}\n").replace(*change))
    return path


def test_a_build(place: Site, state: Path) -> None:
    """Every document, the index, all within their tokens; a second build changes nothing."""
    changes = work.build(place)
    assert [one.marker for one in changes] == ["§1.0", "§2.1", "§2.2", "§2.3", "§3.1", "§3.2", "§3.3"]
    assert {one.state for one in changes} == {"written"}
    assert {one.state for one in work.build(place)} == {"unchanged"}
    for one in changes:
        limit = LIMITS[int(one.marker[1])]
        assert 0 < measure((state / "knowledge" / one.path).read_text(), limit) <= limit
    assert "- §2.3 src: 60 %: Pay [IN PROGRESS]\n" in (state / "knowledge" / "index.md").read_text()
    assert "A shop that sells bolts." in (state / "knowledge" / "L1.md").read_text()
    assert "- §4.src/a.py: Takes payments.\n" in (state / "knowledge" / "L3" / "3.3-src.md").read_text()
    assert (state / ".gitignore").read_text().startswith("*\n")
    assert upkeep.check(place) == []
    assert upkeep.stale(place) == []


def test_a_section_that_is_no_more(place: Site, project: Path) -> None:
    kept = write(place, "§2.2", "Mine.")
    (project / "docs" / "m.md").unlink()
    (project / "new").mkdir()
    (project / "new" / "x.py").write_text("")
    states = {one.marker: one.state for one in work.build(place)}
    assert (states["§2.2"], states["§3.2"], states["§2.4"]) == ("written", "removed", "written")
    assert "\nMine.\n" in kept.read_text().partition(OPEN)[2]
    assert "§3.2" not in kept.read_text()
    assert [(one.check, one.marker) for one in upkeep.check(place)] == [("no-details", "§2.2"), ("stale", "§2.2")]
    assert ("§2.2", "its section is no more") in [(one.marker, one.why) for one in upkeep.stale(place)]


def test_what_people_wrote_survives(place: Site, remember: Remember) -> None:
    """Between the marks, and below them, which is told as stale; above them every build and update writes anew."""
    ways: tuple[Callable[[], object], ...] = (
        lambda: work.build(place),
        lambda: upkeep.update(place, "decision", "src", ()),
    )
    for number, renewed in enumerate(ways):
        path = write(place, "§2.3", "Ask Ann first.")
        path.write_text(f"{path.read_text()}\nAnd then Bob.\n")
        assert {one.marker: one.parts for one in upkeep.stale(place)} == {"§2.3": ["what stands after the parts"]}
        path.write_text(path.read_text().replace("Use JWT", "Use XYZ"))
        remember("decision", f"Use sessions {number}", paths=["src/a.py"], importance=8)
        renewed()
        assert path.read_text().endswith(f"And then Bob.\n{CLOSE}\n")
        assert "Ask Ann first." in path.read_text()
        assert f"Use sessions {number}" in path.read_text()
        assert "Use XYZ" not in path.read_text()
        assert upkeep.stale(place) == []


def test_what_is_forgotten_leaves_the_documents(place: Site, remember: Remember, state: Path) -> None:
    """By the command that forgets it; nothing is built where nothing was."""
    old = remember("decision", "Use sessions", paths=["src/a.py"])
    work.renew(NOW)
    assert not (state / "knowledge").exists()
    work.build(place)
    left = state / "knowledge" / "L2" / "2.1-a.md.1.2.tmp"  # of a killed writer
    left.touch()
    assert cli.main(["memory", "forget", old[:8]]) == 0
    assert not left.exists()
    for path in (state / "knowledge").rglob("*.md"):
        assert "Use sessions" not in path.read_text()
    assert "Use JWT" in (state / "knowledge" / "L1.md").read_text()


def test_what_is_stale_and_what_conditions_show(place: Site, remember: Remember) -> None:
    """Exactly the documents that a build would write, with their parts; a change reaches as far as it shows."""
    assert {one.why for one in upkeep.stale(place)} == {"it is not there"}
    work.build(place)
    assert [one.due for one in upkeep.update(place, "code", "", ())] == [True, False, False, False]
    remember("learning", "Caches are cold at night", paths=["docs/m.md"])
    found = {one.marker: one.parts for one in upkeep.stale(place)}
    assert found == {"§2.2": ["To know", "Details"], "§3.2": ["3.2.4 Learnings"]}
    assert {(one.check, one.marker) for one in upkeep.check(place)} == {("stale", name) for name in found}
    assert {one.marker for one in work.build(place) if one.state == "written"} == set(found)
    remember("state", "Pay", {"completion_percentage": 80}, paths=["src/a.py"], time="2026-12-01T00:00:00Z")
    assert [one.due for one in upkeep.update(place, "code", "§2.3", ("significant",))] == [True, True, True, True]
    remember("issue", "Lost", {"severity": "critical"}, paths=["src/a.py"])
    assert [one.due for one in upkeep.update(place, "fix", "3", ())] == [True, False, False, True]


def test_what_cannot_be_updated(place: Site) -> None:
    """No documents yet; no such section, change or condition."""
    for change, section, said in (("code", "", ()), ("code", "§2.9", ()), ("nope", "", ()), ("code", "", ("nope",))):
        with pytest.raises(BadInput):
            upkeep.update(place, change, section, said)
        work.build(place)


def test_secrets_are_kept_out(place: Site, project: Path) -> None:
    """Those in files, too; what people wrote stays theirs."""
    key = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"
    (project / "README.md").write_text(f"# Shop\n\nA shop whose token is {key} for all to see.\n")
    write(place, "§1.0", "mine")
    assert "[redacted: " in (Path(place.folder) / "L1.md").read_text()
    for path in Path(place.folder).rglob("*.md"):
        assert key not in path.read_text()


def test_what_a_clone_brings_is_labelled_so(place: Site, state: Path) -> None:
    """Whatever its files say of who said it; a state that is dated ahead is not the newest."""
    ahead = record("state", "Ahead", {"completion_percentage": 99}, paths=["src/a.py"], time="2099-01-01T00:00:00Z")
    forged = record("decision", "Use swordfish", paths=["src/a.py"], trust="trusted")
    for one in (ahead, forged):
        (state / "memory" / f"{one.kind}s" / f"{one.id}.md").write_text(markdown.render(one))
    work.build(place)
    told = (state / "knowledge" / "L3" / "3.3-src.md").read_text()
    assert "Use swordfish (2026-11-04, importance 5, semi_trusted, from the repository)" in told
    assert "- §2.3 src: 60 %: Pay [IN PROGRESS]\n" in (state / "knowledge" / "index.md").read_text()
