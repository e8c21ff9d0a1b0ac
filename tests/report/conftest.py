"""A ledger to read from, and the real browser."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from holdfast.ledger import hooks as ledger

Known = Callable[..., None]


@pytest.fixture
def known() -> Known:
    """Puts a session into the ledger: its figures by day."""

    def put(session: str, days: Mapping[str, Mapping[str, int]], project: str = "/p/shop", used: float = 0.0) -> None:
        folder = Path(ledger.folder())
        folder.mkdir(parents=True, exist_ok=True)
        entry = {"v": 1, "session": session, "project": project, "state": f"{project}/.claude/holdfast"}
        more = {"started": used, "used": used, "seen": {key: 1 for day in days.values() for key in day}, "days": days}
        (folder / f"{session}.json").write_text(json.dumps({**entry, **more}))

    return put


class Browser:
    """Headless Chromium, told what to do over two pipes; what it asks for and complains of is noted."""

    def __init__(self, program: str, profile: Path) -> None:
        (there, self.writes), (self.reads, back) = os.pipe(), os.pipe()
        flags = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe")

        def pipes() -> None:  # the client's protocol has them at 3 and 4
            low = [os.dup2(os.dup(one), 100 + one) for one in (there, back)]
            os.dup2(low[0], 3)
            os.dup2(low[1], 4)

        self.process = subprocess.Popen(
            [program, *flags, f"--user-data-dir={profile}"],
            preexec_fn=pipes,  # noqa: PLW1509 - no thread runs here
            close_fds=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for one in (there, back):
            os.close(one)
        self.sent, self.held, self.session = 0, b"", ""
        self.events: list[dict[str, Any]] = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **params: Any) -> Any:
        """What the browser answers."""
        self.sent += 1
        message = {"id": self.sent, "method": method, "params": params}
        where = {"sessionId": self.session} if self.session else {}
        os.write(self.writes, json.dumps({**message, **where}).encode() + b"\0")
        while (told := self._next()).get("id") != self.sent:
            self.events.append(told)
        assert "error" not in told, told
        return told["result"]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self.held:
            part = os.read(self.reads, 1 << 16)
            assert part, "the browser has gone"
            self.held += part
        whole, _, self.held = self.held.partition(b"\0")
        told = json.loads(whole)
        assert isinstance(told, dict)
        return told

    def open(self, path: Path, width: int, scheme: str) -> None:
        """Show the file at this width, in light or dark."""
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
        self.events.clear()
        self.ask("Page.navigate", url=path.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._next())

    def value(self, expression: str) -> Any:
        """What a line of JavaScript gives."""
        done = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def of(self, *methods: str) -> list[dict[str, Any]]:
        """What has been told under these names since the file was opened."""
        return [event["params"] for event in self.events if event.get("method") in methods]

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.wait()
        os.close(self.writes)
        os.close(self.reads)


@pytest.fixture
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Skips where there is none."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if not program:
        pytest.skip("no browser is here: install Debian's package chromium")
    made = Browser(program, tmp_path_factory.mktemp("profile"))
    yield made
    made.close()
