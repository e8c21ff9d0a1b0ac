"""`install.json` in the state folder: what an installation put into a project, so that exactly that is taken out again.

It is believed only where it bears the mark of this machine: a clone may bring one that names anything.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from holdfast.hot import provenance
from holdfast.hot.files import read_text, write_atomic
from holdfast.hot.jsonc import loads_object

NAME = "install.json"
SETTINGS = ("settings.local.json", "settings.json")
"""For one user; for all who have the project."""


@dataclass
class Record:
    """Without a `mark` none was written here, and nothing is known."""

    mark: str = ""
    version: int = 3
    """2 is that of 0.1.0, which put a copy of the pack and an environment beside it."""
    settings: str = "settings.json"
    """The file that has the entries; settings.local.json for one user."""
    before: str | None = None
    """The settings before; None when there was no such file."""
    left: str = ""
    """Digest of the settings as they were left."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Agents and skills: path under .claude -> digest."""
    made_folder: bool = False
    """Whether .claude itself was made."""


def load(home: Path) -> Record:
    """What this machine has written there."""
    path = str(home / NAME)
    data = loads_object(read_text(path)) if provenance.is_plain(path) else {}
    if data.get("version") not in (2, 3) or data.get("settings", "settings.json") not in SETTINGS:
        return Record()
    if not provenance.bears(str(home), data.get("mark")):
        return Record()
    return Record(**{name: data[name] for name in asdict(Record()) if name in data})


def save(home: Path, record: Record) -> None:
    """Writes it with this machine's mark; nothing where it stands there already."""
    record.mark, record.version = provenance.marked(str(home)), Record.version
    content, path = json.dumps(asdict(record), indent=1) + "\n", str(home / NAME)
    if read_text(path) != content:
        write_atomic(path, content)
