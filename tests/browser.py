"""The real browser, for tests of pages."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any


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

    def open(self, url: str, width: int, scheme: str) -> None:
        """Show the page at this width, in light or dark."""
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
        self.events.clear()
        self.ask("Page.navigate", url=url)
        self.wait()

    def wait(self) -> None:
        """Until a page has been loaded since the events were cleared."""
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._next())

    def press(self, selector: str, loads: bool = True) -> None:
        """Click on the first of these, as a person does; loads: and see the page that comes of it."""
        self.events.clear()
        self.ask("Runtime.evaluate", expression=f"document.querySelector({selector!r}).click()", userGesture=True)
        if loads:
            self.wait()

    def value(self, expression: str) -> Any:
        """What a line of JavaScript gives."""
        done = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def of(self, *methods: str) -> list[dict[str, Any]]:
        """What has been told under these names since the file was opened."""
        return [event["params"] for event in self.events if event.get("method") in methods]

    def looked_at(self, address: str, width: int, scheme: str) -> list[str]:
        """Opens a page, which has to fit, to be as dark as asked, to run nothing and to complain of nothing.

        The addresses that it asked for.
        """
        self.open(address, width, scheme)
        assert self.value("document.documentElement.scrollWidth") <= width
        assert self.value("document.scripts.length + document.images.length") == 0
        assert self.of("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown") == []
        paper = {"dark": "rgb(18, 22, 28)", "light": "rgb(255, 255, 255)"}[scheme]
        assert self.value("getComputedStyle(document.body).backgroundColor") == paper
        return [one["request"]["url"] for one in self.of("Network.requestWillBeSent")]

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.wait()
        os.close(self.writes)
        os.close(self.reads)
