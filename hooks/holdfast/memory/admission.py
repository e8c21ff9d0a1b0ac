"""Is this worth a record, and under which words is it found again?

Rule: a record is kept when it is durable, reusable and saves context. Refused are what holds for a moment only (a diff,
a dump, a trace), what says too little to be used again, what is too long to save anything, what is nothing but a
secret, and a decision that only a tool or the web has spoken for. Every record has a date and at least one tag: where
none is given, the names in it are taken. Sources: requirements J2, J10, N.
"""

import re
from collections.abc import Callable

from holdfast.memory.record import Record, texts
from holdfast.text import identifiers, tokens

LONGEST, FEWEST_WORDS, TAGS = 2_000, 2, 5
"""Tokens of a record at most, words at least, tags that are made where none is given."""
_DIFF = re.compile(r"^(?:diff --git |@@ -\d+|--- a/|\+\+\+ b/|index [0-9a-f]{7,}\.\.)", re.MULTILINE)
_CHANGED = re.compile(r"^[+-](?![-+ ]|\d).*$", re.MULTILINE)
_TRACE = re.compile(r"^Traceback \(most recent call last\)|^\s+at [\w.$<>]+ ?\(.*:\d+", re.MULTILINE)
_MARK = re.compile(r"\[redacted: [^\]\n]{1,40}\]")
_NAME = re.compile(r"[^\W_][\w.+#/-]{0,39}\Z")


def _whole(record: Record) -> str:
    return "\n".join([record.title, *texts(record)])


def _is_dump(record: Record) -> bool:
    whole = _whole(record)
    return len(_TRACE.findall(whole)) > 3 or (bool(_TRACE.search(whole)) and len(whole.splitlines()) > 12)


_REFUSALS: tuple[tuple[str, Callable[[Record], bool]], ...] = (
    (
        "it is a diff, which holds for a moment only: say what was changed for good, and why",
        lambda record: bool(_DIFF.search(_whole(record))) or len(_CHANGED.findall(_whole(record))) > 8,
    ),
    ("it is a dump of a program's output: say what follows from it", _is_dump),
    (
        f"it has more than {LONGEST:,} tokens, so reading it saves nothing: keep the conclusion, and name the file",
        lambda record: record.kind != "state" and tokens.estimate(_whole(record)) > LONGEST,
    ),
    (
        "without the secret nothing is left of it: say where the secret is kept",
        lambda record: "[redacted: " in _whole(record) and len(_words(_MARK.sub("", _whole(record)))) <= FEWEST_WORDS,
    ),
    (
        "it says too little to be of use later: write a sentence",
        lambda record: len(_words(_whole(record))) < FEWEST_WORDS and _whole(record).isascii(),
    ),
    (
        "a decision needs somebody who decided: what a tool or the web says is an issue or a learning",
        lambda record: record.kind == "decision" and record.trust == "untrusted",
    ),
)
"""Why a record is refused, and when."""


def refusal(record: Record) -> str:
    """Why this is no record, and what to write in its place; "" when it is worth keeping. Secrets are out already."""
    return next((why for why, holds in _REFUSALS if holds(record)), "")


def tagged(record: Record) -> Record:
    """The record with tags: its own, else the names of files and of things in it, else its kind."""
    if record.tags:
        return record
    whole = " ".join([*record.paths, _whole(record)])
    names = [identifiers.basename(path) for path in identifiers.paths(whole)] + identifiers.identifiers(whole)
    found = dict.fromkeys(name.lower() for name in names if _NAME.match(name))
    return record._replace(tags=tuple(found)[:TAGS] or (record.kind,))


def _words(text: str) -> list[str]:
    """Distinct words with a letter in them."""
    return list(dict.fromkeys(re.findall(r"[^\W\d_]{2,}", text.lower())))
