import json
import os
from pathlib import Path

import pytest

from holdfast.cli import main as cli
from holdfast.config import load


@pytest.mark.parametrize("action", ["show", "check"])
@pytest.mark.parametrize("as_json", [[], ["--json"]], ids=["table", "json"])
def test_a_wrong_value_is_named(
    action: str, as_json: list[str], state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state.mkdir(parents=True)
    (state / "config.json").write_text('{"handoff": {"limit": 5}}')
    assert cli.main(["config", action, *as_json]) == 1
    out = capsys.readouterr().out
    if as_json:
        assert len(json.loads(out)["problems"]) == 1
    assert (
        f"{state}/config.json: handoff.limit is 5; allowed: a whole number from 100 to 4000; 500 is used instead" in out
    )


def test_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["config", "schema"]) == 0
    assert json.loads(capsys.readouterr().out) == load.SCHEMA


def test_a_setting_is_changed_explained_and_taken_out(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the user's file, link and all, or the project's, which keeps what else stands there; each source is named. A
    file of ours goes with its last setting.
    """
    monkeypatch.setenv("HOME", str(tmp_path))
    own, theirs = tmp_path / ".claude" / "holdfast" / "config.json", state / "config.json"
    own.parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "dotfile").write_text('{"$schema": "x", "handoff.limit": 300, "handoff": {"blocks": 1}}')
    own.symlink_to(tmp_path / "dotfile")

    def said(*command: str) -> str:
        assert cli.main(["config", *command]) == 0
        return capsys.readouterr().out

    assert said("get", "handoff.limit") == "300\n"
    assert said("set", "handoff.limit", "400") == f"handoff.limit is 400; written: {own}\n"
    assert json.loads(own.read_text()) == {"$schema": "x", "handoff": {"blocks": 1, "limit": 400}}
    assert own.is_symlink()
    for new in (" (a new folder: none was in this project)", ""):
        told = said("set", "handoff.limit", "350", "--project")
        assert told == f"handoff.limit is 350; written: {theirs}{new}\n"
    rows = [line.split() for line in said("why", "handoff.limit").splitlines()]
    assert rows == [
        ["350", "in", "force", str(theirs)],
        ["400", "overridden", str(own)],
        ["500", "overridden", "default"],
    ]
    assert f"is 350 (so says {theirs})" in said("set", "handoff.limit", "450")
    assert "is 450" in said("unset", "handoff.limit", "--project")
    assert not theirs.parent.exists()
    assert "is 500" in said("unset", "handoff.limit")
    assert json.loads(own.read_text()) == {"$schema": "x", "handoff": {"blocks": 1}}
    for typed in ("50,100", "[50, 100]"):
        assert "suggest.steps is [50, 100]" in said("set", "suggest.steps", typed)
    assert 'hooks.off is ["Stop"]' in said("set", "hooks.off", "Stop")


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("set handoff.limit 5", "allowed: a whole number from 100 to 4000. Nothing was changed"),
        ("set handof.limit 400", '"handof.limit" is not a setting (did you mean handoff.limit, window.limit?)'),
        ("set nothing 1", '"nothing" is not a setting. `holdfast config show` has all. Nothing was changed'),
        ("unset handoff.limi", "is not a setting"),
        ("why nothing", "is not a setting"),
        ("set hooks.off Stop --project", "a project may not say so. Your own settings may"),
        ("set memory.ask {", "memory.ask is"),
    ],
)
def test_what_is_not_allowed_is_not_written(
    command: str, told: str, state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is refused with what is allowed; so is a file that cannot be read."""
    assert cli.main(["config", *command.split()]) == 1
    assert told in capsys.readouterr().err
    assert not (state / "config.json").exists()
    own = Path(os.environ["HOME"], ".claude", "holdfast", "config.json")
    assert not own.exists()
    own.parent.mkdir(parents=True)
    own.write_text("{torn")
    assert cli.main(["config", "set", "handoff.limit", "400"]) == 1
    assert "Mend it by hand" in capsys.readouterr().err
    assert own.read_text() == "{torn"


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://alice:my%20dog@db.example/team",
        "postgresql://alice:my@dog@db.example/team",
        "postgresql://db.example/team?user=alice&pass%77ord=dog&port=1",
        "host=db.example user=alice password = dog",
        "host=db.example user=alice password='my dog'",
    ],
)
def test_of_an_address_no_password_is_printed(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In whatever form libpq takes one, also one that reads like a word; what else it says is told."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for command in (["set", "store.url", url], ["get", "store.url"], ["why", "store.url"], ["show"]):
        for as_json in ([], ["--json"]):
            assert cli.main(["config", *command, *as_json]) == 0
            said = capsys.readouterr().out
            assert ("dog" in said, "db.example" in said, "alice" in said) == (False, True, True)
