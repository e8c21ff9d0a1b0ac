"""The receipt of a session: what the pack put into the window, what it kept out, and what its hooks took.

Read from what the hooks left (`ledger.log`, `saved.log`, `calls.log`) and from the transcript's recorded usage, for
the command line. Characters are as given; tokens of injected text are estimates from the characters.
"""

import os
from typing import Any

from holdfast.compaction import store
from holdfast.handoff import orchestrator
from holdfast.hot import call_log, jsonc, paths
from holdfast.hot.files import read_bytes, size_of
from holdfast.report import status
from holdfast.session import hook_log
from holdfast.session.context import Session
from holdfast.text.tokens import rough
from holdfast.transcript import rows as transcript

USAGE = {
    "input": "input_tokens",
    "cache_read": "cache_read_input_tokens",
    "cache_written": "cache_creation_input_tokens",
    "output": "output_tokens",
}
WHAT = {  # event and kind -> what it put in
    ("SessionStart", "compact"): "packet after a compaction",
    ("SessionStart", "resume"): "restore at a resume",
    ("SessionStart", "startup"): "restore at a start",
    ("UserPromptSubmit", ""): "corrections and notes with prompts",
    ("PostToolUse", ""): "corrections with tool results",
}


def gather(session: Session) -> dict[str, Any]:
    """The contract of `holdfast status --receipt --json`."""
    entries = hook_log.load(session.folder)
    log = store.load(f"{session.state}/{paths.COMPACTIONS}")
    own = os.path.basename(session.folder)
    return {
        "session": own,
        "injected": [*_injected(entries), *_protocol(session)],
        "steering": _sum("steering of the summariser", [entry.plain for entry in entries if entry.plain]),
        "kept_out": {"handoffs": _handoffs(session), "digests": _digests(session)},
        "hooks": _hooks(entries),
        "compactions": sum(row.get("session") == own for row in log),
        "usage": _usage(str(session.read(paths.LAST).get("transcript") or "")),
    }


def _sum(what: str, sizes: list[int]) -> dict[str, Any]:
    return {"what": what, "times": len(sizes), "characters": sum(sizes), "tokens": rough(sum(sizes))}


def _injected(entries: list[hook_log.Entry]) -> list[dict[str, Any]]:
    """What the ordinary road gave the model, by kind."""
    sizes: dict[str, list[int]] = {}
    for entry in entries:
        if entry.context:
            what = WHAT.get((entry.event, entry.kind)) or WHAT.get((entry.event, "")) or entry.event
            sizes.setdefault(what, []).append(entry.context)
    return [_sum(what, sizes[what]) for what in sorted(sizes)]


def _protocol(session: Session) -> list[dict[str, Any]]:
    """What each sub-agent was given at its start. The hot road keeps no ledger, so: calls of the Agent tool."""
    written = read_bytes(session.path(paths.SUBAGENT)).partition(b"\n")[2]  # below the folder's mark
    reply = jsonc.loads_object(written).get("hookSpecificOutput")
    text = str(reply.get("additionalContext") or "") if isinstance(reply, dict) else ""
    made = call_log.count(session.path(paths.CALLS))
    started = sum(
        letter == call_log.LETTERS["Agent"] for _, _, letter in call_log.last(session.path(paths.CALLS), made)
    )
    return [_sum("handoff protocol, into sub-agents", [len(text)] * started)] if text and started else []


def _handoffs(session: Session) -> dict[str, int]:
    """Tokens of sub-agents' reports before and after, as counted when they returned."""
    kept: dict[str, int] = orchestrator.load(session.read(paths.ORCHESTRATOR))["kept_out"]
    return {**kept, "tokens_kept_out": max(0, kept["tokens_before"] - kept["tokens_after"])}


def _digests(session: Session) -> dict[str, int]:
    kept = status.digests(session)
    return {**kept, "tokens_kept_out": rough(max(0, kept["characters_before"] - kept["characters_after"]))}


def _hooks(entries: list[hook_log.Entry]) -> list[dict[str, Any]]:
    """Runs and milliseconds per event on the ordinary road, the start of the interpreter included."""
    names = sorted({entry.event for entry in entries})
    return [
        {
            "event": name,
            "runs": sum(entry.event == name for entry in entries),
            "ms": round(sum(entry.ms for entry in entries if entry.event == name), 1),
        }
        for name in names
    ]


def _usage(path: str) -> dict[str, int] | None:
    """Tokens that the API recorded for the main conversation; None without a transcript.

    One message stands in several rows with the same usage, so ids count once.
    """
    if size_of(path) <= 0:
        return None
    told: dict[str, dict[str, Any]] = {}
    for row in transcript.parse_chunk(read_bytes(path) + b"\n").rows:
        message = transcript.message(row)
        if row.get("type") == "assistant" and transcript.is_main(row) and isinstance(message.get("usage"), dict):
            told[str(message.get("id"))] = message["usage"]
    sums = {name: sum(_whole(usage.get(key)) for usage in told.values()) for name, key in USAGE.items()}
    return {"messages": len(told), **sums}


def _whole(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def lines(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """The same for a reader, as (label, text)."""
    told = [*facts["injected"], *([facts["steering"]] if facts["steering"]["times"] else [])]
    handoffs, digests, usage = facts["kept_out"]["handoffs"], facts["kept_out"]["digests"], facts["usage"]
    rows = [
        ("put in", f"{row['what']}: {row['times']} times, {row['characters']:,} chars (~{row['tokens']:,} tokens)")
        for row in told
    ]
    rows += [
        ("kept out", f"of {handoffs['returns']} reports of sub-agents: {handoffs['tokens_kept_out']:,} tokens"),
        ("kept out", f"of {digests['count']} tool results: ~{digests['tokens_kept_out']:,} tokens"),
        *(("hooks", f"{row['event']}: {row['runs']} runs, {row['ms']:,.0f} ms") for row in facts["hooks"]),
        ("compactions", str(facts["compactions"])),
    ]
    if usage:
        rows.append(
            (
                "usage",
                f"{usage['messages']} answers: {usage['input']:,} tokens in, {usage['cache_read']:,} read from the "
                f"cache, {usage['cache_written']:,} written to it, {usage['output']:,} out",
            )
        )
    return rows
