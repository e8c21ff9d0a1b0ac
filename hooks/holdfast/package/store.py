"""Packages on disk: `packages/HO-2026-11-22-001.md`, beside it what is known of it (.json), and who received it (.log).

A clone may bring files of these names: only what bears the mark of this machine is listed (hot/provenance.py).
"""

import contextlib
import os
import time
from collections.abc import Callable
from typing import Any, NamedTuple, TypedDict, cast

from holdfast.hot import jsonc, provenance
from holdfast.hot.files import append, claim, names_in, read_bytes, read_text, write_atomic
from holdfast.hot.paths import InState
from holdfast.text.lines import one_line
from holdfast.text.redaction import redacted

VERSION, KEPT, PREFIX = 1, 40, "HO-"


class Facts(TypedDict):
    """What is known of a package. time: epoch seconds; tokens: of it; material: of what it was made from."""

    kind: str
    of: str
    to: str
    time: float
    tokens: int
    material: int


class Receipt(NamedTuple):
    """That somebody has it; how: "read" or "said"."""

    time: float
    who: str
    how: str


class Stored(NamedTuple):
    """A package as it lies there."""

    code: str
    path: str
    facts: Facts
    receipts: list[Receipt]


def save(state: str, now: float, made: Callable[[str], tuple[str, Facts]]) -> Stored:
    """Store what is made for the next free code. Raises OSError, and whatever `made` raises."""
    folder = provenance.private_folder(folder_of(state))
    day, number = time.strftime("%Y-%m-%d", time.localtime(now)), 1
    while not claim(f"{folder}/{(code := f'{PREFIX}{day}-{number:03d}')}.md"):
        number += 1
    path = f"{folder}/{code}.md"
    try:
        text, facts = made(code)
        write_atomic(path, redacted(text))
        write_atomic(f"{folder}/{code}.json", jsonc.dumps({**facts, "v": VERSION, "made": provenance.marked(folder)}))
    except BaseException:
        os.unlink(path)
        raise
    for name in _codes(folder)[:-KEPT]:
        for ending in ("md", "json", "log"):
            with contextlib.suppress(OSError):
                os.unlink(f"{folder}/{name}.{ending}")
    return Stored(code, path, facts, [])


def folder_of(state: str) -> str:
    """Where the packages of a project lie."""
    return f"{state}/{InState.PACKAGES}"


def _codes(folder: str) -> list[str]:
    return sorted(name[:-5] for name in names_in(folder) if name.startswith(PREFIX) and name.endswith(".json"))


def load(state: str, code: str) -> Stored | None:
    """The package of this code that was made here; None for none."""
    folder = folder_of(state)
    if code not in _codes(folder):  # no path from a name that somebody gives
        return None
    data: dict[str, Any] = jsonc.loads_object(read_bytes(f"{folder}/{code}.json"))
    if data.get("v") != VERSION or not provenance.bears(folder, data.get("made")):
        return None
    rows = (line.split("\t") for line in read_text(f"{folder}/{code}.log", 100_000).splitlines())
    receipts = [Receipt(float(row[0]), row[1], row[2]) for row in rows if len(row) == 3 and row[0].isdigit()]
    return Stored(code, f"{folder}/{code}.md", cast("Facts", data), receipts)


def listed(state: str) -> list[Stored]:
    """All of them, the newest first."""
    found = (load(state, code) for code in reversed(_codes(folder_of(state))))
    return [one for one in found if one]


def receive(state: str, code: str, receipt: Receipt) -> Stored | None:
    """Note that somebody has it, each once; None where there is no such package. Raises OSError."""
    known = load(state, code)
    if known and all(one.who != receipt.who for one in known.receipts):
        line = f"{int(receipt.time)}\t{one_line(receipt.who, 100)}\t{receipt.how}\n"
        append(f"{folder_of(state)}/{code}.log", line)
    return load(state, code)
