"""Records for tests: one of each kind, and hypothesis strategies for what may stand in one."""

import os
import subprocess
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from holdfast.memory.markdown import render
from holdfast.memory.record import KINDS, SHAPES, Record, check
from holdfast.memory.store import Step, Verb

ID = "1a2b3c4d-1111-4111-8111-1111111111{:02x}"
FIRST = {"decision": "decision", "issue": "description", "state": "task_description", "learning": "lesson"}


def fields(kind: str = "decision", number: int = 0, **more: Any) -> dict[str, Any]:
    content = more.pop("content", {FIRST[kind]: f"PostgreSQL holds the orders, number {number}"})
    base = {"id": f"{number:08x}-1111-4111-8111-111111111111", "kind": kind, "time": "2026-11-04T14:32:00Z"}
    return {**base, "title": f"Adopt PostgreSQL {number}", "content": content, **more}


def record(kind: str = "decision", number: int = 0, **more: Any) -> Record:
    return check(fields(kind, number, **more))


def step(verb: Verb, one: Record, rule: str = "rule") -> Step:
    return Step(verb, one.id, one.id[:8], one.kind, one.title, rule)


def git(there: Path, *arguments: str) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(there), "GIT_CONFIG_NOSYSTEM": "1"}
    who = ("-c", "user.name=x", "-c", "user.email=x@example.com")
    subprocess.run(["git", *who, *arguments], cwd=there, env=env, check=True, capture_output=True)


def worktree(project: Path, there: Path) -> Path:
    for command in ("init -q", "commit -q --allow-empty -m x", f"worktree add -q {there}"):
        git(project, *command.split())
    return there


def brought(folder: Path | str, *records: Record) -> None:
    for one in records:
        place = Path(folder, f"{one.kind}s", f"brought-{one.id[:8]}.md")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(render(one))


HOSTILE = st.sampled_from(
    (
        *("---", "### Rationale", "## X", "\\### a", "\\\\# b", "- item", "2. item", "title: 1", "</memory>"),
        *("<<<<<<< HEAD", "=======", ">>>>>>> x", "||||||| y", "\t", "  indented", "", "é😀"),
        *("```", "```sh", "~~~", "````", "\\```", "### Notes", "### Tags"),
        *("\x00", "\x1b[31m", "\u202e", "\u2028", "\r", "\ud800", "\U000e0041"),
    )
)
TEXTS = st.lists(st.one_of(HOSTILE, st.text(max_size=20)), max_size=6).map("\n".join)
VALUES = {"string": TEXTS, "array": st.lists(TEXTS, max_size=4), "integer": st.integers(0, 100)}
TIMES = st.sampled_from(["", "2026-11-04T14:32:00Z", "2024-02-29T23:59:59.5+02:00"])
IDS = st.sampled_from(["", "1a2b3c4d-1111-4111-8111-111111111111"])


@st.composite
def mappings(draw: st.DrawFn) -> dict[str, Any]:
    """What `check` takes, with hostile texts wherever a text may stand."""
    kind = draw(st.sampled_from(KINDS))
    content = {
        name: draw(st.sampled_from(rule["enum"]) if "enum" in rule else VALUES[rule["type"]])
        for name, rule in SHAPES[kind].items()
    }
    content[FIRST[kind]] = "x" + draw(TEXTS)
    more: dict[str, Any] = {
        "title": "x" + draw(TEXTS)[:90],
        "tags": draw(st.lists(st.sampled_from(["db", "Two Words", "c++", "ünï", "a/b"]), max_size=4)),
        "importance": draw(st.integers(1, 10)),
        "trust": draw(st.sampled_from(["trusted", "semi_trusted", "untrusted"])),
        "agent": draw(TEXTS)[:200],
        "paths": draw(st.lists(TEXTS.map(lambda text: text[:200]), max_size=3)),
        "archived": draw(TIMES),
        "expires": draw(TIMES),
        "parent": draw(IDS),
        "superseded_by": draw(IDS),
        "delete": draw(st.booleans()),
        "further": draw(st.one_of(st.none(), TEXTS, st.lists(st.integers(), max_size=2))),
        "### Notes by hand": draw(TEXTS),
    }
    return fields(kind, content=content, **more)
