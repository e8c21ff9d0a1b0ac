import json
from pathlib import Path

import pytest

from holdfast.config import load


def test_project_over_home_over_option(tmp_path: Path) -> None:
    """Each layer replaces only what it names."""
    home, state = tmp_path / "home", tmp_path / "state"
    for folder, data in (
        (home / ".claude" / "holdfast", {"handoff.limit": 400, "suggest.gap": 5}),
        (state, {"handoff": {"limit": 300}}),
    ):
        folder.mkdir(parents=True)
        (folder / "config.json").write_text(json.dumps({"$schema": "x", **data}))
    environment = {
        "HOME": str(home),
        "CLAUDE_PLUGIN_OPTION_SUGGEST_GAP": "7",
        "CLAUDE_PLUGIN_OPTION_SUGGEST_EVERY": "25",
    }
    values, problems = load.load(str(state), environment)
    assert [values[key] for key in ("handoff.limit", "suggest.gap", "suggest.every")] == [300, 5, 25]
    assert problems == []


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"{", "not valid JSON"),
        (b"[1]", "holds a JSON list, not an object"),
        (b'"x"', "holds a JSON str"),
        (b"\xff", "not valid JSON"),
        (b'{"x": 1}', "x is not a setting"),
    ],
    ids=["torn", "list", "text", "bytes", "key"],
)
def test_a_wrong_file_is_named(tmp_path: Path, data: bytes, words: str) -> None:
    """One problem that names the file; the defaults are used."""
    (tmp_path / "config.json").write_bytes(data)
    values, problems = load.load(str(tmp_path), {})
    assert len(problems) == 1
    assert problems[0].startswith(f"{tmp_path}/config.json: ")
    assert words in problems[0]
    assert values["handoff.limit"] == 500


def test_no_files_no_problems(tmp_path: Path) -> None:
    """Nothing configured, or an empty file, is the default."""
    assert load.load(str(tmp_path), {"HOME": str(tmp_path)})[1] == []
    (tmp_path / "config.json").write_text(" \n")
    assert load.load(str(tmp_path), {})[1] == []


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("HANDOFF_LIMIT", "400", {"handoff.limit": 400}),
        ("HANDOFF_DECISION", "false", {"handoff.decision": False}),
        ("PRESSURE_PRESET", "capacity", {"pressure.preset": "capacity"}),
        ("DIGEST_TOOLS", '["Bash"]', {"digest.tools": ["Bash"]}),
        ("HANDOFF_LIMIT", "", {}),
        ("SOMETHING", "1", {}),
    ],
)
def test_plugin_options(name: str, text: str, expected: dict[str, object]) -> None:
    """Read as JSON where it is JSON, else as text."""
    assert load.plugin_options({f"CLAUDE_PLUGIN_OPTION_{name}": text}) == expected
