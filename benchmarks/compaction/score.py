"""How much of what came before a compaction does a text keep?

Rule: a compaction's window is what lies between it and the one before. Kept is a file when its base name occurs; an
identifier (camelCase or snake_case, seven characters and more) when it stands there as a word; a prompt when 60 % of
its words of four letters and more do. Identifiers and files count that were in the window and are used again after
it: in the assistant's prose, its commands and searches, its reads and edits. Facts that readers labelled are held
when all of their strings occur, case and white space folded.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from holdfast.text import identifiers as terms
from holdfast.transcript import rows as transcript
from holdfast.transcript.tool_output import EDIT_TOOLS

PROMPT_KEPT = 0.6
_WORD = re.compile(r"[a-z]{4,}")


class Event(NamedTuple):
    """One compaction: what its window held, and what was used after it."""

    rows: int
    """Rows of the transcript before it."""
    edited: frozenset[str]
    read: frozenset[str]
    prompts: tuple[str, ...]
    reused: frozenset[str]
    reread: frozenset[str]
    identifiers: frozenset[str]
    summary: str
    """The client's own."""


class Score(NamedTuple):
    """Shares of what is kept, None where there was nothing to keep."""

    edited: float | None
    read: float | None
    reused: float | None
    identifiers: float | None
    prompts: float | None
    reread: float | None
    """Of the files that were read again, the share that the text names."""
    precision: float | None
    """Of the text's identifiers, the share that is used again."""


class _Window(NamedTuple):
    edited: set[str]
    read: set[str]
    prompts: list[str]
    names: set[str]
    """Seen anywhere."""
    used: set[str]
    """Said or typed by the assistant."""
    summaries: list[str]


def events(rows: list[dict[str, Any]]) -> Iterator[Event]:
    """The compactions of a transcript, in order."""
    bounds = [index for index, row in enumerate(rows) if transcript.is_boundary(row) and transcript.is_main(row)]
    for start, bound, end in zip([0, *bounds], bounds, [*bounds[1:], len(rows)], strict=False):
        before, after = _window(rows[start:bound]), _window(rows[bound:end])
        touched = before.edited | before.read
        yield Event(
            bound,
            frozenset(before.edited),
            frozenset(before.read),
            tuple(before.prompts),
            frozenset((after.edited | after.read) & touched),
            frozenset(after.read & touched),
            frozenset(after.used & before.names),
            after.summaries[0] if after.summaries else "",
        )


def _window(rows: list[dict[str, Any]]) -> _Window:
    found = _Window(set(), set(), [], set(), set(), [])
    for row in filter(transcript.is_main, rows):
        if row.get("isCompactSummary"):
            found.summaries.append(transcript.user_text(row))
            found.names.update(terms.identifiers(transcript.user_text(row)))
            continue
        prompt = transcript.human_prompt(row)
        if prompt:
            found.prompts.append(prompt)
            found.names.update(terms.identifiers(prompt))
        for _, text, _ in transcript.tool_results(row):
            found.names.update(terms.identifiers(text))
        _assistant(found, row)
    return found


def _assistant(found: _Window, row: dict[str, Any]) -> None:
    said = terms.identifiers(transcript.assistant_text(row))
    found.names.update(said)
    found.used.update(said)
    for _, tool, inputs in transcript.tool_uses(row):
        typed = terms.identifiers("\n".join(str(value) for value in inputs.values()))
        found.names.update(typed)
        if tool in ("Bash", "Grep"):
            found.used.update(typed)
        path = inputs.get("file_path") or inputs.get("notebook_path")
        if isinstance(path, str) and tool in EDIT_TOOLS:
            found.edited.add(terms.basename(path))
        elif isinstance(path, str) and tool == "Read":
            found.read.add(terms.basename(path))


def score(event: Event, text: str) -> Score:
    """What a text keeps of an event."""
    names = set(terms.identifiers(text))
    return Score(
        _share(name in text for name in event.edited),
        _share(name in text for name in event.read),
        _share(name in text for name in event.reused),
        _share(name in names for name in event.identifiers),
        prompts_held(event.prompts, text),
        _share(name in text for name in event.reread),
        _share(name in event.identifiers for name in names),
    )


def prompts_held(prompts: Iterable[str], text: str) -> float | None:
    """The share of these prompts that a text keeps; None when none of them has a word that counts."""
    words = set(_WORD.findall(text.lower()))
    said = (set(_WORD.findall(prompt.lower())) for prompt in prompts)
    return _share(len(own & words) >= PROMPT_KEPT * len(own) for own in said if own)


def _share(held: Iterator[bool]) -> float | None:
    found = list(held)
    return sum(found) / len(found) if found else None


def mean(scores: list[Score]) -> Score:
    """Per figure, over the events that have it."""
    columns = [[value for value in column if value is not None] for column in zip(*scores, strict=True)]
    return Score(*(sum(column) / len(column) if column else None for column in columns))


def facts_held(facts: list[dict[str, Any]], text: str) -> tuple[float, float]:
    """(share weighted by importance, share of importance 3) of labelled facts {must, importance} that a text holds."""
    folded = _fold(text)
    held = [all(_fold(part) in folded for part in fact["must"]) for fact in facts]
    weights = [fact["importance"] for fact in facts]
    top = [kept for kept, weight in zip(held, weights, strict=True) if weight == max(weights)]
    return sum(w for kept, w in zip(held, weights, strict=True) if kept) / sum(weights), sum(top) / len(top)


def _fold(text: str) -> str:
    return re.sub(r"\s+", " ", text).lower()
