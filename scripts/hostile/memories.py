"""A memory that came with a clone or an archive: very many records, large ones, another repository's."""

import json
import os
import subprocess
from pathlib import Path

from hostile.clone import disturbed, worked
from hostile.place import Place


def record(state: Path, kind: str, title: str, body: str, **fields: object) -> None:
    """Puts a record of the highest weight into a state folder."""
    folder = state / "memory" / f"{kind}s"
    folder.mkdir(parents=True)
    given = {"holdfast": 1, "id": "1a2b3c4d-1111-4111-8111-111111111111", "kind": kind, "title": title}
    given |= {"time": "2026-11-20T10:00:00Z", "importance": 10, "code": "DEC-2026-11-20-001", **fields}
    head = "\n".join(f"{key}: {json.dumps(value)}" for key, value in given.items())
    text = f"---\n{head}\n---\n## {kind.upper()}\n\n### Decision\n\n{body}\n"
    (folder / "2026-11-20-001-otters-1a2b3c4d.md").write_text(text)


AT_MOST = {"SessionStart.startup": 5.0, "Stop": 3.0, "SessionEnd": 1.5}  # seconds of the processor


def _too_slow(place: Place) -> str:
    """A session that keeps something, with the next start: which event took too long, or what disturbed."""
    worked(place).says("Lesson: the importer needs two passes.", 150_000)
    for event in ("SessionStart.startup", "Stop", "SessionEnd", "SessionStart.startup"):
        ran = place.fire(event)
        if ran.seconds > AT_MOST[event]:
            return f"{event} took {ran.seconds:.1f} s"
    return disturbed(place)


def large_records(place: Place) -> str:
    """400 cloned records of 250 KB, torn after a list of 120,000 lines."""
    memory = place.state / "memory" / "states"
    memory.mkdir(parents=True)
    fields = '---\nholdfast: 1\nkind: "state"\n---\n### Blockers\n\n- a\n'
    for number in range(400):
        (memory / f"2026-11-20-x-{number:08x}.md").write_text(fields + "b\n" * 120_000)
    return _too_slow(place)


def many_records(place: Place) -> str:
    """60,000 cloned records: a stop and a start are not slowed."""
    memory = place.state / "memory" / "learnings"
    memory.mkdir(parents=True)
    for number in range(60_000):
        fd = os.open(f"{memory}/2026-11-20-x-{number:08x}.md", os.O_WRONLY | os.O_CREAT)
        os.write(fd, b"---\nholdfast: 1\n---\n")
        os.close(fd)
    return _too_slow(place)


def git_of_another(place: Place) -> str:
    """An archive brings a `.git` file that names another repository: that one's memory is not read."""
    other = place.root / "other"
    subprocess.run(["git", "init", "-q", str(other)], check=True, capture_output=True)
    record(other / ".claude" / "holdfast", "decision", "The walrus of another project", "Keep the walrus")
    (place.project / ".git").write_text(f"gitdir: {other}/.git\n")
    worked(place).session()
    told = "".join(text for ran in place.ran for text in ran.told)
    return "the other project's memory is told" if "walrus" in told else disturbed(place)
