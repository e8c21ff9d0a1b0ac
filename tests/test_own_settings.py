"""This repository works with its own pack: .claude/settings.json runs the hooks of the checkout."""

from __future__ import annotations

import json
from pathlib import Path

from holdfast.hot import wiring

ROOT = Path(__file__).resolve().parents[1]


def _own_command(name: str) -> str:
    return wiring.shell_command(name, "$CLAUDE_PROJECT_DIR/hooks/run")


def test_this_repository_runs_its_own_hooks() -> None:
    table = json.loads((ROOT / "hooks" / "hooks.json").read_text())["hooks"]
    wanted = {
        event: [
            {**group, "hooks": [
                {"type": "command", "command": _own_command(hook["args"][-1]),
                 **{key: value for key, value in hook.items() if key not in ("type", "command", "args")}}
                for hook in group["hooks"]
            ]}
            for group in groups
        ]
        for event, groups in table.items()
    }  # fmt: skip
    line = {"type": "command", "command": _own_command("status_line")}
    found = json.loads((ROOT / ".claude" / "settings.json").read_text())
    assert found == {"hooks": wanted, "statusLine": line}, json.dumps({"hooks": wanted, "statusLine": line}, indent=2)
