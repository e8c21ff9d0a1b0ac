"""Which words of a prompt tell, and that the table never says no to a word that it holds."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.hot import prompt_match


def test_words_are_compared_in_one_form() -> None:
    """Plurals and longer forms meet; names and codes stay whole; short words do not count."""
    assert prompt_match.words(b"Why do the Payments of BUG-12 fail?") == {b"payment", b"bug-12", b"fail"}
    assert prompt_match.words(b"configuration") == prompt_match.words(b"configure")
    assert prompt_match.words(b"xy " * prompt_match.LONGEST + b"payment") == set()  # what is pasted behind is not asked
    assert prompt_match.words(b"long-term refunds in verify_token") == {b"long", b"term", b"refund", b"verify_token"}


@given(st.lists(st.text(min_size=1, max_size=12), max_size=30), st.text(max_size=60))
def test_a_word_of_the_table_is_found(held: list[str], other: str) -> None:
    """Whatever else stands in the prompt; an empty table tells nothing of anything."""
    known = prompt_match.words(" ".join(held).encode())
    places = prompt_match.weights(dict.fromkeys(known, 2))
    assert prompt_match.weight(places, " ".join([*held, other]).encode()) >= 2 * len(known)
    assert prompt_match.weight(b"", other.encode()) == 0


@given(st.text(alphabet="aAbs1_- .é\n", max_size=80))
def test_the_words_of_a_text_are_those_of_its_tokens(text: str) -> None:
    data = text.encode()
    assert prompt_match.words(data) == {
        word for token in prompt_match.tokens(data) for word in prompt_match.words(token)
    }
