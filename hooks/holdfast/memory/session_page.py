"""What did a session do, as one page that can be read after its transcript is gone?

Rule: seven parts in this order: the session itself with what was asked for, decisions, issues, where the work stands,
learnings, changes to files, figures; what is empty is left out. At most 5,000 tokens: longer lists give their oldest
lines first. Each line of a record begins with its id, so that it goes when the record is forgotten. Source:
requirement J5.
"""

import os
from collections.abc import Collection, Container, Iterable, Sequence
from typing import NamedTuple

from holdfast.hot import call_log
from holdfast.hot.files import names_in, read_text, size_of, write_atomic
from holdfast.hot.paths import InSession
from holdfast.hot.provenance import is_plain
from holdfast.memory import location, pending_sessions
from holdfast.memory.record import Record, first
from holdfast.session import folders, hook_log
from holdfast.session.context import Session
from holdfast.text import late as re
from holdfast.text.dates import iso
from holdfast.text.lines import counted, one_line
from holdfast.text.scripts import UNSPACED, letters
from holdfast.text.tokens import estimate
from holdfast.worklog.model import FileEdits, Worklog

LIMIT, LINE = 5_000, 300
"""Most tokens of a page, most characters of a text in a line of it."""
ASKED = "asked for: "


class End(NamedTuple):
    """How a session ended."""

    how: str  # as the client calls it
    seen: float  # epoch seconds of its last sign
    tokens: int  # in its window
    rules: Sequence[str] = ()  # the user's that the memory has


def without(page: str, names: Collection[str], said: Iterable[str]) -> str:
    """The page without its lines that name one of these, or say one of these texts.

    A text is said where it is the line, or stands between marks in a request; a word of it within another text is no
    such line. A request that is cut says the text that it is cut in.
    """
    texts = [bare for one in said if (bare := one_line(one).strip(" .!?,;\u3002\uff01\uff1f"))]
    named = rf"(?<![\w-])(?:{'|'.join(map(re.escape, sorted(names)))})(?!\w)"
    between = rf"(?:^[-*+ ]*(?:{ASKED}(?:.*[^\w\s]\s*)?)?|[.!?,;] )"
    whole = rf"{between}(?:{'|'.join(map(re.escape, texts))})(?=\s*(?:[^\w\s]|$))"
    marks = re.compile("|".join([*([named] if names else []), *([whole] if texts else [])]) or r"(?!)")

    def goes(line: str) -> bool:
        cut = line.rstrip().removesuffix("…") if line.rstrip().endswith("…") else ""
        # a beginning of fewer characters may stand in any text
        sizes = ((one, size) for one in texts if cut for size in range(12, min(LINE, len(one))))
        return bool(marks.search(line)) or any(cut.endswith(one[:size]) for one, size in sizes)

    return "".join(line for line in page.splitlines(keepends=True) if not goes(line))


def clear(folder: str, names: Collection[str], said: Collection[str], own: Container[str]) -> None:
    """Take these lines out of all pages; one that was as we wrote it still is. own: as of Memory.written."""
    for name in (name for name in names_in(folder) if name.endswith(".md") and is_plain(f"{folder}/{name}")):
        text = read_text(f"{folder}/{name}")
        kept = without(text, names, said)
        if kept != text:
            noted = [mark_of(name, kept)] * (mark_of(name, text) in own)
            location.note(os.path.dirname(folder), location.Name.WRITTEN, noted)
            write_atomic(f"{folder}/{name}", kept)


def unsaid(record: Record, said: Iterable[str]) -> Record:
    """A state without these texts, whole or cut, in the request that it quotes; a sign stands for them. A single word
    or a short text stays, since it may stand in any request; a script without spaces has words all the same.
    """
    bare = (one_line(one).strip(" .!?,;\u3002\uff01\uff1f") for one in said)
    texts = [one for one in bare if letters(one) >= 12 and (" " in one or UNSPACED.search(one))]
    cuts = [f"{one[:size]}\u2026" for one in texts for size in range(len(one) - 1, 11, -1)]

    def left(told: str) -> str:
        for one in texts:
            told = re.sub(rf"(?<!\w){re.escape(one)}(?!\w)", "\u2026", told)
        for one in cuts:
            told = told.replace(one, "\u2026")
        return told

    if record.kind != "state":
        return record
    content = {**record.content, "task_description": left(record.content["task_description"])}
    return record._replace(title=left(record.title), content=content)


def mark_of(name: str, text: str = "") -> str:
    """By which the file of a page is known to be ours, whatever day is put before its session; or to read so."""
    return f"page {name[10:]}" + f" {text}" * bool(text)


def keep(path: str, text: str, own: Container[str]) -> None:
    """Write the page, beside one that was changed, and first note that it is ours. own: as of Memory.written. Raises
    OSError.
    """
    folder, name = os.path.split(path)
    while size_of(f"{folder}/{name}") >= 0 and mark_of(name, read_text(f"{folder}/{name}")) not in own:
        if mark_of(name) in own and mark_of(name, "text") not in own:  # an older version noted no text
            break
        name = f"{name[:-3]}-2.md"
    location.note(os.path.dirname(folder), location.Name.WRITTEN, [mark_of(name, one) for one in ("", "text", text)])
    write_atomic(f"{folder}/{name}", text)


_KINDS = {
    "decision": ("Decisions", "because", "rationale"),
    "issue": ("Issues", "severity", "severity"),
    "state": ("State", "to do", "substeps_remaining"),
    "learning": ("Learnings", "", ""),
}
"""Kind of record -> its part's title, and what stands behind the first field: label, field."""


def page(session: Session, work: Worklog, records: Iterable[Record], end: End) -> str:
    """The page as Markdown; while it is too long its longest part loses its oldest lines."""
    parts = {"Session": _about(session, work, end), **{title: list[str]() for title, _, _ in _KINDS.values()}}
    for record in records:
        parts[_KINDS[record.kind][0]].append(_line(record))
    calls = call_log.count(session.path(InSession.CALLS))
    figures = f"- {end.tokens:,} tokens in the window at the end; " if end.tokens else "- "  # a compaction was the last
    figures += f"{counted(calls, 'tool call')}; {counted(work['window'], 'compaction')}; "
    figures += f"{counted(len(work['read']), 'file')} read, {len(work['changed'])} changed"
    parts |= {"Files": _files(work), "Figures": [figures]}
    cut = dict.fromkeys(parts, 0)
    while True:
        text = f"# Session {folders.shown(os.path.basename(session.folder))}\n"
        for title, lines in parts.items():
            left = [f"- ({cut[title]} older ones left out)"] if cut[title] else []
            text += "\n".join([f"\n## {title}", *left, *lines, ""]) if lines else ""
        longest = max(parts, key=lambda title: sum(map(len, parts[title])))
        if estimate(text) <= LIMIT or len(parts[longest]) < 2:
            return text
        drop = max(1, len(parts[longest]) // 8)
        cut[longest] += drop
        del parts[longest][:drop]


def _about(session: Session, work: Worklog, end: End) -> list[str]:
    log = hook_log.load(session.folder)[:1]  # a resume goes on with it
    begun = sum(one.seconds for one in log) or pending_sessions.noted(session)["begun"]
    agents = (file.rsplit(".", 2)[0] for file in names_in(session.path(InSession.HANDOFFS)))
    about = {
        "project": os.path.basename(session.project),
        "begun": iso(begun) if begun else "",
        "ended": f"{iso(end.seen)} ({session.read(InSession.LAST).get('ended') or 'cut off'})",
        "minutes": str(max(0, int((end.seen - begun) // 60))) if begun else "",
        "agents": ", ".join(["main", *dict.fromkeys(agents)][:40]),
        "model": work["model"],
        "branch": work["branch"],
    }
    asked = ((ASKED.removesuffix(": "), prompt["text"]) for prompt in work["prompts"][-12:])
    return [f"- {label}: {one_line(text, LINE)}" for label, text in (*about.items(), *asked) if text]


def _line(record: Record) -> str:
    _, label, field = _KINDS[record.kind]
    said, more = one_line(first(record.kind, record.content), LINE), record.content.get(field)
    more = one_line("; ".join(more) if isinstance(more, tuple) else str(more), LINE) if more else ""
    name = f"{record.id[:8]} {record.code}".rstrip()
    return f"- {name}: {said}{f' ({label}: {more})' if more else ''}"


def _files(work: Worklog) -> list[str]:
    """Newest last: what became of each, and the commits."""
    lines = [f"- {one_line(path)} ({_became(path, work['edits'].get(path))})" for path in work["changed"][-60:]]
    return [*lines, *(f"- commit {one_line(commit, 120)}" for commit in work["commits"])]


def _became(path: str, edit: FileEdits | None) -> str:
    """Created, edited or deleted; a file that was made here and is gone was both."""
    made, times = (edit["created"], edit["times"]) if edit else (False, 0)
    if size_of(path) < 0:
        return f"{'created, ' if made else ''}deleted since"
    edits = times - made
    told = [*(["created"] if made else []), *([f"edited {edits}x"] if edits else [])]
    return ", ".join(told) or "edited"
