"""Where the agents of a project have what they share, and the client what it notes of each."""

from typing import Any

from holdfast.checkpoint import git
from holdfast.hot.files import read_bytes, safe_name
from holdfast.hot.jsonc import loads_object
from holdfast.memory.location import notes_of
from holdfast.session.context import Session

FILE = "team.sqlite"


def folder_of(cwd: str = "") -> str:
    """Where the agents of a project, in any of its worktrees, have what they share; it is not made."""
    place = f"{notes_of(cwd)}/team"
    return git.own_folder(place) or place


def folder_for(session: Session) -> str:
    """What the hot road looks into; "" where coordination is off."""
    return "" if session.config["coordination.mode"] == "off" else folder_of(session.project)


def meta_of(transcript: str, agent: str) -> dict[str, Any]:
    """What the client notes of a sub-agent beside its transcript; it is there from the agent's first call on."""
    path = f"{transcript.removesuffix('.jsonl')}/subagents/agent-{safe_name(agent)}.meta.json"
    return loads_object(read_bytes(path, 64_000)) if transcript else {}
