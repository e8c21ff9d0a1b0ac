"""How `holdfast memory` chooses and shows records: filters and orders of J7, rows for people, JSON for programs."""

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from holdfast.cli.show import AGENT
from holdfast.core import jsonc
from holdfast.core.dates import iso, seconds
from holdfast.core.record import Record, clean, texts
from holdfast.core.shapes import SEVERITIES
from holdfast.errors import BadInput
from holdfast.policy.memory import fence, redact
from holdfast.policy.search.memory import Facts, Where
from holdfast.policy.wording import clip
from holdfast.search import SearchIndex
from holdfast.store.accesses import Use
from holdfast.store.files import read_bytes, write_atomic
from holdfast.store.memory import Memory
from holdfast.store.memory_cache import make_cache
from holdfast.store.record_files import Scan

INDEX, INDEXED = "search.index", "search.json"
SAID_CHARS = 700
DAY = 86_400.0
ENOUGH = 100  # answers that are counted where fewer are shown
SLOW = 5_000  # records from which on the making of an index shows how far it is


class Found(NamedTuple):
    """A record as a search gives it."""

    record: Record
    path: str
    use: Use
    score: float = 0.0
    """0 where nothing was asked."""


def moment(text: str, now: float, name: str, ahead: bool = False) -> float:
    """Epoch seconds of `2026-11-04`, a whole ISO time, or `30d` for so many days ago; 0 for "". Raises BadInput.

    ahead: days count forward, and what is past is refused.
    """
    if not text:
        return 0.0
    found = _moment(text, now, name, ahead)
    if ahead and found <= now:
        raise BadInput(f"{text[:40]!r} is past", name, "Give a later time, or days from now (30d)")
    return found


_DAYS = 5  # digits


def _moment(text: str, now: float, name: str, ahead: bool) -> float:
    if text.endswith("d") and text[:-1].isdecimal() and len(text) <= _DAYS + 1:
        return now + (1 if ahead else -1) * int(text[:-1]) * DAY
    try:
        return seconds(text if "T" in text else f"{text}T00:00:00Z")
    except ValueError:
        days = "from" if ahead else "before"
        todo = f"Allowed: a day (2026-11-04), an ISO 8601 time with its zone, or days {days} now (30d)"
        raise BadInput(f"{text[:40]!r} is no time", name, todo) from None


def fits(record: Record, args: argparse.Namespace, span: tuple[float, float], now: float) -> bool:
    """Whether a record is one of those that the options ask for; span: from and before, epoch seconds, 0 for any."""
    (after, before), made = span, seconds(record.time)
    return (
        args.type in ("", record.kind)
        and {tag.lower() for tag in args.tag} <= set(record.tags)
        and record.importance >= args.importance
        and (not after or made >= after)
        and (not before or made < before)
        and (args.archived or not is_past(record, now))
    )


def is_past(record: Record, now: float) -> bool:
    """Whether a record is archived or past its expiry."""
    return bool(record.archived) or bool(record.expires and seconds(record.expires) <= now)


_GRAVITY = {word: place for place, word in enumerate(SEVERITIES)}
ORDERS: Mapping[str, Callable[[Found], Any]] = {
    "rank": lambda found: (-found.score, -seconds(found.record.time)),
    "relevance": lambda found: (-found.score, -seconds(found.record.time)),
    "time": lambda found: -seconds(found.record.time),
    "importance": lambda found: (-found.record.importance, -seconds(found.record.time)),
    "access": lambda found: (-found.use.times, -seconds(found.record.time)),
    "severity": lambda found: (_GRAVITY.get(str(found.record.content.get("severity")), 9), -seconds(found.record.time)),
}
"""--sort -> order; severity is that of issues, others come after."""


def chosen(memory: Memory, args: argparse.Namespace, now: float) -> tuple[list[Found], Scan]:
    """The records that are asked for, in order and not yet cut to the limit, and all that was read."""
    span = moment(args.since, now, "--since"), moment(args.until, now, "--until")
    scan, uses = memory.scan(), memory.uses()
    scores = _scores(memory, scan, uses, args, now) if args.query.strip() else dict.fromkeys(scan.records, 0.0)
    every = ((scan.records[name], uses.get(name, Use()), score) for name, score in scores.items())
    found = [Found(record, path, use, score) for (path, record), use, score in every if fits(record, args, span, now)]
    return sorted(found, key=ORDERS[args.sort]), scan


def _scores(
    memory: Memory, scan: Scan, uses: Mapping[str, Use], args: argparse.Namespace, now: float
) -> dict[str, float]:
    """Id -> score of what answers the question; the index is brought up to date first.

    Importance and age order what answers, and make an answer of nothing.
    """
    where = _where(args, now)
    with SearchIndex.open(f"{make_cache(memory.folder)}/{INDEX}") as index:
        refresh(index, memory.cache, scan, uses)
        ranks = args.sort in ("rank", "relevance")
        most = max(args.limit, ENOUGH) if ranks else max(1, len(scan.records))
        answers = dict(index.search(args.query, most, where=where))
        if args.sort == "relevance" or not answers:
            return answers
        ranked = index.search(args.query, most, "memory", where=where, now=iso(now))
        return {name: score for name, score in ranked if name in answers}


def _where(args: argparse.Namespace, now: float) -> Where:
    """What `fits` asks, for the index: times in the form in which it has them."""
    after, before = (moment(text, now, "") for text in (args.since, args.until))
    return Where(
        kind=args.type,
        tags=[tag.lower() for tag in args.tag],
        importance=args.importance,
        after=iso(after) if after else "",
        before=iso(before) if before else "",
        archived=None if args.archived else False,
        alive="" if args.archived else iso(now),
    )


def refresh(index: SearchIndex, cache: str, scan: Scan, uses: Mapping[str, Use]) -> None:
    """Add to the index what is new or has changed, and take out what has gone."""
    known = {} if index.fresh else jsonc.loads_object(read_bytes(f"{cache}/{INDEXED}", 1 << 30))
    marks = {name: f"{mark} {min(uses.get(name, Use()).times, 10)}" for name, mark in scan.marks.items()}
    if marks == known:
        return
    changed = [record for name, (_, record) in scan.records.items() if known.get(name) != marks[name]]
    rows = ((record.id, record.title, _indexed(record), iso(seconds(record.time))) for record in changed)
    facts = {record.id: _facts(record, uses) for record in changed}
    index.remove([name for name in known if name not in marks])
    index.add_many(rows, facts, _progress(len(changed)) if len(changed) >= SLOW else None)
    write_atomic(f"{cache}/{INDEXED}", jsonc.dumps(marks))


def _indexed(record: Record) -> str:
    return "\n".join([*texts(record), " ".join([*record.tags, *record.paths]), record.code])


def _facts(record: Record, uses: Mapping[str, Use]) -> Facts:
    times = uses.get(record.id, Use()).times
    expires = iso(seconds(record.expires)) if record.expires else ""
    return Facts(record.kind, record.importance, times, record.tags, bool(record.archived), expires)


def _progress(whole: int) -> Callable[[int], None]:
    def shown(done: int) -> None:
        end = "\n" if done >= whole else ""
        print(f"\rholdfast: search index {done:,} of {whole:,}", end=end, file=sys.stderr, flush=True)

    return shown


def as_json(found: Found) -> dict[str, Any]:
    """A record as the JSON contract has it; secrets are taken out at recall as well."""
    record = redact.record(found.record)
    fields = {name: value for name, value in record._asdict().items() if name not in ("delete", "extra")}
    used = {"access_count": found.use.times, "last_accessed": iso(found.use.last) if found.use.times else ""}
    return {**fields, **used, "score": round(found.score, 4), "path": found.path}


def as_row(found: Found) -> tuple[str, ...]:
    """id, kind, importance, day, title."""
    record = redact.record(found.record)
    state = " (superseded)" if record.superseded_by else " (archived)" if record.archived else ""
    return (record.code or record.id[:8], record.kind, str(record.importance), record.time[:10], record.title + state)


def printed(lines: Iterable[str], trust: Iterable[str] = ("untrusted",)) -> str:
    """Lines about records without secrets and control characters; for a model as data, worth its least trusted one."""
    text = "\n".join(clean(redact.redacted(line)).replace("\n", " ") for line in lines)
    return fence.page(text, "holdfast memory", trust) if os.environ.get(AGENT) else text


def quoted(found: Found, chars: int = 0) -> fence.Quoted:
    """A record as data for whoever reads it; chars: at most so many of its text, 0 for all."""
    record = redact.record(found.record)
    body = "\n".join(f"{name.replace('_', ' ')}: {_plain(value)}" for name, value in record.content.items() if value)
    text = f"{record.title}\n{body}"
    marks = [f"importance {record.importance}"]
    marks += [f"archived {record.archived[:10]}"] if record.archived else []
    marks += [f"superseded by {record.superseded_by[:8]}"] if record.superseded_by else []
    marks += [f"about {', '.join(record.paths)}"] if record.paths else []
    said = clip(text, chars) if chars else text
    return fence.Quoted(said, record.trust, record.code or record.id[:8], record.kind, record.time[:10], tuple(marks))


def _plain(value: Any) -> str:
    return "; ".join(value) if isinstance(value, tuple) else str(value)
