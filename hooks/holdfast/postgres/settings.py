"""What the user's settings say of the team's server."""

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from holdfast.checkpoint import git
from holdfast.text.lines import one_line


class Place(NamedTuple):
    """Whose records these are on the server."""

    team: str
    project: str


class Settings(NamedTuple):
    """url: "" for no server; team: "" for the only one; project: its name there."""

    url: str
    team: str
    project: str
    folder: str
    """The main checkout."""


def settings(values: Mapping[str, Any], project: str) -> Settings:
    """As they are in force for the project in this folder."""
    folder = git.main_checkout(project)
    name = one_line(values["store.projects"].get(folder) or os.path.basename(folder), 200)
    return Settings(values["store.url"], values["store.team"], name or "root", folder)
