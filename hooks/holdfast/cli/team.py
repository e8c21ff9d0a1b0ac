"""`holdfast team`: who is at work here and who owns what; claims by hand, the audit, shared states with versions."""

import argparse
import contextlib
import difflib
import os
import time
from collections.abc import Iterable, Iterator

from holdfast.cli.output import AGENT, Output, actions
from holdfast.config import load
from holdfast.errors import BadInput
from holdfast.hot import paths
from holdfast.session.context import in_folder, stamp
from holdfast.team import ownership, words
from holdfast.team.hooks import asker
from holdfast.team.location import folder_of
from holdfast.team.members import Team, joined, stands
from holdfast.team.model import MAIN, USER, Agent, AuditEntry, Claim, Mode, Moved, Refusal, Versioned, Wanted
from holdfast.team.store import TIMES
from holdfast.text.dates import iso
from holdfast.text.lines import age, counted, one_line
from holdfast.text.redaction import redacted_in


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    table = {
        "claim": (_claim, "own a file, src/pay/** or docs/a.md#Heading"),
        "release": (_release, "let go of it; in a shell of your own whoever holds it"),
        "audit": (_audit, "who took, gave, lost and released what"),
        "state": (_state, "a value that agents share: state get KEY, state set KEY VALUE --version N"),
    }
    made = actions(parser, table, required=False)
    made["claim"].add_argument("pattern", metavar="FILE|GLOB|FILE#HEADING")
    mode = made["claim"].add_mutually_exclusive_group()
    mode.add_argument("--shared", action="store_true", help="others may write there too")
    mode.add_argument("--read", action="store_true", help="nobody writes there")
    made["claim"].add_argument("--minutes", type=int, help="how long; default: coordination.lease")
    made["claim"].add_argument("--yes", action="store_true", help="also a pattern that owns everything")
    made["release"].add_argument("pattern", metavar="PATTERN", help="as `holdfast team` shows it, or as it was claimed")
    made["audit"].add_argument("--limit", type=int, default=50, help="lines, the newest first")
    made["state"].add_argument("verb", choices=("get", "set"), metavar="get|set")
    made["state"].add_argument("key", metavar="KEY")
    made["state"].add_argument("value", nargs="?", metavar="VALUE")
    made["state"].add_argument("--version", type=int, help="the version that the new value was made from; 0: none yet")


@contextlib.contextmanager
def _here(verb: str = "", pattern: str = "") -> Iterator[tuple[Team, Agent]]:
    """The team, and who asks: an agent, the session of this shell, or the user."""
    state, now = paths.state_folder(), time.time()
    name = os.environ.get("CLAUDE_CODE_SESSION_ID", "") if os.environ.get(AGENT) else ""
    session = in_folder(state, paths.session_folder(state, name), now)
    with joined(session, 10) as team:
        known = asker(team, session, verb, pattern) if name else None
        asks = Agent(name or USER, name, MAIN if name else USER, started=now, seen=now)
        yield team, known or asks


def _printed(value: Agent | AuditEntry | Claim | Versioned) -> dict[str, object]:
    """A value of the room as JSON has it: times in ISO 8601, "" for never."""
    return {name: (iso(one) if one else "") if name in TIMES else one for name, one in value._asdict().items()}


def _state_of(state: Versioned, ok: bool = True, base: str | None = None) -> dict[str, object]:
    """ok: whether it was written or is as it was asked for; base: the value that a change was made from."""
    return {"ok": ok, **_printed(state), "base": base}


def _somebody_was_here() -> bool:
    """Else there is nothing, and whoever only looks makes nothing."""
    return os.path.isdir(folder_of(paths.project_folder()))


_OFF = "; coordination.mode is off: no agent is told"


def _mode() -> str:
    return str(load.load(paths.state_folder(), os.environ)[0]["coordination.mode"])


def run(args: argparse.Namespace) -> Output:
    """Who is here. Raises Fault where the store cannot be used."""
    mode = _mode()
    agents, claims = list[Agent](), list[Claim]()
    if _somebody_was_here():
        with _here() as (team, _):
            agents, claims = team.store.agents(team.now), team.store.holders(team.now)
    answer = {"mode": mode, "agents": list(map(_printed, agents)), "claims": list(map(_printed, claims))}
    if not agents and not claims:
        return Output(answer, "nobody is at work here" + _OFF * (mode == "off"))
    rows = [("agent", "kind", "branch", "last sign", "task", "holds")]
    for one in agents:
        held = [f"{claim.pattern} ({claim.mode})" for claim in claims if claim.holder == one.id]
        seen, task = f"{age(team.now - one.seen)} ago", one_line(one.task, 50)
        rows.append((one.id[:8], one.kind, one.branch or "-", seen, task or "-", words.few(held) or "-"))
    return Output(answer, rows)


def _from_here(path: str) -> str:
    """Where a path lies that is named in this shell: from its folder on, or from the project's."""
    project = os.path.realpath(paths.project_folder())
    return stands(path, [*(one for one in (os.getcwd(),) if f"{one}/".startswith(f"{project}/")), project])


def _claim(args: argparse.Namespace) -> Output:
    mode: Mode = "shared" if args.shared else "read" if args.read else "exclusive"
    minutes = ownership.LONGEST // 60
    if args.minutes is not None and not 1 <= args.minutes <= minutes:
        raise BadInput(f"{args.minutes} minutes are no lease", "--minutes", f"Give 1 to {minutes}")
    with _here("claim", args.pattern) as (team, agent):
        project = os.path.realpath(paths.project_folder())
        wanted = Wanted(ownership.given(args.pattern, (team.root, project), _from_here), mode, "command")
        if ownership.is_everything(wanted.pattern) and mode != "shared" and not args.yes:
            todo = "Name files or folders, take it with --shared, or say --yes"
            raise BadInput("this owns every file of the project", wanted.pattern, todo)
        lease = args.minutes * 60 if args.minutes else team.lease
        had = team.store.claim(agent, wanted, team.now + lease, team.now)
        if isinstance(had, Refusal):
            why = words.refused(had, team.now).removeprefix("Holdfast: ")
            return Output(_printed(had.claim), f"not yours: {why}", 1)
    off = _OFF * (_mode() == "off")
    return Output(_printed(had), f"{had.pattern}: {words.HOW[had.mode]} you for {lease / 60:.0f} min{off}")


def _meant(pattern: str, root: str, claims: Iterable[list[Claim]]) -> str:
    """Which held pattern is named, in the first of these that has it: as it is read from here, else as the list shows
    it. A folder that is gone meanwhile is held as all below.
    """
    named = [ownership.normal(pattern, root, _from_here), ownership.normal(pattern, root)]
    named += [f"{one}/**" for one in named if not set(one) & set("*?")]
    held = ([claim.pattern for claim in part] for part in claims)
    return next((one for part in held for one in named if one in part), named[0])


def _release(args: argparse.Namespace) -> Output:
    with _here("release", args.pattern) as (team, agent):
        agents, claims = {one.id: one for one in team.store.agents(team.now)}, team.store.holders(team.now)
        ours = {one.id for one in agents.values() if one.session == agent.session} | {agent.id}
        own = [one for one in claims if agent.id == USER or one.holder in ours]
        pattern = _meant(args.pattern, team.root, (own, claims))
        those = [one.holder for one in own if one.pattern == pattern]
        gone = [claim for holder in those for claim in team.store.release(holder, pattern, team.now)]
        left = [one for one in team.store.holders(team.now) if ownership.covers(one, Wanted(pattern, why="command"))]
    by = {one.holder: words.name(agents.get(one.holder), one.holder) for one in left} | {agent.id: "you"}
    if not gone:
        held = next((f"held by {by[one.holder]} ({one.pattern})" for one in left), "nobody holds it")
        raise BadInput(held, pattern, "`holdfast team` shows who holds what")
    still = ""
    for holder in dict.fromkeys(one.holder for one in gone):
        patterns = ", ".join(one.pattern for one in left if one.holder == holder)
        still += f"; still held by {by[holder]}: {patterns}" if patterns else ""
    return Output(list(map(_printed, gone)), f"{pattern}: released{still}")


def _audit(args: argparse.Namespace) -> Output:
    if args.limit < 1:
        raise BadInput(f"--limit is {args.limit}", "team audit", "Ask for at least one")
    entries = list[AuditEntry]()
    if _somebody_was_here():
        with _here() as (team, _):
            entries = team.store.audit(args.limit)
    rows = [(stamp(one.at), one.deed, one.agent[:8], one.pattern, one.mode, one.other[:8]) for one in entries]
    head = ("when", "what", "agent", "pattern", "mode", "other")
    return Output(list(map(_printed, entries)), [head, *rows] if rows else "nothing was owned yet")


_UNSET = "nobody has set it yet, so its version is 0"


def _state(args: argparse.Namespace) -> Output:
    key = one_line(args.key, 100)
    if args.verb == "get":
        found = None if args.version else Versioned(key)
        if _somebody_was_here():
            with _here() as (team, _):
                found = team.store.read_state(key, args.version or 0)
        if found is None:
            raise BadInput(f"version {args.version} is not kept", key, "Leave --version away for the newest")
        shown = f"version {found.version}, by {found.by[:8]}\n{found.value}"
        return Output(_state_of(found), shown if found.version else f"{key}: {_UNSET}")
    with _here() as (team, agent):
        if args.value is None or args.version is None:
            todo = f"Say `set KEY VALUE --version N`: N as `get {key}` shows it, 0 for a new one"
            raise BadInput("it needs a value and the version that it replaces", key, todo)
        new = Versioned(key, redacted_in({key: args.value})[key], args.version, agent.id)
        done = team.store.compare_and_set(new, team.now)
    if isinstance(done, Versioned):
        return Output(_state_of(done), f"{key}: version {done.version}")
    base = done.base.value if done.base else None
    return Output(_state_of(done.now, False, base), _what_changed(args.version, done), 1)


def _what_changed(version: int, moved: Moved) -> str:
    """For whoever came too late: who was first, and the lines that differ."""
    now = moved.now
    if not now.version:
        return f"not written: {_UNSET}, not {version}"
    told = f"not written: it is version {now.version} by {now.by[:8]} since {stamp(now.at)}, not {version}"
    if moved.base is None:
        return f"{told}, which is not kept; its value now:\n{now.value}"
    lines = list(difflib.unified_diff(moved.base.value.splitlines(), now.value.splitlines(), lineterm="", n=1))[2:]
    return f"{told}; {counted(now.version - version, 'change')} since:\n" + "\n".join(lines)
