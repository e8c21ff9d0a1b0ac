"""A background agent's return, a `<task-notification>` prompt; and the hook that delivers the outline of a dropped one.

That hook runs beside the UserPromptSubmit hook with `asyncRewake`: exit 2 wakes the model with what stands on stderr.
The launcher puts there what the hook signs with its name on stdout: of a fault's words nothing is heard.
Where nobody is at the screen the client would run it synchronously and take exit 2 for a block, so there it does
nothing. Lean imports: it runs on every prompt.
"""

import os

from holdfast import TYPE_CHECKING
from holdfast.hot import presence
from holdfast.hot.files import read_bytes, read_fd, safe_name
from holdfast.hot.jsonc import loads_object
from holdfast.hot.paths import InSession

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NoReturn

MARK, CLOSING = "<task-notification>", "</task-notification>"
DROPPED = "dropped-"
"""Claim, with an agent's id: its notification was dropped, so that the client has no record of its return."""


def tag(prompt: str, name: str) -> str:
    """The text between <name> and the last </name>, since a result may hold one too; "" without both."""
    start, end = prompt.find(f"<{name}>"), prompt.rfind(f"</{name}>")
    return prompt[start + len(name) + 2 : end] if 0 <= start < end else ""


def agent_of(prompt: str) -> str:
    """The id of the agent whose result this notification brings; "" when it is no such notification."""
    if not prompt.lstrip().startswith(MARK) or "<result>" not in prompt:
        return ""
    return tag(prompt[: prompt.find("<result>")], "task-id")


def notes(prompt: str) -> "list[str]":
    """The notifications of a prompt that begins with one; whole ones that a report quotes stay in it.

    Each begins with its id, or with a hook's summary: a report's line that says the mark alone begins none.
    """
    if prompt.count(MARK) < 2 or not prompt.lstrip().startswith(MARK):
        return [prompt]
    found, depth, lines = list[str](), 0, prompt.split("\n")
    for line, behind in zip(lines, [*lines[1:], ""], strict=True):
        opens = line.strip() == MARK and behind.lstrip().startswith(("<task-id>", "<summary>"))
        closes = line.strip() == CLOSING
        found += [""] if opens and not depth else []
        depth += opens
        if depth:
            found[-1] += f"{line}\n"
        depth -= closes and depth > 0
    return found or [prompt]


def is_alone(prompt: str) -> bool:
    """Whether the prompt is one notification and nothing else: only then may it be dropped for its report's sake."""
    return prompt.count(MARK) == 1 and prompt.rstrip().endswith(CLOSING)


def attended(environment: "Mapping[str, str]") -> "bool | None":
    """Whether somebody sits at the screen (client 2.1.329: 1 there, 0 under -p); None when the client does not tell."""
    return {"1": True, "0": False}.get(environment.get("CLAUDE_CODE_SESSION_ATTENDED", ""))


def main() -> "NoReturn":
    """Exit 2 with the outline on stdout, signed, or 0: on stderr the system's own words may stand."""
    code = 0
    try:
        if text := _outline(read_fd(0)):
            os.write(1, b"handoff_wake: " + text)
            code = 2
    except BaseException:  # noqa: BLE001 - an error boundary: a hook never disturbs a session
        from holdfast.session.faults import log_current_fault

        log_current_fault("UserPromptSubmit")
    os._exit(code)


def _outline(raw: bytes) -> bytes:
    if b"<task-notification>" not in raw or not attended(os.environ):
        return b""
    fields = loads_object(raw)
    if presence.silent(fields):
        return b""
    prompt = str(fields.get("prompt") or "")
    agent = agent_of(prompt)
    if not agent or not is_alone(prompt):
        return b""
    session = presence.session_of(fields)
    if "UserPromptSubmit" in loads_object(read_bytes(f"{session}/{InSession.THRESHOLDS}")).get("off", ()):
        return b""  # nothing was dropped, so there is nothing to deliver
    return read_bytes(f"{session}/{InSession.HANDOFFS}/{safe_name(agent)}.outline.md")
