"""What hooks read of the models: each `schema.py` names its files in COMPILED, and here they are written.

A hook cannot import pydantic, so it reads the model's JSON schema from a file beside the model. How a room takes part
is told in config/schema.py. `python -m holdfast.config.compile` renews all files; a command renews those that are older
than their module.
"""

import contextlib
import importlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.hot.files import read_text, write_atomic

if TYPE_CHECKING:
    from pydantic import BaseModel  # costs a command that compiles nothing 100 ms

LIBRARY = Path(__file__).resolve().parents[1]


def models() -> "Iterator[tuple[Path, type[BaseModel]]]":
    """(file, model) of every room that compiles one."""
    for source in sorted(LIBRARY.glob("*/schema.py")):
        module = importlib.import_module(f"{LIBRARY.name}.{source.parent.name}.schema")
        for name, model in getattr(module, "COMPILED", {}).items():
            yield source.with_name(name), model


def text_of(model: "type[BaseModel]") -> str:
    """What the model's file holds: its JSON schema (2020-12), references resolved, generated titles left out."""
    made = model.model_json_schema(mode="validation")
    inner = _resolved({key: part for key, part in made.items() if key != "$defs"}, made.get("$defs", {}))
    title = {"title": made["title"]} if "title" in model.model_config else {}
    return _lines({"$schema": "https://json-schema.org/draft/2020-12/schema", **title, **inner}, 4) + "\n"


def _resolved(part: Any, definitions: dict[str, Any], names: bool = False) -> Any:
    """names: the keys of `part` are names that people chose, so that none of them is a title."""
    if isinstance(part, list):
        return [_resolved(one, definitions) for one in part]
    if not isinstance(part, dict):
        return part
    if not names and "$ref" in part:
        aside = {key: value for key, value in part.items() if key != "$ref"}
        return _resolved({**definitions[part["$ref"].rpartition("/")[2]], **aside}, definitions)
    kept = {key: one for key, one in part.items() if names or key != "title"}
    return {key: _resolved(one, definitions, key == "properties" and not names) for key, one in kept.items()}


def _lines(value: Any, depth: int) -> str:
    """JSON with a line for each key of the outer levels: a field of a model, or of a group of it, is one line."""
    if not depth or not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return "{\n" + ",\n".join(f"{json.dumps(key)}: {_lines(one, depth - 1)}" for key, one in value.items()) + "\n}"


def renew() -> list[Path]:
    """Write the files that differ from their models; gives those. Raises OSError."""
    made = [(path, text_of(model)) for path, model in models()]
    changed = [(path, text) for path, text in made if read_text(str(path), follow=True) != text]
    for path, text in changed:
        write_atomic(str(path), text, 0o644)
    return [path for path, _ in changed]


def renew_older() -> None:
    """Renew where a file is older than its room's model; quiet where nobody may write or pydantic is missing."""
    with contextlib.suppress(ImportError, OSError):
        sources = [(source, source.stat().st_mtime) for source in LIBRARY.glob("*/schema.py")]
        old = [made for source, date in sources for made in source.parent.glob("*.json") if made.stat().st_mtime < date]
        if old and all(os.access(path, os.W_OK) and os.access(path.parent, os.W_OK) for path in old):
            renew()
            for path in old:  # one that does not differ is as new as its model from now on
                os.utime(path)


if __name__ == "__main__":
    renew()
