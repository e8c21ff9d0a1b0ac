"""What the hooks do about sub-agents: tell them the rules, hold their returns to the limit, note what came back.

Per agent in `handoffs/`: `<id>.report.md` the full report, `<id>.handoff.md` what the parent received,
`<id>.outline.md` when that had to be made by us, `<id>.current.md` the name of the full report of the present return. A
file's existence is the state; nothing else is kept. Where the disk refuses, everything is said that can be without.
"""

import os

from holdfast.config.load import handoff_limit
from holdfast.handoff import model, outline, sendback
from holdfast.handoff.wakeup import DROPPED, agent_of, attended, is_alone, notes, tag
from holdfast.hot.files import Lock, read_bytes, read_text, safe_name, write_atomic
from holdfast.hot.paths import InSession
from holdfast.session.context import Session, packages
from holdfast.session.event import Event
from holdfast.session.reply import NOTHING, Reply
from holdfast.text.lines import one_line, unposing
from holdfast.text.redaction import redacted, redacted_in
from holdfast.text.tokens import estimate, within
from holdfast.transcript import rows as transcript


def stopped(event: Event, session: Session) -> Reply:
    """An agent stops: a block that asks for the handoff of its report, or nothing.

    Each return is judged by itself: of an earlier one nothing counts, whether it has arrived or not. Where the disk
    refuses to keep a report nobody is sent back.
    """
    text, agent = event.text("last_assistant_message"), event.agent_id
    limit, again = handoff_limit(session.config, event.agent_type), bool(event.fields.get("stop_hook_active"))
    if not event.agent_type or not agent or not text.strip() or not limit:
        return NOTHING
    claims = [f"ask-{safe_name(agent)}-{number}" for number in (1, 2)]
    noted = [session.path(f"{InSession.CLAIMS}/{claim}") for claim in claims]
    if not again:  # a first answer, or one to a new message: not sent back by us
        with session.noting():
            of_an_earlier_one = (*noted, path_of(session, agent, "current"), path_of(session, agent, "outline"))
            for path in filter(os.path.exists, of_an_earlier_one):
                os.unlink(path)
    asked = sum(map(os.path.exists, noted)) if again else 0
    parsed = model.parse(text)
    size = sendback.too_many(parsed, limit, session.config["digest.tokens"], _counted)
    if not size:
        return NOTHING
    path = keep_report(session, agent, text)
    if not path:  # nothing can be written: a shorter answer would be all that is left of this one
        return NOTHING
    if asked < session.config["handoff.blocks"] and parsed.form != "data":  # half of data would be none
        told = sendback.reason(read_text(path), (size, len(text), limit), path, _task(event))
        return Reply(block=told) if session.once(claims[asked]) else NOTHING
    if session.config["handoff.background"] == "auto":
        with session.noting():
            write_atomic(path_of(session, agent, "outline"), _outlined(session, agent, text, limit))
    return NOTHING


def _task(event: Event) -> str:
    """What the agent was asked: the first message of its own transcript; "" where the client names none."""
    rows = transcript.parse_chunk(read_bytes(event.text("agent_transcript_path"), 64_000)).rows
    return redacted("\n".join(transcript.texts(rows[0]))) if rows else ""


def returned(event: Event, session: Session) -> tuple[Reply, dict[str, str]]:
    """The parent's copy of a sub-agent's report, noted; replaced where it may not stay as it is. With its decision by
    the agent's id, {} where nothing was noted.
    """
    from holdfast.transcript import tool_output

    response, inputs = event.mapping("tool_response"), event.mapping("tool_input")
    texts = tool_output.report_fields(response)
    if response.get("status") != "completed" or not texts or event.in_subagent:
        return NOTHING, {}
    agent = str(response.get("agentId") or event.text("tool_use_id"))
    kind = str(response.get("agentType") or inputs.get("subagent_type") or "")
    limit, whole = handoff_limit(session.config, kind), redacted("\n\n".join(text for _, text in texts))
    shown = within_limit(session, agent, whole, limit) if limit else whole
    task, prompt = (redacted(str(one or "")) for one in (inputs.get("description") or kind, response.get("prompt")))
    told, decided = absorb(session, agent, task, (whole, shown), prompt)
    output = None if shown == whole else tool_output.with_report(redacted_in(response), shown)
    return Reply(user=told, output=output), {agent: decided}


def notified(event: Event, session: Session) -> tuple[Reply, dict[str, str]]:
    """Background agents report: note each, and keep an over-long report out of the window. With their decisions."""
    prompt, told, places, decided = event.text("prompt"), list[str](), list[str](), dict[str, str]()
    drops = is_alone(prompt) and attended(os.environ) and session.config["handoff.background"] == "auto"
    for note in filter(agent_of, notes(prompt)):
        agent, task = agent_of(note), one_line(tag(note[: note.find("<result>")], "summary"), 80)
        made, whole = read_text(path_of(session, agent, "outline")), tag(note, "result")
        described = task.partition('"')[2].rpartition('"')[0]  # Agent "audit" finished
        shown = made if made and drops else whole
        shortened, decided[agent] = absorb(session, agent, described or task, (whole, shown))
        if made and drops:
            session.once(f"{DROPPED}{safe_name(agent)}")
            said = f"{shortened or 'Holdfast: handoff'}. This is no fault: an outline follows instead. {task}"
            return Reply(block=said), decided
        report = current_report(session, agent)
        told += [shortened] if shortened else []
        places += [f"Holdfast: the full report of this agent is at {report}"] if report and report not in note else []
    return Reply(user="\n".join(told), context="\n".join(places)), decided


def within_limit(session: Session, agent: str, text: str, limit: int) -> str:
    """What the parent should read: `text` when it fits, else what it holds without findings, or its outline.

    The full report is on disk, and named, whenever something was left out: where it cannot be, nothing is. Never longer
    than what the agent would have handed back by itself. No line of a report poses as one of ours.
    """
    made = read_text(path_of(session, agent, "outline"))
    if made and _place(session, agent, text)[1]:  # of this very text, and not of a return that was lost
        return made
    parsed = model.parse(text)
    fits = not sendback.too_many(parsed, limit, session.config["digest.tokens"], _counted)
    if fits and parsed.form == "data":
        return text
    left_out = not fits or bool(parsed.handoff.findings)  # raw findings are not for the parent
    path = keep_report(session, agent, text) if left_out else current_report(session, agent)
    read, whole = map(unposing, (parsed.read, text))
    if not path:  # the only copy there is
        return whole
    longest = max(estimate(text), estimate(read_text(path)))
    named = read if path in read else f"{read}\n\nFull report: {path}"
    if fits and within(named, limit, _counted) and estimate(named) <= longest:
        return named
    instead = _outlined(session, agent, text, limit) if left_out else whole
    return instead if estimate(instead) <= longest else whole


def _outlined(session: Session, agent: str, text: str, limit: int) -> str:
    """The outline of a text, which names the file of this very text, and the first of the present return."""
    first = keep_report(session, agent, text)
    path = _place(session, agent, text)[0] if first else ""
    return outline.outline(text, limit, _counted, path, os.path.basename(first) if first != path else "")


def absorb(session: Session, agent: str, task: str, texts: tuple[str, str], prompt: str = "") -> tuple[str, str]:
    """Feed a return into the orchestrator state, once per text; gives a line for the screen where it was shortened, and
    the decision as it was noted, "" where nothing was.

    task: the short name that the parent gave the work; texts: as the agent returned it, and as the parent receives it;
    prompt: what the parent asked for.
    """
    from holdfast.handoff import orchestrator  # a stop needs none of them: 2 ms of its 55
    from holdfast.worklog import marks

    whole, shown = map(_as_stored, texts)
    path = path_of(session, agent, "handoff")
    if read_text(path) == shown:  # the same return seen by another hook
        return "", ""
    parsed, report = model.parse(whole), current_report(session, agent)
    told, is_kept = _place(session, agent, whole)  # the answer that the decision is read from
    own = [] if parsed.given or shown == whole else outline.essence(shown)  # fields have their summary
    reasons = (one for one in own if not orchestrator.is_bare(one, parsed.decided))
    summary = next(reasons, own[0] if own else parsed.handoff.context_summary)
    said = [(mark["kind"], one_line(mark["text"], 200)) for mark in marks.marked(parsed.read, "assistant", 0)]
    errors = (*parsed.handoff.errors, *(text for kind, text in said if kind == "bug"))
    noted = parsed.handoff._replace(decision=parsed.decided, context_summary=summary, errors=errors)
    before, after = sizes = (estimate(read_text(report) or whole), estimate(shown))

    with session.noting():
        if os.path.exists(dropped := session.path(f"{InSession.CLAIMS}/{DROPPED}{safe_name(agent)}")):
            os.unlink(dropped)  # of an earlier return: of this one the client has a record
        write_atomic(path, shown)
        with Lock(session.path(InSession.ORCHESTRATOR) + ".lock"):  # not had in 200 ms: a state is better than none
            state = orchestrator.state_of(session)
            asked = session.read(InSession.STATE).get("prompts")  # all that is needed of the worklog
            first = asked[0] if asked and isinstance(asked, list) and isinstance(asked[0], dict) else {}
            state = orchestrator.with_task(state, str(first.get("text") or ""), prompt)
            state["open_errors"] = {one: by for one, by in state["open_errors"].items() if ("done", one) not in said}
            by = (safe_name(agent), task)
            state = orchestrator.absorb(state, by, noted, sizes, told if is_kept else report)
            session.write(InSession.ORCHESTRATOR, {**state})
    return f"Holdfast: handoff {before:,} → {after:,} tokens" if before > after else "", parsed.decided


def path_of(session: Session, agent: str, kind: str) -> str:
    """The agent's file of this kind."""
    return f"{session.path(InSession.HANDOFFS)}/{safe_name(agent)}.{kind}.md"


def _counted(text: str) -> int:
    """With the vendored ranks, which are not loaded before an estimate cannot decide."""
    from holdfast.text import tokenizer

    packages()
    return tokenizer.count(text).tokens


def keep_report(session: Session, agent: str, text: str) -> str:
    """Store a report, once per text, and give the path of the present return's full one: its first; "" for none.

    An agent may be asked again, or be sent another message: each further text gets a file of its own, up to 20. Which
    one began the present return is noted, so that nobody is sent to an older answer, and all to the same one.
    """
    refused = True
    with session.noting():
        path, is_kept = _place(session, agent, text)
        if not is_kept:
            write_atomic(path, _as_stored(text))
        if not current_report(session, agent):
            write_atomic(path_of(session, agent, "current"), path.rpartition("/")[2])
        refused = False
    return "" if refused else current_report(session, agent)


def _place(session: Session, agent: str, text: str) -> tuple[str, bool]:
    """The file of this text, and whether it is there; of a twenty-first the last one is written anew."""
    path, stored = "", _as_stored(text)
    for number in range(1, 21):
        path = path_of(session, agent, "report" if number == 1 else f"report-{number}")
        if not os.path.exists(path):
            return path, False
        if read_text(path) == stored:
            return path, True
    return path, False


def _as_stored(text: str) -> str:
    """As it will be read back: half an emoji would never compare equal to what is on disk."""
    return text.encode("utf-8", "replace").decode()


def current_report(session: Session, agent: str) -> str:
    """Path of the full report that the agent's present return was made from; "" when it came short at once."""
    name = read_text(path_of(session, agent, "current"), 300).strip().rpartition("/")[2]
    path = f"{session.path(InSession.HANDOFFS)}/{safe_name(name)}"
    return path if name == safe_name(name) and os.path.isfile(path) else ""
