"""Of what the agent uses next, how much is still before its eyes?

Rule: a use is a name (identifier, or the last part of a path; text/identifiers.py) in the agent's text or in what it
hands to
a tool, that stood in the messages before. It is held when the view that was sent has it, be it in a placeholder. It was
at risk when some message that had it has been changed. An edit's old text is in the window when the view has it word by
word, and re-readable when a place that the view names has it, or one that is named there. Of what the user said the
whole text counts, at the end. Thinking counts for neither side: it is not sent for long. A line number in front of a
line that was read is no part of it. Source: requirement F1, for what leaves a window instead of a summary.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from holdfast.engine.blocks import BlockKind
from holdfast.engine.messages import Message, content, named, pieces
from holdfast.text import identifiers
from holdfast.transcript.tool_output import EDIT_TOOLS

_NUMBERED = re.compile(r"(?m)^ *\d+(?:→|\t)")
_WHERE = re.compile(r"(?:whole|before): ([\w./~-]*\w)[\].]")
"""How placeholders, summaries and what they stored name a place."""


class Tally(NamedTuple):
    """Uses, and how many of them were held."""

    uses: int = 0
    held: int = 0
    at_risk: int = 0
    """Uses of a name that stood in a message that has been changed."""
    at_risk_held: int = 0
    edits: int = 0
    edits_shown: int = 0
    """Their exact text is in the view."""
    edits_readable: int = 0
    """It is not, but an archive that the view names has it."""
    told: int = 0
    """Texts of the user's."""
    told_shown: int = 0
    """Of these, those that the last view has word by word."""


def added(tallies: Sequence[Tally]) -> Tally:
    """The sum."""
    return Tally(*map(sum, zip(*tallies, strict=True))) if tallies else Tally()


class Losses:
    """Follows one conversation and its views."""

    def __init__(self, messages: Sequence[Message], read: Callable[[str], str]) -> None:
        """read: the archived text by the place that a placeholder names, or ""."""
        self._messages, self._read = messages, read
        self._own = frozenset(map(id, messages))
        """What is remembered by identity; a view's own messages come and go."""
        self._known: dict[int, frozenset[str]] = {}
        """By the identity of a message of the history: the names in it."""
        self._texts: dict[int, str] = {}
        self._had: Counter[str] = Counter()
        """Name -> messages of the history that have it."""
        self._shown: Counter[str] = Counter()
        """Name -> messages of the view that have it."""
        self._upto = 0

    def use(self, index: int, view: Sequence[Message], changed: bool) -> Tally:
        """What message `index` uses of what was before it; `changed`: the view is another than the last one and new."""
        new = self._messages[self._upto : index]
        for message in new:
            self._had.update(self._names(message))
        if changed:
            self._shown = Counter(name for message in view for name in self._names(message))
        else:
            self._shown.update(name for message in new for name in self._names(message))
        self._upto = index
        return added([self._uses(self._names(self._messages[index]), view), self._edits(index, view)])

    def told(self, index: int, view: Sequence[Message]) -> Tally:
        """What the user has said before message `index`, and how much of it a view still has."""
        texts = [piece.text for piece in pieces(self._messages[:index]) if piece.kind == BlockKind.USER and piece.text]
        shown = {piece.text for piece in pieces(view) if piece.kind == BlockKind.USER}
        return Tally(told=len(texts), told_shown=sum(text in shown for text in texts))

    def _uses(self, names: frozenset[str], view: Sequence[Message]) -> Tally:
        used = [name for name in names if name in self._had]
        missing = {name for name in used if not self._shown[name]}
        if missing:
            text = "\n".join(map(self._text, view))
            missing = {name for name in missing if not identifiers.occurs(name, text)}
        risky = [name for name in used if self._shown[name] < self._had[name]]
        return Tally(len(used), len(used) - len(missing), len(risky), sum(name not in missing for name in risky))

    def _edits(self, index: int, view: Sequence[Message]) -> Tally:
        edits = shown = readable = 0
        for old in old_texts(self._messages[index]):
            if not any(old in self._text(message) for message in self._messages[:index]):
                continue
            seen = any(old in self._text(message) for message in view)
            edits, shown = edits + 1, shown + seen
            readable += not seen and self._archived(old, view)
        return Tally(edits=edits, edits_shown=shown, edits_readable=readable)

    def _archived(self, old: str, view: Sequence[Message]) -> bool:
        """Whether it can be read at a place that the view names, or at one that is named there."""
        places = [place for message in view for place in _WHERE.findall(self._text(message))]
        seen = set(places)
        while places:
            text = self._read(places.pop())
            if old in _NUMBERED.sub("", text):
                return True
            places += (further := set(_WHERE.findall(text)) - seen)
            seen |= further
        return False

    def _names(self, message: Message) -> frozenset[str]:
        found = self._known.get(id(message))
        if found is None:
            text = self._text(message)
            found = frozenset(identifiers.identifiers(text)) | frozenset(
                map(identifiers.basename, identifiers.paths(text))
            )
            if id(message) in self._own:
                self._known[id(message)] = found
        return found

    def _text(self, message: Message) -> str:
        found = self._texts.get(id(message))
        if found is None:
            found = plain(message)
            if id(message) in self._own:
                self._texts[id(message)] = found
        return found


def old_texts(message: Message) -> list[str]:
    """What the edits of a message want to find in their files."""
    found = []
    for block in content(message):
        if block.get("type") == "tool_use" and isinstance(block.get("input"), Mapping):
            tool, inputs = named(str(block.get("name")), block["input"])
            parts = inputs.get("edits") if tool == "MultiEdit" else [inputs]
            if tool in EDIT_TOOLS and isinstance(parts, list):
                found += [part.get("old_string") for part in parts if isinstance(part, Mapping)]
    return [text for text in found if isinstance(text, str) and text]


def plain(message: Message) -> str:
    """What a message says and hands over, without line numbers, thinking, and the names of arguments."""
    found = (piece for piece in pieces([message]) if piece.kind != BlockKind.THINKING)
    texts = (values(piece.inputs) if piece.kind == BlockKind.CALL else _NUMBERED.sub("", piece.text) for piece in found)
    return "\n".join(texts)


def values(given: object) -> str:
    """The texts and numbers in a call's inputs, whatever they are named."""
    if isinstance(given, Mapping):
        return "\n".join(map(values, given.values()))
    return "\n".join(map(values, given)) if isinstance(given, list) else str(given)
