"""The client's own command, `claude -p`, as a model: the user's login serves, no key is needed.

The child is on its own: no hooks (HOLDFAST_OFF, and the client's safe mode, which also leaves out instructions,
skills, plugins and MCP servers), no tools, no session on disk, an empty folder to stand in. It works inside a session
of the client as well.
"""

import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping

from holdfast.errors import Fault
from holdfast.hot.jsonc import loads_object
from holdfast.hot.programs import program


class ClaudeCommand:
    """`claude -p`, with the user's own model or the one named."""

    def __init__(self, model: str, environment: Mapping[str, str], seconds: float) -> None:
        """model: "" is the user's own; seconds: how long one answer may take. Raises Fault without the command."""
        self.name = f"claude:{model}" if model else "claude"
        self._model, self._seconds, self._environment = model, seconds, dict(environment)
        self._command = program("claude", environment.get("PATH", ""))
        if not self._command:
            raise Fault("the command claude is not on the PATH", self.name, "Install it, or name a model of the API")

    def ask(self, prompt: str, max_tokens: int) -> str:
        """As ask.Model. Raises Fault."""
        with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
            code, out, err = self._run(prompt, max_tokens, folder)
        said = loads_object(out)
        if not said or not isinstance(said.get("result"), str):
            told = " ".join((err or out).decode("utf-8", "replace").split())[:300] or "nothing was printed"
            raise Fault(f"no answer, exit code {code} ({told})", self.name, "Try `claude -p hello`")
        text = str(said["result"]).strip()
        if code or said.get("is_error") or said.get("subtype") != "success":
            raise Fault(f"the command reports an error ({text[:300] or said.get('subtype')})", self.name)
        if said.get("stop_reason") == "max_tokens":
            raise Fault(f"the answer was cut at {max_tokens} tokens", self.name)
        if not text:
            raise Fault("the answer is empty", self.name)
        return text

    def _run(self, prompt: str, max_tokens: int, folder: str) -> tuple[int, bytes, bytes]:
        """(exit code, stdout, stderr) of one call. Raises Fault when it cannot start or takes too long."""
        options = ["-p", "--output-format", "json", "--max-turns", "1", "--no-session-persistence"]
        role = "You answer exactly in the form that is asked for. You have no tools and need none."
        options += ["--system-prompt", role, "--tools", "", *(["--model", self._model] if self._model else [])]
        of_the_session = (
            *("CLAUDECODE", "CLAUDE_CODE_SESSION_", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_ENTRYPOINT"),
            *("CLAUDE_CODE_SSE_PORT", "CLAUDE_PROJECT_DIR", "CLAUDE_PID", "CLAUDE_EFFORT", "CLAUDE_ENV_FILE"),
            *("CLAUDE_PLUGIN_", "HOLDFAST_"),
        )  # beginnings of variables that belong to the session around us
        kept = {name: value for name, value in self._environment.items() if not name.startswith(of_the_session)}
        off = {"HOLDFAST_OFF": "1", "CLAUDE_CODE_SAFE_MODE": "1", "MAX_THINKING_TOKENS": "0"}
        try:
            child = subprocess.Popen(
                [self._command, *options],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                env={**kept, **off, "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(max_tokens)},
                start_new_session=True,
            )
        except OSError as error:
            raise Fault(f"the command cannot be started ({error})", self.name) from None
        try:
            out, err = child.communicate(prompt.encode("utf-8", "replace"), timeout=self._seconds)
        except BaseException as error:
            _end(child)
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            raise Fault(f"no answer within {self._seconds:g} seconds", self.name, "Raise judge.seconds") from None
        return child.returncode, out, err


def _end(child: "subprocess.Popen[bytes]") -> None:
    """Nothing of the child stays behind, also not what it has started."""
    with contextlib.suppress(OSError):  # all of it has ended by itself
        os.killpg(child.pid, signal.SIGKILL)
    with child:  # waits for it, and closes the pipes
        pass
