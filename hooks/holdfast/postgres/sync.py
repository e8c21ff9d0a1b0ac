"""What the user let through goes to the team's server, what colleagues let through comes into the local memory.

There is no queue: what is to be pushed is what lies in the memory's `shared/`, was written on this machine, and reads
otherwise than the server has acknowledged. So hooks note nothing, a push that broke off is made again, and weeks
without a server cost nothing. States and sessions' pages never go. What a branch lacks is not withdrawn: only what was
forgotten, or put back. A pull goes on behind the last record seen; a colleague's record is a file in `colleagues/`,
redacted, trusted as `semi_trusted, from AUTHOR` at most, and this machine's own records stand before it. What is known
of the server stands in the cache: without it all is compared anew.
"""

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from holdfast.checkpoint import git
from holdfast.errors import BadInput, Fault
from holdfast.hot.files import write_atomic
from holdfast.hot.fingerprint import fingerprint
from holdfast.hot.jsonc import dumps, loads_object
from holdfast.hot.provenance import real_folder
from holdfast.memory import location, markdown, search
from holdfast.memory.files import FOLDERS
from holdfast.memory.location import COLLEAGUES, SHARED
from holdfast.memory.record import Record, receipt, said, saying, without_secrets, wording
from holdfast.memory.store import Memory
from holdfast.postgres.connection import Place
from holdfast.search import ranking
from holdfast.text.dates import iso, seconds
from holdfast.text.lines import one_line

if TYPE_CHECKING:
    from holdfast.postgres.connection import Connection

FILE = "server.json"
BATCH = 500
AT_ONCE, MOST = 10_000, 50_000
"""Records that one run pulls, the next goes on; and of colleagues' that this machine holds at all."""


class Done(NamedTuple):
    """What a synchronisation has done, in numbers of records."""

    pushed: int = 0
    withdrawn: int = 0
    refused: int = 0
    """A colleague's by their id, or withdrawn by an administrator: they stay as they are there."""
    pulled: int = 0
    gone: int = 0
    """Colleagues' that were withdrawn."""
    unread: int = 0
    """That are no records, or too large."""
    waiting: int = 0
    """1 where more are there than one run pulls."""


class Known(NamedTuple):
    """What this machine knows of the server."""

    server: str
    seen: tuple[int, int]
    """Turn and number of the last record that was pulled."""
    pushed: Mapping[str, Sequence[str]]
    """id -> mark of the text that the server has, and of what it says."""
    figures: Mapping[str, str]
    """Session and day -> mark of the figures that the server has."""


NOTHING = Known("", (0, 0), {}, {})


def load(memory: Memory) -> Known:
    """As it was kept; nothing of a torn, foreign or missing file."""
    data = loads_object(location.unsealed(memory.folder, FILE))
    try:
        turn, number = map(int, data["seen"])
        return Known(str(data["server"]), (turn, number), dict(data["pushed"]), dict(data["figures"]))
    except (KeyError, TypeError, ValueError):
        return NOTHING


def keep(memory: Memory, known: Known) -> None:
    """Raises OSError."""
    write_atomic(f"{location.make_cache(memory.folder)}/{FILE}", location.sealed(memory.folder, dumps(known._asdict())))


def _met(connection: "Connection", known: Known, place: Place) -> Known:
    """What is known of this server. Raises Fault where it is another one than before.

    One that was set back to an earlier day is begun with anew: it may lack what it has acknowledged.
    """
    query = (
        "SELECT server || '/' || system_identifier, coalesce((SELECT number FROM turns"
        " WHERE team = %s AND project = %s AND what = 'records'), 0) FROM about, pg_control_system()"
    )
    server, newest = connection.execute(query, place).fetchone() or ("", 0)
    if known.server not in ("", server):
        what = f"it is another one ({server[:8]}) than was synchronised with before ({known.server[:8]})"
        todo = "Nothing was sent. Mend store.url, or say `holdfast server sync --adopt`"
        raise Fault(what, "the team's server", todo)
    return known._replace(server=server) if known.seen[0] <= newest else NOTHING._replace(server=server)


def outgoing(memory: Memory) -> dict[str, Record]:
    """The records that the user let through and this machine has written, by id."""
    own, top = memory.written(), f"{memory.folder}/{SHARED}/"
    known = memory.catalogue()
    found = known.named(name for name, path in known.paths().items() if path.startswith(top)).items()
    return {name: without_secrets(one.record) for name, one in found
            if one.record.kind != "state" and wording(one.record) in own}  # fmt: skip


def waiting(sent: Mapping[str, Record], known: Known) -> dict[str, str]:
    """Of what is let through the files' texts, by id, that the server has not acknowledged."""
    texts_of = {name: markdown.render(one) for name, one in sent.items()}
    return {name: text for name, text in texts_of.items() if known.pushed.get(name, [""])[0] != _mark(text)}


class Sync:
    """One synchronisation of a memory. What each batch has done is kept at once, so that the next one goes on there."""

    def __init__(self, connection: "Connection", memory: Memory, place: Place) -> None:
        """Raises Fault where this is another server than before."""
        self._connection, self._memory, self._place = connection, memory, place
        self._known = _met(connection, load(memory), place)

    def _keep(self, **changes: Any) -> None:
        self._known = self._known._replace(**changes)
        keep(self._memory, self._known)

    def push(self) -> Done:
        """Send what is new, withdraw what was taken back. Raises psycopg's errors and OSError."""
        sent, done = outgoing(self._memory), Done()
        fresh = [(sent[name], text) for name, text in waiting(sent, self._known).items()]
        for batch in (fresh[start : start + BATCH] for start in range(0, len(fresh), BATCH)):
            taken = len(self._put(batch))
            marks = {record.id: (_mark(text), saying(record)) for record, text in batch}
            self._keep(pushed={**self._known.pushed, **marks})
            done = done._replace(pushed=done.pushed + taken, refused=done.refused + len(batch) - taken)
        back = [name for name in self._known.pushed if name not in sent and self._is_taken_back(name)]
        if back:
            gone = self._connection.execute(
                "UPDATE records SET withdrawn = true"
                " WHERE team = %s AND id = ANY(%s::uuid[]) AND author = session_user",
                (self._place.team, back),
            )
            done = done._replace(withdrawn=gone.rowcount)
            self._keep(pushed={name: mark for name, mark in self._known.pushed.items() if name not in back})
        return done

    def _is_taken_back(self, name: str) -> bool:
        """Whether the user has forgotten it, or put it back among their own."""
        if self._memory.catalogue().places_of([name]):  # where, may be a pull's doing
            return location.BACK + name in self._memory.written()
        return self._known.pushed[name][1] in self._memory.forgotten()

    def _put(self, sent: Sequence[tuple[Record, str]]) -> list[str]:
        """One transaction: all of them or none. Ids of those that the server has taken, now or before."""
        columns = zip(*(row_of(record, text) for record, text in sent), strict=True)
        rows = self._connection.execute(
            "INSERT INTO records (team, project, id, record, body, time, facts) SELECT %s, %s, * FROM"
            " unnest(%s::uuid[], %s::text[], %s::text[], %s::text[], %s::jsonb[])"
            " ON CONFLICT (team, id) DO UPDATE SET project = excluded.project, record = excluded.record,"
            " body = excluded.body, time = excluded.time, facts = excluded.facts, withdrawn = false"
            " WHERE records.author = session_user AND NOT records.barred RETURNING id::text",
            (*self._place, *map(list, columns)),
        )
        return [name for (name,) in rows]

    def pull(self, progress: Callable[[int], None] = lambda _: None) -> Done:
        """Bring what is new at the server; progress: is told how many came. Raises psycopg's errors, OSError, and Fault
        where this machine holds as many as it takes.
        """
        own, done, seen = self._memory.folder, Done(), 0
        git.refuse_tracked(f"{own}/{COLLEAGUES}")
        there = self._memory.catalogue().paths()
        foreign = {name: path for name, path in there.items() if path.startswith(f"{own}/{COLLEAGUES}/")}
        while rows := self._connection.execute(
            "SELECT changed, number, id::text, author, withdrawn,"
            " CASE WHEN octet_length(record) <= 256000 THEN record ELSE '' END FROM records"
            " WHERE team = %s AND project = %s AND (changed, number) > (%s, %s)"
            " ORDER BY changed, number LIMIT %s",
            (*self._place, *self._known.seen, BATCH),
        ).fetchall():
            if len(foreign) >= MOST:
                what = f"{len(foreign):,} records of colleagues are here, and no more are taken"
                todo = f"Remove {own}/{COLLEAGUES} to begin anew, or ask whoever administers the team"
                raise Fault(what, "the team's server", todo)
            if seen >= AT_ONCE:
                return done._replace(waiting=1)
            # this machine's own, or what git has brought, stays as it is
            news = [row for row in rows if row[2] not in there or row[2] in foreign]
            gone = [row[2] for row in news if row[4]]
            came = [received(name, author, text) for _, _, name, author, withdrawn, text in news if not withdrawn]
            done = self._take(done, [one for one in came if one], foreign)
            done = done._replace(unread=done.unread + came.count(None))
            for name in foreign.keys() & gone:
                _remove(foreign.pop(name))
                done = done._replace(gone=done.gone + 1)
            self._keep(seen=rows[-1][:2])  # last: whoever is killed before pulls them again
            progress(seen := seen + len(rows))
        return done

    def _take(self, done: Done, came: Sequence[Record], foreign: dict[str, str]) -> Done:
        """Write these records; foreign: id -> path of those that are there, brought up to date."""
        forgotten = self._memory.forgotten()
        new = [one for one in came if saying(one) not in forgotten]
        location.note_standing(self._memory.folder, {one.id: receipt(one) for one in new})
        for record in new:
            before = foreign.get(record.id, "")
            foreign[record.id] = _write(self._memory.folder, record)
            if before not in ("", foreign[record.id]):
                _remove(before)
        return done._replace(pulled=done.pulled + len(new))

    def push_figures(self, rows: Iterable[tuple[str, str, Mapping[str, int]]]) -> None:
        """Send what sessions came to on their days, (session, day, figures), as far as the server has it otherwise."""
        texts = {(session, day): json.dumps(figures, sort_keys=True) for session, day, figures in rows}
        fresh = {key: text for key, text in texts.items() if self._known.figures.get(" ".join(key)) != _mark(text)}
        if fresh:
            columns = zip(*((*key, text) for key, text in fresh.items()), strict=True)
            self._connection.execute(
                "INSERT INTO figures (team, project, session, day, figures)"
                " SELECT %s, %s, * FROM unnest(%s::text[], %s::date[], %s::jsonb[])"
                " ON CONFLICT (team, author, session, day) DO UPDATE SET figures = excluded.figures",
                (*self._place, *map(list, columns)),
            )
            marks = {" ".join(key): _mark(text) for key, text in fresh.items()}
            self._keep(figures={**self._known.figures, **marks})


def _mark(text: str) -> str:
    return fingerprint(text.encode("utf-8", "replace"))


def row_of(record: Record, text: str) -> tuple[str, str, str, str, str]:
    """id, text, words, time and facts of a record, as the server keeps them. NUL it has none."""
    time = iso(seconds(record.time))
    facts = {k: v for k, v in search.facts(record)._asdict().items() if k != "source"}
    return record.id, text, ranking.encode(record.title, said(record), time), time, json.dumps(facts)


def received(name: str, author: str, text: str) -> Record | None:
    """A colleague's record as it may stand here; None for a text that is none, or says it is another one."""
    try:
        record = markdown.parse(text)
        if record.id != name or record.kind == "state":
            return None
        trust = "untrusted" if record.trust == "untrusted" else "semi_trusted"
        return without_secrets(record._replace(trust=trust, agent=one_line(author, 100), delete=False))
    except (BadInput, ValueError, RecursionError):
        return None


def _write(folder: str, record: Record) -> str:
    """Put a colleague's record where its day and id say; its path. Raises OSError."""
    place = real_folder(f"{real_folder(folder)}/{COLLEAGUES}")
    path = f"{real_folder(f'{place}/{FOLDERS[record.kind]}')}/{record.time[:10]}-{record.id}.md"
    write_atomic(path, markdown.render(record))
    return path


def _remove(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
