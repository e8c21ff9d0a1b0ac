"""The faults of point 7, each made for real: around the hooks, and in what the hooks are given.

Each is a context manager over a sandbox. Faults of stdin and of the transcript are made by a small program
between the client and the hooks; that needs settings to edit, so they exist for the dropped-in pack, whose
hooks are the same.
"""

import contextlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from client import Sandbox

SESSION = "5e551007-0000-4000-8000-00000000fa17"  # given to the client, so that its files can be prepared
Fault = Callable[[Sandbox], contextlib.AbstractContextManager[None]]


@contextlib.contextmanager
def file_in_place_of_the_folder(sandbox: Sandbox) -> Iterator[None]:
    """Where the state should go there is a file: nothing can be written, not even by root."""
    elsewhere = sandbox.root / "state"
    elsewhere.write_text("not a folder\n")
    sandbox.extra["HOLDFAST_DIR"] = str(elsewhere)
    yield
    assert elsewhere.read_text() == "not a folder\n"


@contextlib.contextmanager
def _mounted(place: Path, options: str) -> Iterator[None]:
    """A small file system of its own; skips where mounting is not permitted."""
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a tmpfs is not permitted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True, capture_output=True)


@contextlib.contextmanager
def disk_full(sandbox: Sandbox) -> Iterator[None]:
    """The data folder is on a disk without a free byte, though files can still be made there."""
    place = sandbox.root / "state"
    sandbox.extra["HOLDFAST_DIR"] = str(place)
    with _mounted(place, "size=64k"):
        (place / "here").touch()  # ours already, else it would be taken for one of the user's own
        with contextlib.suppress(OSError), (place / "ballast").open("wb", buffering=0) as ballast:
            while ballast.write(b"x" * 4096):
                pass
        yield


@contextlib.contextmanager
def full_soon(sandbox: Sandbox) -> Iterator[None]:
    """The disk fills up while the session runs: the first hooks can write, later ones cannot."""
    place = sandbox.root / "state"
    sandbox.extra["HOLDFAST_DIR"] = str(place)
    with _mounted(place, "size=48k"):
        yield


@contextlib.contextmanager
def broken_config(sandbox: Sandbox) -> Iterator[None]:
    """config.json is not JSON, and stays as the user left it."""
    text = '{"handoff": {"limit": 500,,}'
    sandbox.state.mkdir(parents=True, exist_ok=True)
    (sandbox.state / "config.json").write_text(text)
    yield
    assert (sandbox.state / "config.json").read_text() == text


@contextlib.contextmanager
def packages_missing(sandbox: Sandbox) -> Iterator[None]:
    """The folder with the packages has gone."""
    for sidecar in _sidecars(sandbox):
        python, _, *rest = sidecar.read_text().splitlines()
        sidecar.write_text("\n".join([python, str(sandbox.root / "no-packages"), *rest, ""]))
    _set_up_in_vain(sandbox)
    yield


def _set_up_in_vain(sandbox: Sandbox) -> None:
    """The plugin has tried to get its packages and could not; it tries again tomorrow."""
    if sandbox.plugin:
        (sandbox.plugin_data / "setup-failed").touch()


@contextlib.contextmanager
def python_missing(sandbox: Sandbox) -> Iterator[None]:
    """No Python is on PATH, and the interpreter that the installer found has gone."""
    tools = sandbox.root / "tools"
    tools.mkdir()
    for name in ("sh", "bash", "env", "cat", "mv", "rm", "ls", "uname", "ps", "git", "grep", "sed", "which"):
        found = shutil.which(name)
        if found:
            (tools / name).symlink_to(found)
    sandbox.extra["PATH"] = str(tools)
    for sidecar in _sidecars(sandbox):
        sidecar.write_text(f"{sandbox.root / 'gone' / 'python3.11'}\n\n")
    _set_up_in_vain(sandbox)
    yield


def _sidecars(sandbox: Sandbox) -> list[Path]:
    places = (sandbox.plugin_data / "interpreter", sandbox.pack / "hooks" / "interpreter")
    return [place for place in places if place.is_file()]


@contextlib.contextmanager
def lock_held(sandbox: Sandbox) -> Iterator[None]:
    """Another process holds every lock that the hooks could want, all the time."""
    session = sandbox.state / "sessions" / SESSION
    logs = ("compactions.jsonl", "faults.log", "progress.md")
    locks = [session / "orchestrator.json.lock", session / "calls.log"]
    locks += [sandbox.state / "logs" / f"{name}.lock" for name in logs]
    for lock in locks:
        lock.parent.mkdir(parents=True, exist_ok=True)
    hold = (
        "import fcntl, sys\n"
        "files = [open(name, 'a') for name in sys.argv[1:]]\n"
        "[fcntl.flock(file, fcntl.LOCK_EX) for file in files]\n"
        "print('held', flush=True)\n"
        "sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", hold, *map(str, locks[:-1])]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        try:
            yield
        finally:
            holder.communicate()


NOTHING_TO_WRITE_TO = (file_in_place_of_the_folder, disk_full)
SURROUNDINGS: dict[str, Fault] = {
    fault.__name__: fault for fault in (*NOTHING_TO_WRITE_TO, full_soon, packages_missing, python_missing, lock_held)
}

BETWEEN = """
import json, os, sys
kind, big = sys.argv[1:3]
raw = sys.stdin.buffer.read()
if kind == "not-json":
    raw = b"this is { not JSON\\xff\\n"
else:
    event = json.loads(raw)
    path = str(event.get("transcript_path", ""))
    if kind == "transcript-torn":
        torn = path + ".torn"
        body = open(path, "rb").read() if os.path.exists(path) else b""
        os.makedirs(os.path.dirname(torn), exist_ok=True)
        open(torn, "wb").write(b'{"type": "assist' + b"\\x00\\xff" * 9 + b"\\n" + body[: len(body) * 2 // 3])
        event["transcript_path"] = torn
    elif kind == "transcript-50MB":
        event["transcript_path"] = big
    raw = json.dumps(event).encode()
sys.stdout.buffer.write(raw)
"""
GIVEN = ("not-json", "transcript-torn", "transcript-50MB")  # more of them in tests/hook/test_hooks_subprocess.py


def put_between(sandbox: Sandbox, kind: str, big: Path) -> None:
    """Let every hook of the pack be fed by the program above."""
    program = sandbox.root / "between.py"
    program.write_text(BETWEEN)
    settings = sandbox.project / ".claude" / "settings.local.json"
    table = json.loads(settings.read_text())
    for group in (group for groups in table["hooks"].values() for group in groups):
        for hook in group["hooks"]:
            hook["command"] = f"'{sys.executable}' '{program}' {kind} '{big}' | {{ {hook['command']}; }}"
    settings.write_text(json.dumps(table))


def write_big_transcript(path: Path) -> None:
    """A transcript of 50 MB, made of rows as the client writes them."""
    content = [{"type": "text", "text": "worked on " + "the session store " * 100}]
    usage = {"input_tokens": 10, "cache_creation_input_tokens": 60_000, "output_tokens": 9}
    message = {"id": "msg_N", "role": "assistant", "model": "claude-sonnet-4-5", "content": content, "usage": usage}
    line = json.dumps({"type": "assistant", "sessionId": SESSION, "uuid": "u", "parentUuid": None, "message": message})
    with path.open("w") as file:
        size = number = 0
        while size < 50_000_000:
            size += file.write(line.replace("msg_N", f"msg_{number}") + "\n")
            number += 1
