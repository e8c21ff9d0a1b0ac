from pathlib import Path

from holdfast.digest import archive
from holdfast.hot.fingerprint import fingerprint


def test_a_text_is_kept_once(tmp_path: Path) -> None:
    mark = fingerprint(b"text")
    path = archive.path_for(str(tmp_path / "a"), "mcp__Server__tool/../x", mark)
    assert path == f"{tmp_path}/a/mcp__server__tool_.._x-{mark}.txt"
    archive.keep(path, b"text")
    first = Path(path).stat()
    archive.keep(path, b"text")
    assert (Path(path).read_text(), Path(path).stat().st_ino) == ("text", first.st_ino)


def test_first_seen_is_per_window(tmp_path: Path) -> None:
    folder = str(tmp_path)
    assert [archive.first_seen(folder, "0-main", "m") for _ in range(2)] == [True, False]
    assert archive.first_seen(folder, "1-main", "m")
    assert archive.first_seen(folder, "0-../agent", "m")
    assert all(archive.first_seen(folder + "/none", "0", "m") for _ in range(2))


def test_only_what_exists_has_been_seen(tmp_path: Path) -> None:
    """Where nothing can be noted a result is new each time: a reference to it would lose what was never shown."""
    (tmp_path / "seen").write_text("a file in the folder's place")
    assert all(archive.first_seen(str(tmp_path / "seen"), "0-main", "m") for _ in range(2))
