"""What the client notes of its sessions, as 2.1.329 does, tells whether hooks of ours ran."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from holdfast.install import observed

Row = dict[str, Any]
ANSWER: Row = {"message": {"stop_reason": "end_turn"}}
END: Row = {"subtype": "turn_duration"}
THEIRS, OURS, PLUGINS = (
    {"subtype": "stop_hook_summary", "hookInfos": [{"command": command}]}
    for command in ("mine", '"$HOME/.claude/holdfast/pack/hooks/run" stop', "${CLAUDE_PLUGIN_ROOT}/hooks/run stop")
)
SINCE = 1_795_815_000.0  # 2026-11-27T21:30:00Z


def told(place: Path, *rows: Row, name: str = "a") -> float:
    """What is said of the project after a session with these rows in it."""
    row = {"timestamp": "2026-11-27T21:30:01.25Z", "entrypoint": "cli", "cwd": str(place)}
    folder = place / "projects" / re.sub("[^a-zA-Z0-9]", "-", str(place))
    (place / "sub").mkdir(exist_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps({**row, **one})}\n" for one in rows))
    return observed.ran_none(str(place), f"{place}/state", str(place), SINCE)


@pytest.mark.parametrize("rows", [(ANSWER, END), (ANSWER, THEIRS, END), (END, ANSWER, END, {})])
def test_a_session_that_ran_no_hook_of_ours_is_told(tmp_path: Path, rows: tuple[Row, ...]) -> None:
    """Until a newer one has run some: the state knows of it, or the client (test below)."""
    assert told(tmp_path, *rows) == SINCE + 1
    os.utime(next(tmp_path.rglob("a.jsonl")), (1, 1))
    (tmp_path / "state/sessions/b").mkdir(parents=True)
    assert told(tmp_path, *rows, name="b") == 0


NOT_TOLD: dict[str, tuple[Row, ...]] = {
    "ours, HOLDFAST_OFF too": (ANSWER, OURS, END),
    "a plugin's": (ANSWER, PLUGINS, END),
    "in an earlier turn": (ANSWER, THEIRS, OURS, END, ANSWER, THEIRS, END),
    "no turn": (),
    "stopped before its hooks": (ANSWER,),
    "a command or an error": (END,),
    "a sub-agent's": ({**ANSWER, "isSidechain": True}, END),
    **{name: ({**ANSWER, "entrypoint": name}, END) for name in ("sdk-cli", "sdk-py")},
    **{f"in {name}": ({**ANSWER, "cwd": name}, END) for name in ("sub", "/gone")},
    "begun before the settings": ({**ANSWER, "timestamp": "2026-11-27T21:30:00Z"}, END),
}


@pytest.mark.parametrize("case", NOT_TOLD)
def test_what_may_be_otherwise_is_not_told(tmp_path: Path, case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert told(tmp_path, *NOT_TOLD[case]) == 0
