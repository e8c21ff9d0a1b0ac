"""What the client sent to hooks, as it was recorded, but for the names of people and folders; long ones are packed."""

import json
import lzma
from pathlib import Path
from typing import Any

FILES = {path.name.partition(".json")[0]: path for path in sorted((Path(__file__).parent / "payloads").glob("*.json*"))}
"""By name, as "PostToolUse.Bash"."""


def recorded(name: str) -> dict[str, Any]:
    """The payload of this name."""
    held = FILES[name].read_bytes()
    data = json.loads(lzma.decompress(held) if FILES[name].suffix == ".xz" else held)
    assert isinstance(data, dict)
    return data
