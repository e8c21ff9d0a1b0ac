import pytest

from holdfast.engine.shared import context
from holdfast.engine.shared.context import KINDS, LIST, PAIRS, TEXT, Context
from holdfast.errors import BadInput


def test_every_field_has_its_shape_and_its_default_is_of_it() -> None:
    """A field that is added must say what it holds."""
    assert set(KINDS) == set(Context._fields)
    assert all(isinstance(value, str) == (KINDS[name] == TEXT) for name, value in Context()._asdict().items())


def test_what_is_empty_is_not_written() -> None:
    """The order is that of the fields."""
    assert context.filled(Context(phase="b", goal="a", next=("c",))) == {"goal": "a", "phase": "b", "next": ("c",)}
    assert context.filled(Context()) == {}


@pytest.mark.parametrize(
    ("value", "shape"), [("", TEXT), ("x", TEXT), ((), "any"), (("x",), LIST), ((("a", "b"),), PAIRS)], ids=str
)
def test_a_value_tells_its_shape(value: context.Value, shape: str) -> None:
    """The empty tuple may be either list."""
    assert context.shape(value) == shape


def test_a_field_of_another_shape_is_refused() -> None:
    """The message names the field and both shapes."""
    with pytest.raises(BadInput, match="here: done is text, not list"):
        context.built({"done": "x"}, "here")
