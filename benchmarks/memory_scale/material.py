"""The material of `holdfast bench memory`: projects with memories, and sessions that say something new each time.

The records are of all four kinds and about 450 characters, words as in benchmarks/search_scale.py. Their ages and their
archiving are those of a memory that was last maintained `idle` days ago. They are written straight into the folders,
because adding a hundred thousand one by one lists each folder a hundred thousand times; the files are the same.
"""

import json
import os
import random
import shutil
from collections.abc import Callable, Mapping
from typing import Any
from unittest import mock

from benchmarks.hook_cost.cases import Maker
from benchmarks.material import transcript
from benchmarks.search_scale import Made
from holdfast.hot.files import append, make_folder, names_in, write_atomic
from holdfast.memory import lifecycle, location, markdown
from holdfast.memory.files import FOLDERS, file_name
from holdfast.memory.location import CACHE, Name, make_cache
from holdfast.memory.record import KINDS, Record, check, texts, wording
from holdfast.memory.store import Memory
from holdfast.session import aging
from holdfast.text.dates import DAY, iso

STORY = 200_000  # bytes of a transcript before the first round
SPANS = {"decision": 400, "issue": 215, "state": 95, "learning": 370}
"""Days: the oldest of each kind, a little beyond the age at which maintenance removes it."""
IMPORTANCES = (3, 4, 5, 5, 6, 7, 7, 8, 8, 9)
FILES = 20  # of the project, which records are about
DONE = "Done."  # how each turn ends
CALLED = "the heron importer gets the lynx flag"
"""A decision of each project, which a prompt calls up."""
_GOLDEN = 0.618034  # its multiples spread evenly
_ODD = 2_654_435_761  # times this, numbers below 2**32 stay different


def record(made: Made, number: int, now: float, idle: float) -> Record:
    """The record of this number. now: epoch seconds; idle: days since the memory was last maintained."""
    kind, turn = KINDS[number % len(KINDS)], number // len(KINDS)
    age, importance = SPANS[kind] * (turn * _GOLDEN % 1), IMPORTANCES[turn % len(IMPORTANCES)]
    day, lasts = iso(now - age * DAY)[:10], _lasts(kind, turn, importance)
    fields: dict[str, Any] = {
        "id": _id(number),
        "kind": kind,
        "time": iso(now - age * DAY),
        "title": made.words(6),
        "content": _CONTENTS[kind](made.words, turn),
        "tags": made.words(2).split(),
        "importance": importance,
        "agent": "assistant",
        "project": "bench",
        "paths": [] if turn % 3 else [f"src/part_{turn % FILES}.py"],
        "code": f"DEC-{day}-{turn:03d}" if kind == "decision" else "",
    }
    if kind == "state" and turn:  # each took the place of the one before, at once
        fields |= {"archived": fields["time"], "superseded_by": _id(KINDS.index("state"))}
    elif age > lasts + idle:
        fields["archived"] = iso(now - (age - lasts) * DAY)
    return check(fields)


def _id(number: int) -> str:
    return f"{number * _ODD % 2**32:08x}-1111-4111-8111-{number:012x}"


def _lasts(kind: str, turn: int, importance: int) -> float:
    """Days until maintenance sets such a record aside (memory/lifecycle.py)."""
    stays = {"decision": importance > 5, "issue": not turn % 2}.get(kind, False)
    return 1e9 if stays else {"decision": 90, "issue": 30}.get(kind, 180)


def _severity(turn: int) -> str:
    return ("low", "medium", "medium", "high", "critical")[turn % 5]


_CONTENTS: Mapping[str, Callable[[Callable[[int], str], int], dict[str, Any]]] = {
    "decision": lambda words, _: {
        "decision": words(12),
        "rationale": words(24),
        "alternatives_considered": [words(6), words(6)],
        "context": words(12),
    },
    "issue": lambda words, turn: {
        "description": words(24),
        "severity": _severity(turn),
        "status": "resolved" if turn % 2 else "open",
        "reproduction_steps": words(12),
        "attempted_fixes": [words(12)],
        "next_actions": words(12),
    },
    "state": lambda words, turn: {
        "task_description": words(18),
        "completion_percentage": turn % 100,
        "substeps_completed": [words(7), words(7)],
        "substeps_remaining": [words(7), words(7)],
        "next_actions": [words(14)],
    },
    "learning": lambda words, _: {
        "lesson": words(24),
        "context": words(12),
        "applicability": words(12),
        "evidence": words(12),
    },
}


def write(folder: str, number: int, now: float, idle: float, progress: Callable[[int], None] | None = None) -> int:
    """Write a memory of so many records, the first of them `CALLED`; bytes of their texts."""
    made, size, marks = Made(), 0, dict[str, str]()
    make_cache(folder)
    for place in FOLDERS.values():
        make_folder(f"{folder}/{place}")
    for one in range(number):
        own = record(made, one, now, idle) if one else called(now)
        with open(f"{folder}/{FOLDERS[own.kind]}/{file_name(own)}", "w", encoding="utf-8") as file:
            file.write(markdown.render(own))
        size += len("\n".join([own.title, *texts(own)]).encode())
        marks[own.id] = wording(own)
        if progress and (one % 1_000 == 0 or one == number - 1):
            progress(one + 1)
    location.note_standing(folder, marks)
    location.add_up(folder, now - max(SPANS.values()) * DAY)
    return size


def called(now: float) -> Record:
    """The decision that a prompt calls up."""
    fields = {"id": _id(0), "kind": "decision", "time": iso(now), "title": CALLED}
    return check({**fields, "content": {"decision": CALLED}, "importance": 10, "code": f"DEC-{iso(now)[:10]}-001"})


class Project:
    """A project's folder with a memory and a few sessions."""

    def __init__(self, folder: str, python: str) -> None:
        """python: the interpreter of the hooks."""
        self.folder, self.memory, self._python = folder, f"{folder}/.claude/holdfast/memory", python
        make_folder(f"{folder}/src")
        for number in range(FILES):
            with open(f"{folder}/src/part_{number}.py", "w", encoding="utf-8") as file:
                file.write(f"def part_{number}() -> int:\n    return {number}\n")
        self._random = random.Random(folder[-1])  # noqa: S311 - no secret

    def maker(self, session: str) -> Maker:
        """The payloads of a session, whose transcript is begun with the first of them."""
        path = f"{self.folder}/{session}.jsonl"
        return Maker(self.folder, path if os.path.exists(path) else transcript(path, STORY), self._python)

    def fresh(self, session: str) -> Callable[[], None]:
        """Before a run: the session has never been there."""
        return lambda: shutil.rmtree(self.maker(session).session(session), ignore_errors=True)

    def without(self, session: str, name: str) -> Callable[[], None]:
        """Before a run: the session has not written this file."""
        return lambda: _unlink(f"{self.maker(session).session(session)}/{name}")

    def goes_on(self, session: str, *says: Callable[[], str]) -> Callable[[], None]:
        """Before a run: the session has said something more, and has got on with its list."""

        def before() -> None:
            turn = self._random.getrandbits(32)
            steps = [("write", "completed"), ("wire", "completed" if turn % 2 else "pending"), ("test", "pending")]
            todos = [{"content": f"{verb} part {turn}", "status": status} for verb, status in steps]
            use = {"type": "tool_use", "id": f"t{turn}", "name": "TodoWrite", "input": {"todos": todos}}
            result = {"type": "tool_result", "tool_use_id": f"t{turn}", "content": "ok"}
            rows: list[tuple[str, dict[str, Any]]] = [
                ("user", {"content": f"Go on with part {turn}."}),
                (
                    "assistant",
                    {"id": f"m{turn}", "content": [*({"type": "text", "text": say()} for say in says), use]},
                ),
                ("user", {"content": [result]}),
                ("assistant", {"id": f"n{turn}", "content": [{"type": "text", "text": DONE}]}),  # as the client ends it
            ]
            shared = {"isSidechain": False, "sessionId": session, "cwd": self.folder}
            lines = [{"type": role, **shared, "message": {"role": role, **said}} for role, said in rows]
            append(f"{self.folder}/{session}.jsonl", "".join(json.dumps(line) + "\n" for line in lines))

        return before

    def decides(self) -> str:
        """A decision that nobody has taken before."""
        names = [f"{word}{self._random.getrandbits(24):x}" for word in ("store", "queue", "lock", "cache")]
        return f"DECISION: use {names[0]} for the {names[1]} of {names[2]} because {names[3]} is slow under load"

    def decisions(self) -> int:
        """How many decisions the memory has."""
        return len(names_in(f"{self.memory}/{FOLDERS['decision']}"))

    def marks(self) -> dict[str, tuple[int, int, int]]:
        """Of each record's file inode, time of change and size."""
        places = (f"{self.memory}/{place}" for place in FOLDERS.values())
        infos = {f"{place}/{name}": os.stat(f"{place}/{name}") for place in places for name in names_in(place)}
        return {path: (info.st_ino, info.st_mtime_ns, info.st_size) for path, info in infos.items()}

    def dates(self) -> list[int]:
        """When each folder was last changed in, nanoseconds."""
        return [os.stat(f"{self.memory}/{place}").st_mtime_ns for place in FOLDERS.values()]

    def sizes(self) -> tuple[int, int, int]:
        """(bytes of the records' files, of the catalogue, of all that stands in the memory)"""
        paths = (f"{place}/{name}" for place, _, names in os.walk(self.memory) for name in names)
        sizes = {path: os.stat(path).st_size for path in paths}
        records = sum(size for path, size in sizes.items() if f"/{CACHE}/" not in path)
        return records, sum(size for path, size in sizes.items() if f"/{Name.CATALOGUE}" in path), sum(sizes.values())

    def cold(self) -> None:
        """Throw away what was made from the records."""
        for name in Name.COMPILED:
            _unlink(f"{self.memory}/{CACHE}/{name}")

    def maintained(self, day: str) -> None:
        """The memory was last maintained on this day; "" for never."""
        write_atomic(f"{self.memory}/{CACHE}/{Name.MAINTAINED}", day)

    def due(self, now: float) -> None:
        """Maintenance of the day before has found due what is due now."""
        memory = Memory(self.memory)
        named = [f"{step.verb} {step.id}" for step in lifecycle.maintain(memory, now, dry=True).waiting]
        with mock.patch.object(aging, "counter", return_value=("", 0.0)):
            aging.due(memory.cache, named, now - DAY)


def _unlink(path: str) -> None:
    if os.path.exists(path):
        os.unlink(path)
