"""What the page shows of sessions, read from their files: which there are, and what happened in one, in its order.

Only what this machine has made is opened, and nothing through a link. Every moment has a name of its own, and the
files that belong to it come from listings: what a request asks for is looked up among these, never built from it.
"""

import contextlib
import os
import re
import time
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from holdfast.checkpoint import hooks as checkpoints
from holdfast.compaction import hooks as compaction
from holdfast.compaction.schema import Compaction, whole
from holdfast.handoff import orchestrator
from holdfast.hot import provenance
from holdfast.hot.files import names_in, read_bytes, read_text, size_of
from holdfast.hot.jsonc import loads_object
from holdfast.hot.paths import InSession
from holdfast.hot.usage_tail import read_tail
from holdfast.ledger import hooks as ledger
from holdfast.ledger.model import Entry
from holdfast.report.status import compaction_line
from holdfast.session import hook_log, liveness
from holdfast.text.lines import one_line
from holdfast.text.redaction import redacted
from holdfast.text.tokens import estimate, rough
from holdfast.transcript import rows as transcript


class TimelineItem(NamedTuple):
    """Something that happened. wholes: the files that it was made from, or that it stands for."""

    kind: str
    name: str
    seconds: float
    title: str
    text: str
    wholes: tuple[str, ...] = ()


def known(state: str, everywhere: bool) -> list[Entry]:
    """The sessions of this state folder, or of all projects, the newest first."""
    return [one for one in reversed(ledger.entries(state)[0]) if everywhere or one["state"] == state]


def is_here(entry: Entry) -> bool:
    """Whether its files are there still, and were made on this machine."""
    return bool(liveness.noted(ledger.folder_of(entry)))


def has_transcript(entry: Entry) -> bool:
    """Whether the client has kept it."""
    return os.path.isfile(_transcript(ledger.folder_of(entry)))


def _transcript(folder: str) -> str:
    return str(liveness.noted(folder).get("transcript") or "")


def request(entry: Entry) -> str:
    """What the user asked first; "" where that is not known."""
    asked = loads_object(read_bytes(f"{ledger.folder_of(entry)}/{InSession.STATE}")).get("prompts")
    first = asked[0] if isinstance(asked, list) and asked and isinstance(asked[0], dict) else {}
    return str(first.get("text") or "")


def moments(entry: Entry) -> list[TimelineItem]:
    """All that is known of what happened, the oldest first."""
    folder = ledger.folder_of(entry)
    told = list(_told(folder))
    shown = {path for one in told for path in one.wholes}
    found = [*told, *_checkpoints(folder), *_compactions(entry), *_handoffs(folder)]
    found += (one for one in _archived(folder) if one.wholes[0] not in shown)
    path = f"{folder}/{InSession.PACKET}"
    if (text := read_text(path)) and not any(text in one.text for one in told):
        title = f"{rough(len(text)):,} tokens after the last compaction"
        found.append(TimelineItem("restored", "last", _age(path), title, text))
    return sorted(found, key=lambda one: one.seconds)


def _files(folder: str, inner: str) -> dict[str, str]:
    found = provenance.real_within(folder, [inner])
    paths = {name: f"{folder}/{inner}/{name}" for one in found for name in names_in(f"{folder}/{one}")}
    return {name: path for name, path in paths.items() if provenance.is_plain(path)}


def _age(path: str) -> float:
    with contextlib.suppress(OSError):  # gone meanwhile
        return os.stat(path).st_mtime
    return 0.0


def _told(folder: str) -> Iterator[TimelineItem]:
    """Prompts, digests, summaries and what hooks put in, from the transcript. A row without a time has that above."""
    path = _transcript(folder)
    originals = {**_files(path.removesuffix(".jsonl"), "tool-results"), **_files(folder, InSession.ARCHIVE)}
    when, start, calls = 0.0, "", dict[str, str]()
    for number, row in enumerate(transcript.parse_chunk(read_tail(path, transcript.LARGEST)).rows, start=1):
        if not transcript.is_main(row):
            continue
        with contextlib.suppress(ValueError, OverflowError):
            when = datetime.fromisoformat(str(row.get("timestamp"))).timestamp()
        start = _started(row) or start
        calls |= {call: _call(tool, inputs) for call, tool, inputs in transcript.tool_uses(row)}
        for kind, title, text, wholes in _said(row, start, originals, calls):
            yield TimelineItem(kind, str(number), when, title, text, wholes)


def _call(tool: str, inputs: Mapping[str, object]) -> str:
    """A call on a line, as people know it: by its command, file or question."""
    about = next((one for key in ("command", "file_path", "pattern", "url") if (one := inputs.get(key))), "")
    return one_line(redacted(f"{tool}: {about}" if about else tool), 100)  # before it is cut


def _started(row: transcript.Json) -> str:
    """Which hook's answer the rows behind this one hold ("SessionStart:compact"); "" where it does not say."""
    name = transcript.attached(row, "hook_success").get("hookName")
    return "SessionStart:compact" if row.get("isCompactSummary") else name if isinstance(name, str) else ""


Said = tuple[str, str, str, tuple[str, ...]]


def _said(row: transcript.Json, start: str, originals: Mapping[str, str], calls: Mapping[str, str]) -> Iterator[Said]:
    """(kind, title, text, originals) of what a row tells. start: what `_started` said last; calls: by their ids."""
    added = transcript.attached(row, "hook_additional_context")
    if row.get("isCompactSummary"):
        text = "\n".join(transcript.texts(row))
        yield "summary", f"{rough(len(text)):,} tokens, with the client's words around it", text, ()
    elif asked := transcript.human_prompt(row) or transcript.slash_command(row):
        yield "prompt", asked, asked, ()
    elif added:
        parts, event = added.get("content"), str(added.get("hookEvent") or "")
        text = "\n".join(map(str, parts if isinstance(parts, list) else [parts]))
        kind = "restored" if (event, start) == ("SessionStart", "SessionStart:compact") else "put in"
        yield kind, f"{rough(len(text)):,} tokens, by a hook at {event}", text, ()
    for call, result, _ in transcript.tool_results(row):
        text = result.lstrip("0123456789 \t\u2192")  # Read numbers the lines of a digest, too
        names = ("Whole result: ", "Whole text: ")  # of a digest's original, of a reference's
        head = text.partition("\n")[0] if text.startswith("[Holdfast") else ""
        named = next((head.partition(words)[2].rpartition("]")[0] for words in names if words in head), "")
        if named:
            path = originals.get(os.path.basename(named))
            title = text.partition(" Whole ")[0].removeprefix("[Holdfast").removeprefix(" digest of").strip(" .:")
            yield "digest", f"{title}, of {calls.get(call, 'an earlier call')}", text, (path,) if path else ()


def _compactions(entry: Entry) -> Iterator[TimelineItem]:
    log = hook_log.load(ledger.folder_of(entry))
    starts = [one.seconds + one.ms / 1_000 for one in log if one.event == "PreCompact"]  # behind its checkpoint
    for one in whole(compaction.log(entry["state"])):
        with contextlib.suppress(ValueError, OverflowError):
            began = time.mktime(time.strptime(one.time, "%Y-%m-%d %H:%M:%S"))
            if one.session == entry["session"]:
                start = next((start for start in starts if 0 <= start - began < 60), began)  # as the log has it
                title = compaction_line(one.model_dump(exclude_none=True)).partition(", ")[2]
                yield TimelineItem("compaction", one.key, start, title, "\n".join(_came_of(one)))


def _came_of(one: Compaction) -> Iterator[str]:
    if one.instructions:
        yield f"asked of the summariser: {one.instructions}"
    if one.packet:
        sections = one.packet.get("sections")
        yield "put back: " + "; ".join(sections if isinstance(sections, list) else ())
    if one.correction:
        told = f"told at {one.corrected}" if one.corrected else "waiting to be told"
        yield f"in neither the summary nor what was put back: {one.correction:,} characters, {told}"
    for fact in one.missing or ():
        yield f"- missing: {fact.get('kind')}: {fact.get('text')}"


def _checkpoints(folder: str) -> Iterator[TimelineItem]:
    there = _files(folder, InSession.CHECKPOINTS)
    for number, saved in checkpoints.listed(folder) if there else ():
        page = there.get(f"{number:04d}.md", "")
        when, why = (saved["time"], saved["reason"]) if saved else (_age(page), "damaged, or of another version")
        yield TimelineItem("checkpoint", f"{number:04d}", when, why, read_text(page))


def _handoffs(folder: str) -> Iterator[TimelineItem]:
    """One for each agent: what its caller received, and its reports in full."""
    there = _files(folder, InSession.HANDOFFS)
    phases = orchestrator.load(loads_object(read_bytes(f"{folder}/{InSession.ORCHESTRATOR}")))["phases"]
    named = {phase["agent"]: f"{name}: {phase['decision']}" for name, phase in phases.items()}
    agents: dict[str, list[str]] = {}
    for name in there:
        reports = agents.setdefault(name.partition(".")[0], [])
        reports += [name] if re.fullmatch(r"[^.]*\.report(-\d+)?\.md", name) else []
    for agent, reports in agents.items():
        received = there.get(f"{agent}.handoff.md", "")
        if not (received or reports):
            continue
        text = read_text(received)
        sizes = [f"{estimate(read_text(there[name])):,}" for name in reports]
        title = named.get(agent, f"agent {agent}")
        came = f"{', sent back: '.join(sizes)} → " if sizes else ""
        title += f", {came}{estimate(text):,} tokens" if text else ", not handed on"
        wholes = tuple(there[name] for name in reports)
        yield TimelineItem("handoff", agent, _age(received or wholes[0]), title, text, wholes)


def _archived(folder: str) -> Iterator[TimelineItem]:
    """Originals whose digest the transcript does not show."""
    for name, path in _files(folder, InSession.ARCHIVE).items():
        title = f"{size_of(path):,} bytes, a result of {name.partition('-')[0]}"
        yield TimelineItem("digest", name, _age(path), title, "", (path,))
