"""`holdfast bench server`: what a team's PostgreSQL bears. Starts one of its own (instance.py), gone afterwards.

agents   --agents of them, each on a connection, claim, renew and count up a shared number, an act every two seconds;
         halfway the server is killed with -9 and started again. Lost is what was answered and is not there.
sync     10,000 records pushed by one person, pulled by another, as files
answers  with --data, a folder of LoCoMo's: `bench retrieval` on the server, and how far from the local index that is
search   --records made-up records of one team (search_scale.py), 300 questions after as many others
"""

import argparse
import os
import random
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import psycopg

from benchmarks import retrieval
from benchmarks.search_scale import QUESTIONS, Made
from benchmarks.server.instance import Server, running
from holdfast.cli.output import emit_json, emit_table
from holdfast.errors import BadInput
from holdfast.memory import markdown
from holdfast.memory.files import FOLDERS
from holdfast.memory.location import SHARED, note_standing
from holdfast.memory.record import check, wording
from holdfast.memory.store import Memory
from holdfast.postgres.connection import Place, connected
from holdfast.postgres.coordination import PostgresStore
from holdfast.postgres.search import search
from holdfast.postgres.sync import Sync
from holdfast.search import ranking
from holdfast.search.analysis import words
from holdfast.team.model import Agent, Claim, Versioned, Wanted

LIMITS = {
    "claim_p50_ms": 10.0,
    "claim_p99_ms": 100.0,
    "double_owners": 0,
    "lost_updates": 0,
    "lost_writes": 0,
    "sync_s": 30.0,
    "search_p50_ms": 50.0,
    "locomo_gap": 0.01,
}
"""Figure -> the most that it may be."""
PAUSE = 2.0
"""Seconds between two acts of an agent."""
SYNCED = 10_000
PROJECTS = 10
SETTINGS = {"max_connections": "260", "shared_buffers": "4GB", "maintenance_work_mem": "1GB", "max_wal_size": "8GB"}


def run(args: argparse.Namespace) -> int:
    """Print a line per figure; 1 when a limit is missed."""
    if args.records < 1_000 or not 1 <= args.agents <= 250 or args.seconds < 4:
        todo = "--records 1000 and more, --agents 1 to 250, --seconds 4 and more"
        raise BadInput("a number is out of its range", "holdfast bench server", todo)
    with running(**SETTINGS) as server:
        server.team("bench", {"alice": "writer", "bob": "writer"})
        found = agents(server, args.agents, args.seconds) | synced(server) | searched(server, args.records)
        found |= answered(server, args.data) if args.data else {}
    load = os.getloadavg()[0]
    missed = [name for name, most in LIMITS.items() if found.get(name, 0) > most]
    if args.json:
        emit_json({**found, "load": load, "limits": LIMITS, "missed": missed})
    else:
        rows = [(name, f"{value:,}", f"{LIMITS[name]:,}" if name in LIMITS else "") for name, value in found.items()]
        emit_table([("figure", "found", "at most"), *rows])
        print(f"load {load:.1f} on {os.cpu_count()} cores. {'MISSED: ' + ', '.join(missed) if missed else 'met'}")
    return int(bool(missed))


class Worker(threading.Thread):
    """One agent, until `stop`. What was answered: `held` pattern -> since when it was its own, `added` to the sum."""

    def __init__(self, server: Server, number: int, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self._server, self._stop_now, self._random = server, stop, random.Random(number)  # noqa: S311 - no secret
        self.place = Place("core", f"project-{number % PROJECTS}")
        self.agent = Agent(f"agent-{number}", f"agent-{number}")
        self.held: list[str] = []
        self.times: list[float] = []
        self.added = self.broken = 0
        self.unsure = 0
        """Changes whose answer never came: they may be there or not."""

    def run(self) -> None:
        """Works on, over broken connections."""
        self._stop_now.wait(self._random.random() * PAUSE)
        while not self._stop_now.is_set():
            try:
                with psycopg.connect(
                    self._server.url("bench", "alice"), autocommit=True, options="-c search_path=holdfast"
                ) as one:
                    self._work(PostgresStore(one, self.place))
            except psycopg.Error:
                self.broken += 1
                self._stop_now.wait(1)

    def _work(self, store: PostgresStore) -> None:
        store.renew(self.agent, time.time() + 600, time.time())
        while not self._stop_now.wait(PAUSE * (0.5 + self._random.random())):
            wanted = Wanted(f"src/{self._random.randrange(400)}.py")
            began = time.perf_counter()
            now = time.time()
            if isinstance(store.claim(self.agent, wanted, now + 600, now), Claim):
                self.held.append(wanted.pattern)
            self.times.append(time.perf_counter() - began)
            store.renew(self.agent, now + 600, now)
            there = store.read_state("sum") or Versioned("sum")
            new = there._replace(value=str(int(there.value or 0) + 1), by=self.agent.id)
            self.unsure += 1
            self.added += isinstance(store.compare_and_set(new, now), Versioned)
            self.unsure -= 1


def agents(server: Server, number: int, seconds: int) -> dict[str, float]:
    """Their figures; the server is killed halfway."""
    stop = threading.Event()
    workers = [Worker(server, one, stop) for one in range(number)]
    for one in workers:
        one.start()
    time.sleep(seconds / 2)
    server.kill()
    server.start(**SETTINGS)
    time.sleep(seconds / 2)
    stop.set()
    for one in workers:
        one.join(60)
    times = sorted(seconds for one in workers for seconds in one.times)
    return {
        "agents": number,
        "acts": 3 * len(times),
        "broken_connections": sum(one.broken for one in workers),
        "claim_p50_ms": round(times[len(times) // 2] * 1_000, 1),
        "claim_p99_ms": round(times[int(len(times) * 0.99)] * 1_000, 1),
        **_held_to_account(server, workers),
    }


def _held_to_account(server: Server, workers: list[Worker]) -> dict[str, int]:
    doubles = lost = less = 0
    for place in {one.place for one in workers}:
        own = [one for one in workers if one.place == place]
        with connected(server.url("bench", "alice")) as one:
            store = PostgresStore(one, place)
            there = {(claim.pattern, claim.holder) for claim in store.holders(time.time())}
            state = store.read_state("sum") or Versioned("sum")
        answered = {(pattern, worker.agent.id) for worker in own for pattern in worker.held}
        lost += len(answered - there)
        patterns = [pattern for pattern, _ in there | answered]
        doubles += len(patterns) - len(set(patterns))
        added, unsure = sum(worker.added for worker in own), sum(worker.unsure for worker in own)
        total = int(state.value or 0)
        less += max(0, added - total) + max(0, total - added - unsure) + abs(total - state.version)
    return {"double_owners": doubles, "lost_updates": less, "lost_writes": lost}


def synced(server: Server) -> dict[str, float]:
    """Seconds for one to push and another to pull."""
    made, place = Made(), Place("core", "synced")
    with tempfile.TemporaryDirectory(prefix="holdfast-sync-") as folder:
        mine, theirs = Memory(f"{folder}/a/memory"), Memory(f"{folder}/b/memory")
        marks = {}
        for number in range(SYNCED):
            _, title, text, day = made.record(number)
            fields = {"id": str(uuid.UUID(int=number)), "kind": "learning", "time": f"{day}T12:00:00Z", "title": title}
            record = check({**fields, "content": {"lesson": text}})
            path = f"{mine.folder}/{SHARED}/{FOLDERS[record.kind]}/{number}.md"
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(markdown.render(record))
            marks[record.id] = wording(record)
        note_standing(mine.folder, marks)
        began = time.perf_counter()
        with connected(server.url("bench", "alice")) as alice:
            pushed = Sync(alice, mine, place).push().pushed
        middle = time.perf_counter()
        with connected(server.url("bench", "bob")) as bob:
            pulled = Sync(bob, theirs, place).pull().pulled
        end = time.perf_counter()
    whole = pushed == pulled == SYNCED
    return {
        "push_s": round(middle - began, 1),
        "pull_s": round(end - middle, 1),
        "sync_s": round(end - began, 1) if whole else 10**6,
    }


def searched(server: Server, number: int) -> dict[str, float]:
    """Milliseconds of a search among so many records of one team."""
    made = Made()
    with connected(server.url("bench"), limit=86_400) as owner:
        began = time.perf_counter()
        owner.execute("SET statement_timeout = 0")
        owner.execute("DROP INDEX records_words")
        columns = "team, project, id, author, changed, record, body, time, facts"
        with owner.cursor() as cursor, cursor.copy(f"COPY records ({columns}) FROM STDIN") as copy:
            for row in _rows(made, number):
                copy.write_row(row)
        owner.execute("CREATE INDEX records_words ON records USING gin (words)")
        owner.execute("VACUUM ANALYZE records")  # as a server does by itself after a while
        loaded = time.perf_counter() - began
    with connected(server.url("bench", "bob")) as bob:
        both = [_timed(lambda: search(bob, Place("core", ""), made.question(), 10)) for _ in range(2 * QUESTIONS)]
        times = sorted(both[QUESTIONS:])  # the first half warms what a running server has in memory
    return {
        "records": number,
        "load_s": round(loaded),
        "search_p50_ms": round(times[len(times) // 2] * 1_000, 1),
        "search_p99_ms": round(times[int(len(times) * 0.99)] * 1_000, 1),
    }


def answered(server: Server, folder: str) -> dict[str, float]:
    """LoCoMo's measures of its sessions, searched on the server, and the most that one is off from the local one's."""
    here, there = list[dict[str, float]](), list[dict[str, float]]()
    insert = "INSERT INTO records (team, project, id, record, body, time) VALUES ('core', %s, %s, %s, %s, %s)"
    with connected(server.url("bench", "alice")) as alice:
        for number, one in enumerate(retrieval.read(folder)):
            place = Place("core", f"locomo-{number}")
            for name, title, text, day in one.sessions:
                body = ranking.encode(title, text, day)
                alice.execute(insert, (place.project, str(uuid.uuid4()), name, body, day))
            here += retrieval.by_rank(one.sessions, one.questions, "sessions")
            for question in one.questions:
                found = [answer.record for answer in search(alice, place, question.text, 10)]
                there.append(retrieval.measures(found, question.sessions))
    local, remote = retrieval.mean(here), retrieval.mean(there)
    gap = max(abs(local[name] - remote[name]) for name in local)
    return {**{f"locomo_{name}": value for name, value in remote.items()}, "locomo_gap": round(gap, 4)}


def _rows(made: Made, number: int) -> Iterator[tuple[Any, ...]]:
    """As `sync.row_of` makes them, at a tenth of its time."""
    stems = {word: words(word)[0] for word in made.vocabulary}
    for one in range(number):
        _, title, text, day = made.record(one)
        lines = (line.rstrip(".").split() for line in (title, *text.split("\n")))
        body = "\n".join(f" {' '.join(stems[word] for word in line)} " for line in lines)
        yield "core", f"project-{one % PROJECTS}", str(uuid.uuid4()), "x", 0, f"# {title}\n{text}", body, day, "{}"


def _timed(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
