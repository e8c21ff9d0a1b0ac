"""What an installation put into a project, so that exactly that is taken out again.

It lies in the user's home, `installed/` beside the pack, one file a project: it has the user's settings whole as they
were, so nothing of it may stand where git sees it, and nothing that a clone brings passes for one.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from holdfast.hot import provenance
from holdfast.hot.files import read_text, write_atomic
from holdfast.hot.fingerprint import fingerprint
from holdfast.hot.jsonc import loads_object
from holdfast.install import pack

FOLDER = "installed"
SETTINGS = ("settings.local.json", "settings.json")
"""For one user; for all who have the project."""


@dataclass
class InstallationRecord:
    """Of one that is known, `left` is never empty."""

    version: int = 4
    settings: str = "settings.json"
    """The file that has the entries; settings.local.json for one user."""
    before: str | None = None
    """The settings before; None when there was no such file."""
    left: str = ""
    """Digest of the settings as they were left; while they are written, beside that of what stands there."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Agents and skills: path under .claude -> digest."""
    made_folder: bool = False
    """Whether .claude itself was made."""


def place_of(home: Path) -> Path:
    """The file for a project, by its state folder `home`."""
    name = fingerprint(os.fsencode(os.path.realpath(home.parent.parent)))
    return pack.user_folder() / FOLDER / f"{name}.json"


def load(home: Path) -> InstallationRecord:
    """What is noted of the project with this state folder."""
    data = loads_object(read_text(str(place_of(home))))
    if data.get("version") != InstallationRecord.version or data.get("settings", "settings.json") not in SETTINGS:
        return InstallationRecord()
    return InstallationRecord(**{name: data[name] for name in asdict(InstallationRecord()) if name in data})


def save(home: Path, record: InstallationRecord) -> None:
    """Notes it; nothing where it stands there already."""
    content, path = json.dumps(asdict(record), indent=1) + "\n", place_of(home)
    if read_text(str(path)) != content:
        provenance.private_folder(str(path.parent))
        write_atomic(str(path), content)
