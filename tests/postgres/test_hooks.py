import json
import os
import socket
import sysconfig
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from benchmarks.server.instance import Server
from holdfast.errors import Fault
from holdfast.hook import runner
from holdfast.hot import presence
from holdfast.hot.files import Lock
from holdfast.memory.location import cache_of, make_cache
from holdfast.postgres import hooks
from holdfast.postgres.connection import Place, connected
from holdfast.postgres.coordination import PostgresStore
from holdfast.team.location import folder_of
from holdfast.team.model import Agent, Claim, Refusal, Wanted
from tests.memory.memories import record

Make = Callable[..., Any]
SITE = sysconfig.get_path("purelib")
OTHER = Agent("far", "far", task="move the ledger", place="there:/code/shop")


@pytest.fixture
def edit(person: Make, run_hook: Make, payload: Make, monkeypatch: pytest.MonkeyPatch) -> Make:
    monkeypatch.setattr(hooks, "LIMIT_S", 60)

    def run(one: Any) -> dict[str, Any]:
        one.sits_down()
        env = {"HOME": str(one.home), "CLAUDE_PROJECT_DIR": str(one.project), "HOLDFAST_SITE": SITE}
        run_hook("session_start", payload("SessionStart.startup", cwd=str(one.project)), **env)
        inputs = {"file_path": str(one.project / "src" / "a.py"), "old_string": "a", "new_string": "b"}
        sent = payload("PreToolUse.Edit", cwd=str(one.project), tool_input=inputs)
        one.sits_down()
        reply = json.loads(runner.answer("PreToolUse", json.dumps(sent).encode()) or "{}")
        return dict(reply.get("hookSpecificOutput", {}))

    return run


@pytest.fixture
def bobs(server: Server, database: str) -> Iterator[PostgresStore]:
    with connected(server.url(database, "bob")) as connection:
        yield PostgresStore(connection, Place("core", "shop"))


def test_a_file_that_is_held_on_another_machine_is_denied(person: Make, edit: Make, bobs: PostgresStore) -> None:
    """In enforce mode alone; given free it is the asker's there as well, until the session is over."""
    now = time.time()
    bobs.claim(OTHER, Wanted("src/**", why="task"), now + 600, now)
    alice = person("alice", **{"coordination.mode": "enforce"})
    denied = edit(alice)
    assert denied["permissionDecision"] == "deny"
    assert "move the ledger" in denied["permissionDecisionReason"]
    bobs.release("far", "", now)
    assert "permissionDecision" not in edit(alice)
    (held,) = bobs.holders(time.time())
    assert held.pattern == "src/a.py"
    for name in Path(folder_of(str(alice.project)), presence.AGENTS).iterdir():
        name.unlink()
    Path(folder_of(str(alice.project)), "team.sqlite").unlink()
    alice.run("sync")
    assert bobs.holders(time.time()) == []


@pytest.mark.parametrize("values", [("x", 1.0), ("exclusive", float("-inf"))], ids=["of no kind", "since ever"])
def test_a_row_that_is_no_claim_hides_none(
    values: tuple[str, float], person: Make, edit: Make, bobs: PostgresStore, sql: Make
) -> None:
    """A member may write any: it neither holds a file nor ends the hook that reads it."""
    now = time.time()
    bobs.claim(OTHER, Wanted("src/**", why="task"), now + 600, now)
    put = "INSERT INTO claims VALUES ('core', 'shop', '**', %s, 'far', %s, %s, '')"
    sql("alice", put, *values, now + 600)
    assert "move the ledger" in edit(person("alice", **{"coordination.mode": "enforce"}))["permissionDecisionReason"]


def test_whoever_is_in_no_team_is_told_that_nobody_knows(person: Make, edit: Make) -> None:
    """An edit goes on, and says so."""
    alice = person("alice", **{"coordination.mode": "enforce", "store.team": "nobodys"})
    assert "who else holds src/a.py is not known: " in edit(alice)["additionalContext"]


def test_a_wrong_clock_holds_no_longer_and_loses_nothing(
    bobs: PostgresStore, server: Server, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two machines two hours apart each sees the other's lease by its own clock."""
    now, clock = time.time(), time.time
    monkeypatch.setattr(time, "time", lambda: clock() + 7_200)
    with connected(server.url(database, "alice")) as connection:
        late = PostgresStore(connection, Place("core", "shop"))
        assert isinstance(late.claim(OTHER, Wanted("a"), now + 7_800, now + 7_200), Claim)
        refused = bobs.claim(Agent("near", "near"), Wanted("a"), now + 600, now)
        assert isinstance(refused, Refusal)
        assert abs(refused.claim.until - now - 600) < 2
        assert isinstance(bobs.claim(Agent("near", "near"), Wanted("a"), now + 1_300, now + 700), Claim)
        assert [abs(one.until - now - 8_500) < 2 for one in late.holders(now + 7_900)] == [True]


def test_a_silent_server_is_waited_for_no_longer_than_the_limit(
    person: Make, edit: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The edit goes on, and it is said that nobody knows; so where there is none."""
    alice = person("alice", **{"coordination.mode": "enforce", "store.url": "postgresql://a@/x?host=/nonexistent"})
    assert (
        "who else holds src/a.py is not known: the team's server: it cannot be reached"
        in edit(alice)["additionalContext"]
    )
    waited = threading.Event()
    monkeypatch.setattr(psycopg, "connect", lambda *_, **__: waited.wait(60))
    ask = hooks.enforced(alice.session("enforce"))
    assert ask is not None
    monkeypatch.setattr(hooks, "LIMIT_S", 0.15)
    with pytest.raises(Fault, match="has not answered in 150 ms"):
        ask(OTHER, Wanted("a"), 2.0, 1.0)
    waited.set()
    assert hooks.enforced(alice.session("warn")) is None


def waited(done: Callable[[], bool]) -> bool:
    until = time.monotonic() + 60
    while not done() and time.monotonic() < until:
        time.sleep(0.05)
    return done()


def test_starts_and_ends_of_sessions_synchronise(person: Make, run_hook: Make, payload: Make, sql: Make) -> None:
    """In a process of its own, which goes on when the hook has ended; what failed the next start says, once a day."""
    alice = person("alice")
    alice.shared(record("issue", 1))
    log = Path(cache_of(alice.memory.folder), "server.log")
    place = {"cwd": str(alice.project), "HOLDFAST_SITE": SITE}
    env = {"HOME": str(alice.home), "CLAUDE_PROJECT_DIR": str(alice.project), "HOLDFAST_SITE": SITE}
    run_hook("session_start", payload("SessionStart.startup", cwd=place["cwd"]), **env)
    assert waited(lambda: sql("alice", "SELECT count(*) FROM records") == [(1,)])
    assert waited(lambda: log.read_text().startswith("pushed 1,"))
    alice.shared(record("issue", 2))
    end = payload("SessionEnd", cwd=place["cwd"])

    def at_end(said: str) -> None:
        with Lock(f"{log.parent}/server.lock", wait=60) as is_over:
            assert is_over
        run_hook("session_end", end, **env)
        assert waited(lambda: said in log.read_text())

    at_end("pushed 1,")
    assert sql("alice", "SELECT count(*) FROM records") == [(2,)]
    sql("owner", "DELETE FROM members")
    at_end("belongs to no team")
    told = []
    for name in "bcd":
        if name == "d":
            os.utime(log.with_suffix(".told"), (1, 1))  # long ago
        start = payload("SessionStart.startup", session_id=name, cwd=place["cwd"])
        told.append(str(run_hook("session_start", start, **env).reply))
        assert waited(lambda: "belongs to no team" in log.read_text())
    line = "Holdfast, the team's server: your role belongs to no team. Its administrator runs"
    assert [line in one for one in told] == [True, False, True]


def test_a_server_that_hangs_is_given_up_and_a_worker_that_does_is_told(
    person: Make, run_hook: Make, payload: Make
) -> None:
    """From this side, after the log-in as well; no start waits for who holds the lock, and each says so."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_hang, args=(server,), daemon=True).start()
        url = f"postgresql://alice@127.0.0.1:{server.getsockname()[1]}/x?sslmode=disable&gssencmode=disable"
        with pytest.raises(Fault, match="it has not come to an end in 1 s"), connected(url, limit=1):
            pass
    alice = person("alice")
    env = {"HOME": str(alice.home), "CLAUDE_PROJECT_DIR": str(alice.project), "HOLDFAST_SITE": SITE}
    log = Path(make_cache(alice.memory.folder), "server.log")
    log.touch()
    os.utime(log, (1, 1))
    with Lock(f"{log.parent}/server.lock"):
        told = run_hook("session_start", payload("SessionStart.startup", cwd=str(alice.project)), **env).reply
    assert "has not ended, and no other begins before it. End the process that holds" in told["systemMessage"]


def _hang(server: socket.socket) -> None:
    with server.accept()[0] as one:
        one.recv(4_096)
        one.sendall(b"R\0\0\0\x08\0\0\0\0K\0\0\0\x0c" + bytes(8) + b"Z\0\0\0\x05I")
        while one.recv(4_096):
            pass


def test_without_a_server_nothing_is_started(run_hook: Make, payload: Make, state: Path) -> None:
    """And nothing of it is loaded."""
    done = run_hook("session_start", payload("SessionStart.startup"))
    assert "server" not in done.out
    assert list(state.rglob("server.*")) == []
