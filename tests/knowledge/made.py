"""Records and projects for the tests of the documents."""

import uuid
from typing import Any

from holdfast.knowledge.levels import ProjectKnowledge
from holdfast.knowledge.sectioning import sections
from holdfast.memory.record import Record, check

TIME = "2026-11-04T14:32:00Z"
FIRST = {"decision": "decision", "issue": "description", "state": "task_description", "learning": "lesson"}
_count = iter(range(1_000_000))


def record(kind: str, title: str, content: dict[str, Any] | None = None, **others: Any) -> Record:
    said = {FIRST[kind]: title, **(content or {})}
    name = str(uuid.uuid5(uuid.NAMESPACE_URL, f"record {next(_count)}"))
    return check({"id": name, "kind": kind, "time": TIME, "title": title, "content": said, **others})


def project(records: list[Record], files: tuple[str, ...] = (), **others: Any) -> ProjectKnowledge:
    return ProjectKnowledge(sections(records, files, {}), **others)
