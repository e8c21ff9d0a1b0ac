"""Databases and people on the tests' own server (`server`)."""

import itertools
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest

from benchmarks.server.instance import Server
from holdfast.cli.main import main
from holdfast.config import load
from holdfast.hot import paths
from holdfast.memory import location
from holdfast.memory.record import Record
from holdfast.memory.store import Memory, project_memory
from holdfast.session.context import Session

NUMBERS = itertools.count()
PEOPLE = {"alice": "writer", "bob": "writer", "rita": "reader", "ada": "admin"}


@pytest.fixture
def database(server: Server) -> str:
    """A fresh one with the schema: alice and bob write, rita reads, ada administers, eve is in another team."""
    name = f"t{next(NUMBERS)}"
    server.team(name, PEOPLE)
    server.team(name, {"eve": "admin"}, "other")
    return name


class Person(NamedTuple):
    """Somebody with a machine of their own."""

    name: str
    home: Path
    project: Path
    sits_down: Callable[[], None]
    run: Callable[..., Any]

    @property
    def memory(self) -> Memory:
        self.sits_down()
        return project_memory("")

    def session(self, mode: str) -> Session:
        self.sits_down()
        values = {**load.load(paths.state_folder(), os.environ)[0], "coordination.mode": mode}
        return Session(paths.state_folder(), "", str(self.project), values, [], 0.0, 0)

    def shared(self, *records: Record) -> None:
        memory = self.memory
        for one in records:
            memory.share(memory.add(one).record.id)

    def colleagues(self) -> dict[str, Record]:
        memory = self.memory
        top = f"{memory.folder}/{location.COLLEAGUES}/"
        return {one.record.title: one.record for one in memory.scan().records.values() if one.path.startswith(top)}


@pytest.fixture
def person(
    server: Server,
    database: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[..., Person]:
    """`person("alice")`: with a home, a clone of the project, and settings that name the server."""

    def make(name: str, **settings: str) -> Person:
        home, project = tmp_path / name, tmp_path / name / "code" / "shop"
        project.mkdir(parents=True)
        own = home / ".claude" / "holdfast" / "config.json"
        own.parent.mkdir(parents=True)
        given = {"store.url": server.url(database, name), "memory.mode": "shared", **settings}
        own.write_text(json.dumps(given), encoding="utf-8")

        def sits_down() -> None:
            monkeypatch.setenv("HOME", str(home))
            monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(project))

        def run(*command: str, code: int = 0) -> Any:
            sits_down()
            capsys.readouterr()
            assert main(["server", *command, *(["--json"] if not code else [])]) == code
            said = capsys.readouterr()
            return said.err if code else json.loads(said.out)

        return Person(name, home, project, sits_down, run)

    return make


@pytest.fixture
def sql(server: Server, database: str) -> Callable[..., list[tuple[Any, ...]]]:
    def run(user: str, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        with psycopg.connect(server.url(database, user), options="-c search_path=holdfast", autocommit=True) as one:
            cursor = one.execute(statement, values or None)
            return cursor.fetchall() if cursor.description else []

    return run
