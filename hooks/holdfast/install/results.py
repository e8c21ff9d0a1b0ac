"""What `holdfast install --json` and `holdfast doctor --json` print.

Plain dataclasses, for both commands work before any package is there; pydantic checks what they print against them.
"""

from dataclasses import dataclass, field
from typing import Literal


@dataclass
class Diagnosis:
    """One thing that was looked at; `todo` says how to mend it when it is not fine. off: somebody switched it off;
    unchecked: it is not here, or has not been seen at work.
    """

    name: str
    ok: bool
    what: str
    todo: str = ""
    off: bool = False
    unchecked: bool = False


@dataclass
class Examined:
    """`ok` when every finding is."""

    ok: bool
    findings: list[Diagnosis]


@dataclass
class Installed:
    """What was put into a project; paths are absolute, `files` are below `.claude`, `lines` are those of Python."""

    project: str
    pack: str
    lines: int
    settings: str
    hooks: list[str]
    status_line: bool
    python: str
    site_packages: str
    missing_packages: list[str]
    files: list[str]
    notes: list[str]
    faults: list[str] = field(default_factory=list)
    """What hooks said when `scripts/try DIR` fired each of them once."""
    done: Literal["installed"] = "installed"


@dataclass
class Uninstalled:
    """What was taken out; `kept` names what was recorded and stays, `deleted` what was and is gone, with its files."""

    project: str
    settings: str
    kept: list[str]
    notes: list[str]
    deleted: list[str] = field(default_factory=list)
    done: Literal["uninstalled"] = "uninstalled"


@dataclass
class Failed:
    """Nothing was done."""

    error: str
    done: Literal["failed"] = "failed"
