import json
import multiprocessing
import os
from pathlib import Path

import pytest

from holdfast.install import concurrent_edit

ROUNDS = 150


def add_line(old: bytes | None) -> bytes:
    return old if old and b"ours" in old else (old or b"") + b"ours\n"


@pytest.mark.parametrize("atomic", [True, False], ids=["exchange", "rename"])
def test_a_write_at_the_last_moment_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, atomic: bool) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"1\n")
    late = [b"1\nlate\n"]
    true_exchange = concurrent_edit.exchange

    def sneak(source: str, target: str) -> bool:
        if late:
            path.write_bytes(late.pop())
        return atomic and true_exchange(source, target)

    monkeypatch.setattr(concurrent_edit, "exchange", sneak)
    concurrent_edit.edit(str(path), add_line)
    assert path.read_bytes() == b"1\nlate\nours\n"
    assert os.listdir(tmp_path) == ["a"]


def test_a_writer_that_never_rests_ends_in_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrent_edit, "SETTLE_S", (0.0,))
    path = tmp_path / "a"

    def change(old: bytes | None) -> bytes:
        path.write_bytes(os.urandom(8).hex().encode())
        return b"ours"

    with pytest.raises(concurrent_edit.SwapError, match="keeps rewriting"):
        concurrent_edit.edit(str(path), change)


def test_a_disk_that_refuses_leaves_nothing_and_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "a"
    path.write_bytes(b"1\n")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space") as told:
        concurrent_edit.edit(str(path), add_line)
    assert (told.value.filename, path.read_bytes(), os.listdir(tmp_path)) == (str(path), b"1\n", ["a"])


def rewrite(path: str) -> None:
    """What the client does: read, set a key of its own, write beside, rename."""
    for number in range(ROUNDS):
        data = json.loads(Path(path).read_bytes())
        data[f"k{number}"] = number
        fresh = f"{path}.client"
        Path(fresh).write_text(json.dumps(data))
        os.replace(fresh, path)


def test_a_parallel_rewriter_does_not_undo_the_change(tmp_path: Path) -> None:
    """Against a process that rewrites the same file all the time, our entry is there in the end."""
    path = tmp_path / "settings.json"
    path.write_text("{}")

    def change(old: bytes | None) -> bytes:
        data = json.loads(old or b"{}")
        return old if "ours" in data and old else json.dumps({**data, "ours": 1}).encode()

    process = multiprocessing.get_context("spawn").Process(target=rewrite, args=(str(path),))
    process.start()
    try:
        while process.is_alive():
            concurrent_edit.edit(str(path), change)
    finally:
        process.join()
    concurrent_edit.edit(str(path), change)
    left = json.loads(path.read_bytes())
    assert left["ours"] == 1
    assert left[f"k{ROUNDS - 1}"] == ROUNDS - 1
