"""How the window of one session filled, answer by answer as the API recorded it, what changed it, and what its
sub-agents reported.
"""

import contextlib
import os
from bisect import bisect_right
from collections.abc import Iterable
from datetime import datetime

from holdfast.handoff import hooks as handoff
from holdfast.handoff import orchestrator
from holdfast.hot import call_log
from holdfast.hot.files import names_in, read_text
from holdfast.hot.paths import InSession
from holdfast.hot.provenance import real_within
from holdfast.hot.usage_tail import read_tail
from holdfast.ledger import hooks as ledger
from holdfast.report import status
from holdfast.report.schema import Returned, Trace, WindowChange
from holdfast.session import hook_log, liveness
from holdfast.session.context import Session, in_folder
from holdfast.text.lines import one_line
from holdfast.text.tokens import estimate
from holdfast.transcript import rows as transcript
from holdfast.transcript import usage

MOST = 400
"""Points of a plot; the eye sees no more."""


def gather(state: str, folder: str, project: str, now: float) -> Trace:
    """Of the session whose files are in `folder`."""
    answers, path = list(_answers(str(liveness.noted(folder).get("transcript") or ""))), f"{folder}/{InSession.CALLS}"
    rows = answers or [(seconds, tokens) for seconds, tokens, _ in call_log.last(path, call_log.count(path))]
    seen = [(number, seconds, tokens) for number, (seconds, tokens) in enumerate(rows, start=1) if tokens]
    times = [seconds for _, seconds, _ in seen]
    marks = []
    for kind, when in _events(folder) if seen else ():
        number, _, tokens = seen[max(0, bisect_right(times, when) - 1)]
        marks.append(WindowChange(kind=kind, number=number, tokens=tokens))
    facts = status.gather(state, folder, now)
    return Trace(
        session=one_line(os.path.basename(folder)),
        project=one_line(project),
        by="answers" if answers else "tool calls",
        points=thinned([(number, tokens) for number, _, tokens in seen]),
        marks=marks,
        limit=facts.limit,
        components=facts.components,
        agents=list(_returned(in_folder(state, folder, now))),
    )


def _answers(path: str) -> Iterable[tuple[float, int]]:
    when: float = 0
    for turn in usage.turns(transcript.parse_chunk(read_tail(path, transcript.LARGEST)).rows):
        with contextlib.suppress(ValueError, OverflowError):  # a row without a time has that above
            when = datetime.fromisoformat(turn.time).timestamp()
        yield when, turn.after


def _returned(session: Session) -> Iterable[Returned]:
    """What stands in `handoffs/`: what was read of each agent, and its whole report where that was longer."""
    phases = orchestrator.state_of(session)["phases"]
    called = {phase["agent"]: name for name, phase in phases.items()}
    places = [session.path(name) for name in real_within(session.folder, [InSession.HANDOFFS])]
    files = [f"{place}/{name}" for place in places for name in names_in(place) if name.endswith(".handoff.md")]
    for path in sorted(files, key=lambda one: os.lstat(one).st_mtime)[-15:]:  # bars of a plot
        agent = os.path.basename(path).removesuffix(".handoff.md")
        after, report = estimate(read_text(path)), handoff.current_report(session, agent)
        before = estimate(read_text(report)) if report else after
        yield Returned(agent=one_line(called.get(agent) or agent[:8], 40), before=before, after=after)


def _events(folder: str) -> list[tuple[str, float]]:
    found = [("digest", float(when)) for _, _, when in ledger.digests(folder) if when]
    for entry in hook_log.load(folder):
        if (entry.event, entry.kind) == ("SessionStart", "compact"):
            found.append(("compaction", entry.seconds))
        elif entry.event == "PostToolUse" and entry.kind in call_log.AGENT_TOOLS:
            found.append(("handoff", entry.seconds))
    return sorted(found, key=lambda one: one[1])


def thinned(points: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """At most MOST and a few: evenly, the last one, and each side of a fall."""
    step = -(-len(points) // MOST) or 1
    falls = {place for place in range(1, len(points)) if points[place][1] < points[place - 1][1]}
    kept = {*range(0, len(points), step), len(points) - 1, *falls, *(place - 1 for place in falls)}
    return [point for place, point in enumerate(points) if place in kept]
