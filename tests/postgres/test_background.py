import os
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from holdfast.memory.location import cache_of
from tests.memory.memories import record

Make = Callable[..., Any]
SITE = sysconfig.get_path("purelib")


def waited(done: Callable[[], bool]) -> bool:
    """Whether it came true; what runs in the background takes its time."""
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
    run_hook("session_end", payload("SessionEnd", cwd=place["cwd"]), **env)
    assert waited(lambda: sql("alice", "SELECT count(*) FROM records") == [(2,)])
    sql("owner", "DELETE FROM members")
    assert waited(lambda: not run_hook("session_end", payload("SessionEnd", cwd=place["cwd"]), **env).err)
    assert waited(lambda: "belongs to no team" in log.read_text())
    told = []
    for name in "bcd":
        if name == "d":
            os.utime(log.with_suffix(".told"), (1, 1))  # long ago
        start = payload("SessionStart.startup", session_id=name, cwd=place["cwd"])
        told.append(str(run_hook("session_start", start, **env).reply))
        assert waited(lambda: "belongs to no team" in log.read_text())
    line = "Holdfast, the team's server: your role belongs to no team. Its administrator runs"
    assert [line in one for one in told] == [True, False, True]


def test_without_a_server_nothing_is_started(run_hook: Make, payload: Make, state: Path) -> None:
    """And nothing of it is loaded."""
    done = run_hook("session_start", payload("SessionStart.startup"))
    assert "server" not in done.out
    assert list(state.rglob("server.*")) == []
