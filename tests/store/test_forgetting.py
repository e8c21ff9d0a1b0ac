from pathlib import Path

from holdfast.store import forgetting, record_files
from holdfast.store.accesses import LOG

ID = "1a2b3c4d-1111-4111-8111-111111111111"


def test_lines_that_name_a_record_leave_the_pages(tmp_path: Path) -> None:
    """By id, its beginning or code; other lines, records' own files and other hashes stay."""
    page = tmp_path / "summaries" / "s1.md"
    page.parent.mkdir()
    page.write_text(
        f"# Session\n- kept\n- gone ({ID})\n- gone [1a2b3c4d]\n- gone DEC-2026-11-04-001\n- kept x1a2b3c4d\n"
    )
    (tmp_path / "issues").mkdir()
    (tmp_path / "issues" / "a.md").write_text("1a2b3c4d")
    forgetting.clear_pages(str(tmp_path), {ID, "DEC-2026-11-04-001"})
    assert page.read_text() == "# Session\n- kept\n- kept x1a2b3c4d\n"
    assert (tmp_path / "issues" / "a.md").read_text() == "1a2b3c4d"


def test_what_was_compiled_is_thrown_away(tmp_path: Path) -> None:
    """The index and whatever else holds texts; counts, claims and what others are writing stay."""
    cache = Path(record_files.make_cache(str(tmp_path / "memory")))
    (cache / "codes").mkdir()
    (cache / "codes" / "2026-11-04-001").touch()
    for name in ("search.index", "search.index-wal", "start.json", LOG, "access.1f.log", "x.tmp", "change.lock"):
        (cache / name).write_text("x")
    forgetting.drop_compiled(str(tmp_path / "memory"), {ID})
    left = {path.name for path in cache.iterdir()}
    assert left == {".gitignore", "codes", LOG, "access.1f.log", "x.tmp", "change.lock"}
    assert (cache / "codes" / "2026-11-04-001").exists()
