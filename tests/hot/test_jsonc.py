import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.hot import jsonc

HOOKS = Path(__file__).resolve().parents[2] / "hooks"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(JSON, st.text(st.characters(codec=None), max_size=30), st.binary(max_size=200))
def test_what_is_written_is_read_again(value: Any, text: str, damaged: bytes) -> None:
    """As the json package would write it; half an emoji, as of a client that cuts by UTF-16 units, fits in no file."""
    value = {"value": value, text: text}
    written = jsonc.dumps(value)
    assert written == json.dumps(value)
    said = text.encode("utf-8", "replace").decode()
    value = {"value": value["value"], said: said}
    assert jsonc.loads(written) == jsonc.loads(written.encode()) == jsonc.loads_object(written, as_is=True) == value
    assert isinstance(jsonc.loads_object(damaged), dict)


def test_tolerated_oddities() -> None:
    assert jsonc.loads('\ufeff {"a": 1}'.encode()) == {"a": 1}
    assert jsonc.loads(b'{"a": "\xff"}') == {"a": "\ufffd"}
    assert jsonc.loads('{"a": "x\ny"}') == {"a": "x\ny"}
    assert jsonc.loads("[NaN, -Infinity]")[1] == float("-inf")


NONE = ("", " \n\t", "{", '{"a": ', '"open', "nul", "[1,2", '{"a" 1}', '{"a": 1,}', "}", "\0", "9" * 5_000 + "x[")


@pytest.mark.parametrize("way", ["[%s]", '{"a": %s}'])
def test_what_is_nested_too_deeply_is_no_json(way: str) -> None:
    """Whoever walks through a value in Python may call itself only so often."""
    text = "[{}]"  # two levels; as many signs beside each other are none
    for _ in range(jsonc.DEEPEST - 2):
        text = way % text
    assert jsonc.loads(text)
    assert jsonc.loads(f"[{', '.join(['[]'] * jsonc.DEEPEST * 2)}]")
    with pytest.raises(ValueError, match="deep"):
        jsonc.loads(way % way % text)


@pytest.mark.parametrize("half", ["", "sys.modules['_json'] = None; "], ids=["the C half", "the package"])
def test_what_is_no_json_is_a_value_error(half: str) -> None:
    """And {} from loads_object: as in a hook, where nothing has imported json; and where its C half is missing."""
    code = (
        f"import sys; {half}from holdfast.hot import jsonc\n"
        f"assert ('json' in sys.modules) is {bool(half)}\n"
        f"for text in ({NONE!r} + ('[' * 100_000, '{{\"a\":' * 100_000)):\n"
        " assert jsonc.loads_object(text) == {} == jsonc.loads_object(text.encode())\n"
        " try: jsonc.loads(text)\n"
        " except ValueError: continue\n"
        " print(text[:9])\n"
        "print(jsonc.dumps({'a': jsonc.loads('[1, \"é\"]')}))\n"
    )
    command = [sys.executable, *(() if half else ("-S",)), "-c", code]
    done = subprocess.run(command, env={"PYTHONPATH": str(HOOKS)}, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ('{"a": [1, "\\u00e9"]}\n', "")


@pytest.mark.parametrize(
    "number", ["NaN", "-Infinity", "1e300", "-1e999", "9" * 400, "9" * 5_000, "1e12", "-99999999999"]
)
def test_a_number_that_nothing_has_is_none(number: str) -> None:
    """Neither a date nor a size: who reckons with what a file says meets none of these."""
    read = jsonc.loads_object(f'{{"n": {number}, "deep": [{{"n": {number}}}], "kept": [7, -1.5, 1795392000]}}')
    assert read["kept"] == [7, -1.5, 1795392000]
    assert read["n"] == 0
    assert read["deep"] == [{"n": 0}]


@pytest.mark.parametrize("text", ['{"a": NaN}', '{"a": 1} 2', '{"a": "\n"}', "", "\ufeff{}x", '{"a": "\ud83d'])
def test_what_another_reader_refuses_is_refused_where_it_matters(text: str) -> None:
    """Settings that the client does not take are none."""
    with pytest.raises(ValueError, match=r"JSON|text after|decode|control"):
        jsonc.loads_strict(text.encode("utf-8", "surrogatepass"))
