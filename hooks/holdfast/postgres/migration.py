"""The schema in numbered steps (sql/NNNN_NAME.sql), each in a transaction of its own; and who belongs to which team.

Run by a command of whoever owns the schema, never by a hook or by the background step.
"""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from holdfast.errors import BadInput
from holdfast.postgres.connection import NEWEST, SCHEMA, refuse_other_schema, schema_of

if TYPE_CHECKING:
    from holdfast.postgres.connection import Connection

LEVELS = ("reader", "writer", "admin")


class Migration(NamedTuple):
    """One step: its number, name and statements."""

    number: int
    name: str
    path: Path


def migrations() -> list[Migration]:
    """All steps that this pack has, in order."""
    found = sorted((Path(__file__).parent / "sql").glob("*.sql"))
    return [Migration(int(path.name[:4]), path.stem[5:], path) for path in found]


def migrate(connection: "Connection") -> list[Migration]:
    """Carry out the steps that are missing; those. Of several at once one does it. Raises Fault for a newer schema."""
    done = []
    for step in migrations():
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(hashtext('holdfast migrations'))")
            found = schema_of(connection)
            if found > NEWEST:
                refuse_other_schema(found)
            if not found:
                connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
                connection.execute(
                    f"CREATE TABLE IF NOT EXISTS {SCHEMA}.migrations"
                    " (number int PRIMARY KEY, name text NOT NULL, applied timestamptz NOT NULL DEFAULT now())"
                )
            if step.number > found:
                connection.execute(step.path.read_bytes())
                connection.execute("INSERT INTO migrations (number, name) VALUES (%s, %s)", (step.number, step.name))
                done.append(step)
    return done


class Member(NamedTuple):
    """Who may do what in a team."""

    team: str
    member: str
    level: str


def members(connection: "Connection", own: bool = False) -> list[Member]:
    """Of the teams that whoever asks belongs to; own: only what they themselves may."""
    query = (
        "SELECT team, member, level FROM members WHERE level > 'none' AND (NOT %s OR member = session_user)"
        " ORDER BY team, level DESC, member"
    )
    return [Member(*row) for row in connection.execute(query, (own,))]


def team_of(connection: "Connection", wanted: str = "") -> Member:
    """The team that is meant: the one of this name, or the only one. Raises BadInput."""
    found = [one for one in members(connection, own=True) if wanted in ("", one.team)]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(one.team for one in found)
        raise BadInput(f"your role belongs to {len(found)} teams ({names})", "store.team", "Set it to one of them")
    what = f"your role is no member of the team {wanted!r}" if wanted else "your role belongs to no team"
    raise BadInput(what, "the team's server", "Its administrator runs `holdfast server grant NAME --team TEAM`")


def grant(connection: "Connection", new: Member) -> None:
    """Let somebody in, or change what they may. Raises BadInput for a role that is not there."""
    if not connection.execute("SELECT FROM pg_roles WHERE rolname = %s", (new.member,)).rowcount:
        todo = "Whoever administers the server makes it: CREATE ROLE … LOGIN"
        raise BadInput("there is no such role on the server", new.member, todo)
    connection.execute(
        "INSERT INTO members (team, member, level) VALUES (%s, %s, %s)"
        " ON CONFLICT (team, member) DO UPDATE SET level = excluded.level",
        new,
    )


def revoke(connection: "Connection", team: str, member: str) -> None:
    """Take somebody out of a team: its rows are gone for them. Raises BadInput for who is not in it."""
    query = "UPDATE members SET level = 'none' WHERE level > 'none' AND team = %s AND member = %s"
    done = connection.execute(query, (team, member))
    if not done.rowcount:
        what = f"is no member of the team {team!r}, or you may not say so"
        raise BadInput(what, member, "See `holdfast server roles`")
