"""`holdfast server`: the team's PostgreSQL. Its schema and members, and what goes there and comes from there."""

import argparse
import os
import sys
import time
from collections.abc import Iterable, Mapping
from typing import Any

from holdfast.cli import memory_view as view
from holdfast.cli.output import Output, actions, aside
from holdfast.config import load
from holdfast.errors import BadInput
from holdfast.hot import paths
from holdfast.ledger import hooks as ledger
from holdfast.ledger import model
from holdfast.ledger.model import Entry
from holdfast.memory import briefing
from holdfast.memory.location import Use
from holdfast.memory.search import Hit
from holdfast.memory.store import project_memory
from holdfast.postgres import migration, search, sync
from holdfast.postgres.connection import NEWEST, OF_LOOK, Place, ServerSettings, connected, schema_of, settings
from holdfast.postgres.coordination import PostgresStore
from holdfast.postgres.migration import LEVELS, Member
from holdfast.postgres.sync import Done, Sync
from holdfast.team.location import folder_of
from holdfast.team.store import SqliteStore
from holdfast.text import quoting
from holdfast.text.dates import iso
from holdfast.text.lines import counted, one_line


def _settings() -> tuple[ServerSettings, dict[str, Any]]:
    values, _ = load.load(paths.state_folder(), os.environ)
    return settings(values, paths.project_folder()), values


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    made = actions(
        parser,
        {
            "status": (_status, "is it there, which schema, who am I there, what is still to go"),
            "sync": (_sync, "push what you let through, pull what colleagues let through"),
            "search": (_search, "in all that the team let through, of every project"),
            "migrate": (_migrate, "bring the schema up to this pack; for whoever owns it"),
            "roles": (_roles, "who may read, write and administer"),
            "grant": (_grant, "let a role of the server into a team"),
            "revoke": (_revoke, "take one out of it"),
        },
    )
    made["sync"].add_argument("--adopt", action="store_true", help="go on with another server than before")
    made["search"].add_argument("query", help="words")
    made["search"].add_argument("--project", default="", metavar="NAME", help="its name there; without, all")
    made["search"].add_argument("--limit", type=int, default=10, metavar="N")
    for name in ("grant", "revoke"):
        made[name].add_argument("member", metavar="NAME", help="a role that can log in")
        made[name].add_argument("--team", required=True)
    made["grant"].add_argument("--as", dest="level", choices=LEVELS, default="writer", help="default: writer")


def _sync(args: argparse.Namespace) -> Output:
    own, values = _settings()
    if values["memory.mode"] == "off":
        raise BadInput("the memory is switched off", "memory.mode", "Set it to local or shared")
    memory = project_memory("")
    with connected(own.url) as connection:
        member = migration.team_of(connection, own.team)
        if args.adopt:
            sync.keep(memory, sync.NOTHING)
        place, writes = Place(member.team, own.project), member.level != "reader"
        one = Sync(connection, memory, place)
        pushed = one.push() if values["memory.mode"] == "shared" and writes else Done()
        done = Done(*map(sum, zip(pushed, one.pull(_progress), strict=True)))
        if writes:
            one.push_figures(_figures(own.folder) if values["stats.ledger"] else ())
            if values["coordination.mode"] == "enforce":
                _leave(PostgresStore(connection, place))
        told = _clock(connection)
    if any(done):
        briefing.renew(memory, time.time())  # here, so that no start has to wait for it
    why = "of colleagues, or withdrawn by an administrator"
    told += [f"{counted(done.refused, 'record')}, {why}, stay as they are there"] * bool(done.refused)
    told += [f"more than {sync.AT_ONCE:,} came: `holdfast server sync` brings the next, as a start does"] * done.waiting
    told += [f"{counted(done.unread, 'record')} there cannot be read and were passed over"] * bool(done.unread)
    for line in told:
        aside(line)
    text = f"pushed {done.pushed}, withdrawn {done.withdrawn}; pulled {done.pulled}, gone {done.gone}"
    text += "" if values["memory.mode"] == "shared" else "; nothing leaves: memory.mode is not shared"
    return Output({"team": place.team, "project": place.project, **done._asdict()}, text)


def _progress(many: int) -> None:
    if sys.stderr.isatty():  # what the background step says there, the next start tells
        aside(f"{counted(many, 'record')} came")


def _leave(store: PostgresStore) -> None:
    """Let go there of what agents of this machine held that are not at work here any more."""
    now = time.time()
    with SqliteStore(folder_of(paths.project_folder())) as local:
        here = {one.id for one in local.agents(now)}
    own = f"{os.uname().nodename}:"
    for one in store.agents(now):
        if one.place.startswith(own) and one.id not in here:
            store.release(one.id, "", now)


def _figures(folder: str) -> Iterable[tuple[str, str, Mapping[str, int]]]:
    """(session, day, figures) of this project's sessions alone."""
    entries = [one for one in ledger.entries(paths.state_folder())[0] if one["project"] == folder]
    return [(one["session"], day, figures) for one in entries for day, figures in one["days"].items()]


def entries() -> list[Entry]:
    """The team's sessions as the ledger has them, each person's name in the place of a project's. Raises Fault."""
    own, _ = _settings()
    with connected(own.url) as connection:
        team = migration.team_of(connection, own.team).team
        query = "SELECT author, session, json_object_agg(day, figures) FROM figures WHERE team = %s GROUP BY 1, 2"
        rows = connection.execute(query, (team,)).fetchall()
    blank = {"v": model.VERSION, "started": 0, "used": 0, "seen": {}}
    found = ({**blank, "project": who, "session": name, "state": f"/{who}", "days": days} for who, name, days in rows)
    return [one for one in map(model.load, found) if one]


def _clock(connection: Any) -> list[str]:
    (there,) = connection.execute("SELECT extract(epoch FROM clock_timestamp())::float8").fetchone()
    ahead = time.time() - there
    if abs(ahead) <= 60:  # a minute is not worth a line
        return []
    way = "ahead of" if ahead > 0 else "behind"
    return [f"this machine's clock is {abs(ahead):,.0f} s {way} the server's: what is dated ahead counts as old"]


def _status(args: argparse.Namespace) -> Output:
    (own, _values), memory = _settings(), project_memory("")
    memory.scan()
    waiting = len(sync.waiting(sync.outgoing(memory), sync.load(memory)))
    rows = [("waiting", f"{counted(waiting, 'record')} that the server has not as they read here")]
    with connected(own.url, newest=0, limit=OF_LOOK) as connection:
        ((role, version),) = connection.execute("SELECT session_user, current_setting('server_version')").fetchall()
        schema = schema_of(connection)
        rows += [("server", f"PostgreSQL {version}, schema {schema} of {NEWEST}"), ("role", role)]
        teams = migration.members(connection, own=True) if schema else []
        rows += [(f"team {one.team}", one.level) for one in teams] or [("team", "none")]
        rows += [("clock", line) for line in _clock(connection)]
    facts = {"schema": schema, "newest": NEWEST, "role": role, "teams": [one._asdict() for one in teams]}
    return Output({**facts, "project": own.project, "waiting": waiting}, [*rows, ("project", own.project)])


def _search(args: argparse.Namespace) -> Output:
    if not 1 <= args.limit <= 1_000:
        raise BadInput(f"--limit is {args.limit}", "server", "Allowed: 1 to 1,000")
    own, _ = _settings()
    with connected(own.url, limit=OF_LOOK) as connection:
        place = Place(migration.team_of(connection, own.team).team, args.project)
        found = search.search(connection, place, args.query, args.limit, iso(time.time()))
    shown = []
    for one in found:
        if record := sync.received(one.id, one.author, one.record):
            trust = record.trust if record.trust == "untrusted" else quoting.from_colleague(record.agent)
            record = record._replace(trust=trust, project=one_line(one.project, 100))
            shown.append(Hit("", record, Use(), one.score))
    text = view.whole(view.quoted(one, 700) for one in shown) or "nothing there is of that"
    return Output({"query": args.query, "results": list(map(view.as_json, shown))}, text)


def _migrate(_: argparse.Namespace) -> Output:
    with connected(_settings()[0].url, newest=0) as connection:
        done = migration.migrate(connection)
    rows = [(f"{one.number:04}", one.name) for one in done]
    facts = {"applied": [one.number for one in done], "schema": NEWEST}
    return Output(facts, rows or f"the schema is up to date: {NEWEST}")


def _roles(_: argparse.Namespace) -> Output:
    with connected(_settings()[0].url) as connection:
        found = migration.members(connection)
    rows: Iterable[tuple[str, ...]] = [("team", "member", "may"), *found]
    return Output({"members": [one._asdict() for one in found]}, rows if found else "nobody is in a team of yours")


def _grant(args: argparse.Namespace) -> Output:
    new = Member(args.team, args.member, args.level)
    with connected(_settings()[0].url) as connection:
        migration.grant(connection, new)
    return Output(new._asdict(), f"{new.member} is {new.level} of {new.team}")


def _revoke(args: argparse.Namespace) -> Output:
    with connected(_settings()[0].url) as connection:
        migration.revoke(connection, args.team, args.member)
    return Output({"team": args.team, "member": args.member}, f"{args.member} is not in {args.team} any more")
