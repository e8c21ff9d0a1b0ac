"""The files of sub-agents' returns, and the orchestrator state that they feed.

Per agent in `handoffs/`: `<id>.report.md` the full report, `<id>.handoff.md` what the parent received,
`<id>.condensed.md` when that had to be made by us. A file's existence is the state; nothing else is kept.
"""

import os
import sys
from collections.abc import Callable

from holdfast.handoff import model, orchestrator, protocol
from holdfast.handoff.condense import condense
from holdfast.handoff.rules import parent_text
from holdfast.hot import paths, provenance, usage_tail
from holdfast.hot.files import Lock, append, read_text, safe_name, write_atomic
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.text import tokenizer
from holdfast.text.lines import one_line
from holdfast.text.tokens import estimate, within
from holdfast.worklog import fold

REPORT, HANDOFF, CONDENSED, CURRENT = "report", "handoff", "condensed", "current"
REPORTS_PER_AGENT = 20
WINDOW_BYTES = 1_500_000  # of the parent's transcript; a window of 200K tokens is about that long


def path_of(session: Session, agent_id: str, kind: str) -> str:
    """The agent's file of this kind."""
    return f"{session.path(paths.HANDOFFS)}/{safe_name(agent_id)}.{kind}.md"


def counter(session: Session) -> Callable[[str], int]:
    """Counts tokens with the vendored ranks; nothing is loaded until an estimate cannot decide."""
    counted: list[Callable[[str], int]] = []

    def count(text: str) -> int:
        if not counted:
            site = os.environ.get("HOLDFAST_SITE", "")
            if site and site not in sys.path:
                sys.path.append(site)
            cache = os.environ.get("CLAUDE_PLUGIN_DATA") or session.state
            counted.append(tokenizer.counter("new", f"{cache}/cache"))
        return counted[0](text)

    return count


def keep_report(session: Session, agent_id: str, text: str) -> str:
    """Store a full report, once per text, and give its path. Raises OSError.

    An agent may be asked again, or be sent another message: each further text gets a file of its own. Which one
    belongs to the present return is noted, so that nobody is sent to an older answer.
    """
    text = _as_stored(text)
    for number in range(1, REPORTS_PER_AGENT + 1):
        path = path_of(session, agent_id, REPORT if number == 1 else f"{REPORT}-{number}")
        if not os.path.exists(path):
            write_atomic(path, text)
        if read_text(path) == text:
            break
    else:
        write_atomic(path, text)
    if not current_report(session, agent_id):
        write_atomic(path_of(session, agent_id, CURRENT), path)
    return path


def _as_stored(text: str) -> str:
    """As it will be read back: half an emoji would never compare equal to what is on disk."""
    return text.encode("utf-8", "replace").decode()


def current_report(session: Session, agent_id: str) -> str:
    """Path of the full report that the agent's present return was made from; "" when it came short at once."""
    return read_text(path_of(session, agent_id, CURRENT))


def begin_return(session: Session, agent_id: str) -> None:
    """A new return of this agent begins: what was noted of an earlier one no longer counts."""
    for kind in (CURRENT, CONDENSED):
        path = path_of(session, agent_id, kind)
        if os.path.exists(path):
            os.unlink(path)


def shorten(session: Session, event: Event, text: str, limit: int, path: str) -> str:
    """The condensed form; what the parent has read already gives way to what only the report says."""
    known = usage_tail.window_text(event.transcript_path, WINDOW_BYTES)
    return condense(text, limit, counter(session), path, known)


def within_limit(session: Session, event: Event, agent_id: str, text: str, limit: int) -> str:
    """What the parent should read: `text` when it fits, else its condensed form. Raises OSError.

    The full report is on disk, and named, whenever something was left out.
    """
    made = read_text(path_of(session, agent_id, CONDENSED))
    if made:  # for exactly this return, when the agent stopped
        return made
    read = parent_text(model.parse(text))
    if read.strip() != text.strip() and within(read, limit, counter(session)):  # raw findings are not for the parent
        keep_report(session, agent_id, text)
    path = current_report(session, agent_id)
    shown = f"{read}\n\nFull report: {path}" if path and path not in read else text
    if within(shown, limit, counter(session)):
        return shown
    return shorten(session, event, text, limit, keep_report(session, agent_id, text))


def absorb(session: Session, agent_id: str, task: str, shown: str, prompt: str = "") -> None:
    """Feed a return into the orchestrator state, once per text. Raises OSError.

    task: the short name that the parent gave the work; prompt: what it asked for. What this return saved is
    appended to `returns.log`: phase, tokens before and after.
    """
    shown = _as_stored(shown)
    path = path_of(session, agent_id, HANDOFF)
    if read_text(path) == shown:  # the same return seen by another hook
        return
    write_atomic(path, shown)
    report = current_report(session, agent_id)
    full = read_text(report) if report else ""
    value = model.parse(shown).handoff
    sizes = (estimate(full or shown), estimate(shown))
    with Lock(session.path(paths.ORCHESTRATOR) + ".lock"):  # not had in 200 ms: go on, a state is better than none
        state = orchestrator.load(session.read(paths.ORCHESTRATOR))
        state = orchestrator.with_task(state, fold.load(session.read(paths.STATE))["goal"], prompt)
        state = orchestrator.absorb(state, task, value, sizes, report if full else "")
        session.write(paths.ORCHESTRATOR, state)
    append(session.path(paths.RETURNS), f"{sizes[0]} {sizes[1]} {one_line(value.phase or task, 60)}\n")
    compile_subagent_start(session)


def compile_subagent_start(session: Session) -> str:
    """Write the reply that the hot path gives to every new sub-agent, and give it back. Raises OSError.

    Its first line is the mark of the session's folder: the hot path says nothing that a pull has brought.
    """
    agents = orchestrator.load(session.read(paths.ORCHESTRATOR))
    reply = protocol.start_reply(orchestrator.present_slice(agents, session.path(paths.HANDOFFS)))
    write_atomic(session.path(paths.SUBAGENT), f"{provenance.marked(session.folder)}\n{reply}")
    return reply
