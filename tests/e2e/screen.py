"""The client's interactive screen, in a terminal of its own (tmux)."""

import json
import re
import shlex
import shutil
import subprocess
import time
import uuid
from collections.abc import Callable
from typing import Self

from client import KEY, Sandbox, missing
from loopback import Loopback

COLUMNS, ROWS = 200, 120  # no line of ours is wrapped, and a story is on the screen as a whole
PATIENCE = 60.0  # seconds for one thing to appear


class Screen:
    """A session of the client that somebody sits in front of; a context manager."""

    def __init__(self, sandbox: Sandbox, api: Loopback, *options: str) -> None:
        self.sandbox, self.api, self._options = sandbox, api, options
        self._name = f"holdfast-{uuid.uuid4().hex[:8]}"  # a tmux server of our own, ended by its name

    def _tmux(self, *arguments: str) -> str:
        command = ["tmux", "-L", self._name, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    def __enter__(self) -> Self:
        if shutil.which("tmux") is None:
            missing("no tmux: install it to see the interactive screen")
        self._answer_first_questions()
        environment = self.sandbox.environment(self.api.url)
        settings = " ".join(f"{key}={shlex.quote(value)}" for key, value in environment.items())
        command = f"exec env -i {settings} {shlex.join(self.sandbox.command(*self._options))}"
        size = ("-x", str(COLUMNS), "-y", str(ROWS), "-c", str(self.sandbox.project))
        self._tmux("-f", "/dev/null", "new-session", "-d", "-s", "screen", *size, command)
        self.wait_for("bypass permissions on")
        return self

    def __exit__(self, *_: object) -> None:
        self._tmux("kill-server")

    def _answer_first_questions(self) -> None:
        """What a person answers once: theme, key, trust."""
        trusted = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
        answers = {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "bypassPermissionsModeAccepted": True,
            "customApiKeyResponses": {"approved": [KEY], "rejected": []},
            "projects": {str(self.sandbox.project): trusted},
        }
        (self.sandbox.home / ".claude.json").write_text(json.dumps(answers))

    def text(self, *options: str) -> str:
        """All that stands on the screen and above it; with "-e" its colours, too."""
        return self._tmux("capture-pane", "-t", "screen", "-p", "-S", "-500", *options)

    def type(self, line: str) -> None:
        """Type a line and send it."""
        self._tmux("send-keys", "-t", "screen", "-l", line)
        self.wait_for(line[:60])
        time.sleep(0.2)  # the client takes a fast Enter for part of a paste
        self._tmux("send-keys", "-t", "screen", "Enter")

    def wait_for(self, what: str | Callable[[], object]) -> str:
        """Wait until a text is on the screen, or something holds; the screen then. Raises TimeoutError."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            text = self.text()
            if (what in re.sub(r"\s+", " ", text)) if isinstance(what, str) else what():
                return text
            time.sleep(0.1)
        raise TimeoutError(f"{what!r} did not come; the screen:\n{self.text()}")
