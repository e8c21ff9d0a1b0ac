"""Packages on disk: `packages/HO-2026-11-22-001.md`, beside it what is known of it (.json), and who received it (.log).

A clone or a pull may bring files of these names, also in the place of ours: a package is one whose text and facts bear
the mark of this machine, a receipt is a line that does (hot/provenance.py). All others are nobody's.
"""

import contextlib
import os
import time
from collections.abc import Callable
from typing import Any, NamedTuple, TypedDict, cast

from holdfast.hot import jsonc, provenance
from holdfast.hot.files import append, claim, names_in, read_bytes, read_from, size_of, write_atomic
from holdfast.hot.fingerprint import fingerprint
from holdfast.hot.paths import InState
from holdfast.text.lines import one_line
from holdfast.text.redaction import redacted

VERSION, KEPT, PREFIX = 2, 40, "HO-"
RECEIPTS = 100_000
"""Bytes of a log, its end, that are read."""


class Facts(TypedDict):
    """What is known of a package. time: epoch seconds; tokens: of it; material: of what it was made from."""

    kind: str
    of: str
    to: str
    time: float
    tokens: int
    material: int


class Acknowledgement(NamedTuple):
    """That somebody has it; how: "read" or "said"."""

    time: float
    who: str
    how: str


class Stored(NamedTuple):
    """A package as it lies there."""

    code: str
    path: str
    facts: Facts
    receipts: list[Acknowledgement]


def save(state: str, now: float, made: Callable[[str], tuple[str, Facts]]) -> Stored:
    """Store what is made under a code that no package has had. Raises OSError, and whatever `made` raises."""
    folder = provenance.private_folder(folder_of(state))
    day = time.strftime("%Y-%m-%d", time.localtime(now))
    taken = (code.removeprefix(f"{PREFIX}{day}-") for code in codes(state))
    number = max((int(one) for one in taken if one.isdecimal() and len(one) < 7), default=0) + 1
    while not claim(f"{folder}/{(code := f'{PREFIX}{day}-{number:03d}')}.md"):
        number += 1
    path = f"{folder}/{code}.md"
    try:
        text, facts = made(code)
        data = redacted(text).encode("utf-8", "replace")
        provenance.marked(folder)
        write_atomic(path, data)
        seal = _seal(folder, data, sorted(facts.items()))
        write_atomic(f"{folder}/{code}.json", jsonc.dumps({**facts, "v": VERSION, "made": seal}))
    except BaseException:
        os.unlink(path)
        raise
    newest_first = sorted(listed(state), key=lambda one: (one.facts["time"] <= now, one.facts["time"]), reverse=True)
    for old in newest_first[KEPT:]:  # what is dated after this one was made by a clock that was ahead
        for ending in ("md", "json", "log"):
            with contextlib.suppress(OSError):
                os.unlink(f"{folder}/{old.code}.{ending}")
    return Stored(code, path, facts, [])


def folder_of(state: str) -> str:
    """Where the packages of a project lie."""
    return f"{state}/{InState.PACKAGES}"


def codes(state: str) -> list[str]:
    """Of all files with a package's name, whoever made them, the oldest first."""
    return sorted(name[:-3] for name in names_in(folder_of(state)) if name.startswith(PREFIX) and name.endswith(".md"))


def _seal(folder: str, *told: object) -> str:
    """What only this machine can say of this; "" where its mark is not there."""
    mark = provenance.mark(folder)
    return fingerprint(repr((mark, *told)).encode("utf-8", "replace")) if mark else ""


def load(state: str, code: str) -> Stored | None:
    """The package of this code as it was made here; None for none, and where another text stands in its place."""
    folder = folder_of(state)
    if code not in codes(state):  # no path from a name that somebody gives
        return None
    data: dict[str, Any] = jsonc.loads_object(read_bytes(f"{folder}/{code}.json"))
    facts = {name: data.get(name) for name in Facts.__annotations__}
    seal = _seal(folder, read_bytes(f"{folder}/{code}.md"), sorted(facts.items()))
    if data.get("v") != VERSION or not seal or data.get("made") != seal:
        return None
    return Stored(code, f"{folder}/{code}.md", cast("Facts", facts), _receipts(folder, code))


def _receipts(folder: str, code: str) -> list[Acknowledgement]:
    path = f"{folder}/{code}.log"
    said = read_from(path, max(0, size_of(path) - RECEIPTS), RECEIPTS).decode("utf-8", "replace")
    rows = (line.partition("\t") for line in said.splitlines())
    told = [line.split("\t") for seal, _, line in rows if seal and seal == _seal(folder, code, line)]
    return [Acknowledgement(float(time), who, how) for time, who, how in told]


def listed(state: str) -> list[Stored]:
    """All that were made here, the newest first."""
    found = (load(state, code) for code in reversed(codes(state)))
    return [one for one in found if one]


def receive(state: str, code: str, receipt: Acknowledgement) -> Stored | None:
    """Note that somebody has it, each once; None where there is no such package. Raises OSError."""
    known = load(state, code)
    if known and all(one.who != receipt.who for one in known.receipts):
        line = f"{int(receipt.time)}\t{one_line(receipt.who, 100)}\t{receipt.how}"
        append(f"{folder_of(state)}/{code}.log", f"{_seal(folder_of(state), code, line)}\t{line}\n")
    return load(state, code)
