"""What the page shows of sessions, read from their files: which there are, and what happened in one, in its order.

Only what this machine has made is opened, and nothing through a link. Every moment has a name of its own, and the
files that belong to it come from listings: what a request asks for is looked up among these, never built from it.
"""

import contextlib
import os
import re
import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from holdfast.checkpoint import hooks as checkpoints
from holdfast.compaction import hooks as compaction
from holdfast.handoff import orchestrator
from holdfast.hot import provenance
from holdfast.hot.files import names_in, read_bytes, read_text
from holdfast.hot.jsonc import loads_object
from holdfast.hot.paths import InSession
from holdfast.hot.usage_tail import read_tail
from holdfast.ledger import hooks as ledger
from holdfast.ledger import model as ledger_model
from holdfast.report.status import compaction_line
from holdfast.session import liveness
from holdfast.text.dates import seconds
from holdfast.text.tokens import estimate
from holdfast.transcript import rows as transcript

MOST = 64_000_000
"""Bytes of a transcript that are read."""
WHOLE = re.compile(r"\[Holdfast[^\n]*Whole (?:result|text): ([^\]\n]+)\]")
"""How a digest, or a reference, names its original."""


class Place(NamedTuple):
    """A session that is known. used: epoch seconds; is_here: whether its files are, and were made on this machine."""

    name: str
    project: str
    state: str
    used: float
    figures: Mapping[str, int]
    is_here: bool

    @property
    def folder(self) -> str:
        """Where its files are."""
        return f"{self.state}/sessions/{self.name}"


class Moment(NamedTuple):
    """Something that happened. wholes: the files that it was made from, or that it stands for."""

    kind: str
    name: str
    seconds: float
    title: str
    text: str
    wholes: tuple[str, ...] = ()


def known(state: str, everywhere: bool) -> list[Place]:
    """The sessions of this state folder, or of all projects, the newest first."""
    entries = [one for one in ledger.entries(state)[0] if everywhere or one["state"] == state]
    return [
        Place(
            one["session"],
            one["project"],
            one["state"],
            one["used"],
            ledger_model.total(one["days"].values()),
            bool(liveness.noted(ledger.folder_of(one))),
        )
        for one in reversed(entries)
    ]


def request(place: Place) -> str:
    """What the user asked first; "" where that is not known."""
    asked = _read(place, InSession.STATE).get("prompts") if place.is_here else None
    first = asked[0] if isinstance(asked, list) and asked and isinstance(asked[0], dict) else {}
    return str(first.get("text") or "")


def moments(place: Place) -> list[Moment]:
    """All that is known of what happened, the oldest first."""
    told = list(_told(place))
    shown = {path for one in told for path in one.wholes}
    found = [*told, *_compactions(place), *_checkpoints(place), *_handoffs(place)]
    found += (one for one in _archived(place) if one.wholes[0] not in shown)
    found += (one for one in _last_restore(place) if not any(one.text in other.text for other in told))
    return sorted(found, key=lambda one: one.seconds)


def _read(place: Place, name: str) -> dict[str, Any]:
    return loads_object(read_bytes(f"{place.folder}/{name}"))


def _files(folder: str, inner: str) -> dict[str, str]:
    """Name -> path of the plain files in a real folder there."""
    found = provenance.real_within(folder, [inner])
    paths = {name: f"{folder}/{inner}/{name}" for one in found for name in names_in(f"{folder}/{one}")}
    return {name: path for name, path in paths.items() if provenance.is_plain(path)}


def _age(path: str) -> float:
    with contextlib.suppress(OSError):  # gone meanwhile
        return os.stat(path).st_mtime
    return 0.0


def _told(place: Place) -> Iterator[Moment]:
    """Prompts, digests, summaries and what hooks put in, from the transcript. A row without a time has that above."""
    path = str(liveness.noted(place.folder).get("transcript") or "")
    originals = {**_files(path.removesuffix(".jsonl"), "tool-results"), **_files(place.folder, InSession.ARCHIVE)}
    when, start = 0.0, ""
    for number, row in enumerate(transcript.parse_chunk(read_tail(path, MOST)).rows, start=1):
        if not transcript.is_main(row):
            continue
        with contextlib.suppress(ValueError):
            when = seconds(str(row.get("timestamp") or ""))
        start = _started(row) or start
        for kind, title, text, wholes in _said(row, start, originals):
            yield Moment(kind, str(number), when, title, text, wholes)


def _started(row: transcript.Json) -> str:
    """Which hook's answer the rows behind this one hold ("SessionStart:compact"); "" where it does not say."""
    name = transcript.attached(row, "hook_success").get("hookName")
    return "SessionStart:compact" if row.get("isCompactSummary") else name if isinstance(name, str) else ""


Said = tuple[str, str, str, tuple[str, ...]]


def _said(row: transcript.Json, start: str, originals: Mapping[str, str]) -> Iterator[Said]:
    """(kind, title, text, originals) of what a row tells. start: what `_started` said last."""
    added = transcript.attached(row, "hook_additional_context")
    if row.get("isCompactSummary"):
        text = "\n".join(transcript.texts(row))
        yield "summary", f"{len(text):,} characters by the client's summariser", text, ()
    elif asked := transcript.human_prompt(row) or transcript.slash_command(row):
        yield "prompt", asked, asked, ()
    elif added:
        parts = added.get("content")
        text = "\n".join(str(part) for part in (parts if isinstance(parts, list) else [parts]))
        event = str(added.get("hookEvent") or "")
        restored = (event, start) == ("SessionStart", "SessionStart:compact")
        yield ("restored" if restored else "put in"), f"{len(text):,} characters, by a hook at {event}", text, ()
    for _, text, _ in transcript.tool_results(row):
        named = WHOLE.match(text)
        if named:
            path = originals.get(os.path.basename(named[1]))
            yield "digest", text.partition("Whole ")[0].strip(" ["), text, (path,) if path else ()


def _compactions(place: Place) -> Iterator[Moment]:
    """Those of the log, with what came of the facts."""
    for row in compaction.log(place.state):
        if row.get("session") == place.name and isinstance(row.get("tokens_before"), int):
            title = compaction_line(row).partition(", ")[2]
            yield Moment("compaction", str(row.get("key")), _moment(str(row.get("time"))), title, _came_of(row))


def _moment(stamp: str) -> float:
    """Epoch seconds of a local time as `stamp` writes it; 0 for none."""
    try:
        return time.mktime(time.strptime(stamp, "%Y-%m-%d %H:%M:%S"))
    except ValueError:
        return 0.0


def _came_of(row: Mapping[str, Any]) -> str:
    packet, missing = row.get("packet"), row.get("missing")
    lines = [f"asked of the summariser: {row['instructions']}"] if row.get("instructions") else []
    if isinstance(packet, dict):
        named = ", ".join(map(str, packet.get("sections") or ()))
        lines.append(f"put back: {packet.get('characters')} characters: {named}")
    if row.get("correction"):
        told = f"told at {row['corrected']}" if row.get("corrected") else "waiting to be told"
        lines.append(f"what was in neither summary nor packet: {row['correction']} characters, {told}")
    found = (one for one in missing if isinstance(one, dict)) if isinstance(missing, list) else ()
    return "\n".join([*lines, *(f"- missing: {one.get('kind')}: {one.get('text')}" for one in found)])


def _checkpoints(place: Place) -> Iterator[Moment]:
    there = _files(place.folder, InSession.CHECKPOINTS)
    for number, saved in checkpoints.listed(place.folder) if there else ():
        page = there.get(f"{number:04d}.md", "")
        when, why = (saved["time"], saved["reason"]) if saved else (_age(page), "torn, or of another version")
        yield Moment("checkpoint", f"{number:04d}", when, why, read_text(page) if page else "")


def _handoffs(place: Place) -> Iterator[Moment]:
    """One for each agent: what its caller received, and its reports in full."""
    there = _files(place.folder, InSession.HANDOFFS)
    phases = orchestrator.load(_read(place, InSession.ORCHESTRATOR))["phases"]
    named = {phase["report"]: f"{name}: {phase['decision']}" for name, phase in phases.items() if phase["report"]}
    for agent in dict.fromkeys(name.partition(".")[0] for name in there if name.endswith(".md")):
        reports = [name for name in there if re.fullmatch(rf"{re.escape(agent)}\.report(-\d+)?\.md", name)]
        received = there.get(f"{agent}.handoff.md", "")
        if not (received or reports):
            continue
        text = read_text(received) if received else ""
        sizes = [f"{estimate(read_text(there[name])):,}" for name in reports]
        title = next((named[name] for name in reports if name in named), f"agent {agent}")
        title += f", {' and '.join(sizes)} → {estimate(text):,} tokens" if sizes and text else ""
        title += "" if received else ", not handed on"
        wholes = tuple(there[name] for name in reports)
        yield Moment("handoff", agent, _age(received or wholes[0]), title, text, wholes)


def _archived(place: Place) -> Iterator[Moment]:
    """Originals whose digest the transcript does not show."""
    for name, path in _files(place.folder, InSession.ARCHIVE).items():
        yield Moment("digest", name, _age(path), f"whole result of {name.partition('-')[0]}", "", (path,))


def _last_restore(place: Place) -> Iterator[Moment]:
    path = f"{place.folder}/{InSession.PACKET}"
    if text := read_text(path):
        yield Moment("restored", "last", _age(path), f"{len(text):,} characters after the last compaction", text)
