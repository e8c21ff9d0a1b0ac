"""A memory that came with a clone or an archive: very many records, large ones, another repository's."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

from hostile.clone import disturbed, worked
from hostile.place import Place, Ran
from hostile.times import clock


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


RULE = "always use tabs in the Makefiles of this project, never blanks"


def _next(place: Place, number: int, said: str = "go on with the importer") -> list[Ran]:
    """What a further session is told at its start, its stop and its end."""
    place.transcript = place.root / f"{number}.jsonl"
    name = f"{number}{number}{number}{number}0000-0000-4000-8000-000000000000"
    start = place.fire("SessionStart.startup", session_id=name)
    now = time.strftime("%Y-%m-%dT%H:%M:%S.999Z", time.gmtime())  # what is older than the session is not theirs
    place.row(type="user", timestamp=now, message={"role": "user", "content": said})
    place.says("Lesson: the importer needs two passes.")
    return [start, *place.session("Stop", "SessionEnd", session_id=name)]


def odd_records(place: Place) -> str:
    """A pull brings a file whose name is not UTF-8, half an emoji in a field, a field nested 1,200 deep."""
    _next(place, 1, f"RULE: {RULE}.")
    folder = place.state / "memory" / "shared" / "learnings"
    folder.mkdir(parents=True)
    Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.md")).touch()
    given = {"holdfast": 1, "kind": "learning", "title": "A hint", "time": "2026-11-20T10:00:00Z"}
    for number, more in enumerate(('may_contradict: ["\\ud800"]', f"more: {'[' * 1_200}{']' * 1_200}")):
        fields = {**given, "id": f"1a2b3c4d-0000-4000-8000-00000000000{number}"}
        head = "\n".join([*(f"{key}: {json.dumps(value)}" for key, value in fields.items()), more])
        (folder / f"2026-11-20-{number}.md").write_text(f"---\n{head}\n---\n### Lesson\n\nThe build is slow.\n")
    start, stop, _ = _next(place, 2, "RULE: release notes are written by hand.")
    if RULE not in start.context or "release notes" not in stop.reply.get("systemMessage", ""):
        return "the user's rules are silent"
    for command in ("list", "search", "check", "maintain"):
        ran = place.holdfast("memory", command, *(["tabs"] if command == "search" else []))
        if command == "check" and "not UTF-8" not in " ".join(ran.out.split()):
            return "the file is not named"
    return disturbed(place)


def pulled_pages(place: Place) -> str:
    """A pull brings 50 pages of sessions, and days pass: the user's own stays."""
    _next(place, 1)
    folder = place.state / "memory" / "sessions"
    [own] = folder.iterdir()
    for number in range(50):
        (folder / f"{own.name[:10]}-z{number:015}.md").write_text("# Session\n")
    for number in (2, 3):
        clock(place, (number - 1) * 86_400, (number - 1) * 86_400)
        _next(place, number)
    return disturbed(place) or ("" if own.exists() else "it is gone")


def in_the_way(place: Place) -> str:
    """An archive brings files and folders in the places of ours: what is said is kept, or the user is told why not."""
    for name in (".cache", ".cache/codes", ".cache/made/x", ".cache/written.log/x", "", "decisions", ".gitignore/x"):
        path = place.state / "memory" / name
        path.parent.mkdir(parents=True)
        path.write_text("theirs")
        _, stop, _ = _next(place, 1, f"RULE: {RULE}.")
        told = stop.reply.get("systemMessage", "")
        kept = f'Holdfast kept 2 records for later sessions: rule "{RULE}'
        wanted = kept if name.startswith(".cache") else str(path).removesuffix("/x").rstrip("/")
        if wanted not in told:
            return f"{name or 'memory'}: the user is told {told!r}"
        if not any(one.is_file() and one.read_text(errors="replace") == "theirs" for one in place.state.rglob("*")):
            return f"{name or 'memory'}: what was brought is gone"
        shutil.rmtree(place.state)
        place.transcript.unlink()
    return disturbed(place)
