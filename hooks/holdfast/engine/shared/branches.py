"""Do the tasks of several agents say that they should not run at the same time?

Rule: from the prompts alone. Two are told to change one file; one is told to make a file that another names; one is
told to wait for another, or to use its result; one leans on a conversation that its agent has not seen. Only what is
said outright counts, because a wrong warning costs more than a missing one: read-only agents change nothing, and a
prompt that forbids changes is believed. Source: requirement M (ordering dependencies, stateless validation).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, permutations
from typing import NamedTuple

from holdfast.engine.shared.gate import FanOut
from holdfast.text import identifiers
from holdfast.text.phrasing import clip

READERS = ("Explore", "Plan")
"""The client's own agent types that cannot write."""
_NAME = 60


class Task(NamedTuple):
    """What one agent is to do."""

    name: str
    prompt: str
    agent_type: str = ""


_MAKE = "create|write|save|generate|produce"
_CHANGE = "edit|modify|update|rewrite|refactor|fix|delete|rename|append to|change"
_LEAD = r"(?:^[\s\d.)*-]*|[.:;!?]\s+|\b(?:then|and|must|should|please|will|(?<!how )to)\s+)"
_TOLD = re.compile(rf"{_LEAD}(?P<verb>{_MAKE}|{_CHANGE})\b(?P<rest>[^\n;]*)", re.IGNORECASE | re.MULTILINE)
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)|\b(?:but|based on|as in|like|following|using|according to)\b", re.IGNORECASE)
_NO_CHANGES = re.compile(
    r"\b(?:do not|don't|never|without|must not|should not)\s+(?:\w+\s+){0,2}?"
    r"(?:edit|modify|chang\w+|writ\w+|touch\w*|creat\w+|mak\w+ (?:any )?changes?|alter\w*)\b"
    r"|\bread[- ]only\b|\bno (?:code )?changes\b|\b(?:just|only) (?:research|read|review|analy[sz]e|report)\b",
    re.IGNORECASE,
)
_LOOKS = re.compile(
    r"\W*(?:please |you (?:are|need to) (?:an? )?|I(?: need(?: you)? to|'m| am) )?(?:code |spec\w* )?"
    r"(?:re-?)?(?:review|verify|check|audit|research|investigat|explor|analy[sz]|understand|find|search|inspect)",
    re.IGNORECASE,
)
"""How a task begins that is to look: the files that it names belong to the work looked at, unless it is to put its
own findings into them."""
_INTO = re.compile(r"\b(?:to|into|in|as)\s+[`'\"]?[\w./~-]*\.\w", re.IGNORECASE)
_OTHER = r"the (?:other|first|second|third|previous|parallel) (?:sub-?)?agents?\b"
_WAITS = re.compile(
    rf"(?<!not )(?<!n't )(?<!without )\b(?:after|once|until|wait(?:ing)? for) {_OTHER}"
    rf"|\b(?:results?|output|findings|report|work|changes) (?:of|from|by) {_OTHER}",
    re.IGNORECASE,
)
_LEANS = re.compile(
    r"\b(?:as|what) we (?:have )?(?:discussed|agreed|talked about|decided|planned)\b"
    r"|\b(?:in|from|see) (?:our|this|the) (?:conversation|chat|discussion)(?: so far| above|,|\.|$)"
    r"|\b(?:continue|pick up) where (?:you|we|I) left off\b"
    r"|\b(?:that|which)? ?(?:I|we) (?:mentioned|talked about|discussed) (?:earlier|before|above)\b"
    r"|\b(?:do|try|run) (?:it|that|the same) again\b(?! if| when| until)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\b(?:report|return|summar\w+|list|tell|find|explain|provide|describe|answer|review|identify|show|give|output"
    r"|respond|reply|understand|investigate|check|verify|search|look for|research|analy[sz]e)\b",
    re.IGNORECASE,
)


def examined(plan: FanOut, tasks: Sequence[Task], protocol: bool = False) -> FanOut:
    """The plan with what the prompts say. protocol: the agents are told what to return by other means."""
    return plan._replace(
        agents=len(tasks),
        ordered=ordered(tasks),
        unspecified=() if protocol else unspecified(tasks),
        incomplete=incomplete(tasks),
    )


def ordered(tasks: Sequence[Task]) -> tuple[str, ...]:
    """One line for each dependency between tasks."""
    makes = [_named_after(task, _MAKE) for task in tasks]
    changes = [found | _named_after(task, _CHANGE) for task, found in zip(tasks, makes, strict=True)]
    return tuple(dict.fromkeys([*_both(tasks, changes), *_first(tasks, makes, changes), *_waiting(tasks)]))


def _both(tasks: Sequence[Task], changes: Sequence[frozenset[str]]) -> Iterator[str]:
    for (one, first), (other, second) in combinations(zip(tasks, changes, strict=True), 2):
        for path in sorted(first & second):
            yield f"{path} is to be changed by {_quoted(one)} and by {_quoted(other)}"


def _first(tasks: Sequence[Task], makes: Sequence[frozenset[str]], changes: Sequence[frozenset[str]]) -> Iterator[str]:
    for maker, reader in permutations(range(len(tasks)), 2):
        for path in sorted(makes[maker] - changes[reader]):
            if path in identifiers.paths(tasks[reader].prompt):
                yield f"{_quoted(tasks[reader])} names {path}, which {_quoted(tasks[maker])} is to make"


def _waiting(tasks: Iterable[Task]) -> Iterator[str]:
    for task in tasks:
        found = _WAITS.search(task.prompt)
        if found:
            yield f"{_quoted(task)} needs another agent ({_short(found.group())!r})"


def _named_after(task: Task, verbs: str) -> frozenset[str]:
    """Paths that the task is told to do one of `verbs` to."""
    if task.agent_type in READERS or _NO_CHANGES.search(task.prompt):
        return frozenset()
    known = re.compile(verbs, re.IGNORECASE)
    objects = (_clause(found["rest"]) for found in _TOLD.finditer(task.prompt) if known.fullmatch(found["verb"]))
    if _LOOKS.match(task.prompt) or _LOOKS.match(task.name):
        objects = (text[found.start() :] for text in objects for found in [_INTO.search(text)] if found)
    return frozenset(path for text in objects for path in identifiers.paths(text))


def _clause(text: str) -> str:
    """The text up to where its clause ends; a dot within a path is no end."""
    end = _SENTENCE_END.search(text)
    return text[: end.start()] if end else text


def _short(text: str) -> str:
    return clip(" ".join(text.split()), _NAME)


def _quoted(task: Task) -> str:
    return f'"{_short(task.name)}"'


def incomplete(tasks: Iterable[Task]) -> tuple[str, ...]:
    """One line for each task that leans on what its agent has not seen."""
    found = [(task, _LEANS.search(task.prompt)) for task in tasks]
    return tuple(
        f"{_quoted(task)} leans on a talk that its agent has not seen ({_short(match.group())!r})"
        for task, match in found
        if match
    )


def unspecified(tasks: Iterable[Task]) -> tuple[str, ...]:
    """One line for each task that asks for nothing to come back."""
    return tuple(f"{_quoted(task)} does not say what to return" for task in tasks if not _ASKS.search(task.prompt))
