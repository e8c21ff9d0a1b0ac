import json
import subprocess
from pathlib import Path

import pytest

from holdfast.hot.files import write_atomic
from holdfast.knowledge import store
from holdfast.knowledge.document import Document, Part, own_text, write


def test_where_the_documents_are(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the memory; in a folder that projects share each has its own."""
    assert store.folder_of() == f"{project}/.claude/holdfast/knowledge"
    monkeypatch.setenv("HOLDFAST_DIR", str(tmp_path / "memory"))
    ours = store.folder_of()
    assert ours.startswith(f"{tmp_path}/memory/knowledge/project-")
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path / "other"))
    assert store.folder_of() != ours


def test_worktrees_share_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As they share the memory."""
    main = tmp_path / "main"
    for arguments in (
        ["init", "-q", str(main)],
        ["-C", str(main), "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"],
        ["-C", str(main), "worktree", "add", "-q", str(tmp_path / "tree")],
    ):
        subprocess.run(["git", *arguments], check=True, capture_output=True)
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path / "tree"))
    assert store.folder_of() == f"{main}/.claude/holdfast/knowledge"


def test_documents_by_their_markers(tmp_path: Path) -> None:
    """The file's name has the marker; in the order of the numbers; other files are passed over."""
    folder = str(tmp_path / "knowledge")
    titles = {"§2.10": "b", "§2.2": "Src / Ä", "§1.0": "x", "§3.2": "../../evil"}
    for marker, title in titles.items():
        path = store.path_for(folder, marker, title)
        assert store.replace(folder, path, lambda _, marker=marker: marker)  # type: ignore[misc]  # bound at once
    (tmp_path / "knowledge" / "L2" / "notes.md").write_text("mine")
    (tmp_path / "knowledge" / "L2" / "2.x-y.md").write_text("mine")
    assert list(store.texts(folder).items()) == [(name, name) for name in ("§1.0", "§2.2", "§2.10", "§3.2")]
    assert store.places(folder)["§3.2"] == "L3/3.2-evil.md"
    assert store.path_for(folder, "§2.2", "another title") == store.places(folder)["§2.2"]


def test_a_document_is_changed_as_it_stands(tmp_path: Path) -> None:
    """And left alone where nothing changes."""
    folder = str(tmp_path / "knowledge")
    assert store.replace(folder, "L1.md", lambda old: f"{old}a")
    assert store.replace(folder, "L1.md", lambda old: f"{old}b")
    assert not store.replace(folder, "L1.md", lambda old: old)
    assert store.read(folder, "L1.md") == "ab"
    assert (tmp_path / "knowledge").stat().st_mode & 0o077 == 0
    for _ in range(2):
        store.remove(folder, "L1.md")
    assert store.texts(folder) == {}


def test_links_are_no_documents(tmp_path: Path) -> None:
    """A link in the place of one is not read, and is replaced, not followed."""
    folder, secret = tmp_path / "knowledge", tmp_path / "secret"
    secret.write_text("key")
    store.prepare(str(folder))
    (folder / "L1.md").symlink_to(secret)
    (folder / "L2" / "2.1-a.md").symlink_to(secret)
    assert store.texts(str(folder)) == {}
    assert store.replace(str(folder), "L1.md", lambda old: f"new{old}")
    assert secret.read_text() == "key"
    assert store.read(str(folder), "L1.md") == "new"


@pytest.mark.parametrize("torn", ["", "[]", '{"sections": {"src": "2"}}', '{"sections": {"a": 3, "b": 3}}'])
def test_numbers_survive_a_torn_list(tmp_path: Path, torn: str) -> None:
    """Then the summaries say them."""
    folder = str(tmp_path)
    store.keep_numbers(folder, {"": 1, "src/auth": 4, "docs": 2})
    assert store.numbers(folder) == {"": 1, "docs": 2, "src/auth": 4}
    assert json.loads((tmp_path / "index.json").read_text())["v"] == 1
    for number, title in ((1, "Project"), (4, "src/auth")):
        path = store.path_for(folder, f"§2.{number}", title)
        text = f"# §2.{number} {title}\n"
        store.replace(folder, path, lambda _, text=text: text)  # type: ignore[misc]  # bound at once
    (tmp_path / "index.json").write_text(torn)
    assert store.numbers(folder) == {"": 1, "src/auth": 4}


def test_a_link_in_a_folders_place_is_not_followed(tmp_path: Path) -> None:
    """Nothing behind it is listed, removed or written."""
    folder, out = tmp_path / "knowledge", tmp_path / "out"
    folder.mkdir()
    out.mkdir()
    (out / "2.1-project.md").write_text("precious")
    (folder / "L2").symlink_to(out)
    assert store.places(str(folder)) == {}
    store.remove(str(folder), "L2/2.1-project.md")
    with pytest.raises(OSError, match="a link or a file stands"):
        store.replace(str(folder), "L1.md", lambda _: "x")
    assert (out / "2.1-project.md").read_text() == "precious"


def test_what_a_killed_writer_left_is_removed(tmp_path: Path) -> None:
    """It may hold what was forgotten."""
    store.prepare(str(tmp_path / "knowledge"))
    (tmp_path / "knowledge" / "L2" / "2.1-a.md.1.2.tmp").touch()
    store.drop_leftovers(str(tmp_path / "knowledge"))
    assert list((tmp_path / "knowledge" / "L2").iterdir()) == []


def made(*lines: str, own: str = "") -> str:
    """A document of these lines."""
    return write(Document("§2.1", "Any", 400, (Part("Status", lines),)), own)


def test_lines_by_hand_are_handed_on(tmp_path: Path) -> None:
    """What makes the document finds them between the marks; those of the build before are not among them."""
    folder = str(tmp_path / "knowledge")
    assert store.rewrite(folder, "L1.md", lambda _: made("one"))
    path = Path(folder, "L1.md")
    path.write_text(path.read_text().replace("one\n", "one\nby hand\n"))
    assert "by hand" in own_text(store.settled(folder, "L1.md"))
    store.rewrite(folder, "L1.md", lambda old: made("two", own=own_text(old)))
    assert own_text(path.read_text()).splitlines()[1:] == ["by hand"]
    assert not store.rewrite(folder, "L1.md", lambda old: made("two", own=own_text(old)))


def test_a_build_that_is_killed_between_takes_nothing_of_ours_for_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The marks are there before the document is."""
    folder = str(tmp_path / "knowledge")
    store.rewrite(folder, "L1.md", lambda _: made("one"))

    def killed(path: str, text: str) -> None:
        if path.endswith(".written/L1.md"):
            write_atomic(path, text)
        else:
            raise KeyboardInterrupt

    monkeypatch.setattr(store, "write_atomic", killed)
    with pytest.raises(KeyboardInterrupt):
        store.rewrite(folder, "L1.md", lambda _: made("two"))
    monkeypatch.undo()
    for _ in range(2):
        store.rewrite(folder, "L1.md", lambda old: made("three", own=own_text(old)))
    assert own_text(Path(folder, "L1.md").read_text()) == ""


def test_a_document_of_unknown_builds_is_left_to_the_build(tmp_path: Path) -> None:
    """Where no marks are, nobody can tell whose its lines are."""
    folder = tmp_path / "knowledge"
    folder.mkdir()
    (folder / "L1.md").write_text(made("of an older build"))
    store.rewrite(str(folder), "L1.md", lambda old: made("one", own=own_text(old)))
    assert own_text((folder / "L1.md").read_text()) == ""
