"""Which notes are carried from one window to the next, and does each make sense on its own?

Rule: a note is written by the agent or the caller, never taken out of prose. It belongs to one of six categories and
has an importance; one of a word or two, or as long as a document, fails the cold-start test and is refused with the
reason. Rendered within a bound of tokens, categories in their order, in each the gravest and newest first. What a model
has to note stands in the record that it closes a summary with (engine/summary.py). Source: requirement K2.
"""

from collections.abc import Iterable
from typing import NamedTuple

from holdfast.engine.blocks import Count
from holdfast.errors import BadInput
from holdfast.text.scripts import UNSPACED

CATEGORIES = ("progress", "decisions", "bugs", "constraints", "learnings", "misc")
IMPORTANCE = ("critical", "high", "normal", "low")


class Note(NamedTuple):
    """One thing to know later."""

    category: str
    text: str
    importance: str = "normal"
    turn: int = 0


def checked(category: str, text: str, importance: str = "normal", turn: int = 0) -> Note:
    """A note. Raises BadInput for an unknown category or importance, and for a text that fails the cold-start test."""
    for value, allowed, key in ((category, CATEGORIES, "category"), (importance, IMPORTANCE, "importance")):
        if value not in allowed:
            raise BadInput(f"{value!r} cannot be", key, f"Allowed: {', '.join(allowed)}")
    flat, wrong = " ".join(str(text or "").split()), ""
    if len(flat.split()) < 3 and not UNSPACED.search(flat):
        wrong = "has too few words to be understood"
    if len(flat) > 600:
        wrong = f"has {len(flat)} characters, 600 are allowed: name a file that holds the rest"
    if wrong:
        raise BadInput(f"the note {wrong}", "text", "A note must be understood by someone who reads only the notes")
    return Note(category, flat, importance, turn)


def rendered(notes: Iterable[Note], count: Count, tokens: int = 2_000) -> str:
    """The notes as text within `tokens`: critical ones of every category before the others get room."""
    unique = list({(note.category, note.text): note for note in notes}.values())
    unique.sort(
        key=lambda note: (IMPORTANCE.index(note.importance), -note.turn, CATEGORIES.index(note.category), note.text)
    )
    shown: dict[str, list[str]] = {}
    for note in unique:
        turn = f" (turn {note.turn})" if note.turn else ""
        head, line = f"## {note.category.capitalize()}", f"- [{note.importance.upper()}] {note.text}{turn}"
        cost = count(line) + 1 + (0 if note.category in shown else count(head) + 1)
        if cost <= tokens:
            shown.setdefault(note.category, [head]).append(line)
            tokens -= cost
    return "\n".join(line for name in CATEGORIES for line in shown.get(name, ()))
