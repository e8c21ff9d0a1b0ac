"""The wake-up hook: delivers the outline of a background agent's report that was dropped for its length.

Runs beside the UserPromptSubmit hook with `asyncRewake`: exit 2 wakes the model with what stands on stderr. Where
nobody is at the screen the client would run it synchronously and take exit 2 for a block, so there it does nothing.
Lean imports: it runs on every prompt.
"""

import os

from holdfast.handoff.notifications import agent_of, attended, is_alone
from holdfast.hot import paths
from holdfast.hot.files import read_bytes, read_fd, safe_name
from holdfast.hot.jsonc import loads_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> "NoReturn":
    """Exit 2 with the outline on stderr, or 0."""
    code = 0
    try:
        if text := _outline(read_fd(0)):
            os.write(2, text)
            code = 2
    except Exception:  # noqa: BLE001 - an error boundary: a hook never disturbs a session
        from holdfast.session.faults import log_current_fault

        log_current_fault("UserPromptSubmit")
    os._exit(code)


def _outline(raw: bytes) -> bytes:
    if os.environ.get("HOLDFAST_OFF") == "1" or b"<task-notification>" not in raw or not attended(os.environ):
        return b""
    fields = loads_object(raw)
    prompt = str(fields.get("prompt") or "")
    agent = agent_of(prompt)
    if not agent or not is_alone(prompt):
        return b""
    state = paths.state_folder(str(fields.get("cwd") or ""))
    session = paths.session_folder(state, str(fields.get("session_id") or ""))
    if "UserPromptSubmit" in loads_object(read_bytes(f"{session}/{paths.GATE}")).get("off", ()):
        return b""  # nothing was dropped, so there is nothing to deliver
    return read_bytes(f"{session}/{paths.HANDOFFS}/{safe_name(agent)}.outline.md")
