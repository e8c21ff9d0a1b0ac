"""How `holdfast memory` chooses and shows records: filters and orders of J7, rows for people, JSON for programs."""

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from holdfast.cli.output import AGENT, aside
from holdfast.errors import BadInput
from holdfast.memory import record as records
from holdfast.memory import repository, search
from holdfast.memory.files import Problem, StoredRecord, id_of
from holdfast.memory.location import Use, users_folder
from holdfast.memory.record import KINDS, SEVERITIES, called
from holdfast.memory.search import Hit
from holdfast.memory.store import Memory
from holdfast.search import ranking
from holdfast.search.facts import TextFacts, Where
from holdfast.search.sqlite import Among
from holdfast.text import quoting, redaction
from holdfast.text.dates import DAY, iso, seconds
from holdfast.text.lines import clip


def moment(text: str, now: float, name: str, ahead: bool = False) -> str:
    """ISO time of `2026-11-04`, a whole ISO time, or `30d` for so many days ago; "" for "". Raises BadInput.

    ahead: days count forward, and what is past is refused.
    """
    if not text:
        return ""
    days = text.removesuffix("d")
    if days != text and days.isdecimal() and len(days) <= len("99999"):
        found = now + (1 if ahead else -1) * int(days) * DAY
    else:
        try:
            found = seconds(text if "T" in text else f"{text}T00:00:00Z")
        except ValueError:
            todo = "Allowed: a day (2026-11-04), an ISO 8601 time with its zone, or days"
            todo += f" {'from' if ahead else 'before'} now (30d)"
            raise BadInput(f"{text[:40]!r} is no time", name, todo) from None
    if ahead and found <= now:
        raise BadInput(f"{text[:40]!r} is past", name, "Give a later time, or days from now (30d)")
    return iso(found)


def add_filters(parser: argparse.ArgumentParser, asks: bool) -> None:
    """The options that `chosen` goes by. asks: with words to search for."""
    if asks:
        parser.add_argument("query", nargs="?", default="", help="words; without, all that fit the options")
    else:
        parser.set_defaults(query="")
    parser.add_argument("--type", default="", choices=KINDS, metavar="KIND", help=" or ".join(KINDS))
    parser.add_argument("--tag", action="append", default=[], metavar="WORD", help="all of these")
    parser.add_argument("--importance", type=int, default=0, metavar="N", help="at least")
    parser.add_argument("--since", default="", metavar="TIME", help="a day, an ISO time, or 30d")
    parser.add_argument("--until", default="", metavar="TIME", help="before it")
    parser.add_argument("--archived", action="store_true", help="also what is set aside or has expired")
    orders, usual = tuple(ORDERS), "rank" if asks else "time"
    parser.add_argument("--sort", default=usual, choices=orders, metavar="ORDER", help=", ".join(orders))
    parser.add_argument("--limit", type=int, default=10 if asks else 50, metavar="N")


class _Rank(NamedTuple):
    """What of a record decides on its place."""

    score: float
    importance: int
    times: int
    severity: int  # by its place among SEVERITIES; what is no issue comes behind them
    time: float


ORDERS: Mapping[str, Callable[[_Rank], float]] = {
    "rank": lambda one: -one.score,
    "relevance": lambda one: -one.score,
    "time": lambda one: 0,
    "importance": lambda one: -one.importance,
    "access": lambda one: -one.times,
    "severity": lambda one: one.severity,
}
"""--sort -> order, then the newest first."""


class Selection(NamedTuple):
    """What is shown, in order, of how many; the number of files that are not read, and where it is known why."""

    found: list[Hit]
    total: int
    unread: int
    problems: list[Problem]


def chosen(memories: Sequence[Memory], args: argparse.Namespace, now: float) -> Selection:
    """The records that are asked for, of all these as of one, as many as are to be shown. Raises BadInput, Fault and
    OSError.
    """
    if args.limit < 1:
        raise BadInput(f"--limit is {args.limit}", "memory", "Ask for at least one")
    if args.limit > 1_000_000 or not 0 <= args.importance <= 10:
        todo = "Allowed: --limit 1 to 1,000,000, --importance 0 to 10"
        raise BadInput("a number is out of its range", "memory", todo)
    where = Where(
        kind=args.type,
        tags=["-".join(quoting.clean(tag).lower().split()) for tag in args.tag],
        importance=args.importance,
        after=moment(args.since, now, "--since"),
        before=moment(args.until, now, "--until"),
        archived=None if args.archived else False,
        alive="" if args.archived else iso(now),
    )
    return (_answering if args.query.strip() else _listed)(memories, args, where, now)


def stored(records: Iterable[StoredRecord], memory: Memory) -> list[Hit]:
    """Records of this memory that nobody has searched for, as they are shown."""
    uses = memory.uses()
    return believed((Hit(path, record, uses.get(record.id, Use()), 0.0) for path, record, _ in records), memory)


def believed(found: Iterable[Hit], memory: Memory) -> list[Hit]:
    """Without secrets, and trusted no more than it is here, whatever its file says."""
    own = memory.written()
    return [one._replace(record=records.believed(one.record, own)) for one in found]


def _listed(memories: Sequence[Memory], args: argparse.Namespace, where: Where, now: float) -> Selection:
    parts = [_listed_of(memory, args, where, now) for memory in memories]
    found = _sorted([one for part in parts for one in part.found], args.sort)[: args.limit]
    problems = [one for part in parts for one in part.problems]
    return Selection(found, sum(part.total for part in parts), sum(part.unread for part in parts), problems)


def _listed_of(memory: Memory, args: argparse.Namespace, where: Where, now: float) -> Selection:
    known, uses, stamp = memory.catalogue(), memory.uses(), iso(now)
    among = Among(known, search.as_kept(where))
    tests = " AND ".join(["fault IS NULL", *among.tests])
    rows = known.select(f"SELECT id, time, importance, grave FROM texts WHERE {tests}", among.values)  # noqa: S608 - ours
    named = dict[str, _Rank]()
    for name, time, importance, grave in ((id_of(name), *row) for name, *row in rows):
        times, severity = uses.get(name, Use()).times, len(SEVERITIES) if grave is None else grave % len(SEVERITIES)
        about = TextFacts(importance=importance, accessed=times)
        score = ranking.standing(about, iso(time), stamp) if args.sort == "rank" else 0.0
        named[name] = _Rank(score, importance, times, severity, time)
    best = sorted(named, key=lambda name: (ORDERS[args.sort](named[name]), -named[name].time))
    there = known.named(best[: args.limit])
    found = [Hit(one.path, one.record, uses.get(name, Use()), named[name].score) for name, one in there.items()]
    return Selection(believed(found, memory), len(rows), known.unread(), known.problems())


def _sorted(found: list[Hit], order: str) -> list[Hit]:
    ranks = [
        _Rank(
            score, one.importance, use.times, [*SEVERITIES, None].index(one.content.get("severity")), seconds(one.time)
        )
        for _, one, use, score in found
    ]
    places = sorted(range(len(found)), key=lambda place: (ORDERS[order](ranks[place]), -ranks[place].time))
    return [found[place] for place in places]


def _answering(memories: Sequence[Memory], args: argparse.Namespace, where: Where, now: float) -> Selection:
    ranked = args.sort in ("rank", "relevance")
    most = args.limit if ranked else max(args.limit, 1_000)  # another order is one of the best answers
    asked = search.MemoryQuery(args.query, most, where, "relevance" if args.sort == "relevance" else "memory")
    answers = search.search(memories, asked, now, _progress)
    if answers.note:
        aside(answers.note)
    best = answers.best if ranked else _sorted(answers.best, args.sort)
    return Selection(best[: args.limit], answers.total, answers.unread, [])


def _progress(done: int, whole: int) -> None:
    end = "\n" if done >= whole else ""
    print(f"\rholdfast: catalogue {done:,} of {whole:,}", end=end, file=sys.stderr, flush=True)


def as_json(found: Hit) -> dict[str, object]:
    """A record as the JSON contract has it."""
    record = found.record
    fields = {name: value for name, value in record._asdict().items() if name not in ("delete", "extra")}
    used = {"access_count": found.use.times, "last_accessed": iso(found.use.last) if found.use.times else ""}
    return {**fields, **used, "score": round(found.score, 4), "path": found.path}


def as_row(found: Hit) -> tuple[str, ...]:
    """id, kind, importance, day, title; what a narrow screen must not cut stands in front of it."""
    record = found.record
    done = "(resolved) " if record.content.get("status") == "resolved" else ""
    state = "(superseded) " if record.superseded_by else "(archived) " if record.archived else done
    return (called(record), record.kind, str(record.importance), record.time[:10], state + record.title)


def found(key: str, memory: Memory) -> StoredRecord:
    """The record that goes by this key. Raises BadInput, which says so where only the user's own memory has it."""
    try:
        return memory.find(key)
    except BadInput as error:
        users = users_folder()
        is_other = users != memory.folder and os.path.isdir(users)
        if not is_other or memory.matching(key) or not Memory(users).matching(key):
            raise
        raise BadInput(error.what, error.where, "The user's own memory has it: say --user") from None


def printed(own: Iterable[str], lines: Iterable[str], trust: Iterable[str]) -> str:
    """Lines without secrets and control characters, and what records say for a model as data. own: of our words, codes
    and names that are made here alone; trust: of the records that the others tell of.
    """
    ours, text = _cleaned(own), _cleaned(lines)
    told = quoting.page(text, "holdfast memory", trust) if os.environ.get(AGENT) else text
    return "\n".join(filter(None, (ours, told)))


def _cleaned(lines: Iterable[str]) -> str:
    said = ((line, quoting.clean(redaction.redacted(line)).replace("\n", " ")) for line in lines)
    return "\n".join(" " * (len(line) - len(line.lstrip(" "))) + clean for line, clean in said)  # a cell that goes on


def whole(records: Iterable[quoting.Quoted]) -> str:
    """Records as they are read: for a model as data, for a person with what is known of each above its text."""
    return (quoting.fenced if os.environ.get(AGENT) else quoting.plain)(records)


def quoted(found: Hit, chars: int = 0) -> quoting.Quoted:
    """A record as data for whoever reads it; chars: at most so many of its text, 0 for all."""
    record = found.record
    said = {name: "; ".join(one) if isinstance(one, tuple) else one for name, one in record.content.items() if one}
    text = "\n".join([record.title, *(f"{name.replace('_', ' ')}: {one}" for name, one in said.items())])
    marks = [f"importance {record.importance}"]
    marks += [f"archived {record.archived[:10]}"] if record.archived else []
    marks += [f"superseded by {record.superseded_by[:8]}"] if record.superseded_by else []
    places = list(filter(repository.is_place, record.paths))  # in an attribute: nothing that reads as a sentence
    marks += [f"about {', '.join(places)}"] if places else []
    marks += [f"project {record.project}"] if record.project else []
    text = clip(text, chars) if chars else text
    return quoting.Quoted(text, record.trust, called(record), record.kind, record.time[:10], tuple(marks))
