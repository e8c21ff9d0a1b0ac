from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.search_scale import Made
from benchmarks.server.instance import Server
from holdfast.memory.markdown import render
from holdfast.memory.record import check
from holdfast.memory.search import facts
from holdfast.postgres import search
from holdfast.postgres.connection import Place, connected
from holdfast.postgres.sync import row_of
from holdfast.search.facts import SearchMoment
from holdfast.search.index import SearchIndex
from tests.memory.memories import fields, record

Make = Callable[..., Any]
NOW = "2026-11-22T12:00:00Z"


def test_the_server_finds_what_the_local_index_finds(server: Server, database: str, tmp_path: Path, sql: Make) -> None:
    """In the same order, by relevance and as memories, of the project that is asked for; withdrawn records never."""
    made = Made()
    records = [
        check(fields("learning", number, title=title, content={"lesson": text}, importance=1 + number % 10))
        for number, (_, title, text, _) in enumerate(made.record(one) for one in range(400))
    ]
    insert = (
        "INSERT INTO records (team, project, id, record, body, time, facts) VALUES ('core', %s, %s, %s, %s, %s, %s)"
    )
    with SearchIndex.open(tmp_path / "index") as index, connected(server.url(database, "alice")) as alice:
        rows = ((one.id, one.title, one.content["lesson"], one.time) for one in records)
        index.add_many(rows, {one.id: facts(one) for one in records})
        with alice.cursor() as cursor:
            cursor.executemany(insert, [("shop", *row_of(one, render(one))) for one in records])
            elsewhere = row_of(record("issue", 999), "x")
            cursor.execute(insert, ("other", elsewhere[0], "x", row_of(records[0], "x")[2], "", "{}"))
        for question in [made.question() for _ in range(25)]:
            asked = search.search(alice, Place("core", "shop"), question, 10)
            assert [(one.id, round(one.score, 6)) for one in asked] == [
                (name, round(score, 6)) for name, score in index.search(question)
            ]
            ranked = search.search(alice, Place("core", "shop"), question, 10, NOW)
            local = index.search(question, mode="memory", at=SearchMoment(NOW))
            assert [round(one.score, 6) for one in ranked] == [round(score, 6) for _, score in local]
        word = records[0].title
        assert elsewhere[0] in {one.id for one in search.search(alice, Place("core", ""), word, 10)}
        alice.execute("UPDATE records SET withdrawn = true")
        assert search.search(alice, Place("core", ""), word, 10) == []
    assert sql("eve", "SELECT holding('other', '', '', 0, 9)") == []


def test_what_is_found_is_told_as_a_colleagues(person: Make) -> None:
    """Of every project of the team, quoted, with who wrote it; what is no record is not told."""
    alice, bob = person("alice"), person("bob")
    alice.shared(record("decision", 1, title="Ledger in cents", trust="trusted", agent="user"))
    alice.run("sync")
    (found,) = bob.run("search", "which ledger")["results"]
    assert (found["title"], found["trust"], found["project"]) == ("Ledger in cents", "semi_trusted, from alice", "shop")
    assert bob.run("search", "which ledger", "--project", "elsewhere")["results"] == []
    assert "--limit is 0" in bob.run("search", "x", "--limit", "0", code=1)
