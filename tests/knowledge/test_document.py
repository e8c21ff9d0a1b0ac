import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.knowledge.document import CLOSE, NOTHING, OPEN, Document, DocumentPart, own_text, parts, write
from holdfast.text.tokens import measure

HOSTILE = ("# §9.9 x", "## Status", OPEN, CLOSE, "a\n# b\n## c", "<!-- yours -->\nstolen", "", "x\x1b[2J")
WORDS = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=60))
Rows = list[tuple[list[str], int]]
PARTS = st.lists(st.tuples(st.lists(WORDS, max_size=8), st.integers(0, 3)), min_size=1, max_size=4)


def made(rows: Rows, limit: int) -> Document:
    told = (DocumentPart(f"Part {at}", tuple(lines), "see §3.1", beyond) for at, (lines, beyond) in enumerate(rows))
    return Document("§2.1", "Any", limit, tuple(told))


@given(PARTS, st.integers(150, 400))
def test_limits_and_headings_hold(rows: Rows, limit: int) -> None:
    """Whatever lines say: within the tokens, every part once, and nothing of ours taken for what people wrote."""
    text = write(made(rows, limit))
    assert measure(text, limit) <= limit
    assert list(parts(text)) == ["", *(f"Part {number}" for number in range(len(rows)))]
    assert own_text(text) == ""
    for number, (lines, beyond) in enumerate(rows):
        body = parts(text)[f"Part {number}"]
        left = re.search(r"^…and (\d+) more, see §3\.1$", body, re.MULTILINE)
        kept = sum(1 for line in body.split("\n") if line and not line.startswith(("  ", "…"))) - (body == NOTHING)
        assert (int(left[1]) if left else 0) >= beyond
        assert kept <= len(lines)


@given(st.text(), PARTS)
def test_what_people_wrote_survives(own: str, rows: Rows) -> None:
    """A build after a build, with other lines: byte for byte, blank lines at its edges apart."""
    first = write(made(rows, 10_000), own.strip("\n"))
    second = write(made(rows[:1], 10_000), own_text(first))
    assert own_text(second) == own_text(first) == own.strip("\n")


WITHIN = f"one\n{CLOSE}\ntwo\n{OPEN}\nmine"
EDITED: dict[str, tuple[Callable[[str], str], str]] = {  # what is done to a document with "mine" in it; what is theirs
    "marks within": (lambda text: text.replace("mine", WITHIN), WITHIN),
    "below": (lambda text: f"{text}\nbelow\n", "mine\n\nbelow"),
    "no first mark": (lambda text: text.replace(f"{OPEN}\nmine\n", "") + "below\n", "below"),
    "no closing mark": (lambda text: text.replace(f"{CLOSE}\n", ""), "mine"),
    "other line ends": (lambda text: text.replace("\n", "\r\n"), "mine\r"),
}  # fmt: skip


@pytest.mark.parametrize("name", list(EDITED))
def test_an_edited_frame_loses_nothing(name: str) -> None:
    edit, theirs = EDITED[name]
    own = own_text(edit(write(made([([], 0)], 500), "mine")))
    assert own == theirs
    assert own_text(write(made([([], 0)], 500), own)) == own


def test_lines_are_taken_in_rounds_and_the_others_are_counted() -> None:
    """The first of each part before the second of any, in the order of the part, with where the rest is."""
    lines = [f"- line {number} {'word ' * 12}" for number in range(20)]
    found = parts(write(made([(lines, 5), (lines[:2], 0)], 250)))
    body, other = found["Part 0"].split("\n"), found["Part 1"].split("\n")
    kept = [int(line.split()[2]) for line in body[:-1]]
    assert kept == list(range(len(kept)))
    assert 2 < len(kept) < 20
    assert len(other) == 2
    assert body[-1] == f"…and {25 - len(kept)} more, see §3.1"
