"""A worker of our own that goes on when the process that starts it ends, one of a kind at a time.

It inherits the lock: the kernel gives it back when the worker ends, however it does.
"""

import os
import sys
from collections.abc import Callable, Sequence

from holdfast.hot.files import Lock, open_file


def begin(name: str, code: str, arguments: Sequence[str], folder: str, is_due: Callable[[], bool]) -> bool:
    """Start a Python with this code in the folder, unless one is at work or none is due; True where it was started.

    name: path of its lock (.lock) and of what it says (.log), in a folder that is there. Raises OSError.
    """
    lock = Lock(f"{name}.lock", wait=0)
    with lock as held:
        if not held or not is_due():
            return False
        import subprocess

        log = open_file(f"{name}.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        try:
            subprocess.Popen(
                [sys.executable, "-I", "-c", code, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=folder,
                pass_fds=[lock.fd],
                start_new_session=True,
            )
        finally:
            os.close(log)
    return True
