"""A team's server behind the real client: what one lets through reaches it, and a colleague's word the next session."""

import time
from typing import Any

import psycopg

from benchmarks.server.instance import Server
from client import SandboxMaker
from holdfast.memory.markdown import render
from holdfast.postgres.sync import row_of
from loopback import call, rule
from tests.memory.memories import record


def test_sessions_share_what_was_let_through(server: Server, make_sandbox: SandboxMaker) -> None:
    """The client's session pushes in the background; what bob wrote is told to the next one, as his."""
    server.team("e2e", {"alice": "writer", "bob": "writer"})
    sandbox = make_sandbox("plugin")
    sandbox.configure({"store.url": server.url("e2e", "alice"), "memory.mode": "shared"})
    kept = sandbox.holdfast("memory", "add", "decision", "Amounts are cents", "--text", "floats drift", "--json")
    sandbox.holdfast("memory", "share", kept["id"], "--json")

    def asked(user: str, query: str, *values: Any) -> list[Any]:
        options = "-c search_path=holdfast"
        with psycopg.connect(server.url("e2e", user), options=options, autocommit=True) as there:
            found = there.execute(query, values)
            return found.fetchall() if found.description else []

    insert = (
        "INSERT INTO records (team, project, id, record, body, time, facts)"
        " VALUES ('core', 'project', %s, %s, %s, %s, %s)"
    )
    theirs = record("decision", 1, tags=["rule"], content={"decision": "Refunds have a key"})
    asked("bob", insert, *row_of(theirs, render(theirs)))
    work = [rule("GO-WORK", call("Bash", command="true", description="nothing"), times=1, tools=True)]
    sandbox.run("GO-WORK", work).undisturbed()
    until = time.monotonic() + 60
    while len(asked("alice", "SELECT id FROM records")) < 2 or not list(sandbox.state.rglob("colleagues/*/*.md")):
        assert time.monotonic() < until, [one.read_text() for one in sandbox.state.rglob("server.log")]
        time.sleep(0.1)
    assert {author for (author,) in asked("bob", "SELECT author FROM records")} == {"alice", "bob"}
    told = sandbox.run("GO-ON").undisturbed().hooks("SessionStart")[-1].context
    assert "Refunds have a key" in told
    assert "semi_trusted, from bob" in told
