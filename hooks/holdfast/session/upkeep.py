"""What several handlers do to a session's files: fold the transcript, compile the gate, save a checkpoint.

Gathers from the stores, asks the policies, writes back; no decision is taken here.
"""

import contextlib
import os
import time
from typing import Any, NamedTuple

from holdfast.checkpoint import model as checkpoint
from holdfast.checkpoint import page, progress, store
from holdfast.checkpoint.environment import environment
from holdfast.compaction import waiting
from holdfast.config.load import handoff_limits
from holdfast.gauge import limit as limits
from holdfast.gauge import pressure
from holdfast.gauge.suggest import Past, Steps
from holdfast.handoff import orchestrator, protocol
from holdfast.hook.registry import HANDLERS
from holdfast.hot import call_log, paths, provenance, thresholds, usage_tail
from holdfast.hot.files import size_of, write_atomic
from holdfast.hot.patterns import matches
from holdfast.memory.location import words_of
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.text.lines import one_line
from holdfast.worklog import fold as worklog
from holdfast.worklog import growth

FLUSH_WAIT, FLUSH_STEP = 0.3, 0.005  # seconds
TURNS_BYTES = 400_000  # enough for the last few turns of usage


class Gauge(NamedTuple):
    """How full the window is."""

    tokens: int
    limit: int
    source: str
    """Where the limit is known from; "" when it is not known."""
    zone: str
    per_turn: float
    turns_left: int | None
    model: str


def fold(event: Event, session: Session) -> Any:
    """The worklog with the transcript's growth folded in. Not stored when the disk refuses.

    What does not bear the mark of the session's folder is made anew: a pull writes over what git ignores.
    """
    stored = session.read(paths.STATE)
    work = worklog.load(stored if provenance.bears(session.folder, stored.get("made")) else {})
    size = size_of(event.transcript_path)
    if 0 <= size < work["offset"]:  # another file under the same name: begin again
        work = worklog.empty()
    if size > work["offset"]:
        work = growth.folded(event.transcript_path, work, size)
        session.write(paths.STATE, {**work, "made": provenance.mark(session.folder)})
    return work


def fold_flushed(event: Event, session: Session) -> Any:
    """As `fold`, but waits a moment for results that are not in the transcript yet.

    The client writes it with a delay of up to 100 ms, so before a compaction the last results may be missing.
    """
    work, waited = fold(event, session), 0.0
    while work["open_calls"] and waited < FLUSH_WAIT:
        time.sleep(FLUSH_STEP)
        waited += FLUSH_STEP
        work = fold(event, session)
    return work


def gauge(event: Event, session: Session) -> Gauge:
    """Read the window's size and limit for this moment."""
    found = usage_tail.sizes(usage_tail.read_tail(event.transcript_path, TURNS_BYTES), pressure.VELOCITY_TURNS + 1)
    tokens, model = found[0] if found else (_told_tokens(event), "")
    limit, source = limits.choose(_limit_candidates(session, model), tokens)
    bounds = pressure.marks(limit, session.config["pressure.preset"])
    per_turn = pressure.velocity([size for size, _ in reversed(found)])
    left = pressure.turns_left(tokens, limit, per_turn)
    return Gauge(tokens, limit, source, pressure.zone(tokens, bounds), per_turn, left, model)


def _told_tokens(event: Event) -> int:
    """At a resume the client itself says how full the window is."""
    told = event.fields.get("context_tokens")
    return told if isinstance(told, int) and told > 0 else 0


def _limit_candidates(session: Session, model: str) -> list[tuple[int, str]]:
    """Possible limits, most trusted first."""
    environment, window = os.environ, session.read(paths.WINDOW)
    told = str(window.get("model") or "")
    past = worklog.load(session.read(paths.STATE))["boundaries"]
    fired = [row["before"] for row in past if row["trigger"] == "auto" and isinstance(row["before"], int)]
    return [
        (session.config["window.limit"], "config"),
        (limits.threshold(int(window.get("size") or 0), environment), "status line"),
        (limits.threshold(limits.window_of(told, marked=True), environment), "model"),
        (limits.threshold(limits.window_of(model), environment), "model"),
        (limits.threshold(0, environment), "environment"),
        (fired[-1] if fired else 0, "last compaction"),
    ]


def steps_of(config: dict[str, Any]) -> Steps:
    """The configured suggestion steps."""
    return Steps(tuple(config["suggest.steps"]), config["suggest.every"], config["suggest.gap"])


def past_of(stored: dict[str, Any]) -> Past:
    """What has been suggested, from the gate."""
    data = stored.get("past")
    return Past(*data) if isinstance(data, list) and len(data) == len(Past._fields) else Past()


def compile_gate(
    session: Session, reading: Gauge, past: Past | None = None, look: int = 0, eager: bool = False
) -> None:
    """Write the numbers that the hot path compares with. Raises OSError."""
    config, old = session.config, thresholds.load(session.path(paths.GATE))
    past = past_of(old) if past is None else past
    made = call_log.count(session.path(paths.CALLS))
    bounds = pressure.marks(reading.limit, config["pressure.preset"])
    following = steps_of(config).following(made)
    due = look or old.get("look") or following  # without a new decision, what waits for its moment goes on waiting
    thresholds.save(
        session.path(paths.GATE),
        {
            "off": [event for event in HANDLERS if matches(event, config["hooks.off"])],
            "chars": config["digest.tokens"] * thresholds.CHARS_PER_TOKEN,
            "tools": config["digest.tools"],
            "tokens": config["digest.tokens"],
            "repeats": config["digest.duplicates"],
            "epoch": old.get("epoch", 0),
            "look": min(due, following),
            "mark": pressure.next_mark(reading.tokens, bounds),
            "eager": eager if look else bool(old.get("eager")),
            "zones": bounds,
            "limit": reading.limit,
            "preset": config["pressure.preset"],
            "limits": handoff_limits(config),
            "queue": waiting.is_there(session.folder),
            "recall": words_of(session.project),
            "past": list(past),
        },
    )


def new_epoch(session: Session) -> None:
    """A compaction has happened: earlier results are no longer in the window."""
    old = thresholds.load(session.path(paths.GATE))
    if old:
        thresholds.save(session.path(paths.GATE), {**old, "epoch": old["epoch"] + 1})


def compile_subagent_start(session: Session) -> str:
    """Write the reply that the hot path gives to every new sub-agent, and give it back. Raises OSError.

    Its first line is the mark of the session's folder: the hot path says nothing that a pull has brought.
    """
    agents = orchestrator.load(session.read(paths.ORCHESTRATOR))
    reply = protocol.start_reply(orchestrator.present_slice(agents, session.path(paths.HANDOFFS)))
    write_atomic(session.path(paths.SUBAGENT), f"{provenance.marked(session.folder)}\n{reply}")
    return reply


def save_checkpoint(
    session: Session, work: dict[str, Any], reading: Gauge, reason: str, note: str | None = None
) -> dict[str, Any]:
    """Store a checkpoint of the work as it stands and give it back. Raises OSError.

    note: what is to stand first in it. None takes over the note of the one before; "" lets it go.
    """
    folder, name = session.path(paths.CHECKPOINTS), os.path.basename(session.folder)
    agents = orchestrator.load(session.read(paths.ORCHESTRATOR))
    kept = checkpoint.carried(store.newest(folder)) if note is None else {}
    data = {
        "time": session.now,
        "stamp": stamp(session.now),
        "session": name,
        "made": provenance.marked(session.folder),
        "reason": reason,
        "note": {"text": note, "time": session.now} if note else kept,
        "calls": call_log.count(session.path(paths.CALLS)),
        "tokens": reading.tokens,
        "limit": reading.limit,
        "environment": environment(session, work),
        **checkpoint.contents(work, agents, name),
    }
    return store.save(folder, data, lambda saved: page.readable(saved, work["notes"]))


def log_progress(session: Session, saved: dict[str, Any], work: dict[str, Any], reason: str) -> None:
    """One entry of the progress log: what was reached, the evidence, what is open, what comes next.

    Where it cannot be written (a link, a full disk) the checkpoint stands without.
    """
    last = work["tests"][-1] if work["tests"] else None
    tasks = checkpoint.tasks(work)
    following = [*tasks["in_progress"], *tasks["planned"]]
    evidence = work["commits"][-1] if reason == "commit" else f"{last['command']}: {last['end']}" if last else ""
    with contextlib.suppress(OSError):
        progress.add(
            f"{session.state}/{paths.PROGRESS}",
            saved["stamp"],
            reason,
            [
                ("task", one_line(work["goal"], 160)),
                ("changed", ", ".join(path.rsplit("/", 1)[-1] for path in work["changed"][-8:])),
                ("evidence", one_line(evidence, 200)),
                ("open", "; ".join(one_line(error["what"], 120) for error in work["errors"][-2:])),
                ("next", one_line("; ".join(following[:2]), 200)),
                ("checkpoint", f"{saved['number']:04d} of session {saved['session']}"),
            ],
        )


def stamp(seconds: float) -> str:
    """Local time for people."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))
