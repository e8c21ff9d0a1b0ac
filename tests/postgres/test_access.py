import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from benchmarks.server.instance import PASSWORD, Server
from holdfast.errors import HoldfastError
from holdfast.postgres import migration
from holdfast.postgres.connection import NEWEST, Place, connected
from holdfast.postgres.coordination import PostgresStore
from holdfast.team.model import Agent, Claim, Wanted

Make = Callable[..., Any]
PUT = (
    "INSERT INTO records (team, project, id, record, body)"
    " VALUES ('core', 'p', '1a2b3c4d-1111-4111-8111-111111111111', 'r', 'word')"
)
AHEAD = PUT.replace("(team", "(number, team").replace("VALUES ('core'", "OVERRIDING SYSTEM VALUE VALUES (2, 'other'")


def test_the_author_is_who_has_logged_in(sql: Make) -> None:
    sql("alice", PUT)
    sql("alice", "UPDATE records SET record = 'new'")
    for own in (
        "UPDATE records SET author = 'bob'",
        "UPDATE records SET team = 'other'",
        "UPDATE records SET number = DEFAULT",
        "UPDATE records SET changed = 0",
        "UPDATE records SET barred = false",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            sql("alice", own)
    assert sql("bob", "SELECT author, record, team FROM records") == [("alice", "new", "core")]


@pytest.mark.parametrize(
    ("who", "statement", "record"),
    [
        ("bob", "UPDATE records SET record = 'mine'", "r"),
        ("bob", "UPDATE records SET withdrawn = true", "r"),
        ("bob", PUT.replace("'r'", "'mine'") + " ON CONFLICT (team, id) DO NOTHING", "r"),
        ("rita", "UPDATE records SET record = 'mine'", "r"),
        ("rita", PUT.replace("1a2b", "2a2b"), "r"),
        ("eve", PUT.replace("1a2b", "2a2b"), "r"),
        ("eve", "UPDATE records SET withdrawn = true", "r"),
        ("ada", "UPDATE records SET record = 'mine'", ""),
        ("ada", "DELETE FROM records", "r"),
        ("bob", "TRUNCATE records", "r"),
        ("bob", "INSERT INTO members VALUES ('core', 'eve', 'admin')", "r"),
        ("ada", "INSERT INTO members VALUES ('other', 'ada', 'admin')", "r"),
        ("bob", "UPDATE members SET level = 'admin'", "r"),
        ("bob", "INSERT INTO migrations VALUES (99, 'x')", "r"),
        ("eve", "UPDATE members SET level = 'none' WHERE team = 'core'", "r"),
        ("eve", AHEAD, "r"),
        ("bob", "SET ROLE alice", "r"),
    ],
)
def test_nobody_does_more_than_they_may(sql: Make, who: str, statement: str, record: str) -> None:
    """A refusal or nothing done; whoever administers may withdraw, and put no words into another's mouth."""
    sql("alice", PUT)
    before = sql("owner", "SELECT * FROM members ORDER BY 1, 2")
    with contextlib.suppress(psycopg.errors.InsufficientPrivilege):
        sql(who, statement)
    assert sql("owner", "SELECT author, record FROM records") == [("alice", record)]
    assert sql("owner", "SELECT * FROM members ORDER BY 1, 2") == before


@pytest.mark.parametrize(
    "asked",
    [
        "SELECT record FROM records",
        "SELECT session FROM figures",
        "SELECT member FROM members WHERE team = 'core'",
        "SELECT holding('core', '', '''core/word''', 0, 9)",
        "SELECT * FROM holders('core', '', ARRAY['word'], 9)",
        "SELECT * FROM holders('core', '', ARRAY['word'], -1)",
        "SELECT holding('other', '', '''core/@'' | ''core/word''', 0, 9)",
    ],
)
def test_no_team_sees_another(sql: Make, asked: str) -> None:
    sql("alice", PUT)
    sql("alice", "INSERT INTO figures (team, project, session, day, figures) VALUES ('core', 'p', 's', now(), '{}')")
    with contextlib.suppress(psycopg.errors.InsufficientPrivilege):
        assert sql("eve", asked) == []
    assert sql("rita", asked.replace("'other'", "'core'")) != []


def test_the_audit_keeps_its_newest_lines_by_itself(sql: Make) -> None:
    insert = (
        "INSERT INTO audit (team, project, at, deed, agent, pattern, mode, other)"
        " SELECT 'core', %s, 1, 'took', 'a', 'f' || n, 'exclusive', '' FROM generate_series(1, %s) AS n"
    )
    sql("alice", insert, "other", 5)
    sql("alice", insert, "shop", 10_250)
    for one in ("bob", "eve", "ada"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            sql(one, "DELETE FROM audit")
    kept = "SELECT count(*) FROM audit GROUP BY project ORDER BY 1"
    (other,), (shop,) = sql("alice", kept)
    assert other == 5
    assert 10_000 <= shop <= 10_100
    assert sql("alice", "SELECT pattern FROM audit ORDER BY number DESC LIMIT 1") == [("f10250",)]


def test_no_statistics_tell_of_another_team(sql: Make) -> None:
    """What the server knows of all rows it tells each team of its own: no word of another's, and no size."""
    many = "INSERT INTO records (team, project, id, record, body) SELECT %s, 'p', gen_random_uuid(), n, %s FROM "
    sql("alice", many + "generate_series(1, 300) n", "core", "word secret")
    sql("eve", many + "generate_series(1, 100) n", "other", "word")
    sql("owner", "ANALYZE records")
    asked = "SELECT word, texts FROM holders('other', '', ARRAY['', 'word', 'secret', '@core/p', '../core/secret'], -1)"
    assert sql("eve", asked) == [("", 100), ("word", 100), ("secret", 0), ("@core/p", 0), ("../core/secret", 0)]
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        sql("eve", "EXPLAIN SELECT FROM records WHERE words @@ 'x'")
    estimate = "EXPLAIN SELECT FROM records WHERE team = %s OR record < %s"
    assert sql("eve", estimate, "core", "word")[0] == sql("eve", estimate, "none", "none")[0]


def test_nobody_outside_of_a_team_holds_it_up(sql: Make, server: Server, database: str) -> None:
    """No right is one to lock a table, no turn is anybody's but the team's writers', no lock of a server's counts."""
    tables = [name for (name,) in sql("owner", "SELECT tablename FROM pg_tables WHERE schemaname = 'holdfast'")]
    lock = "DO $$ BEGIN LOCK TABLE {} IN SHARE MODE; END $$"
    turn = "SELECT turn('core', 'shop', 'claims')"
    for who, statement in [("alice", lock), ("ada", lock), ("eve", lock), ("eve", turn), ("rita", turn)]:
        for table in tables:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                sql(who, statement.replace("{}", table))
    with psycopg.connect(server.url(database, "eve")) as eve, connected(server.url(database, "alice")) as alice:
        eve.execute("SELECT pg_advisory_lock(hashtextextended('core shop', 0))")
        alice.execute("SET lock_timeout = 50")
        store = PostgresStore(alice, Place("core", "shop"))
        assert isinstance(store.claim(Agent("a", "a"), Wanted("src/a.py"), 2, 1), Claim)
        store.release("a", "", 1)
        assert (store.agents(1), store.holders(1)) == ([], [])


def test_the_schema_comes_in_numbered_steps(server: Server, database: str, person: Make) -> None:
    """Once each; what this pack has is what it knows; a newer or an older schema is one line."""
    steps = migration.migrations()
    assert [one.number for one in steps] == list(range(1, NEWEST + 1))
    with connected(server.url(database)) as owner:
        assert migration.migrate(owner) == []
    ada = person("ada")
    assert ada.run("migrate") == {"applied": [], "schema": NEWEST}
    with psycopg.connect(server.url(database), autocommit=True) as owner:
        owner.execute("INSERT INTO holdfast.migrations VALUES (99, 'later')")
    for command in ("sync", "migrate", "roles"):
        said = ada.run(command, code=1)
        assert said == (
            f"holdfast: the team's server: its schema has the number 99, this pack knows {NEWEST}. "
            "Update Holdfast; work goes on without it\n"
        )
    assert ada.run("status")["schema"] == 99
    with psycopg.connect(server.url(database), autocommit=True) as owner:
        owner.execute("DELETE FROM holdfast.migrations WHERE number > 1")
    assert f"its schema has the number 1, this pack needs {NEWEST}" in ada.run("sync", code=1)


def test_members_come_and_go_by_command(server: Server, database: str, person: Make) -> None:
    """An administrator of the team lets in and takes out; what is not there or not allowed is one line."""
    ada, bob, eve = person("ada"), person("bob"), person("eve", **{"store.team": "core"})
    assert "your role is no member of the team 'core'" in eve.run("sync", code=1)
    ada.run("grant", "eve", "--team", "core", "--as", "reader")
    assert {"team": "core", "member": "eve", "level": "reader"} in bob.run("roles")["members"]
    assert eve.run("sync")["team"] == "core"
    ada.run("revoke", "eve", "--team", "core")
    assert "no member of the team" in eve.run("sync", code=1)
    assert "there is no such role" in ada.run("grant", "nobody", "--team", "core", code=1)
    assert "your role may not do that" in bob.run("grant", "eve", "--team", "core", code=1)
    assert "is no member of the team" in ada.run("revoke", "eve", "--team", "core", code=1)


def test_without_the_package_one_line_has_the_command(person: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes with `holdfast[postgres]`, and nobody else needs it."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    said = person("alice").run("sync", code=1)
    assert "psycopg: not installed, but needed by a team's server" in said
    assert "install 'psycopg[binary]" in said


def _certificate(folder: Path, name: str) -> Path:
    path = folder / f"{name}.crt"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(path.with_suffix(".key")), "-out", str(path)]
    subprocess.run(command, check=True, capture_output=True)
    return path


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl makes the certificates")
def test_a_server_is_who_its_certificate_says(server: Server, database: str, tmp_path: Path) -> None:
    own, other = (_certificate(tmp_path, name) for name in ("server", "other"))
    for path in (own, own.with_suffix(".key")):
        there = Path(shutil.copy(path, server.data))
        there.chmod(0o600)
        os.chown(there, server.data.stat().st_uid, server.data.stat().st_gid)
    address = server.url(database, f"alice:{PASSWORD}", "localhost") + "?sslmode=verify-full&sslrootcert="
    with psycopg.connect(server.url("postgres"), autocommit=True) as owner:
        try:
            owner.execute("ALTER SYSTEM SET ssl = on")
            owner.execute("SELECT pg_reload_conf()")
            until = time.monotonic() + 30
            while not owner.execute("SELECT 1 WHERE current_setting('ssl')::bool").rowcount:
                assert time.monotonic() < until
                time.sleep(0.02)
            with connected(f"{address}{own}") as alice:
                query = "SELECT ssl, session_user FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
                assert alice.execute(query).fetchall() == [(True, "alice")]
            with pytest.raises(HoldfastError, match=r"cannot be reached .*certificate"), connected(f"{address}{other}"):
                pass
        finally:
            owner.execute("ALTER SYSTEM RESET ssl")
            owner.execute("SELECT pg_reload_conf()")


def test_no_server_and_no_schema_are_one_line(server: Server, tmp_path: Path) -> None:
    for url, said in {
        f"postgresql:///x?host={tmp_path}": "it cannot be reached",
        server.url("postgres"): "its schema has the number 0",
        "postgresql://h/x?a": "no address that libpq reads",
        "postgresql://a:b@hunter2@127.0.0.1:1/x": "redacted: password",
        "": "no server is named",
    }.items():
        with pytest.raises(HoldfastError, match=said), connected(url):
            pass
