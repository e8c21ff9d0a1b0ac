"""A plugin's own set-up: the environment is made in the background, once, and nothing stays running.

`needs_setup` and `start` are for SessionStart; they cost a few file look-ups. The work is done by `main`, in a
process of its own (session/detached.py). What it did, or what failed, is the last line of `setup.log` in the plugin's
data folder.
"""

import contextlib
import os
import sys

from holdfast.errors import Fault
from holdfast.install import environment
from holdfast.session import detached


def needs_setup(data_dir: str) -> bool:
    """Whether the plugin's data folder lacks a working interpreter or the packages, and no try has failed today."""
    baked = environment.read_sidecar(os.path.join(data_dir, environment.SIDECAR))
    if baked and os.path.exists(baked.python) and not environment.missing_packages(baked.site):
        return False
    return not environment.failed_within(data_dir, 24 * 3600)


def start(data_dir: str, pack_root: str) -> bool:
    """Starts the worker, unless one is at work already; True when this call started it."""
    hooks = os.path.join(pack_root, "hooks")
    code = f"import sys; sys.path.insert(0, {hooks!r}); from holdfast.install.background_setup import main; main()"
    name, folders = os.path.join(data_dir, "setup"), (data_dir, pack_root)
    with contextlib.suppress(OSError):
        os.makedirs(data_dir, mode=0o700, exist_ok=True)
        return detached.begin(name, code, folders, data_dir, lambda: needs_setup(data_dir))
    return False


def main() -> None:
    """The worker: reads its two folders from the command line and does the work."""
    _say(work(*sys.argv[1:3]))


def work(data_dir: str, pack_root: str) -> str:
    """Makes the environment, bakes the interpreter in, compiles the pack; says in one line how it went."""
    hooks = os.path.join(pack_root, "hooks")
    baked, failure = environment.Baked(environment.real_interpreter(), ""), ""
    try:
        baked = baked._replace(site=environment.provide())
    except (Fault, OSError) as error:
        failure = str(error)
        environment.note_failure(data_dir)
    environment.write_sidecar(os.path.join(data_dir, environment.SIDECAR), baked)
    try:  # the command line, which is not told the data folder, finds the interpreter beside the launcher
        environment.write_sidecar(os.path.join(hooks, environment.SIDECAR), baked)
    except OSError as error:
        _say(f"{hooks} cannot be written ({error.strerror}): the command line will look for Python itself")
    environment.compile_pack(baked.python, hooks)
    if failure:
        return f"packages not installed: {failure}; token counts are estimates; next try in a day"
    return f"ready: {baked.python}, packages in {baked.site}"


def _say(line: str) -> None:
    print(line, flush=True)
