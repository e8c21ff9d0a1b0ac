"""PostCompact's comparison: what the record knows against what summary and packet say, and what follows from it."""

from typing import Any

from holdfast.checkpoint import store
from holdfast.compaction import correction, critical_facts, fidelity, outbox, record
from holdfast.handoff import orchestrator
from holdfast.hot import paths
from holdfast.hot.files import names_in, read_text
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.text.lines import one_line
from holdfast.text.tokens import estimate

NAMED = 12  # facts of one kind that a record names


def check(event: Event, session: Session, work: dict[str, Any], key: str) -> dict[str, Any]:
    """What the compaction's record says of fidelity; queues the correction. Raises OSError.

    work: the session's state; at this hook the transcript does not hold the compaction yet, so it is that of before.
    key: of the compaction's record.
    """
    packet = record.fresh(session, paths.PACKET)
    found = critical_facts.critical(work, orchestrator.load(session.read(paths.ORCHESTRATOR)))
    known = critical_facts.known_names(work) | _names_beside(found)
    seen = fidelity.judge(found, event.text("compact_summary"), known)
    both = fidelity.together(seen, fidelity.judge(found, packet, known))
    folder = session.path(paths.CHECKPOINTS)
    page = store.readable_path(folder, store.newest(folder))
    text = correction.text(both, page)
    outbox.queue(session, {"text": text, "key": key})
    earlier = session.read(paths.VERIFIED).get("facts")
    session.write(paths.VERIFIED, {"v": 1, "key": key, "facts": _rows(both)})
    return {
        "facts": fidelity.counts(both),
        "facts_in_summary": fidelity.counts(seen),
        "facts_of_last_time": fidelity.counts(fidelity.over(earlier, both)) if isinstance(earlier, list) else None,
        "must": fidelity.must_stay(both, read_text(page) if page and page in packet else ""),
        **{name: _named(both, name) for name in (fidelity.ALTERED, fidelity.STALE, fidelity.MISSING)},
        "packet": {"characters": len(packet), "tokens": estimate(packet), "sections": _sections(packet)},
        "correction": len(text),
    }


def _names_beside(found: list[critical_facts.Fact]) -> frozenset[str]:
    """Files that are there beside the changed ones: a text that names them has not misremembered."""
    folders = {fact.where.rpartition("/")[0] for fact in found if fact.kind == "file" and fact.where.startswith("/")}
    return frozenset(name for folder in folders for name in names_in(folder))


def _rows(verdicts: list[fidelity.Verdict]) -> list[list[Any]]:
    """[kind, text, keys, state, where, verdict] of each fact: for the next compaction, and for the judge."""
    return [[*one.fact[:2], list(one.fact.keys), one.fact.state, one.fact.where, one.verdict] for one in verdicts]


def _named(verdicts: list[fidelity.Verdict], name: str) -> list[dict[str, str]]:
    found = [one for one in verdicts if one.verdict == name][:NAMED]
    return [
        {
            "kind": one.fact.kind,
            "text": one_line(one.fact.text, 160),
            **({"said": one_line(one.said, 160)} if one.said else {}),
        }
        for one in found
    ]


def _sections(packet: str) -> list[str]:
    return [line.lstrip("# ") for line in packet.splitlines() if line.startswith("## ")]
