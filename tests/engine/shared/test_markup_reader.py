import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.engine.shared import markup_reader
from holdfast.errors import BadInput
from holdfast.text import markup
from holdfast.text.markup import Element

NAMES = st.sampled_from(["a", "b-c", "d_e", "F1"])
ATTRIBUTES = st.lists(st.tuples(NAMES, st.text(max_size=8)), max_size=2).map(tuple)
ELEMENTS = st.recursive(
    st.builds(lambda tag, text, own: Element(tag, (), text, own), NAMES, st.text(max_size=12), ATTRIBUTES),
    lambda inner: st.builds(
        lambda tag, children, own: Element(tag, tuple(children), "", own),
        NAMES,
        st.lists(inner, min_size=1),
        ATTRIBUTES,
    ),
    max_leaves=6,
)


@given(ELEMENTS)
def test_elements_come_back_as_they_were(element: Element) -> None:
    """Texts, attributes and order."""
    assert markup_reader.read(markup.write(element)) == element


def test_comments_and_blanks_between_elements_are_no_text() -> None:
    """As people write them."""
    text = "<!-- one -->\n<a>\n  <b>x</b> <!-- <c> -->\n  <b/>\n</a>\n"
    assert markup_reader.read(text) == Element("a", (Element("b", (), "x"), Element("b")))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<a>x<b></b></a>", "text beside its elements"),
        ("<a></a><b></b>", "not one whole element"),
        ("x<a></a>", "not one whole element"),
        ("<a>&</a>", "no entity"),
        ("<a>&#1114112;</a>", "no entity"),
        ("<a><![CDATA[x]]></a>", "no tag"),
        ("<a b='c'></a>", "no tag"),
    ],
)
def test_what_is_no_element_is_refused_with_its_place(text: str, told: str) -> None:
    """The reader guesses at nothing."""
    with pytest.raises(BadInput, match="character") as caught:
        markup_reader.read(text)
    assert told in str(caught.value)


def test_an_element_is_asked_for_its_children() -> None:
    """By their tag; a missing one is empty."""
    element = Element("a", (Element("b", (), "1"), Element("c"), Element("b", (), "2")))
    assert element.of("b") == "1"
    assert element.of("d") == ""
    assert [child.text for child in element.all("b")] == ["1", "2"]


def test_elements_are_counted_and_not_their_tags() -> None:
    """Up to the bound they are read."""
    inside = "<b>x</b>" * (20_000 - 1)
    assert len(markup_reader.read(f"<a>{inside}</a>").children) == 20_000 - 1
    with pytest.raises(BadInput, match="more than"):
        markup_reader.read(f"<a>{inside}<b></b></a>")
