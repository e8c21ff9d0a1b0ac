import json
import os
from pathlib import Path

import pytest

from holdfast.config import load
from tests.cli.conftest import Says

COMMAND = ("config",)


@pytest.fixture
def own() -> Path:
    """The user's file."""
    path = Path(os.environ["HOME"], ".claude", "holdfast", "config.json")
    path.parent.mkdir(parents=True)
    return path


@pytest.mark.parametrize("action", ["show", "check", "show --json", "check --json"])
def test_a_wrong_value_is_named(action: str, says: Says, state: Path) -> None:
    state.mkdir(parents=True)
    (state / "config.json").write_text('{"handoff": {"limit": 5}}')
    out = says(*action.split(), code=1)
    if "--json" in action:
        assert len(json.loads(out)["problems"]) == 1
    told = "5 is not allowed for handoff.limit, only a whole number from 100 to 4000; 500 is used instead"
    assert f"{state}/config.json: {told}" in out


def test_what_was_changed_stands_beside_its_default(says: Says, own: Path) -> None:
    own.write_text('{"handoff.limit": 400}')
    out = says("show")
    assert (out.count("default: "), "400" in out, "default: 500" in out) == (1, True, True)


def test_schema(says: Says) -> None:
    assert json.loads(says("schema")) == load.SCHEMA


def test_a_setting_is_changed_explained_and_taken_out(says: Says, own: Path, state: Path, tmp_path: Path) -> None:
    """In the user's file, link and all, or the project's, which keeps what else stands there; each source is named. A
    file of ours goes with its last setting.
    """
    theirs = state / "config.json"
    (tmp_path / "dotfile").write_text('{"$schema": "x", "handoff.limit": 300, "handoff": {"blocks": 1}}')
    own.symlink_to(tmp_path / "dotfile")
    assert says("get", "handoff.limit") == "300\n"
    assert says("set", "handoff.limit", "400") == f"handoff.limit is 400; written: {own}\n"
    assert json.loads(own.read_text()) == {"$schema": "x", "handoff": {"blocks": 1, "limit": 400}}
    assert own.is_symlink()
    for new in (" (a new folder: none was in this project)", ""):
        told = says("set", "handoff.limit", "350", "--project")
        assert told == f"handoff.limit is 350; written: {theirs}{new}\n"
    rows = [line.split() for line in says("why", "handoff.limit").splitlines()]
    assert rows[0] == ["350", "in", "force", str(theirs)]
    assert rows[1:] == [["400", "overridden", str(own)], ["500", "overridden", "default"]]
    assert f"is 350 (so says {theirs})" in says("set", "handoff.limit", "450")
    assert "is 450" in says("unset", "handoff.limit", "--project")
    assert not theirs.parent.exists()
    assert "is 500" in says("unset", "handoff.limit")
    assert json.loads(own.read_text()) == {"$schema": "x", "handoff": {"blocks": 1}}
    for typed in ("50,100", "[50, 100]"):
        assert "suggest.steps is [50, 100]" in says("set", "suggest.steps", typed)
    assert 'hooks.off is ["Stop"]' in says("set", "hooks.off", "Stop, ")
    assert "handoff.agents is []" in says("set", "handoff.agents", "")
    assert "digest.on is false" in says("set", "digest.on", "off")
    assert "memory.mode is off" in says("set", "memory.mode", "off")


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("set handoff.limit 5", " not allowed for handoff.limit, only a whole number from 100 to 4000. Nothing was"),
        ("set handof.limit 400", '"handof.limit" is not a setting (did you mean handoff.limit, window.limit?)'),
        ("set nothing 1", "bin/holdfast config show` has all. Nothing was changed"),
        ("unset handoff.limi", "is not a setting"),
        ("why nothing", "is not a setting"),
        ("set hooks.off Stop --project", "a project may not say so. Your own settings may"),
        ("set memory.ask {", "is not allowed for memory.ask, only true"),
    ],
)
def test_what_is_not_allowed_is_not_written(command: str, told: str, says: Says, own: Path, state: Path) -> None:
    """It is refused with what is allowed; so is a file that cannot be read."""
    assert told in says(*command.split(), code=1)
    assert not (state / "config.json").exists()
    assert not own.exists()
    own.write_text("{torn")
    assert "Mend it by hand" in says("set", "handoff.limit", "400", code=1)
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
def test_of_an_address_no_password_is_printed(url: str, says: Says) -> None:
    """In whatever form libpq takes one, also one that reads like a word; what else it says is told."""
    for command in (["set", "store.url", url], ["get", "store.url"], ["why", "store.url"], ["show"]):
        for as_json in ([], ["--json"]):
            said = says(*command, *as_json)
            assert ("dog" in said, "db.example" in said, "alice" in said) == (False, True, True)


@pytest.mark.parametrize(
    "url",
    [
        *("postgresql://alice:dog@h/db", "postgresql://h/db?user=alice&password=dog", "postgresql://alice:my@dog@h/db"),
        *("postgresql://alice:do?dog@h/db", "postgresql://alice:dog", "postgresql://h:1/db?password=my@dog", "dog"),
        *("host=h password=dog user=alice", "host=h password='my user=dog' user=alice", ["postgresql://a:dog@h/db"]),
    ],
    ids=str,
)
def test_of_an_address_in_a_projects_file_no_password_is_told(url: object, says: Says, state: Path) -> None:
    """Where it is refused, and by whatever says that it counts for nothing."""
    refused = says("set", "store.url", json.dumps(url), "--project", code=1)
    state.mkdir(parents=True)
    (state / "config.json").write_text(json.dumps({"store.url": url}))
    said = [says(*command.split(), code=1) for command in ("check", "show", "show --json")]
    assert [one for one in said if "store.url" not in one] == []
    assert "dog" not in "".join([refused, *said, says("why", "store.url")])
