"""Which notes are carried from one window to the next, and does each make sense on its own?

Rule: a note is written by the agent, the caller or a model, never taken out of prose; lines marked as RULE:, DECISION:
and the like are notes as they stand. It belongs to one of six categories and has an importance; one of a word or two,
or as long as a document, fails the cold-start test and is refused with the reason. Rendered within a bound of tokens,
categories in their order, in each the gravest and newest first; what was rendered can be read back. Source:
requirement K2.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from holdfast.engine import prompts
from holdfast.engine.blocks import Count
from holdfast.engine.strategy import Ask, Asker
from holdfast.errors import BadInput
from holdfast.worklog.model import Worklog

CATEGORIES = ("progress", "decisions", "bugs", "constraints", "learnings", "misc")
IMPORTANCE = ("critical", "high", "normal", "low")


class Note(NamedTuple):
    """One thing to know later."""

    category: str
    text: str
    importance: str = "normal"
    turn: int = 0


def cold_start(text: str) -> str:
    """Why a note says nothing to someone who has only the notes; "" when it stands on its own."""
    if len(text.split()) < 3 and text.isascii():
        return "has too few words to be understood"
    if len(text) > 600:
        return f"has {len(text)} characters, 600 are allowed: name a file that holds the rest"
    return ""


def checked(category: str, text: str, importance: str = "normal", turn: int = 0) -> Note:
    """A note. Raises BadInput for an unknown category or importance, and for a text that fails the cold-start test."""
    for value, allowed, key in ((category, CATEGORIES, "category"), (importance, IMPORTANCE, "importance")):
        if value not in allowed:
            raise BadInput(f"{value!r} cannot be", key, f"Allowed: {', '.join(allowed)}")
    flat = " ".join(text.split())
    wrong = cold_start(flat)
    if wrong:
        raise BadInput(f"the note {wrong}", "text", "A note must be understood by someone who reads only the notes")
    return Note(category, flat, importance, turn)


def rendered(notes: Iterable[Note], count: Count, tokens: int = 2_000) -> str:
    """The notes as text within `tokens`: critical ones of every category before the others get room."""
    unique = list({(note.category, note.text): note for note in notes}.values())
    unique.sort(
        key=lambda note: (IMPORTANCE.index(note.importance), -note.turn, CATEGORIES.index(note.category), note.text)
    )
    left, kept, seen = tokens, [], set[str]()
    for note in unique:
        cost = count(_line(note)) + 1 + (0 if note.category in seen else count(_title(note.category)) + 1)
        if cost <= left:
            kept.append(note)
            seen.add(note.category)
            left -= cost
    parts = ["\n".join([_title(name), *(_line(note) for note in kept if note.category == name)]) for name in CATEGORIES]
    return "\n".join(part for part, name in zip(parts, CATEGORIES, strict=True) if name in seen)


def _title(category: str) -> str:
    return f"## {category.capitalize()}"


def _line(note: Note) -> str:
    return f"- [{note.importance.upper()}] {note.text}" + (f" (turn {note.turn})" if note.turn else "")


_ENTRY = re.compile(r"^\s*[-*]\s*\[(\w+)\]\s*(.*?)(?: \(turn (\d+)\))?\s*$")


def parsed(text: str) -> tuple[list[Note], list[str]]:
    """The notes of a text, and what of it is none, each line with the reason."""
    found: list[Note] = []
    wrong: list[str] = []
    category = "misc"
    for line in filter(str.strip, text.splitlines()):
        entry = _ENTRY.match(line)
        if line.lstrip().startswith("#"):
            title = next(iter(re.findall(r"\w+", line)), "").lower()
            category = title if title in CATEGORIES else "misc"
        elif entry:
            try:
                found.append(checked(category, entry[2], entry[1].lower(), int(entry[3] or 0)))
            except BadInput as error:
                wrong.append(f"{line.strip()}: {error.what}")
        else:
            wrong.append(f"{line.strip()}: no line of the form `- [HIGH] text`")
    return found, wrong


def of_work(work: Worklog) -> list[Note]:
    """The lines that were marked to last, as notes."""
    places = {
        "rule": "constraints",
        "decision": "decisions",
        "bug": "bugs",
        "lesson": "learnings",
        "failed": "learnings",
    }
    marks = [(mark["kind"], " ".join(mark["text"].split()), mark["n"]) for mark in work["marks"]]
    return [Note(places.get(kind, "progress"), text, "critical", n) for kind, text, n in marks]


class Taken(NamedTuple):
    """Notes of a whole window."""

    notes: tuple[Note, ...]
    calls: int = 0  # of a model
    said: str = ""  # what went wrong; "" for nothing


def taken(conversation: str, work: Worklog, ask: Ask | None, count: Count, most: int = 2_000) -> Taken:
    """Notes of a model where one is given, with the marked lines that it left out; else these alone."""
    offline = of_work(work)
    asker = Asker(ask)
    answer = asker(lambda: prompts.notes(conversation, most), most, count)
    if not answer:
        return Taken(tuple(offline), asker.calls, asker.note)
    found, wrong = parsed(answer)
    told = "\n".join(note.text for note in found)
    kept = [note for note in offline if note.text not in told]
    refused = f"{len(wrong)} lines of the model's notes were refused" if wrong else ""
    return Taken((*kept, *found), asker.calls, refused)
