"""How `holdfast memory` chooses and shows records: filters and orders of J7, rows for people, JSON for programs."""

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from holdfast.cli.output import AGENT, aside
from holdfast.errors import BadInput
from holdfast.memory import location, repository, search
from holdfast.memory import record as records
from holdfast.memory.files import Problem, StoredRecord, id_of
from holdfast.memory.location import Use
from holdfast.memory.record import SEVERITIES, called
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


ORDERS: Mapping[str, Callable[[Hit], float]] = {
    "rank": lambda found: -found.score,
    "relevance": lambda found: -found.score,
    "time": lambda found: 0,
    "importance": lambda found: -found.record.importance,
    "access": lambda found: -found.use.times,
    "severity": lambda found: [*SEVERITIES, None].index(found.record.content.get("severity")),
}
"""--sort -> order, then the newest first; severity is that of issues, others come after."""


class Selection(NamedTuple):
    """What is shown, in order, of how many; the number of files that are not read, and where it is known why."""

    found: list[Hit]
    total: int
    unread: int
    problems: list[Problem]


def chosen(memory: Memory, args: argparse.Namespace, now: float) -> Selection:
    """The records that are asked for, as many as are to be shown. Raises BadInput, Fault and OSError."""
    if args.limit < 1:
        raise BadInput(f"--limit is {args.limit}", "memory", "Ask for at least one")
    if args.limit > 1_000_000 or not 0 <= args.importance <= 10:
        todo = "Allowed: --limit 1 to 1,000,000, --importance 0 to 10"
        raise BadInput("a number is out of its range", "holdfast memory", todo)
    where = Where(
        kind=args.type,
        tags=["-".join(quoting.clean(tag).lower().split()) for tag in args.tag],
        importance=args.importance,
        after=moment(args.since, now, "--since"),
        before=moment(args.until, now, "--until"),
        archived=None if args.archived else False,
        alive="" if args.archived else iso(now),
    )
    answer = (_answering if args.query.strip() else _listed)(memory, args, where, now)
    return answer._replace(found=believed(answer.found[: args.limit], memory))


def everywhere(memory: Memory, args: argparse.Namespace, now: float) -> Selection:
    """As `chosen`, of the memories of all projects: the best first, by the same ranking."""
    parts = [chosen(Memory(folder), args, now) for folder in location.all_folders()] or [chosen(memory, args, now)]
    found = _sorted([one for part in parts for one in part.found], args.sort)
    problems = [one for part in parts for one in part.problems]
    total = sum(part.total for part in parts)
    return Selection(found[: args.limit], total, sum(part.unread for part in parts), problems)


def stored(records: Iterable[StoredRecord], memory: Memory) -> list[Hit]:
    """Records of this memory that nobody has searched for, as they are shown."""
    uses = memory.uses()
    return believed((Hit(path, record, uses.get(record.id, Use()), 0.0) for path, record, _ in records), memory)


def believed(found: Iterable[Hit], memory: Memory) -> list[Hit]:
    """Without secrets, and trusted no more than it is here, whatever its file says."""
    own = memory.written()
    return [one._replace(record=records.believed(one.record, own)) for one in found]


def _listed(memory: Memory, args: argparse.Namespace, where: Where, now: float) -> Selection:
    known, uses, stamp = memory.catalogue(), memory.uses(), iso(now)
    among = Among(known, search.as_kept(where))
    tests = " AND ".join(["fault IS NULL", *among.tests])
    rows = known.select(f"SELECT id, time, importance, grave FROM texts WHERE {tests}", among.values)  # noqa: S608 - ours
    named = [(id_of(name), *row) for name, *row in rows]
    scores: dict[str, float] = {}
    if args.sort == "rank":
        facts = {row[0]: TextFacts(importance=row[2], accessed=uses.get(row[0], Use()).times) for row in named}
        scores = {name: ranking.standing(facts[name], iso(time), stamp) for name, time, *_ in named}
    severity = {row[0]: len(SEVERITIES) if row[3] is None else row[3] % len(SEVERITIES) for row in named}
    orders: Mapping[str, Callable[[Any], float]] = {
        "importance": lambda row: -row[2],
        "access": lambda row: -uses.get(row[0], Use()).times,
        "severity": lambda row: severity[row[0]],
    }
    order = orders.get(args.sort, lambda row: -scores.get(row[0], 0.0))
    named.sort(key=lambda row: (order(row), -row[1]))
    there = known.named(row[0] for row in named[: args.limit])
    found = [Hit(one.path, one.record, uses.get(name, Use()), scores.get(name, 0.0)) for name, one in there.items()]
    return Selection(found, len(rows), known.unread(), known.problems())


def _sorted(found: list[Hit], order: str) -> list[Hit]:
    return sorted(found, key=lambda one: (ORDERS[order](one), -seconds(one.record.time)))


def _answering(memory: Memory, args: argparse.Namespace, where: Where, now: float) -> Selection:
    ranked = args.sort in ("rank", "relevance")
    most = args.limit if ranked else max(args.limit, 1_000)  # another order is one of the best answers
    asked = search.MemoryQuery(args.query, most, where, "relevance" if args.sort == "relevance" else "memory")
    answers = search.search(memory, asked, now, _progress)
    if answers.note:
        aside(answers.note)
    best = answers.best if ranked else _sorted(answers.best, args.sort)
    return Selection(best, answers.total, answers.unread, [])


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


def printed(lines: Iterable[str], trust: Iterable[str] = ("untrusted",)) -> str:
    """Lines about records without secrets and control characters; for a model as data, worth its least trusted one."""
    said = ((line, quoting.clean(redaction.redacted(line)).replace("\n", " ")) for line in lines)
    text = "\n".join(" " * (len(line) - len(line.lstrip(" "))) + clean for line, clean in said)  # a cell that goes on
    return quoting.page(text, "holdfast memory", trust) if os.environ.get(AGENT) else text


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
