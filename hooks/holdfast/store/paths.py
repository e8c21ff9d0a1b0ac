"""Where things are on disk: `<project>/.claude/holdfast/` and, per session, `sessions/<id>/`.

Only names are built here; nothing is created or read, except that the environment says which project.
"""

from holdfast.store.files import os, safe_name, variable


def project_folder(cwd: str = "") -> str:
    """The project that this process works for: CLAUDE_PROJECT_DIR, else `cwd`, else the current folder."""
    return variable("CLAUDE_PROJECT_DIR") or cwd or os.getcwd()


def state_folder(cwd: str = "") -> str:
    """Holdfast's folder in the project; HOLDFAST_DIR moves it elsewhere."""
    return variable("HOLDFAST_DIR") or f"{project_folder(cwd)}/.claude/holdfast"


def session_folder(state: str, session_id: str) -> str:
    """Folder of one session. The id comes from stdin, so it is made a safe name first."""
    return f"{state}/sessions/{safe_name(session_id)}"


# Inside a session's folder. The names are a format: other versions of the pack read them.
CALLS = "calls.log"
GATE = "gate.json"
GATE_VERSION = 1
STATE = "state.json"
COMPACTING = "compacting.json"
LAST = "last.json"
SUMMARY = "summary.txt"
PACKET = "packet.txt"
VERIFIED = "verified.json"
WINDOW = "window.json"
ORCHESTRATOR = "orchestrator.json"
SUBAGENT = "subagent_start.txt"
CHECKPOINTS = "checkpoints"
HANDOFFS = "handoffs"
ARCHIVE = "archive"
SAVED = "saved.log"
RETURNS = "returns.log"
LAUNCHES = "launches.log"
SEEN = "seen"
CLAIMS = "claims"
SESSION_FOLDERS = (CHECKPOINTS, HANDOFFS, ARCHIVE, SEEN, CLAIMS)

# Inside the state folder.
CONFIG = "config.json"
PROGRESS = "progress.md"
COMPACTIONS = "logs/compactions.jsonl"
FAULTS = "logs/faults.log"
REMOVED = "logs/removed.log"
MEMORY = "memory"
PROJECTS = "projects"
MEMORY_LOG = "logs/memory.log"
