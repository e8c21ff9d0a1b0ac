from typing import Any

import pytest

from holdfast.handoff import coerce


@pytest.mark.parametrize(
    ("value", "number", "complaints"),
    [
        (None, 0, 0),
        (12, 12, 0),
        ("15,000", 15000, 0),
        (True, 0, 1),
        (-3, 0, 1),
        (1.5, 0, 1),
        ("many", 0, 1),
        ([], 0, 1),
    ],
)
def test_whole_number(value: Any, number: int, complaints: int) -> None:
    """Numbers in words and with commas are read; the rest is 0 with a complaint."""
    problems: list[str] = []
    assert coerce.whole_number(value, problems) == number
    assert len(problems) == complaints


@pytest.mark.parametrize(
    ("value", "names", "complaints"),
    [
        pytest.param(None, (), 0, id="missing"),
        pytest.param(["a.py", None, "b.py"], ("a.py", "b.py"), 0, id="list"),
        pytest.param("- a.py\n- b.py", ("a.py", "b.py"), 1, id="text"),
        pytest.param([{"path": "a.py", "why": "old"}], ("a.py (old)",), 0, id="objects"),
        pytest.param(7, ("7",), 1, id="number"),
        pytest.param({"x": [1, 2]}, ("x: 1, 2",), 1, id="object"),
    ],
)
def test_names(value: Any, names: tuple[str, ...], complaints: int) -> None:
    """Whatever came instead of a list becomes one, and is complained of."""
    problems: list[str] = []
    assert coerce.names("errors", value, problems) == names
    assert len(problems) == complaints
