import json
from pathlib import Path
from typing import Any

import pytest

from tryout import stage


def test_matchers_follow_the_client() -> None:
    """Plain names are exact, everything else is a pattern, a broken one fits nothing."""
    assert all(
        stage.matches(matcher, "Bash") for matcher in (None, "", "*", "Bash", "Agent|Bash", "Agent, Bash", "B.*")
    )
    assert not any(stage.matches(*pair) for pair in (("Bash", "BashOutput"), ("^(", "x")))


def set_up(tmp_path: Path, **hooks: Any) -> stage.Stage:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text(json.dumps({"hooks": hooks}), encoding="utf-8")
    return stage.Stage(tmp_path, "s1", tmp_path / "t.jsonl")


def hook(command: str, **more: Any) -> dict[str, Any]:
    return {"hooks": [{"type": "command", "command": command}], **more}


def test_the_payload_is_the_clients(tmp_path: Path) -> None:
    """Common fields and the event's own, but none of the player's notes."""
    played = set_up(tmp_path, Stop=[hook("cat > got.json")])
    played.fire("Stop", {"stop_hook_active": False, "_note": 1})
    assert json.loads((tmp_path / "got.json").read_text(encoding="utf-8")) == {
        "session_id": "s1",
        "transcript_path": str(tmp_path / "t.jsonl"),
        "cwd": str(tmp_path),
        "hook_event_name": "Stop",
        "stop_hook_active": False,
    }


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        ("cat >/dev/null; exit 3", "ended with 3"),
        ("cat >/dev/null; echo oh >&2", "oh"),
        ("cat >/dev/null; echo '{broken'", "printed broken JSON"),
        ("exec sleep 5", "did not end"),
        ("cat >/dev/null; echo plain", ""),
        ("cat >/dev/null; echo '{\"a\": 1}'", ""),
    ],
    ids=["exit", "stderr", "broken", "hangs", "plain", "json"],
)
def test_what_a_user_would_see_as_an_error_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, fault: str
) -> None:
    monkeypatch.setattr(stage, "TIMEOUT_S", 0.5)
    told = set_up(tmp_path, Stop=[hook(command)]).fire("Stop", {})[0].fault
    assert fault in told
    assert bool(told) is bool(fault)
