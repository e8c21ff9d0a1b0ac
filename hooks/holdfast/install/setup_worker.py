"""The process that makes a plugin's environment: started by `setup.start`, it ends by itself.

What it did, or what failed, is the last line of `setup.log` in the plugin's data folder.
"""

import os
import sys

from holdfast.errors import Fault
from holdfast.install import background_setup, environment
from holdfast.text import tokenizer


def main() -> None:
    """Reads its two folders from the command line and does the work, giving the lock back in any case."""
    data_dir, pack_root = sys.argv[1:3]
    try:
        _say(work(data_dir, pack_root))
    finally:
        background_setup.release_lock(data_dir)


def work(data_dir: str, pack_root: str) -> str:
    """Makes the environment, bakes the interpreter in, compiles the pack; says in one line how it went."""
    hooks = os.path.join(pack_root, "hooks")
    python, site, failure = environment.real_interpreter(), "", ""
    try:
        site = environment.make(os.path.join(data_dir, "env"))
    except (Fault, OSError) as error:
        failure = str(error)
        with open(os.path.join(data_dir, background_setup.FAILED), "w", encoding="utf-8") as mark:
            mark.write(failure + "\n")
    baked = environment.Baked(python, site)
    environment.write_sidecar(os.path.join(data_dir, environment.SIDECAR), baked)
    _bake_beside(hooks, baked)
    environment.compile_pack(python, hooks)
    if site:
        tokenizer.prepare(os.path.join(data_dir, "cache"))  # else the first hook that counts would pay for it
    if failure:
        return f"packages not installed: {failure}; token counts are estimates; next try in a day"
    return f"ready: {python}, packages in {site}"


def _bake_beside(hooks: str, baked: environment.Baked) -> None:
    """The command line, which is not told the data folder, finds the interpreter beside the launcher."""
    try:
        environment.write_sidecar(os.path.join(hooks, environment.SIDECAR), baked)
    except OSError as error:
        _say(f"{hooks} cannot be written ({error.strerror}): the command line will look for Python itself")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
