"""Documents are replaced without what people wrote in them being lost."""

from pathlib import Path

import pytest

from holdfast.hot import files
from holdfast.knowledge import hand, store
from holdfast.knowledge.document import Document, Line, Part, own_text, write


def made(*lines: str, own: str = "") -> str:
    """A document of these lines."""
    return write(Document("§2.1", "Any", 400, (Part("Status", tuple(map(Line, lines))),)), own)


def test_lines_by_hand_are_handed_on(tmp_path: Path) -> None:
    """What makes the document finds them between the marks; those of the build before are not among them."""
    folder = str(tmp_path / "knowledge")
    assert hand.replace(folder, "L1.md", lambda _: made("one"))
    path = Path(folder, "L1.md")
    path.write_text(path.read_text().replace("one\n", "one\nby hand\n"))
    assert "by hand" in own_text(hand.standing(folder, "L1.md"))
    hand.replace(folder, "L1.md", lambda old: made("two", own=own_text(old)))
    assert own_text(path.read_text()).splitlines()[1:] == ["by hand"]
    assert not hand.replace(folder, "L1.md", lambda old: made("two", own=own_text(old)))


def test_a_build_that_is_killed_between_takes_nothing_of_ours_for_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The marks are there before the document is."""
    folder = str(tmp_path / "knowledge")
    hand.replace(folder, "L1.md", lambda _: made("one"))

    def killed(path: str, text: str) -> None:
        if path.endswith(".written/L1.md"):
            files.write_atomic(path, text)
        else:
            raise KeyboardInterrupt

    monkeypatch.setattr(store, "write_atomic", killed)
    with pytest.raises(KeyboardInterrupt):
        hand.replace(folder, "L1.md", lambda _: made("two"))
    monkeypatch.undo()
    for _ in range(2):
        hand.replace(folder, "L1.md", lambda old: made("three", own=own_text(old)))
    assert own_text(Path(folder, "L1.md").read_text()) == ""


def test_a_document_of_unknown_builds_is_left_to_the_build(tmp_path: Path) -> None:
    """Where no marks are, nobody can tell whose its lines are."""
    folder = tmp_path / "knowledge"
    folder.mkdir()
    (folder / "L1.md").write_text(made("of an older build"))
    hand.replace(str(folder), "L1.md", lambda old: made("one", own=own_text(old)))
    assert own_text((folder / "L1.md").read_text()) == ""
