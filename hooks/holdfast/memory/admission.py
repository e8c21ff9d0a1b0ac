"""Is this worth a record, and under which words is it found again?

Rule: a record is kept when it is durable, reusable and saves context. Refused are a diff, what says too little to be
used again, what is too long to save anything, what is nothing but a secret, and a decision that only a tool or the web
has spoken for. Every record has at least one tag: where none is given, the names in it are taken. Sources:
requirements J2, J10, N.
"""

import re
from collections.abc import Callable

from holdfast.memory.record import Record, texts
from holdfast.text import identifiers, redaction, tokens

LONGEST, FEWEST_WORDS, TAGS, TAG_CHARS = 2_000, 2, 5, 40
"""Tokens of a record at most, words at least, tags that are made where none is given."""
_DIFF = re.compile(r"^(?:diff --git |@@ -\d+|--- a/|\+\+\+ b/|index [0-9a-f]{7,}\.\.)", re.MULTILINE)


def _whole(record: Record) -> str:
    return "\n".join([record.title, *texts(record)])


def _says_too_little(text: str) -> bool:
    """Less than two distinct words with a letter in them; other scripts than Latin have no blanks between words."""
    words = (word for word in redaction.without_marks(text).lower().split() if any(map(str.isalpha, word)))
    return text.isascii() and len(set(words)) < FEWEST_WORDS


_REJECTIONS: tuple[tuple[str, Callable[[Record], bool]], ...] = (
    (
        "it is a diff, which holds for a moment only: say what was changed for good, and why",
        lambda record: bool(_DIFF.search(_whole(record))),
    ),
    (
        f"it has more than {LONGEST:,} tokens, so reading it saves nothing: keep the conclusion, and name the file",
        lambda record: record.kind != "state" and tokens.estimate(_whole(record)) > LONGEST,
    ),
    (
        "it says too little to be of use later: write a sentence, without secrets",
        lambda record: _says_too_little(_whole(record)),
    ),
    (
        "a decision needs somebody who decided: what a tool or the web says is an issue or a learning",
        lambda record: record.kind == "decision" and record.trust == "untrusted",
    ),
)
"""Why a record is refused, and when."""


def rejection(record: Record) -> str:
    """Why this is no record, and what to write in its place; "" when it is worth keeping. Secrets are out already."""
    return next((why for why, holds in _REJECTIONS if holds(record)), "")


def tagged(record: Record) -> Record:
    """The record with tags: its own, else the names of files and of things in it, else its kind."""
    if record.tags:
        return record
    whole = " ".join([*record.paths, _whole(record)])
    names = [identifiers.basename(path) for path in identifiers.paths(whole)] + identifiers.identifiers(whole)
    found = dict.fromkeys(name.lower() for name in names if name[:1].isalnum() and len(name) <= TAG_CHARS)
    return record._replace(tags=tuple(found)[:TAGS] or (record.kind,))
