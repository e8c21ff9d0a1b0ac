"""Made-up checkpoints: what the tests of this room share."""

import os
import subprocess
from pathlib import Path
from typing import Any

from holdfast.checkpoint import model
from holdfast.checkpoint.page import PlaceNow
from holdfast.checkpoint.sections import ROWS
from holdfast.worklog import model as worklog

HERE = PlaceNow("5 min", "/c/0007.md", {"branch": "other", "commit": "a" * 40}, ())
PAST = 1_700_000_000
TITLES = {title for _, title, _, _ in ROWS}


def prompt(text: str, n: int = 1) -> Any:
    return {"n": n, "text": text, "source": "typed", "to": ""}


def state(**changes: Any) -> Any:
    return {**worklog.empty(), **changes}


def checkpoint(work: Any, agents: Any = None, **changes: Any) -> Any:
    """As it stands on disk."""
    head: dict[str, Any] = {
        "v": 5,
        "number": 7,
        "whole": True,
        "made": "",
        "time": 1.0,
        "stamp": "2027-01-15 10:00:00",
        "session": "s1",
        "reason": "commit",
        "note": None,
        "calls": 12,
        "tokens": 84_000,
        "limit": 167_000,
        "environment": {"directory": "/p", "branch": "main", "commit": "a" * 40, "dirty": ["src/b.py"]},
    }
    return {**head, **model.contents(work, agents or {}, "s1"), **changes}


def run_git(folder: Path, *arguments: str) -> str:
    """git, as nobody in particular; what it prints."""
    command = ["git", "-c", "user.name=dev", "-c", "user.email=dev@example.org", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def repository(folder: Path) -> None:
    """One with a commit of a.py and b.py, of long ago by their dates."""
    for name in ("a.py", "b.py"):
        (folder / name).write_text("1\n")
        os.utime(folder / name, (PAST, PAST))
    run_git(folder, "init", "-q", "-b", "main")
    run_git(folder, "add", "-A")
    run_git(folder, "commit", "-q", "-m", "one")
