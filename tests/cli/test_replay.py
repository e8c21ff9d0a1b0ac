from pathlib import Path

import pytest

from holdfast.cli.main import main


@pytest.mark.parametrize(("name", "message"), [("gone", "no such file"), ("empty.jsonl", "holds no transcript rows")])
def test_bad_input_is_one_line(tmp_path: Path, name: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What, where, what to do; exit 1."""
    (tmp_path / "empty.jsonl").write_text("")
    assert main(["replay", str(tmp_path / name)]) == 1
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
