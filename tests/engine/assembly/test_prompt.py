import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.engine.assembly import prompt
from holdfast.engine.assembly.prompt import SECTIONS
from holdfast.errors import BadInput
from holdfast.text.tokens import estimate

LONG = "a line of some words\n" * 3_000


def test_the_parts_stand_in_one_order_whatever_order_they_come_in() -> None:
    """Empty ones are left out."""
    found = prompt.build({"resources": "see §3", "role": "You test.", "task": " "})
    assert found.text == "## Role\nYou test.\n\n## Resources\nsee §3"
    assert found.notes == ()


@pytest.mark.parametrize("name", [name for name, section in SECTIONS.items() if not section.whole])
def test_a_part_over_its_cap_loses_lines_and_it_is_told(name: str) -> None:
    """Only that part."""
    found = prompt.build({name: LONG, "critical": "never delete"})
    assert found.sizes[name] <= SECTIONS[name].cap
    assert found.sizes[name] > 0.9 * SECTIONS[name].cap
    assert "never delete" in found.text
    assert found.notes[0].startswith(f"{name}: cut from")


def test_what_is_critical_is_never_cut() -> None:
    """It is told as being over, and so is the whole."""
    found = prompt.build({"critical": LONG})
    assert LONG.strip() in found.text
    assert [note.split(":")[0] for note in found.notes[:1]] == ["critical"]
    assert "10,000 at most" in found.notes[-1]


@given(st.text(max_size=300), st.integers(1, 60))
def test_a_head_has_at_most_its_tokens(text: str, tokens: int) -> None:
    """And is a beginning, of one long line too."""
    assert estimate(prompt.head("word " * 500 + text, tokens)) <= tokens
    assert prompt.head("word " * 500, 50).startswith("word word")


def test_a_part_that_there_is_not_is_named() -> None:
    """With those that there are."""
    with pytest.raises(BadInput, match="Parts are role, summary"):
        prompt.build({"mood": "good"})
