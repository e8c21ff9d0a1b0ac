import json
from pathlib import Path

import pytest

from holdfast.knowledge import store


def test_where_the_documents_are(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert store.folder_of() == f"{project}/.claude/holdfast/knowledge"
    monkeypatch.setenv("HOLDFAST_DIR", str(tmp_path / "memory"))
    ours = store.folder_of()
    assert ours.startswith(f"{tmp_path}/memory/knowledge/project-")
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path / "other"))
    assert store.folder_of() != ours


def test_documents_by_their_markers(tmp_path: Path) -> None:
    folder = str(tmp_path / "knowledge")
    for marker, title in {"§2.10": "b", "§2.2": "Src / Ä", "§1.0": "x", "§3.2": "../../evil"}.items():
        path = store.path_for(folder, marker, title)
        assert [store.write(folder, path, marker) for _ in range(2)] == [True, False]
    (tmp_path / "knowledge" / "L2" / "notes.md").write_text("mine")
    (tmp_path / "knowledge" / "L2" / "2.x-y.md").write_text("mine")
    assert list(store.texts(folder).items()) == [(name, name) for name in ("§1.0", "§2.2", "§2.10", "§3.2")]
    assert store.places(folder)["§3.2"] == "L3/3.2-evil.md"
    assert store.path_for(folder, "§2.2", "another title") == store.places(folder)["§2.2"]
    assert (tmp_path / "knowledge").stat().st_mode & 0o077 == 0
    for _ in range(2):
        store.remove(folder, "L1.md")
    assert "§1.0" not in store.texts(folder)


def test_links_are_no_documents(tmp_path: Path) -> None:
    """A link in the place of one is not read, and is replaced, not followed; nor is one in a folder's place."""
    folder, out = tmp_path / "knowledge", tmp_path / "out"
    out.mkdir()
    secret = out / "2.1-project.md"
    secret.write_text("key")
    store.write(str(folder), "L1.md", "old")
    (folder / "L1.md").unlink()
    (folder / "L1.md").symlink_to(secret)
    (folder / "L2").rmdir()
    (folder / "L2").symlink_to(out)
    assert store.texts(str(folder)) == {}
    store.remove(str(folder), "L2/2.1-project.md")
    with pytest.raises(OSError, match="a link or a file stands"):
        store.write(str(folder), "L1.md", "x")
    (folder / "L2").unlink()
    assert store.write(str(folder), "L1.md", "new")
    assert (store.read(str(folder), "L1.md"), secret.read_text()) == ("new", "key")


@pytest.mark.parametrize("torn", ["", "[]", '{"sections": {"src'])
def test_numbers_survive_a_torn_list(tmp_path: Path, torn: str) -> None:
    folder = str(tmp_path)
    store.keep_numbers(folder, {"": 1, "src/auth": 4, "docs": 2})
    assert store.numbers(folder) == {"": 1, "docs": 2, "src/auth": 4}
    assert json.loads((tmp_path / "index.json").read_text())["v"] == 1
    for number, title in ((1, "Project"), (4, "src/auth")):
        path = store.path_for(folder, f"§2.{number}", title)
        store.write(folder, path, f"# §2.{number} {title}\n")
    (tmp_path / "index.json").write_text(torn)
    assert store.numbers(folder) == {"": 1, "src/auth": 4}
