"""Takes away what Python has compiled of the pack: a file that a crash has torn ends each import of its module.

`hooks/run` and `bin/holdfast` start this by its path, for which no compiled file counts; so it imports nothing of ours.
"""

import contextlib
import os
import sys
from collections.abc import Iterable
from types import TracebackType

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def drop_torn(trace: TracebackType | None) -> bool:
    """Whether a fault comes of such a file of ours, which is raised where Python reads one; all of ours are then gone,
    since one crash tears several.
    """
    while trace and trace.tb_next:
        trace = trace.tb_next
    is_reading = trace is not None and trace.tb_frame.f_code.co_name == "_compile_bytecode"
    path = str(trace.tb_frame.f_locals.get("bytecode_path")) if trace and is_reading else ""
    if not path.startswith((f"{TOP}/", f"{sys.pycache_prefix or TOP}/")):  # another's is not ours to remove
        return False
    _remove([path])
    drop()
    return True


def drop() -> None:
    """All of our own sources, none behind a link; the next import makes them anew."""
    from importlib.util import cache_from_source  # only a fault pays for it

    sources = (f"{folder}/{name}" for folder, _, names in os.walk(TOP) for name in names if name.endswith(".py"))
    _remove(path for path in map(cache_from_source, sources) if not os.path.islink(os.path.dirname(path)))


def _remove(paths: Iterable[str]) -> None:
    for path in paths:
        with contextlib.suppress(OSError):
            os.unlink(path)


def main(cache: str) -> None:
    """The same of a checkout's own folder of compiled files, "" for none, which has those of Python's library too: so
    this starts without it.
    """
    sys.pycache_prefix = cache or None
    drop()
    found = (f"{folder}/{name}" for folder, _, names in os.walk(cache) for name in names) if cache else ()
    _remove(path for path in found if path.endswith(".pyc"))


if __name__ == "__main__":
    main(sys.argv[1])
