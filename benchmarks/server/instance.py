"""A PostgreSQL server of its own: unprivileged, in a temporary folder, on its socket and one loopback port, gone after.

Whoever is on the socket is who they say; on the port a password is asked for. As root it runs as another user, since
PostgreSQL refuses root.
"""

import contextlib
import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg

from holdfast.errors import Fault
from holdfast.postgres import migration
from holdfast.postgres.connection import connected

OWNER = "owner"
PASSWORD = "hunter2-of-the-server"  # noqa: S105 - of a server that lives for a test


def binaries() -> str:
    """The folder with `initdb` and `postgres`, of the newest version; "" where none is installed."""
    found = [path for path in (shutil.which("initdb"),) if path]
    found += glob.glob("/usr/lib/postgresql/*/bin/initdb") + glob.glob("/opt/homebrew/opt/postgresql@*/bin/initdb")
    return os.path.dirname(max(found, key=_version)) if found else ""


def _version(path: str) -> int:
    return max((int(part) for part in path.replace("@", "/").split("/") if part.isdecimal()), default=0)


class Server:
    """One server. `url()` names it; `kill` ends it as a power cut would, `start` brings it back."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.data, self._bin = folder, folder / "data", binaries()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self._process: subprocess.Popen[bytes] | None = None
        self._as = self._unprivileged()
        self._run("initdb", "-D", str(self.data), "-U", OWNER, "-E", "UTF8", "--no-locale", "--no-sync", "-A", "trust")
        hba = self.data / "pg_hba.conf"
        hba.write_text("local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n", encoding="utf-8")

    def _unprivileged(self) -> dict[str, Any]:
        """How to start a process that is not root."""
        if os.geteuid():
            return {}
        names = {one.pw_name: one for one in pwd.getpwall()}
        user = names.get("postgres") or names["nobody"]
        os.chown(self.folder, user.pw_uid, user.pw_gid)
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}

    def _run(self, program: str, *arguments: str) -> None:
        command = [f"{self._bin}/{program}", *arguments]
        done = subprocess.run(command, capture_output=True, cwd=self.folder, check=False, text=True, **self._as)
        if done.returncode:
            raise Fault(done.stderr.strip().splitlines()[-1], program)

    def start(self, **settings: str) -> None:
        """Start it, and wait until it answers."""
        given = {"port": str(self.port), "listen_addresses": "127.0.0.1", "unix_socket_directories": str(self.folder)}
        options = [f"-c{name}={value}" for name, value in {**given, **settings}.items()]
        command = [f"{self._bin}/postgres", "-D", str(self.data), *options]
        until = time.monotonic() + 60
        while True:
            if not self._process or self._process.poll() is not None:  # a killed one's connections may hold on a moment
                with (self.folder / "log").open("ab") as log:
                    self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder, **self._as)
            try:
                psycopg.connect(self.url("postgres")).close()
                return
            except psycopg.OperationalError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)

    def kill(self) -> None:
        """End the server at once; what it started ends by itself."""
        pid = int((self.data / "postmaster.pid").read_text(encoding="utf-8").split("\n")[0])
        os.kill(pid, signal.SIGKILL)
        if self._process:
            self._process.wait(30)

    def stop(self) -> None:
        """End it in order."""
        if self._process and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(30)

    def url(self, database: str, user: str = OWNER, host: str = "") -> str:
        """Its address; host: 127.0.0.1 for the port that asks for a password."""
        place = f"{user}@{host}:{self.port}/{database}" if host else f"{user}@/{database}"
        return f"postgresql://{place}" + ("" if host else f"?host={self.folder}&port={self.port}")

    def team(self, database: str, people: dict[str, str], team: str = "core") -> str:
        """A database with the schema, and in it a team of these roles and levels; the owner's address."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            if not connection.execute("SELECT FROM pg_database WHERE datname = %s", (database,)).rowcount:
                connection.execute(f'CREATE DATABASE "{database}"')
        with connected(self.url(database), newest=0) as connection:
            migration.migrate(connection)
            for name, level in people.items():
                if not connection.execute("SELECT FROM pg_roles WHERE rolname = %s", (name,)).rowcount:
                    connection.execute(f"CREATE ROLE {name} LOGIN PASSWORD '{PASSWORD}'")
                migration.grant(connection, migration.Member(team, name, level))
        return self.url(database)


@contextlib.contextmanager
def running(**settings: str) -> Iterator[Server]:
    """A server in a folder of its own, both gone in the end. Raises Fault where PostgreSQL is not installed."""
    if not binaries():
        raise Fault("PostgreSQL is not installed", "initdb", "apt-get install postgresql")
    folder = Path(tempfile.mkdtemp(prefix="holdfast-pg-"))
    try:
        server = Server(folder)
        server.start(**settings)
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
