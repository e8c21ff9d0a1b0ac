"""The background step: a process of its own that synchronises once and ends; no hook waits for it, or imports more.

It inherits the lock, so that one is at work at a time however it ends; what it did or what failed is the one line of
`server.log` in the memory's cache, without the address. A start tells the user where the last one failed.
"""

import os
import sys

from holdfast.hot.files import Lock, open_file, read_text, variable
from holdfast.memory.location import folder_of, make_cache
from holdfast.text.lines import one_line

LOG = "server.log"
_CODE = """import sys
sys.path[:0] = filter(None, sys.argv[1:3])
from holdfast.cli.main import main
sys.exit(main(["server", "sync"]))"""


def begin(project: str) -> list[str]:
    """Start it, unless one is at work; a line for the user where the last one failed. Raises OSError."""
    cache = make_cache(folder_of(project))
    said = read_text(f"{cache}/{LOG}", 4_000)
    with (lock := Lock(f"{cache}/server.lock", wait=0)) as held:
        if held:
            _detach(project, f"{cache}/{LOG}", lock.fd)
    first = said.partition("\n")[0]
    return [f"Holdfast, {one_line(first.removeprefix('holdfast: '), 300)}"] if first.startswith("holdfast: ") else []


def _detach(project: str, path: str, lock: int) -> None:
    import subprocess

    log = open_file(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    hooks = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    try:
        subprocess.Popen(
            [sys.executable, "-I", "-c", _CODE, hooks, variable("HOLDFAST_SITE")],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=project,
            pass_fds=[lock],
            start_new_session=True,
        )
    finally:
        os.close(log)
