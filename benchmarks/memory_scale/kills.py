"""Writers of a memory are killed at random moments: is what they said to be kept there, whole, and nothing half?"""

import os
import random
import subprocess
import sys
import time
from typing import IO, cast

from holdfast.errors import BadInput
from holdfast.memory.store import Memory

HOOKS = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "hooks")
LONGEST = 0.4  # seconds after which a writer is killed at the latest, counted from its first record
WRITER = """
import sys, time, uuid
from holdfast.memory.record import check
from holdfast.memory.store import Memory
memory, before = Memory(sys.argv[1]), ""
while True:
    name, stamp = str(uuid.uuid4()), time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    content = {"decision": "Word " * 200 + name}
    memory.add(check({"id": name, "kind": "decision", "time": stamp, "title": "One of many", "content": content}))
    print("kept", name, flush=True)
    if before:
        memory.supersede(before, name, stamp)
        print("superseded", before, flush=True)
        memory.used([name], time.time())
    before = name
"""


def lost_after(kills: int, folder: str, seed: int = 1) -> tuple[int, int]:
    """(records that writers had kept, of these and of all others those that are lost, undone, torn or doubled)."""
    chance, said = random.Random(seed), list[tuple[str, str]]()  # noqa: S311 - no secret
    command = [sys.executable, "-P", "-s", "-c", WRITER, folder]
    environment = {**os.environ, "PYTHONPATH": HOOKS}
    for _ in range(kills):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as one:
            output = cast("IO[str]", one.stdout)
            first = output.readline()
            time.sleep(chance.random() * LONGEST)
            one.kill()
            lines = [first, *output.read().splitlines(keepends=True)]
        rows = (line.strip().partition(" ") for line in lines if line.endswith("\n"))
        said += [(verb, name) for verb, _, name in rows]
    if not said:
        raise BadInput("no writer has kept anything", folder, "Run `holdfast doctor`")
    scan = Memory(folder).scan()
    kept = {name for verb, name in said if verb == "kept"}
    undone = {name for verb, name in said if verb == "superseded" and not scan.records[name].record.superseded_by}
    return len(kept), len(kept - scan.records.keys()) + len(undone) + len(scan.problems)
