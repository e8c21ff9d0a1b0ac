from pathlib import Path

from holdfast.session import hook_log

ENTRY = hook_log.Entry(1_800_000_000.5, "SessionStart", "compact", 42.5, 4_000, 0)


def test_what_is_noted_is_read(tmp_path: Path) -> None:
    """Line by line; a kind from stdin cannot break the line."""
    hook_log.note(str(tmp_path), ENTRY)
    hook_log.note(str(tmp_path), ENTRY._replace(kind="a b\n../c"))
    hook_log.note(str(tmp_path), ENTRY._replace(kind=""))
    assert hook_log.load(str(tmp_path)) == [ENTRY, ENTRY._replace(kind="a_b_.._c"), ENTRY._replace(kind="-")]


def test_torn_lines_are_passed_over(tmp_path: Path) -> None:
    """And no file is an empty ledger."""
    assert hook_log.load(str(tmp_path)) == []
    (tmp_path / hook_log.NAME).write_bytes(b"1 Stop - x 1 1\n1.0 Stop\n\xff\n2.0 Stop - 3.0 0 0\n4.0 Sto")
    assert [entry.seconds for entry in hook_log.load(str(tmp_path))] == [2.0]


def test_a_disk_that_refuses(tmp_path: Path) -> None:
    """Loses the line, nothing else."""
    hook_log.note(str(tmp_path / "none"), ENTRY)
    assert not (tmp_path / "none").exists()
