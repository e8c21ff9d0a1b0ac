"""What agents of several machines share: `team.store.Store` on the team's server.

What decides who has a file reads and writes under one lock of the project, so of two at once one is told; renewing
holds it together with others, and a state's version is decided by its key alone. Times are the server's: a machine's
clock may be wrong, and its times are moved by whole seconds on their way.
"""

import contextlib
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from holdfast.errors import BadInput
from holdfast.postgres.settings import Place
from holdfast.team import ownership
from holdfast.team.model import Agent, AuditEntry, Claim, Deed, Moved, Refusal, Versioned, Wanted
from holdfast.team.store import Most

if TYPE_CHECKING:
    from psycopg import Cursor

    from holdfast.postgres.connection import Connection

    Rows = Cursor[tuple[Any, ...]]

_HERE = "team = %s AND project = %s"
_CLAIM = "pattern, mode, holder, since, until, why"
_AGENT = "id, session, kind, task, branch, started, seen, place, parent"


class PostgresStore:
    """The store of one project of a team. For one thread; psycopg's errors are for `connection.faults`."""

    def __init__(self, connection: "Connection", place: Place) -> None:
        """The server's clock is asked once."""
        self._connection, self._place = connection, place
        (there,) = connection.execute("SELECT extract(epoch FROM clock_timestamp())::float8").fetchone() or (0.0,)
        self._ahead = round(there - time.time())
        """Seconds by which the server's clock is ahead of ours."""

    def renew(self, agent: Agent, until: float, now: float) -> None:
        """See Store."""
        there = now + self._ahead - ownership.LONGEST
        with self._deciding("pg_advisory_xact_lock_shared"):
            self._meet(agent, now)
            self._drop("until < %s", [there], ("lost", ""), now)
            self._run(f"DELETE FROM agents WHERE {_HERE} AND seen <= %s", there)
            longer = f"UPDATE claims SET until = %s WHERE {_HERE} AND holder = %s AND why <> 'edit'"
            self._run(longer, agent.id, first=[until + self._ahead])

    def claim(self, agent: Agent, wanted: Wanted, until: float, now: float) -> Claim | Refusal:
        """See Store."""
        with self._deciding("pg_advisory_xact_lock"):
            claims, agents = self._claims(wanted), self._run(f"SELECT {_AGENT} FROM agents WHERE {_HERE}")
            self._meet(agent, now)
            known = {one.id: one for one in [*map(self._agent, agents.fetchall()), self._seen(agent, now)]}
            return self._decide(agent, wanted, (until, now), (list(map(self._claim, claims.fetchall())), known))

    def _decide(
        self, agent: Agent, wanted: Wanted, lease: tuple[float, float], there: tuple[list[Claim], dict[str, Agent]]
    ) -> Claim | Refusal:
        (until, now), (claims, agents) = lease, there
        own = ownership.lines_of(agent, agents)
        if kept := ownership.in_the_way(claims, wanted, own, now):
            return Refusal(wanted, kept, agents.get(kept.holder))
        for one in claims:
            if one.holder not in own and not ownership.holds(one, now) and ownership.covers(one, wanted):
                self._drop("pattern = %s AND holder = %s", [one.pattern, one.holder], ("lost", agent.id), now)
        was = next((one for one in claims if (one.pattern, one.holder) == (wanted.pattern, agent.id)), None)
        made = Claim(wanted.pattern, wanted.mode, agent.id, min(was.since, now) if was else now, until, wanted.why)
        if was is None or was.mode != made.mode:
            self._log(made, ("took", ""), now)
        self._hold(made)
        return made

    def give(self, holder: str, to: Agent, now: float) -> list[Claim]:
        """See Store."""
        with self._deciding("pg_advisory_xact_lock"):
            self._meet(to, now)
            given = list(map(self._claim, self._drop("holder = %s", [holder], ("gave", to.id), now).fetchall()))
            for one in given:
                self._hold(one._replace(holder=to.id))
            self._run(f"DELETE FROM agents WHERE {_HERE} AND id = %s", holder)
        return given

    def release(self, holder: str, pattern: str, now: float) -> list[Claim]:
        """See Store."""
        with self._deciding("pg_advisory_xact_lock"):
            which = "holder = %s AND %s IN ('', pattern)"
            gone = list(map(self._claim, self._drop(which, [holder, pattern], ("released", ""), now).fetchall()))
            if not pattern:
                self._run(f"DELETE FROM agents WHERE {_HERE} AND id = %s", holder)
        return gone

    def holders(self, now: float) -> list[Claim]:
        """See Store."""
        return [one for one in map(self._claim, self._claims()) if ownership.holds(one, now)]

    def agents(self, now: float) -> list[Agent]:
        """See Store."""
        query = f"SELECT {_AGENT} FROM agents WHERE {_HERE} AND seen > %s ORDER BY started, id"
        return list(map(self._agent, self._run(query, now + self._ahead - ownership.LONGEST)))

    def audit(self, most: int) -> list[AuditEntry]:
        """See Store."""
        columns = "at, deed, agent, pattern, mode, other"
        rows = self._run(f"SELECT {columns} FROM audit WHERE {_HERE} ORDER BY number DESC LIMIT %s", most)
        return [AuditEntry(at - self._ahead, *rest) for at, *rest in rows]

    def read_state(self, key: str, version: int = 0) -> Versioned | None:
        """See Store."""
        which = "version = %s" if version else "version > %s"
        columns = "key, value, version, by, at"
        query = f"SELECT {columns} FROM states WHERE {_HERE} AND key = %s AND {which} ORDER BY version DESC LIMIT 1"
        found = [Versioned(*row) for row in self._run(query, key, version)]
        return found[0]._replace(at=found[0].at - self._ahead) if found else None if version else Versioned(key)

    def compare_and_set(self, new: Versioned, now: float) -> Versioned | Moved:
        """See Store."""
        if len(new.value.encode("utf-8", "replace")) > Most.STATE:
            raise BadInput(f"a state has at most {Most.STATE:,} bytes", new.key, "Keep a file, and its path here")
        made = new._replace(version=new.version + 1, at=now)
        with self._connection.transaction():
            taken = self._connection.execute(
                "INSERT INTO states (team, project, key, value, version, by, at) SELECT %s, %s, %s, %s, %s, %s, %s"
                f" WHERE %s = coalesce((SELECT max(version) FROM states WHERE {_HERE} AND key = %s), 0)"
                " ON CONFLICT DO NOTHING RETURNING version",
                (*self._place, *made[:4], made.at + self._ahead, new.version, *self._place, new.key),
            ).fetchall()
            old = f"DELETE FROM states WHERE {_HERE} AND key = %s AND version <= %s"
            self._run(old, new.key, made.version - Most.VERSIONS)
        if taken:
            return made
        there = self.read_state(new.key) or Versioned(new.key)
        return Moved(there, self.read_state(new.key, new.version) if new.version else Versioned(new.key))

    @contextlib.contextmanager
    def _deciding(self, lock: str) -> Iterator[None]:
        """One transaction under the project's lock; what it reads is what all before it have left.

        Statements go out together, and are waited for where something is fetched.
        """
        with self._connection.pipeline(), self._connection.transaction():
            self._connection.execute(f"SELECT {lock}(hashtextextended(%s, 0))", (" ".join(self._place),))
            yield

    def _run(self, query: str, *values: object, first: Sequence[object] = ()) -> "Rows":
        """first: values before the place's."""
        return self._connection.execute(query, (*first, *self._place, *values))

    def _claims(self, wanted: Wanted | None = None) -> "Rows":
        """All, or those that may be about what is wanted: of a plain path, globs, sections and itself."""
        query, order = f"SELECT {_CLAIM} FROM claims WHERE {_HERE}", "ORDER BY since, pattern"
        paths = [ownership.parts(one)[0] for one in (wanted.pattern, *wanted.within)] if wanted else ["*"]
        if any(set(path) & set("*?") for path in paths):
            return self._run(f"{query} {order}")
        return self._run(f"{query} AND (pattern = ANY(%s) OR pattern ~ '[*?#]') {order}", paths)

    def _claim(self, row: Sequence[Any]) -> Claim:
        claim = Claim(*row)
        return claim._replace(since=claim.since - self._ahead, until=claim.until - self._ahead)

    def _agent(self, row: Sequence[Any]) -> Agent:
        agent = Agent(*row)
        return agent._replace(started=agent.started - self._ahead, seen=agent.seen - self._ahead)

    def _seen(self, agent: Agent, now: float) -> Agent:
        return agent._replace(seen=agent.seen or now, started=agent.started or now)

    def _meet(self, agent: Agent, now: float) -> None:
        known = self._seen(agent, now)
        known = known._replace(seen=known.seen + self._ahead, started=known.started + self._ahead)
        names = _AGENT.split(", ")
        self._run(
            f"INSERT INTO agents (team, project, {_AGENT}) VALUES (%s, %s{', %s' * len(names)})"
            f" ON CONFLICT (team, project, id) DO UPDATE SET {', '.join(f'{one} = excluded.{one}' for one in names)}",
            *known,
        )

    def _hold(self, claim: Claim) -> None:
        there = claim._replace(since=claim.since + self._ahead, until=claim.until + self._ahead)
        self._run(
            f"INSERT INTO claims (team, project, {_CLAIM}) VALUES (%s, %s{', %s' * len(there)})"
            " ON CONFLICT (team, project, pattern, holder) DO UPDATE"
            " SET mode = excluded.mode, since = excluded.since, until = excluded.until, why = excluded.why",
            *there,
        )

    def _drop(self, which: str, values: Sequence[object], note: tuple[Deed, str], now: float) -> "Rows":
        """Take these claims away and say so in the audit; what they were."""
        return self._run(
            f"WITH gone AS (DELETE FROM claims WHERE {_HERE} AND {which} RETURNING *), noted AS ("
            "INSERT INTO audit (team, project, at, deed, agent, pattern, mode, other)"
            " SELECT team, project, %s, %s, holder, pattern, mode, %s FROM gone)"
            f" SELECT {_CLAIM} FROM gone ORDER BY since, pattern",
            *values,
            now + self._ahead,
            *note,
        )

    def _log(self, claim: Claim, note: tuple[Deed, str], now: float) -> None:
        self._run(
            "INSERT INTO audit (team, project, at, deed, agent, pattern, mode, other)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
            *(now + self._ahead, note[0], claim.holder, claim.pattern, claim.mode, note[1]),
        )
