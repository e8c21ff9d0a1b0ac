"""`holdfast bench retrieval`: does a search find the text that answers a question?

--data is a folder with conversations in LoCoMo's format (*.json: a list of conversations, each with `conversation` and
`qa`). Each conversation is indexed by itself, once with its sessions as texts and once with its turns; the query is the
question as it stands; what should be found is what the question names as its evidence. Questions without evidence are
left out. Nothing of the data is kept.
"""

import argparse
import contextlib
import datetime as dt
import glob
import json
import math
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from holdfast.cli.output import emit_json, emit_table
from holdfast.errors import BadInput
from holdfast.search.index import Record, SearchIndex
from holdfast.text import tokens

TARGETS = {"hit@1": 0.76, "r@5": 0.90, "r@10": 0.95, "ndcg@5": 0.83}
"""Session level, all questions."""
FOR_COMPARISON = (
    ("  plain BM25 (k1 1.5, b .75)", (".722", ".882", ".937", ".809")),
    ("  published best, training-free", (".752", "-", "-", ".829")),
)
ROOM = 2_000
"""Tokens of injected text."""
MEASURES = ("hit@1", "r@5", "r@10", "ndcg@5")

_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")
_DAY = re.compile(r"(\d{1,2}) ([A-Z][a-z]+),? (\d{4})")


class Question(NamedTuple):
    """One question: evidence as ids of turns, such as D3:14."""

    text: str
    turns: frozenset[str]

    @property
    def sessions(self) -> frozenset[str]:
        """Ids of the sessions, such as D3."""
        return frozenset(turn.partition(":")[0] for turn in self.turns)


class Conversation(NamedTuple):
    """One conversation: (id, title, text, time) per turn, and its questions."""

    turns: list[Record]
    questions: list[Question]

    @property
    def sessions(self) -> list[Record]:
        """The turns of each session as one text, a line each."""
        texts: dict[str, list[str]] = {}
        times = {turn[0].partition(":")[0]: turn[3] for turn in self.turns}
        for name, _, text, _ in self.turns:
            texts.setdefault(name.partition(":")[0], []).append(text)
        return [(name, "", "\n".join(lines), times[name]) for name, lines in texts.items()]


def run(args: argparse.Namespace) -> int:
    """Print the table; 1 when a target of the session level is missed."""
    if not args.data:
        raise BadInput("needs conversations", "--data", "Give a folder with LoCoMo's locomo10.json")
    conversations = list(read(args.data))
    number = sum(len(one.questions) for one in conversations)
    if not number:
        raise BadInput("no question names its evidence", args.data, "Give a folder with LoCoMo's locomo10.json")
    result: dict[str, Any] = {"questions": number, **_found(conversations)}
    missed = [name for name, target in TARGETS.items() if result["sessions"][name] < target]
    if args.json:
        emit_json({**result, "targets": TARGETS, "missed": missed})
    else:
        _print(result, missed)
    return int(bool(missed))


def _found(conversations: Sequence[Conversation]) -> dict[str, dict[str, float]]:
    """sessions and turns -> measures; room -> shares of the evidence, and tokens."""
    room = mean(row for one in conversations for row in in_room(one))
    return {
        "sessions": mean(row for one in conversations for row in by_rank(one.sessions, one.questions, "sessions")),
        "turns": mean(row for one in conversations for row in by_rank(one.turns, one.questions, "turns")),
        "room": {"tokens": ROOM, **room},
    }


def read(folder: str) -> Iterator[Conversation]:
    """The conversations of every *.json in a folder. Raises BadInput for a file of another format."""
    for path in sorted(glob.glob(os.path.join(glob.escape(folder), "*.json"))):
        try:
            with open(path, encoding="utf-8") as file:
                found = [_conversation(one["conversation"], one["qa"]) for one in json.load(file)]
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadInput(f"is not a list of conversations ({error!r})", path, "See LoCoMo's locomo10.json") from error
        yield from found


def _conversation(data: dict[str, Any], asked: list[dict[str, Any]]) -> Conversation:
    turns = [
        (str(turn["dia_id"]), "", _said(turn), iso(str(data.get(f"{name}_date_time", ""))))
        for name, session in data.items()
        if re.fullmatch(r"session_\d+", name)
        for turn in session
    ]
    questions = [
        Question(str(one["question"]), frozenset(f"D{s}:{t}" for s, t in _EVIDENCE.findall(" ".join(one["evidence"]))))
        for one in asked
        if one.get("evidence")
    ]
    return Conversation(turns, [question for question in questions if question.turns])


def _said(turn: dict[str, Any]) -> str:
    seen = turn.get("blip_caption")
    return f"{turn['speaker']}: {turn['text']}".replace("\n", " ") + (f" [{seen}]" if seen else "")


def iso(time: str) -> str:
    """ "1:56 pm on 8 May, 2023" -> "2023-05-08"; "" when no day is found."""
    found = _DAY.search(time)
    try:
        return dt.datetime.strptime(" ".join(found.groups()), "%d %B %Y").date().isoformat() if found else ""  # noqa: DTZ007 - a day has no zone
    except ValueError:
        return ""


def by_rank(records: Sequence[Record], questions: Sequence[Question], level: str) -> Iterator[dict[str, float]]:
    """The measures of each question."""
    with _index(records) as index:
        for question in questions:
            found = [name for name, _ in index.search(question.text)]
            yield measures(found, getattr(question, level))


def measures(found: Sequence[str], wanted: frozenset[str]) -> dict[str, float]:
    """Of the first ten found: is the first wanted, how many of the wanted are there, and how early (binary gain)."""
    gain = sum(1 / math.log2(place + 2) for place, name in enumerate(found[:5]) if name in wanted)
    most = sum(1 / math.log2(place + 2) for place in range(min(5, len(wanted))))
    recall = [len(wanted.intersection(found[:number])) / len(wanted) for number in (5, 10)]
    return dict(zip(MEASURES, (float(found[:1] != [] and found[0] in wanted), *recall, gain / most), strict=True))


def in_room(conversation: Conversation) -> Iterator[dict[str, float]]:
    """Of each question: how much of its evidence stands in the best turns that `ROOM` tokens hold."""
    texts = {name: f"{time} {text}" for name, _, text, time in conversation.turns}
    sizes = {name: tokens.estimate(text) for name, text in texts.items()}
    with _index(conversation.turns) as index:
        for question in conversation.questions:
            kept = _packed([name for name, _ in index.search(question.text, limit=100)], sizes)
            inside = {name.partition(":")[0] for name in kept}
            yield {
                "turns": len(question.turns & kept) / len(question.turns),
                "sessions": len(question.sessions & inside) / len(question.sessions),
                "used": float(sum(sizes[name] for name in kept)),
            }


def _packed(names: Sequence[str], sizes: dict[str, int]) -> set[str]:
    """The first of these that fit together."""
    room, kept = ROOM, set()
    for name in names:
        if sizes[name] <= room:
            kept.add(name)
            room -= sizes[name]
    return kept


@contextlib.contextmanager
def _index(records: Iterable[Record]) -> Iterator[SearchIndex]:
    """An index in a folder of its own, gone afterwards."""
    folder = tempfile.TemporaryDirectory(prefix="holdfast-retrieval-")
    with folder, SearchIndex.open(os.path.join(folder.name, "index")) as index:
        index.add_many(records)
        yield index


def mean(rows: Iterable[dict[str, float]]) -> dict[str, float]:
    """The mean of each column."""
    columns: dict[str, list[float]] = {}
    for row in rows:
        for name, value in row.items():
            columns.setdefault(name, []).append(value)
    return {name: round(sum(values) / len(values), 4) for name, values in columns.items()}


def _print(result: dict[str, Any], missed: list[str]) -> None:
    def cells(values: dict[str, float]) -> tuple[str, ...]:
        return tuple(f"{values[name]:.3f}" for name in MEASURES)

    emit_table(
        [
            (f"{result['questions']:,} questions", "Hit@1", "R@5", "R@10", "NDCG@5"),
            ("sessions", *cells(result["sessions"])),
            ("  to reach", *cells(TARGETS)),
            *((name, *values) for name, values in FOR_COMPARISON),
            ("turns", *cells(result["turns"])),
        ]
    )
    room = result["room"]
    print(f"within {ROOM:,} tokens: {room['turns']:.3f} of the turns, {room['sessions']:.3f} of the sessions")
    print(f"targets: {'MISSED: ' + ', '.join(missed) if missed else 'met'}")
