"""What the hooks did in a session that was played, and what it cost: collected, and told on one screen."""

import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

from holdfast.cli.output import fitted
from holdfast.gauge.pressure import percent
from holdfast.ledger import hooks as ledger
from holdfast.text.tokens import rough
from tryout.recording import AGENT_TOOLS, Moment, text_of
from tryout.stage import Ran

Receipt = dict[str, Any]
TEXT_KEYS = ("stdout", "stderr", "content", "result", "output", "text")


class Collector:
    """Looks at every answer of a hook and keeps what a user wants to know of it."""

    def __init__(self, count: Callable[[str], int], logged: Callable[[str], int] | None = None) -> None:
        """logged: tokens of what hooks log by its length alone: digests, restores, steering."""
        self.count, self.logged = count, logged or count
        self.times: dict[str, list[float]] = {}
        self.floors: list[float] = []
        self.handoffs: list[Receipt] = []
        self.results: list[Receipt] = []
        self.skipped = {"returns of agents in the background, not played here": 0, "digests already when recorded": 0}
        self.messages: list[str] = []
        self.restored = 0
        self.steered = 0
        self.asked = 0
        self.faults: list[str] = []

    def take(self, moment: Moment, ran: Ran) -> None:
        """Notes one hook's answer."""
        self.times.setdefault(ran.event, []).append(ran.seconds)
        if ran.fault:
            self.faults.append(f"{ran.event}: {ran.fault}")
        if ran.event == "StatusLine":
            self.status_line = ran.text
            return
        if ran.reply.get("decision") == "block" and ran.event == "SubagentStop":
            self.asked += 1
        if ran.reply.get("systemMessage"):
            self.messages.append(str(ran.reply["systemMessage"]))
        self._note_context(moment, ran)
        if ran.event == "PostToolUse":
            self._note_result(moment, ran.reply.get("hookSpecificOutput", {}).get("updatedToolOutput"))

    status_line = ""

    def _note_context(self, moment: Moment, ran: Ran) -> None:
        if ran.event == "SessionStart" and moment.fields.get("source") == "compact":
            context = ran.reply.get("hookSpecificOutput", {}).get("additionalContext", "")
            self.restored += self.logged(context or ("" if ran.reply else ran.text))
        if ran.event == "PreCompact":
            self.steered += self.logged(ran.text)

    def _note_result(self, moment: Moment, output: object) -> None:
        tool = str(moment.fields.get("tool_name"))
        seen, response = str(moment.fields.get("_seen", "")), moment.fields.get("tool_response")
        background, digested = self.skipped
        self.skipped[digested] += "[Holdfast " in seen[:20]  # of a Read behind a number
        if isinstance(response, dict) and response.get("status") == "async_launched":
            self.skipped[background] += 1
        elif tool in AGENT_TOOLS:
            report = visible(response) or seen
            after = visible(output) if output is not None else report
            self.handoffs.append({"before": self.count(report), "after": self.count(after)})
        elif output is not None:
            self.results.append({"tool": tool, "whole": self.logged(whole_output(moment.fields))})

    def receipt(self, checkpoints: int, kept: int, session: str) -> Receipt:
        """Everything in one value; `checkpoints` and `kept` (archived originals) are counted on disk, what digests
        kept out is by the log in the folder `session`, as `holdfast status` tells it.
        """
        sizes = [{"before": rough(before), "after": rough(after)} for before, after, _ in ledger.digests(session)]
        results = [{**entry, **size} for entry, size in zip(self.results, sizes, strict=False)]
        bare = statistics.median(self.floors) if self.floors else 0.0
        return {
            "handoffs": {**_sums(self.handoffs), "asked_again": self.asked, "each": self.handoffs},
            "results": {**_sums(sizes), "each": results},
            "skipped": self.skipped,
            "suggestions": self.messages,
            "checkpoints": checkpoints,
            "archived": kept,
            "compaction": {"steering_tokens": self.steered, "restored_tokens": self.restored},
            "status_line": self.status_line,
            "bare_interpreter_ms": round(bare * 1000, 1),
            "hooks": {event: timing(times, bare) for event, times in self.times.items()},
            "faults": self.faults,
        }


def whole_output(fields: Receipt) -> str:
    """The output that the client kept in a file and showed only the first 2 KB of; empty for all others."""
    response = fields.get("tool_response")
    path = response.get("persistedOutputPath") if isinstance(response, dict) else None
    try:
        return Path(str(path)).read_text(encoding="utf-8", errors="replace") if path else ""
    except OSError:
        return ""


def visible(output: object) -> str:
    """The text of a tool's result that reaches the model, whatever the tool's shape is."""
    if isinstance(output, str):
        return output
    if isinstance(output, list):
        return text_of(output)
    if not isinstance(output, dict):
        return ""
    inner = output.get("file")
    if isinstance(inner, dict):
        return str(inner.get("content", ""))
    parts = [visible(output[key]) for key in TEXT_KEYS if output.get(key)]
    return "\n".join(part for part in parts if part)


def timing(times: list[float], bare: float) -> Receipt:
    """Count, median, 90th percentile, and the ratio of the median to a bare interpreter."""
    median = statistics.median(times)
    ordered = sorted(times)
    return {
        "runs": len(times),
        "median_ms": round(median * 1000, 1),
        "p90_ms": round(ordered[min(len(ordered) - 1, int(0.9 * len(ordered)))] * 1000, 1),
        "ratio": round(median / bare, 2) if bare else None,
    }


def _sums(entries: list[Receipt]) -> Receipt:
    return {
        "count": len(entries),
        "tokens_before": sum(entry["before"] for entry in entries),
        "tokens_after": sum(entry["after"] for entry in entries),
    }


def told(receipt: Receipt) -> str:
    """The receipt for a person."""
    hand, results, pack = receipt["handoffs"], receipt["results"], receipt["compaction"]
    steered = f"{pack['steering_tokens']:,} tokens told the summariser what to keep; "
    rows = [
        ("handoffs", _change(hand) + f", {hand['asked_again']} times asked to cut" * bool(hand["asked_again"])),
        *(("", f"{e['before']:>7,} -> {e['after']:,} tokens") for e in hand["each"][:8]),
        ("results", _change(results)),
        *(("", _line(entry)) for entry in results["each"][:8]),
        *(("left out", f"{count} {what}") for what, count in receipt["skipped"].items() if count),
        ("compaction", f"{steered}{pack['restored_tokens']:,} tokens restored after it"),
        ("checkpoints", f"{receipt['checkpoints']} written; {receipt['archived']} originals kept on disk"),
        ("messages", f"{len(receipt['suggestions'])} shown to the user"),
        *(("", line) for text in receipt["suggestions"] for line in text.splitlines()),
        *([("status line", receipt["status_line"])] if receipt["status_line"] else []),
        ("hooks", f"time of each (a bare interpreter takes {receipt['bare_interpreter_ms']} ms)"),
    ]
    each = [
        (f"  {event}", f"{t['runs']} runs", f"median {t['median_ms']} ms", f"p90 {t['p90_ms']} ms", f"{t['ratio']}x")
        for event, t in receipt["hooks"].items()
    ]
    return "\n".join([*fitted(rows), *fitted(each), *fitted([("fault", fault) for fault in receipt["faults"]])])


def _line(entry: Receipt) -> str:
    text = f"{entry['before']:>7,} -> {entry['after']:,} tokens  {entry['tool']}"
    if entry["whole"] > entry["before"]:
        text += f" (the client would show the first 2 KB of all {entry['whole']:,}; now head, tail and error lines)"
    return text


def _change(sums: Receipt) -> str:
    if not sums["count"]:
        return "0"
    saved = 1 - sums["tokens_after"] / max(1, sums["tokens_before"])
    change = f"{percent(saved)} less in all"
    if saved < 0:
        change = f"{percent(-saved)} more in all: of what the client cuts it would have shown 2 KB, a digest shows more"
    return f"{sums['count']}: {sums['tokens_before']:,} -> {sums['tokens_after']:,} tokens ({change})"
