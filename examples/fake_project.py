"""A made-up repository in memory, and the tools with which an agent works on it.

A hundred modules call `send(message, "urgent")`; each call is to become `dispatch(message, lane=N)`, where the lane
depends on the folder and stands in docs/rollout.md alone. `check.py` of that repository says what is wrong and what is
left, as a project's own checks do.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

AREAS = ("orders", "stock", "prices", "refunds", "parcels", "returns", "vouchers", "suppliers", "invoices", "audits")
PARTS = ("add", "cancel", "hold", "release", "list", "merge", "split", "export", "verify", "archive")
LANES = {area: 11 + 7 * number for number, area in enumerate(AREAS)}
OLD = re.compile(r'send\((\w+), "urgent"\)')


def module(area: str, part: str) -> str:
    """The text of one module, about 3,000 characters."""
    steps = "\n\n".join(
        f"def {part}_{area}_{step}(row: dict[str, int], limit: int = {step * 10 + len(part)}) -> int:\n"
        f'    """Step {step} of `{part}` for {area}."""\n'
        f'    count = row.get("{area}_{step}", 0)\n'
        f"    return min(count + {step}, limit)"
        for step in range(1, 13)
    )
    call = f'def tell_{area}_{part}(message: str) -> None:\n    """Tell the desk."""\n    send(message, "urgent")'
    return f'"""{part.title()} {area}."""\n\nfrom shop.api import send\n\n\n{steps}\n\n\n{call}\n'


class Project:
    """The files, and one method for each tool. A tool's fault is its text, as an agent would see it."""

    def __init__(self) -> None:
        lanes = "\n".join(f"- shop/{area}: lane {lane}" for area, lane in LANES.items())
        notes = "\n".join(f"{number}. Why lanes: queue {number} starved the ones behind it." for number in range(1, 40))
        self.files = {f"shop/{area}/{part}.py": module(area, part) for area in AREAS for part in PARTS}
        self.files["docs/rollout.md"] = f"# Rollout of dispatch()\n\n{lanes}\n\n## Notes\n\n{notes}\n"
        self.tools: Mapping[str, Callable[..., str]] = {
            "read_file": self.read,
            "edit_file": self.edit,
            "grep": self.grep,
            "bash": self.bash,
            "TodoWrite": lambda todos: f"{len(todos)} to-dos noted",
        }

    def run(self, tool: str, inputs: Mapping[str, Any]) -> str:
        """What the tool answers."""
        return self.tools[tool](**inputs)

    def read(self, path: str) -> str:
        """A file with line numbers."""
        lines = self.files.get(path, "").splitlines()
        return "\n".join(f"{number:>4}  {line}" for number, line in enumerate(lines, 1)) or f"{path}: no such file"

    def edit(self, path: str, old_str: str, new_str: str) -> str:
        """Replace a text that stands once in the file."""
        if self.files.get(path, "").count(old_str) != 1:
            return f"Error: the text does not stand once in {path}"
        self.files[path] = self.files[path].replace(old_str, new_str)
        return f"{path} has been edited"

    def grep(self, pattern: str, path: str) -> str:
        """Lines that hold a text, with their places."""
        found = (
            f"{name}:{number}: {line.strip()}"
            for name in self.left(path)
            for number, line in enumerate(self.files[name].splitlines(), 1)
            if pattern in line
        )
        return "\n".join(found) or "no match"

    def left(self, path: str) -> list[str]:
        """Modules below a folder that still hold the old call."""
        return [name for name in sorted(self.files) if name.startswith(path) and OLD.search(self.files[name])]

    def wrong(self, path: str) -> list[str]:
        """Modules below a folder that were changed to another lane than the one of their folder."""
        lanes = {name: f"lane={LANES[name.split('/')[1]]})" for name in self.files if name.startswith("shop/")}
        return [
            name
            for name, lane in lanes.items()
            if name.startswith(path) and not OLD.search(self.files[name]) and lane not in self.files[name]
        ]

    def bash(self, command: str) -> str:
        """`python check.py PATH`: a line for each check, then what is wrong and what is left."""
        path = command.rsplit(maxsplit=1)[-1]
        count = 24 if path.endswith(".py") else 240
        lines = [f"check {number:03d} of {path}: {number * 7 % 90} ms ok" for number in range(1, count + 1)]
        folder = path.rpartition("/")[0] if path.endswith(".py") else path
        left, wrong = self.left(folder), self.wrong(path)
        lines += [f"ERROR {name}: this folder has another lane, see docs/rollout.md" for name in wrong]
        following = f"; next: {left[0]}" if left else ""
        return "\n".join([*lines, f"{len(wrong)} failed; {len(left)} left in {folder}{following}"])


def _schema(name: str, about: str, *texts: str) -> dict[str, Any]:
    fields = {text: {"type": "string"} for text in texts}
    return {
        "name": name,
        "description": about,
        "input_schema": {"type": "object", "properties": fields, "required": list(texts)},
    }


TODO = {"content": {"type": "string"}, "status": {"type": "string", "enum": ["pending", "in_progress", "completed"]}}
TODOS = {"todos": {"type": "array", "items": {"type": "object", "properties": TODO, "required": list(TODO)}}}
TOOLS: list[dict[str, Any]] = [
    _schema("read_file", "A file of the repository, with line numbers", "path"),
    _schema("edit_file", "Replace a text that stands once in a file", "path", "old_str", "new_str"),
    _schema("grep", "Lines below a folder that hold a text", "pattern", "path"),
    _schema("bash", "Only: python check.py PATH, for a module or a folder", "command"),
    {
        **_schema("TodoWrite", "The whole plan with the state of each step"),
        "input_schema": {"type": "object", "properties": TODOS, "required": ["todos"]},
    },
]
