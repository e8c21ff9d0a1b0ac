"""What the warm hooks of a session cost and put into the window: one line each, in `hook.log`.

Line: epoch seconds, event, its kind (source, trigger, tool or agent type; "-" for none), milliseconds, characters
given to the model, characters given to the summariser. The hot road writes nothing here: it has no time for it.
"""

import contextlib
from typing import NamedTuple

from holdfast.hot.files import append, read_text, safe_name
from holdfast.hot.jsonc import broken, whole


class HookRun(NamedTuple):
    """One run of a warm hook."""

    seconds: float
    event: str
    kind: str
    ms: float
    context: int
    plain: int


NAME = "hook.log"


def note(folder: str, entry: HookRun) -> None:
    """Append one line; a disk that refuses loses only this line."""
    kind = safe_name(entry.kind, 40) if entry.kind else "-"
    line = f"{entry.seconds:.3f} {entry.event} {kind} {entry.ms:.1f} {entry.context} {entry.plain}\n"
    with contextlib.suppress(OSError):  # read-only or full: the hook's answer matters more
        append(f"{folder}/{NAME}", line)


def load(folder: str) -> list[HookRun]:
    """All whole lines, oldest first."""
    found = []
    for line in read_text(f"{folder}/{NAME}", 4_000_000).splitlines():  # about 60 bytes a line
        with contextlib.suppress(ValueError):  # a torn one
            seconds, event, kind, ms, context, plain = line.split(" ")
            found.append(HookRun(broken(seconds), event, kind, broken(ms), whole(context), whole(plain)))
    return found
