"""What `holdfast doctor --json` and `holdfast install --json` print."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, NonNegativeInt, RootModel


class _Report(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class Finding(_Report):
    """One thing that was looked at; `todo` says how to mend it when it is not fine."""

    name: str
    ok: bool
    what: str
    todo: str


class Doctor(_Report):
    """`holdfast doctor --json`: `ok` when every finding is."""

    ok: bool
    findings: list[Finding]


class Installed(_Report):
    """What was put into a project; paths are absolute, `files` are below `.claude`, `lines` are those of Python."""

    done: Literal["installed"]
    project: str
    pack: str
    lines: NonNegativeInt
    settings: str
    hooks: list[str]
    status_line: bool
    python: str
    site_packages: str
    missing_packages: list[str]
    files: list[str]
    notes: list[str]
    faults: list[str] = []
    """What hooks said when `scripts/try DIR` fired each of them once."""


class Uninstalled(_Report):
    """What was taken out; `kept` names what was recorded and stays."""

    done: Literal["uninstalled"]
    project: str
    settings: Literal["restored", "cleaned", "removed", "untouched"]
    kept: list[str]
    notes: list[str]


class Failed(_Report):
    """Nothing was done."""

    done: Literal["failed"]
    error: str


class Install(RootModel[Installed | Uninstalled | Failed]):
    """`holdfast install --json`."""
