import json

import pytest

from holdfast.cli.output import emit_json, emit_table


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    """One object, readable, in UTF-8."""
    emit_json({"a": "é", "b": [1]})
    out = capsys.readouterr().out
    assert json.loads(out) == {"a": "é", "b": [1]}
    assert "é" in out


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], ""),
        ([("a", "b")], "a  b\n"),
        ([("long", "x"), ("s", "y")], "long  x\ns     y\n"),
        ([("a", ""), ("b", "c", "d")], "a\nb  c  d\n"),
    ],
    ids=["none", "one", "aligned", "ragged"],
)
def test_table(rows: list[tuple[str, ...]], expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Columns are aligned, the last is left as it is."""
    emit_table(rows)
    assert capsys.readouterr().out == expected
