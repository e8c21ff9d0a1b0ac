import re

from hypothesis import given
from hypothesis import strategies as st

from holdfast.text import prompts

WORDS = st.sampled_from(["alpha", "beta", "gamma", "delta", "the", "parser", "config", "reads", "twice", "`run_all`"])
SENTENCE = st.lists(WORDS, min_size=1, max_size=30).map(lambda words: " ".join(words).capitalize() + ".")
PROMPT = st.lists(SENTENCE, min_size=1, max_size=25).flatmap(
    lambda parts: st.sampled_from([" ", "\n", "\n- "]).map(lambda joint: joint.join(parts))
)
ANY = st.text(max_size=900) | PROMPT


@given(ANY, st.integers(1, 1_200), st.floats(0, 1))
def test_never_longer_than_asked(prompt: str, chars: int, enough: float) -> None:
    """Whatever the prompt is made of; and never longer than the prompt."""
    short = prompts.shorten(prompt, chars, enough)
    assert len(short) <= chars
    assert len(short) <= max(len(" ".join(prompt.split())), 1)


@given(PROMPT, st.integers(100, 1_200))
def test_the_prompts_own_words_in_their_order(prompt: str, chars: int) -> None:
    """What stays is cut from the prompt, piece by piece, in its order."""
    flat, at = " ".join(prompt.split()).replace("- ", ""), 0
    for piece in re.split(r" ?… ?", prompts.shorten(prompt, chars).replace("- ", "")):
        found = flat.find(piece, at)
        assert found >= 0, piece
        at = found + len(piece)


@given(PROMPT, st.integers(200, 1_200))
def test_the_first_sentence_stays(prompt: str, chars: int) -> None:
    """It says what is wanted."""
    first = " ".join(prompt.split())[:60].split(".")[0]
    assert prompts.shorten(prompt, chars).startswith(first.rsplit(" ", 1)[0])


def test_what_brings_most_new_words_stays() -> None:
    """A sentence that repeats the others goes first; the gap shows."""
    goal = "Rewrite the session store so that every record carries an expiry date and a checksum."
    again = "So every record of the session store carries an expiry date."
    more = "Migrate existing deployments through a nightly background job."
    text = prompts.shorten(f"{goal} {again} {more}", 200, 0.9)
    assert text == f"{goal} … {more}"


def test_a_short_prompt_stays_whole() -> None:
    """On one line."""
    assert prompts.shorten("Fix  the\nlogin. Twice. Twice.", 100) == "Fix the login. Twice. Twice."
    assert prompts.telling("a\n b") == "a\n b"
    assert prompts.shorten("", 10) == ""


@given(ANY)
def test_brief_is_no_longer_than_shortened(prompt: str) -> None:
    """Cut at the end only, and most of the words are still there."""
    flat = " ".join(prompt.split())
    short, brief = prompts.shorten(prompt, len(flat)), prompts.brief(prompt)
    assert short.startswith(brief.removesuffix("…"))
    assert len(brief) <= len(short) + 1


@given(st.integers(1, 80), st.integers(1, 400))
def test_a_very_long_prompt_is_kept_short(sentences: int, words: int) -> None:
    """What is stored of it is bounded."""
    prompt = " ".join(f"Number{n} " + "word " * words + "end." for n in range(sentences))
    assert len(prompts.telling(prompt)) <= max(prompts.KEPT_CHARS, 0)
