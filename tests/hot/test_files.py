import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import filelock
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.hot import call_log, files

HOOKS = Path(__file__).resolve().parents[2] / "hooks"


@given(st.text(st.characters(codec=None) | st.sampled_from("/.\x00\\:"), max_size=150), st.integers(1, 120))
def test_safe_name_is_one_plain_file_name(text: str, limit: int) -> None:
    name = files.safe_name(text, limit)
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
    assert 1 <= len(name) <= max(1, limit)
    assert not name.startswith(".")
    assert name == files.safe_name(text, limit)


def test_write_atomic_replaces_whole(tmp_path: Path) -> None:
    path = tmp_path / "a"
    for content in ("one", b"two\xff", "half \ud83d"):
        files.write_atomic(str(path), content)
    assert path.read_bytes() == b"half ?"
    assert os.listdir(tmp_path) == ["a"]
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    files.write_atomic(str(path), "old")

    def full(fd: int, data: bytes) -> None:
        os.write(fd, bytes(data[:1]))
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "write_all", full)
    with pytest.raises(OSError, match=f"No space left on device: '{tmp_path}/"):
        files.write_atomic(str(path), "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a"]
    with pytest.raises(FileNotFoundError) as told:
        files.write_atomic(str(tmp_path / "none" / "a"), "new")
    assert told.value.filename == str(tmp_path / "none" / "a")


def _linked_pipe(path: Path) -> None:
    os.mkfifo(path.with_name("pipe"))
    path.symlink_to("pipe")


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


STRANGE: dict[str, Callable[[Path], None]] = {
    "pipe": os.mkfifo,
    "socket": _socket,
    "folder": Path.mkdir,
    "link to a pipe": _linked_pipe,
    "link to a new terminal": lambda path: path.symlink_to("/dev/ptmx"),
    "link to the terminal": lambda path: path.symlink_to("/dev/tty"),
    "link to endless zeros": lambda path: path.symlink_to("/dev/zero"),
    "link to itself": lambda path: path.symlink_to(path.name),
    "link to nothing": lambda path: path.symlink_to("nowhere"),
}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("follow", [False, True], ids=["itself", "followed"])
@pytest.mark.parametrize("kind", list(STRANGE))
def test_what_is_no_regular_file_is_neither_waited_for_nor_read(kind: str, follow: bool, tmp_path: Path) -> None:
    """A clone may bring any of them under any name; nothing is appended, locked or replaced in it either."""
    path = tmp_path / "a"
    STRANGE[kind](path)
    before, descriptors = os.lstat(path), len(os.listdir("/dev/fd"))
    assert files.read_bytes(str(path), follow=follow) == files.read_from(str(path), 5, 9, follow=follow) == b""
    with pytest.raises(OSError):  # noqa: PT011 - which one is the system's
        files.open_file(str(path), follow=follow)
    with pytest.raises(OSError):  # noqa: PT011 - as above
        files.append(str(path), "x\n")
    with files.Lock(str(path), 0) as held:
        assert not held
    assert not files.claim(str(path))
    assert (os.lstat(path).st_ino, os.lstat(path).st_mode) == (before.st_ino, before.st_mode)
    assert len(os.listdir("/dev/fd")) == descriptors
    assert not (tmp_path / "nowhere").exists()


def test_reading_within_bounds(tmp_path: Path) -> None:
    """A limit is a limit, damaged bytes are marked; a link is followed only where a clone has no say."""
    path, link = tmp_path / "a", tmp_path / "link"
    path.write_bytes(b"0123456789\xff")
    link.symlink_to("a")
    assert files.read_bytes(str(path), 4) == files.read_bytes(str(link), 4, follow=True) == b"0123"
    assert [files.read_from(str(path), *part) for part in ((8, 2), (99, 2))] == [b"89", b""]
    assert files.read_text(str(path)).endswith("9\ufffd")
    assert [files.size_of(f"{path}{more}") for more in ("", "x", "\0", "\ud800")] == [11, -1, -1, -1]
    assert files.read_text(str(link)) == ""
    for place in (tmp_path / "none", path / "beneath"):
        assert (files.read_text(str(place)), files.names_in(str(place))) == ("", [])


def test_claims_of_many_processes(tmp_path: Path) -> None:
    code = (
        "import sys; from holdfast.hot.files import claim\nprint(sum(claim(f'{sys.argv[1]}/{n}') for n in range(100)))"
    )
    command = [sys.executable, "-S", "-c", code, str(tmp_path)]
    started = [subprocess.Popen(command, env={"PYTHONPATH": str(HOOKS)}, stdout=subprocess.PIPE) for _ in range(8)]
    assert sum(int(process.communicate()[0]) for process in started) == 100
    assert files.claim(str(tmp_path / "none" / "c")) is False


@pytest.mark.parametrize("torn", ["", "x", "half a li", "bin\x00\x1b"])
def test_a_torn_line_takes_no_other_with_it(tmp_path: Path, torn: str) -> None:
    """A kill or a full disk may leave one; the lines before and behind it stay whole, of a capped log the newest."""
    path = str(tmp_path / "log")
    files.append(path, "before\n")
    with open(path, "a") as file:
        file.write(torn)
    files.append(path, "behind\n")
    files.append(path, "last\n")
    assert files.read_text(path) == "".join(["before\n", *([f"{torn}\n"] if torn else []), "behind\nlast\n"])
    for n in range(9):
        files.append_capped(path, f"line {n}\n", 5)
    assert files.read_text(path).splitlines() == [f"line {n}" for n in range(4, 9)]


def test_short_writes_are_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files.os, "write", lambda fd, data: os.writev(fd, [bytes(data)[:3]]))
    files.append(str(tmp_path / "log"), "a whole line\n")
    files.write_atomic(str(tmp_path / "file"), "a whole file")
    call_log.create(str(tmp_path / "calls"))
    assert [call_log.record(str(tmp_path / "calls"), call_log.line(n, 5, "Bash")) for n in (1, 2)] == [1, 2]
    monkeypatch.undo()
    assert (tmp_path / "log").read_text() == "a whole line\n"
    assert (tmp_path / "file").read_text() == "a whole file"
    assert call_log.count(str(tmp_path / "calls")) == 2


@pytest.mark.parametrize("there", [True, False])
def test_nothing_is_written_through_a_link(tmp_path: Path, there: bool) -> None:
    """A clone may bring one in the place of a log, of its lock or of its folder."""
    outside = tmp_path / "outside"
    outside.mkdir()
    target = outside / "target"
    if there:
        target.write_text("kept")
    for name in ("log", "other.lock"):
        (tmp_path / name).symlink_to(target)
    (tmp_path / "logs").symlink_to(outside)
    with pytest.raises(OSError, match="symbolic links"):
        files.append(str(tmp_path / "log"), "x\n")
    with pytest.raises(OSError, match="a link stands"):
        files.append_capped(str(tmp_path / "logs" / "new"), "x", 3)
    with files.Lock(str(tmp_path / "other.lock")) as held:
        assert not held
    files.append_capped(str(tmp_path / "other"), "x", 3)
    assert (tmp_path / "other").read_text() == "x\n"
    assert [(path.name, path.read_text()) for path in outside.iterdir()] == [("target", "kept")] * there


def test_a_lock_is_for_one_and_nobody_waits_long(tmp_path: Path) -> None:
    path = str(tmp_path / "l")
    with files.Lock(path) as first:
        began = time.monotonic()
        with files.Lock(path, 0.05) as second:
            assert (first, second) == (True, False)
        assert time.monotonic() - began < 5
    with files.Lock(path) as again:
        assert again is True
    with files.Lock(str(tmp_path / "none" / "l")) as none:
        assert none is False


def test_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_X", "é")
    assert (files.variable("HOLDFAST_X"), files.variable("HOLDFAST_Y")) == ("é", "")
    code = (
        "import sys; from holdfast.hot.files import variable; assert 'os' not in sys.modules\n"
        "print(ascii(variable('A')), ascii(variable('B')))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={"PYTHONPATH": str(HOOKS), "A": "é"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "'\\xe9' ''\n"


HOLD = {
    "hooks": "from holdfast.hot.files import Lock\nhold = Lock(sys.argv[1])\nassert hold.__enter__()",
    "filelock": "from filelock import FileLock\nhold = FileLock(sys.argv[1])\nhold.acquire()",
}


@pytest.mark.parametrize("holder", list(HOLD))
def test_commands_and_hooks_exclude_each_other_on_one_file(tmp_path: Path, holder: str) -> None:
    """Commands lock with filelock, hooks with their own flock: whoever has it in another process, both wait."""
    path = str(tmp_path / "index.lock")
    code = f"import sys\n{HOLD[holder]}\nprint('held', flush=True)\nsys.stdin.read()"
    search = os.pathsep.join([str(HOOKS), str(Path(filelock.__file__).parents[1])])
    with subprocess.Popen(
        [sys.executable, "-S", "-c", code, path],
        env={"PYTHONPATH": search},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        with files.Lock(path, 0.02) as held:
            assert held is False
        with pytest.raises(filelock.Timeout):
            filelock.FileLock(path).acquire(timeout=0.02)
        process.communicate("")
    with files.Lock(path) as held:
        assert held is True
    with filelock.FileLock(path, timeout=1):
        pass
