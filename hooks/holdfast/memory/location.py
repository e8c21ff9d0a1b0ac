"""Where the memory of a project is, and where the notes on its sessions stand. Nothing is made here.

All worktrees of a repository have the ones of its main checkout. A state folder that HOLDFAST_DIR names may be shared
by projects: there each has its own.
"""

import os

from holdfast.checkpoint import git
from holdfast.hot.fingerprint import fingerprint
from holdfast.hot.paths import MEMORY, MEMORY_LOG, PROJECTS, project_folder, state_folder

CACHE, WEIGHTS = ".cache", "recall.bin"


def folder_of(cwd: str = "") -> str:
    """The folder of the memory of this process's project."""
    state, name = _places(cwd)
    return f"{state}/{MEMORY}/{name}" if name else f"{state}/{MEMORY}"


def words_of(cwd: str = "") -> str:
    """The words by which a prompt calls up a memory (hot/prompt_match.py), once they are compiled."""
    return f"{folder_of(cwd)}/{CACHE}/{WEIGHTS}"


def notes_of(cwd: str = "") -> str:
    """The folder with what is noted of the project's sessions, whichever checkout they are at work in."""
    state, name = _places(cwd)
    return f"{state}/{PROJECTS}/{name}" if name else state


def log_of(folder: str) -> str:
    """The log of what maintenance does to the memory in this folder."""
    above, name = os.path.split(folder)
    state = f"{os.path.dirname(above)}/{PROJECTS}/{name}" if os.path.basename(above) == MEMORY else above
    return f"{state}/{MEMORY_LOG}"


def _places(cwd: str) -> tuple[str, str]:
    """(state folder, name of the project in it; "" where it is the project's own)"""
    project = git.main_checkout(project_folder(cwd))
    own, state = f"{project}/.claude/holdfast", state_folder(cwd)
    if state in (own, f"{project_folder(cwd)}/.claude/holdfast"):
        return own, ""
    return state, f"{os.path.basename(project) or 'root'}-{fingerprint(project.encode())}"
