import json
from pathlib import Path

import pytest

from holdfast.cli import main as cli
from holdfast.config import load


@pytest.mark.parametrize("action", ["show", "check"])
@pytest.mark.parametrize("as_json", [[], ["--json"]], ids=["table", "json"])
def test_a_wrong_value_is_named(
    action: str, as_json: list[str], state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """File, key, what is allowed, what is used; exit 1."""
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
    """JSON that an editor can use."""
    assert cli.main(["config", "schema"]) == 0
    assert json.loads(capsys.readouterr().out) == load.SCHEMA
