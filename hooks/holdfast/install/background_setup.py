"""A plugin's own set-up: the environment is made in the background, once, and nothing stays running.

`needs_setup` and `start` are for SessionStart; they cost a few file look-ups. The work is done by
`setup_worker`, a process of its own that ends by itself.
"""

import contextlib
import os
import sys
import time

from holdfast.install import environment

LOCK, LOG, FAILED = "setup.lock", "setup.log", "setup-failed"
STALE_S = 900  # longer than the worker's own limit
RETRY_AFTER_S = 24 * 3600


def needs_setup(data_dir: str) -> bool:
    """Whether the plugin's data folder lacks a working interpreter or the packages, and a try is due."""
    if not data_dir:
        return False
    baked = environment.read_sidecar(os.path.join(data_dir, environment.SIDECAR))
    if baked and os.path.exists(baked.python) and not environment.missing_packages(baked.site):
        return False
    return _age(os.path.join(data_dir, FAILED)) > RETRY_AFTER_S


def start(data_dir: str, pack_root: str) -> bool:
    """Starts the worker, unless one is at work already; True when this call started it."""
    try:
        os.makedirs(data_dir, mode=0o700, exist_ok=True)
        if not take_lock(data_dir):
            return False
        _detach(data_dir, pack_root)
    except OSError:
        release_lock(data_dir)
        return False
    return True


def take_lock(data_dir: str) -> bool:
    """Only one process gets it, however many start together; what a dead one left behind is cleared away."""
    path = os.path.join(data_dir, LOCK)
    for _ in range(2):
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            if _age(path) < STALE_S or not _clear(path):
                return False
        else:
            return True
    return False


def release_lock(data_dir: str) -> None:
    """Gives the lock back."""
    with contextlib.suppress(OSError):
        os.unlink(os.path.join(data_dir, LOCK))


def _clear(path: str) -> bool:
    """Takes a stale lock away by renaming: of several that try, one succeeds.

    Another process may have been faster, and what was renamed is its fresh lock: that one is put back.
    """
    aside = f"{path}.{os.getpid()}"
    try:
        os.rename(path, aside)
        stale = _age(aside) >= STALE_S
        if not stale:
            os.link(aside, path)
        os.unlink(aside)
    except OSError:
        return False
    return stale


def _detach(data_dir: str, pack_root: str) -> None:
    """Starts the worker in a session of its own, with its words in the log file."""
    import subprocess

    hooks = os.path.join(pack_root, "hooks")
    code = f"import sys; sys.path.insert(0, {hooks!r}); from holdfast.install.setup_worker import main; main()"
    flags = os.O_CREAT | os.O_WRONLY | os.O_TRUNC
    log = os.open(os.path.join(data_dir, LOG), flags, 0o600)
    try:
        subprocess.Popen(
            [sys.executable, "-P", "-S", "-E", "-s", "-c", code, data_dir, pack_root],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=data_dir,
            start_new_session=True,
        )
    finally:
        os.close(log)


def _age(path: str) -> float:
    """Seconds since the file was written; endless when there is none."""
    try:
        return time.time() - os.stat(path).st_mtime
    except OSError:
        return float("inf")
