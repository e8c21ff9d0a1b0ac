"""What the hooks do where several agents are at work: own by task and by edit, tell who is in the way."""

import os
from collections.abc import Callable
from typing import Any

from holdfast.errors import BadInput, Fault
from holdfast.hot import presence
from holdfast.hot.files import append, names_in, read_text
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.session.reply import NOTHING, Reply
from holdfast.team import access, ownership, words
from holdfast.team.location import folder_for
from holdfast.team.members import Team, file_of, joined, marks_of, pattern_of, place_of, short, stands
from holdfast.team.model import MAIN, Agent, Claim, Refusal, Wanted

Ask = Callable[[Agent, Wanted, float, float], Claim | Refusal]
"""Asks for other machines, as `Store.claim`. Raises Fault where nobody answers in time."""
GONE = "gone"
"""What a file became that is there no more."""
JUST_NOW = 60
"""Seconds from a command's hook to the command, at most."""


def before_task(event: Event, session: Session) -> Reply:
    """What a task gives to its agent is kept for it; who asked is told what is somebody else's.

    Raises OSError and Fault.
    """
    inputs = event.mapping("tool_input")
    asked = words.owned(str(inputs.get("prompt") or "")) if folder_for(session) else []
    if not asked:
        return NOTHING
    main, call = os.path.basename(session.folder), event.text("tool_use_id")
    task, kind = short(inputs.get("description")), words.kind_of(inputs.get("subagent_type"))
    with joined(session) as team:
        agent = Agent(call, main, kind, task, "", team.now, team.now, session.project, event.agent_id or main)
        kept = [why for one in asked[: ownership.PATTERNS] if (why := _kept_for(team, agent, one))]
        lines = [words.refused(why, team.now) if isinstance(why, Refusal) else why for why in kept]
        lines += [words.beyond(more, ownership.PATTERNS)] if (more := asked[ownership.PATTERNS :]) else []
        is_taken = any(isinstance(why, Refusal) for why in kept)
        if is_taken and session.config["coordination.mode"] == "enforce":
            team.store.release(call, "", team.now)
            return Reply(deny="\n".join([*lines, "Give the agent other files, or wait for theirs."]))
        told = "The agent will be told so when it writes there: give it other files, or order the work."
        return Reply(context="\n".join([*lines, *[told] * is_taken]), user=team.told)


def _kept_for(team: Team, agent: Agent, asked: tuple[str, Any]) -> Refusal | str:
    """Keep one pattern of a task for its agent; why not: it is another's, or names nothing that can be kept."""
    place = os.path.realpath(agent.place)
    try:
        pattern = ownership.given(asked[0], (team.root, place), lambda path: stands(path, [place]))
        inner = asked[0].strip("`")
        path, _ = ownership.parts(inner)
        is_one = " " not in path or asked[0] == f"`{inner}`" or os.path.lexists(os.path.join(place, path))
        if "`" in inner or not is_one:
            todo = "One name between two commas; backticks around a name with blanks"
            raise BadInput("this is more than a name", ascii(asked[0])[:80], todo)
    except BadInput as error:
        return f"Holdfast: {error}."
    wanted = Wanted(pattern, asked[1], "task")
    if ownership.is_everything(wanted.pattern) and wanted.mode != "shared":
        return f"Holdfast: `{wanted.pattern}` is everything, and no agent's alone: name files or folders, or `Shares:`."
    had = team.store.claim(agent, wanted, team.now + team.lease, team.now)
    return had if isinstance(had, Refusal) else ""


def before_command(event: Event, session: Session) -> Reply:
    """A sub-agent does not write by command what it may not write; what it claims is its own. Raises OSError."""
    folder, command = folder_for(session), str(event.mapping("tool_input").get("command") or "")
    if not folder or not event.in_subagent:
        return NOTHING
    presence.sign(folder, session.folder, event.agent_id, event.agent_type)
    for said in filter(str.isprintable, access.claimed(command)):
        line = f"c {session.now:.3f} 0 0 {said}\n"
        append(f"{folder}/{presence.MARKS}/{presence.name_of(session.folder, event.agent_id)}", line)
    return Reply(deny=access.refused(access.of_command(command), owns=False))


def asker(team: Team, session: Session, verb: str, pattern: str) -> Agent | None:
    """Which agent of the session has just asked to claim or release this by a command; its own conversation without."""
    own = os.path.basename(session.folder)
    asked = [
        (mark.at, one.id)
        for one in team.agents.values()
        for mark in marks_of(team, presence.name_of(session.folder, one.id))
        if one.session == own != one.id and mark.letter == "c" and mark.at > team.now - JUST_NOW
        if mark.path.startswith(f"{verb} ") and pattern in mark.path
    ]
    return team.agents.get(max(asked)[1] if asked else own)


def after_command(event: Event, session: Session) -> str:
    """Whose files have changed while the command ran, and by no edit. Raises OSError and Fault."""
    folder = folder_for(session)
    changed = presence.changed_by_command(folder, session.folder, event.fields) if folder else []
    if not changed:
        return ""
    with joined(session) as team:
        id_, told = event.agent_id or os.path.basename(session.folder), list[str]()
        own = ownership.lines_of(team.agents.get(id_, Agent(id_, "")), team.agents)
        for one in team.store.holders(team.now):
            path, holder = place_of(team, one), team.agents.get(one.holder)
            if path in changed and one.holder not in own and (became := _became(team, holder, path)):
                once = session.once(f"beside-{one.holder}-{became}-{path[-80:]}")
                told += [words.beside(one, words.name(holder, one.holder), became == GONE)] * once
    return "\n".join(told)


def _became(team: Team, holder: Agent | None, path: str) -> str:
    """What the file is now: its date, `GONE`, or "" where its holder never had it, or an edit has left it so: of that
    whoever made it was told.
    """
    try:
        info = os.stat(path)
    except FileNotFoundError:
        had = marks_of(team, file_of(holder)) if holder else []
        return GONE if any(os.path.realpath(one.path) == path for one in had) else ""
    made = ("w", info.st_mtime_ns, info.st_size)
    marks = (one for name in names_in(f"{team.folder}/{presence.MARKS}") for one in marks_of(team, name))
    stands = (one.path for one in marks if (one.letter, one.date, one.size) == made)
    return "" if path in map(os.path.realpath, stands) else str(info.st_mtime_ns)


def before_edit(event: Event, session: Session, ask: Ask | None = None) -> Reply:
    """The file is the agent's from its first edit on; where it is another's, or has changed, that is told or denied.

    ask: who has it on other machines; where nobody says, that is told. Raises OSError and Fault.
    """
    folder, touched = folder_for(session), presence.touched(event.fields)
    if not folder or not touched:
        return NOTHING
    path = os.path.realpath(touched)
    presence.sign(folder, session.folder, event.agent_id, event.agent_type)
    with joined(session) as team:
        me = team.agents.get(event.agent_id or os.path.basename(session.folder))
        if me is None or not pattern_of(team, path):  # the disk has refused its sign
            return Reply(user=team.told)
        if deny := _beyond(team, session, me, path):
            return Reply(deny=deny, user=team.told)
        stale = _stale(team, session, path, presence.name_of(session.folder, event.agent_id))
        wanted = _wanted(team, path, event)
        had = team.store.claim(me, wanted, team.now + team.lease, team.now)
        if ask and not isinstance(had, Refusal):
            try:
                had = ask(me, wanted, team.now + team.lease, team.now)
            except Fault as error:
                stale += [f"Holdfast: who else holds {wanted.pattern} is not known: {error}. Go on with care."]
        reply = _told(team, session, me, had) if isinstance(had, Refusal) else NOTHING
    if reply.deny:
        return reply._replace(deny="\n".join([reply.deny, *stale]))
    user = "\n".join(filter(None, (team.told, reply.user)))
    return reply._replace(context="\n".join(filter(None, (reply.context, *stale))), user=user)


def _beyond(team: Team, session: Session, me: Agent, path: str) -> str:
    """Why a sub-agent may not write this document or record; "" where it may."""
    states = (os.path.realpath(session.state), f"{team.root}/.claude/holdfast")
    what = next(filter(None, (access.of_path(path.removeprefix(f"{state}/")) for state in states)), "")
    if not what or me.kind == MAIN:
        return ""
    wanted, own = Wanted(ownership.normal(path, team.root)), ownership.lines_of(me, team.agents)
    given = (one for one in team.store.holders(team.now) if one.holder in own and one.why != "edit")
    return access.refused(what, any(ownership.covers(one, wanted) for one in given))


def _told(team: Team, session: Session, me: Agent, had: Refusal) -> Reply:
    """What is in the way: a denial, or one word for each file that an owner holds."""
    told = words.refused(had, team.now)
    if session.config["coordination.mode"] == "enforce":
        return Reply(deny=f"{told} {words.advice(denied=True)}")
    if not session.once(f"held-{me.id}-{had.claim.holder}-{had.claim.since:.0f}-{had.wanted.pattern[-80:]}"):
        return NOTHING
    name = words.name(me)
    return Reply(context=f"{told} {words.advice(denied=False)}", user=f"{told} {name[:1].upper()}{name[1:]} edits it.")


def _wanted(team: Team, path: str, event: Event) -> Wanted:
    """The file, or the section of a Markdown file that the edit lies in; shared where it is shared."""
    pattern, inputs = ownership.normal(path, team.root), event.mapping("tool_input")
    inner = pattern
    within: tuple[str, ...] = ()
    if ownership.parts(f"{pattern}#x")[1] and isinstance(old := inputs.get("old_string"), str):
        headings = words.sections(read_text(path, 1_000_000, follow=True), old)
        inner, *above = [f"{pattern}#{one}" for one in headings] or [pattern]
        within = tuple(above)
    wanted = Wanted(inner, "exclusive", "edit", within)
    claims = [one for one in team.store.holders(team.now) if one.mode == "shared" and ownership.covers(one, wanted)]
    return wanted._replace(mode="shared") if claims else wanted


def _stale(team: Team, session: Session, path: str, name: str) -> list[str]:
    """Who has changed the file since this agent saw it last."""
    mine = next((one for one in reversed(marks_of(team, name)) if os.path.realpath(one.path) == path), None)
    try:
        info = os.stat(path)
    except OSError:
        return []
    if mine is None or (info.st_mtime_ns, info.st_size) == (mine.date, mine.size):
        return []
    newer = [
        (one.at, other)
        for other in names_in(f"{team.folder}/{presence.MARKS}")
        if other != name
        for one in marks_of(team, other)
        if one.letter == "w" and one.date > mine.date and os.path.realpath(one.path) == path
    ]
    if not newer or not session.once(f"changed-{name}-{info.st_mtime_ns}-{path[-80:]}"):
        return []
    at, other = max(newer)
    folder, _, agent = other.partition("~")
    by = words.name(team.agents.get(agent or folder), agent or folder)
    return [words.changed(path.removeprefix(f"{team.root}/"), by, team.now - at)]
