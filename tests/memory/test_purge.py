import os
from pathlib import Path

from holdfast.memory import cache as memory_cache
from holdfast.memory import purge
from holdfast.memory.cache import USED

ID = "1a2b3c4d-1111-4111-8111-111111111111"


def test_lines_that_name_a_record_leave_the_pages(tmp_path: Path) -> None:
    """By id, its beginning or code; other lines, longer codes, records' own files and people's own pages stay."""
    page = tmp_path / "sessions" / "s1.md"
    page.parent.mkdir()
    page.write_text(
        f"# Session\n- kept\n- gone ({ID})\n- gone [1a2b3c4d]\n- gone DEC-2026-11-04-001\n- kept x1a2b3c4d\n"
        "- kept DEC-2026-11-04-0010\n"
    )
    (tmp_path / "README.md").write_text(f"See {ID}\n")
    (tmp_path / "issues").mkdir()
    (tmp_path / "issues" / "a.md").write_text("1a2b3c4d")
    purge.clear_pages(str(tmp_path), {ID, "DEC-2026-11-04-001"})
    assert page.read_text() == "# Session\n- kept\n- kept x1a2b3c4d\n- kept DEC-2026-11-04-0010\n"
    assert (tmp_path / "README.md").read_text() == f"See {ID}\n"
    assert (tmp_path / "issues" / "a.md").read_text() == "1a2b3c4d"


def test_what_was_compiled_is_thrown_away(tmp_path: Path) -> None:
    """The index and whatever else holds texts; counts, claims and what is not ours by name stay."""
    cache = Path(memory_cache.make_cache(str(tmp_path / "memory")))
    (cache / "codes").mkdir()
    (cache / "codes" / "2026-11-04-001").touch()
    kept = (USED, "access.1f.log", "x.tmp", "change.lock", "notes.txt")
    for name in ("search.index", "search.index-wal", "start.json", *kept):
        (cache / name).write_text("x")
    purge.drop_compiled(str(tmp_path / "memory"), {ID})
    left = {path.name for path in cache.iterdir()}
    assert left == {
        ".gitignore",
        "here",
        "made",
        "made.lock",
        "notes.txt",
        "codes",
        USED,
        "access.1f.log",
        "x.tmp",
        "change.lock",
    }
    assert (cache / "codes" / "2026-11-04-001").exists()


def test_nothing_is_followed_out_of_the_memory(tmp_path: Path) -> None:
    """Neither a cache nor a folder nor a page that is a link; a device in a page's place is not read."""
    memory, out = tmp_path / "memory", tmp_path / "out"
    memory.mkdir()
    out.mkdir()
    for name in ("start.json", "page.md"):
        (out / name).write_text(f"- {ID}\n")
    (memory / ".cache").symlink_to(out)
    (memory / "sessions").symlink_to(out)
    (memory / "page.md").symlink_to(out / "page.md")
    (memory / "zero.md").symlink_to("/dev/zero")
    os.mkfifo(memory / "pipe.md")
    purge.clear_pages(str(memory), {ID})
    purge.drop_compiled(str(memory), {ID})
    purge.drop_leftovers(str(memory), {ID})
    assert {path.name: path.read_text() for path in out.iterdir()} == dict.fromkeys(
        ("start.json", "page.md"), f"- {ID}\n"
    )


def test_what_a_killed_writer_left_goes_too(tmp_path: Path) -> None:
    """Where it names the record; what others are writing stays."""
    (tmp_path / "decisions").mkdir()
    (tmp_path / "decisions" / "a.md.1.tmp").write_text(f"- gone [{ID[:8]}]")
    (tmp_path / "decisions" / "b.md.1.tmp").write_text("another")
    purge.drop_leftovers(str(tmp_path), {ID})
    assert [path.name for path in (tmp_path / "decisions").iterdir()] == ["b.md.1.tmp"]
