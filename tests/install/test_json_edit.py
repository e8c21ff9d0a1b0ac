import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.install import json_edit

SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)
STYLES = st.sampled_from([None, 1, 2, 4, "\t"])


@given(value=st.dictionaries(st.text(max_size=5), VALUES, max_size=5), style=STYLES, crlf=st.booleans())
def test_append_then_remove_gives_the_same_text(value: dict[str, Any], style: Any, crlf: bool) -> None:
    """What was appended as a member is cut out again without a trace, in any layout."""
    text = json.dumps(value, indent=style)
    text = text.replace("\n", "\r\n") if crlf else text
    added = json_edit.append(text, 0, {"x": [1, {"y": 2}]}, "new key")
    assert json.loads(added) == {**value, "new key": {"x": [1, {"y": 2}]}}
    last = len(json_edit.container(added, 0).items) - 1
    assert json_edit.remove(added, 0, last) == text


@given(items=st.lists(VALUES, min_size=1, max_size=5), style=STYLES, data=st.data())
def test_remove_takes_out_one_element_and_leaves_valid_json(items: list[Any], style: Any, data: Any) -> None:
    """Cutting any element leaves the others as they were."""
    place = data.draw(st.integers(0, len(items) - 1))
    left = json_edit.remove(json.dumps(items, indent=style), 0, place)
    assert json.loads(left) == items[:place] + items[place + 1 :]


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        pytest.param('{"a": 1,}', 1, 8, id="trailing-comma"),
        pytest.param('{\n  "a": 1\n  "b": 2\n}', 3, 3, id="missing-comma"),
        pytest.param("{", 1, 2, id="torn"),
        pytest.param('{"a": 1} x', 1, 10, id="text-after"),
        pytest.param("// note\n{}", 1, 1, id="comment"),
        pytest.param('{"a": NaN}', 1, 1, id="nan"),
        pytest.param("[" * 100_000, 1, 1, id="endless-nesting"),
    ],
)
def test_parse_says_where_it_is_wrong(text: str, line: int, column: int) -> None:
    """What is not JSON raises an error with line and column."""
    with pytest.raises(json_edit.JsonTextError) as caught:
        json_edit.parse(text)
    assert (caught.value.line, caught.value.column) in {
        (line, column),
        (line, column - 1),
        (line, column + 1),
    }


def test_the_last_of_doubled_keys_counts() -> None:
    """As in every JSON reader."""
    text = '{"a": 1, "a": {"b": 2}}'
    assert json_edit.locate(text, "a", "b") == text.index("2")


def test_locate_gives_none_where_a_key_is_missing_or_no_object() -> None:
    """A path through a list or a missing key leads nowhere."""
    assert json_edit.locate('{"a": []}', "a", "b") is None
    assert json_edit.locate('{"a": {}}', "a", "b") is None


@pytest.mark.parametrize(
    ("text", "unit"),
    [('{\n\t"a": 1\n}', "\t"), ('{\n    "a": 1\n}', "    "), ('{"a": 1}', "  "), ("{}", "  ")],
    ids=["tab", "four", "one-line", "empty"],
)
def test_unit_is_read_off_the_first_member(text: str, unit: str) -> None:
    """The file's own step of indentation is used."""
    assert json_edit.unit(text) == unit


def test_untouched_parts_stay_byte_for_byte() -> None:
    """Long numbers, escapes and odd spacing survive an edit beside them."""
    odd = '{ "n" : 1.000000000000000000001 ,\n   "e":"\\u00e9\\/",  "h": [ ]\n}'
    added = json_edit.append(odd, 0, 1, "new")
    assert added.startswith(odd[: odd.rindex("\n")])
