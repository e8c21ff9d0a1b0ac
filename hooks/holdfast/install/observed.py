"""Whether the client runs our hooks where it is started, by what has happened there.

Its settings do not tell: for a value of a wrong shape it leaves out a hook, or a whole file. But a hook at work leaves
a line in the state, and at a turn's end the client notes which Stop hooks it has run (2.1.329), with HOLDFAST_OFF too.
"""

import contextlib
import os
import re
from collections.abc import Iterable

from holdfast.hot.files import kind_of, names_in, read_bytes
from holdfast.hot.paths import is_one, session_folder
from holdfast.session import folders, hook_log
from holdfast.text import dates
from holdfast.transcript.rows import LARGEST, Json, is_main, objects, parse_chunk, part

TELLING = (b'"stop_hook_summary"', b'"turn_duration"', b'"end_turn"')


def changed(paths: Iterable[str]) -> float:
    """When the last of these files was changed; 0 where there is none. Epoch seconds."""
    return max((os.stat(path).st_mtime for path in paths if os.path.exists(path)), default=0)


def signed(state: str) -> float:
    """When a hook of ours worked here last; 0 for never. Epoch seconds."""
    return changed(f"{folder}/{hook_log.NAME}" for folder in folders.listed(state))


def ran_none(start: str, state: str, users: str, since: float) -> float:
    """When the client's last session had its last turn, if it ran no hook of ours; 0 if it did, or where that is not
    known. Epoch seconds. users: the client's own folder.

    Only one counts that somebody sat in front of, begun in this very folder after `since`, with a turn that came to its
    end: a program may leave out all settings, and who stops a turn stops its hooks.
    """
    folder = f"{users}/projects/{re.sub('[^a-zA-Z0-9]', '-', os.path.realpath(start))}"  # a longer name is not found
    paths = [f"{folder}/{name}" for name in names_in(folder) if name.endswith(".jsonl")]
    for path in sorted(paths, key=lambda one: changed([one]), reverse=True)[:5]:
        lines = read_bytes(path, LARGEST).split(b"\n")
        first = next((line for line in lines if b'"entrypoint"' in line), b"")
        told = (line for line in lines if any(sign in line for sign in TELLING))
        rows = [row for row in parse_chunk(b"\n".join([first, *told, b""])).rows if is_main(row)]
        if not rows or rows[0].get("entrypoint") != "cli" or not is_one(str(rows[0].get("cwd")), start):
            continue
        commands = (hook.get("command") for row in rows for hook in objects(row.get("hookInfos")))
        own = session_folder(state, os.path.basename(path).removesuffix(".jsonl"))
        if kind_of(own) or any("/hooks/run" in str(command) for command in commands):
            return 0
        answers = [at for at, row in enumerate(rows) if part(row, "message").get("stop_reason") == "end_turn"]
        ends = [row for row in rows[answers[0] :] if row.get("subtype") == "turn_duration"] if answers else []
        if ends and _seconds(rows[0]) > since:
            return _seconds(ends[-1])
    return 0


def _seconds(row: Json) -> float:
    with contextlib.suppress(ValueError):
        return dates.seconds(str(row.get("timestamp")))
    return 0
