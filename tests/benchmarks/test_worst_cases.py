"""No pattern and no scanner works more than in proportion to a foreign text, whatever stands in it.

Steps are counted, not timed: benchmarks/worst_cases.py makes the texts and counts. A text four times as long may take
six times the steps; where every start runs to the end, or a text can be divided in many ways, it is sixteen times.
"""

import base64
import re
import sys
import threading
from collections.abc import Callable

import pytest

from benchmarks import scanners, worst_cases
from holdfast.text import encoded, redaction, secret_table, secret_tables

SHORT, GROWTH = 120, 6
PATTERNS = [found for found in worst_cases.patterns() if not found.name.startswith("_data")]
"""Those of the sources. Of the tables of secrets each is bounded by lengths; scripts/bench_patterns.py times them."""
CELLS = [
    worst_cases.Found(f"text/secret_tables:_cell {sign!r}", secret_tables._cell(re.escape(sign)))
    for sign in secret_table.SIGNS
    if sign.strip(" ")
]
CERTIFICATES = ("AbC0" * 16 + "\n") * 20 + "-----END PUBLIC KEY-----\n"
EACH = 60
"""Steps of a row of those for a character of lines of base64; from each sign on to the last line they were 900."""


def slow(found: worst_cases.Found) -> list[str]:
    """The texts, by their beginnings, that a pattern is slow on."""
    slow_on = []
    for text, longer in zip(*(worst_cases.texts(found.pattern, size) for size in (SHORT, 4 * SHORT)), strict=True):
        most = min(GROWTH * max(worst_cases.steps(found, text), SHORT), worst_cases.MOST)
        slow_on += [text[:40]] if worst_cases.steps(found, longer, most) > most else []
    return slow_on


@pytest.fixture(scope="module")
def slow_on() -> Callable[[list[worst_cases.Found]], dict[str, list[str]]]:
    """Pattern -> texts it is slow on; in a thread of its own, for the counter goes as deep as a text is long."""

    def count(given: list[worst_cases.Found]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        before, size = sys.getrecursionlimit(), threading.stack_size(256 << 20)
        try:
            sys.setrecursionlimit(100_000)
            thread = threading.Thread(target=lambda: found.update({one.name: slow(one) for one in given}))
            thread.start()
            thread.join()
        finally:
            sys.setrecursionlimit(before)
            threading.stack_size(size)
        assert len(found) == len({one.name for one in given}), "the counter failed"
        return {name: texts for name, texts in found.items() if texts}

    return count


QUICK = (r"<[^<>]*>", r"(?<!\s)\s++,", r"\[([^\[\]]{0,40})\]", r"a(?=b)|(?<!a)b", r"(a)\1")
SLOW = (r"<[^>]*>", r"\s+,", r"(?:a+)+b", r'x"[^z]*"\Z', r"(?s)BEGIN.*?END", r"(?:a|a)*b", r"(?m)^\s*b")


@pytest.mark.parametrize(("patterns", "are_slow"), [(QUICK, False), (SLOW, True)], ids=["quick", "slow"])
def test_the_counter_knows_a_slow_pattern_from_a_quick_one(
    patterns: tuple[str, ...], are_slow: bool, slow_on: Callable[..., dict[str, list[str]]]
) -> None:
    """The measure itself, on patterns of which it is known."""
    found = slow_on([worst_cases.Found(one, re.compile(one)) for one in patterns])
    assert set(found) == (set(patterns) if are_slow else set())


def test_every_pattern_is_linear_on_its_worst_texts(slow_on: Callable[..., dict[str, list[str]]]) -> None:
    """Whatever leads to a repetition, and what is repeated, over and over, with an end that fits nothing."""
    assert len(PATTERNS) > 50
    assert slow_on([*PATTERNS, *CELLS]) == {}


def test_no_row_of_the_tables_reads_lines_of_base64_from_each_of_their_signs() -> None:
    rows = [one for one in worst_cases.patterns() if one.name.startswith("_data") and "shape" not in one.name]
    most = EACH * len(CERTIFICATES)
    assert {one.name for one in rows if worst_cases.steps(one, CERTIFICATES, most) > most} == set()


def test_a_string_that_steers_a_terminal_is_read_to_the_next_one_alone() -> None:
    """Behind ESC as JSON writes it no real one stood that ended it: 2,000 signs were read from each, 2 s a megabyte."""
    text = "\\u001b]" * 500
    found, most = worst_cases.Found("unseen", re.compile(redaction._UNSEEN)), EACH * len(text)
    assert worst_cases.steps(found, text, most) < most


@pytest.mark.parametrize("name", scanners.scanners())
def test_every_scanner_is_linear_on_the_worst_texts(name: str) -> None:
    """Lines of our code that are run over many openings, marks, quotes, fences, tags, one long line, no line end."""
    scan, grown = scanners.scanners()[name], {}
    scan(" ".join(scanners.UNITS) * 10)  # what is loaded or compiled once is no growth
    for unit in scanners.UNITS:
        lines = scanners.lines_run(scan, unit * (2_000 // len(unit)))
        if lines > GROWTH * 100 and lines > GROWTH * scanners.lines_run(scan, unit * (500 // len(unit))):
            grown[unit] = lines
    assert grown == {}


@pytest.mark.parametrize("lines", ["token 1\n", "token,a1\n", "id,token\n1,x\n"])
def test_a_line_that_may_be_a_header_costs_little(lines: str) -> None:
    """Lines of our code for each; where a header was made of every line with a name in it, they were up to 52."""
    run = scanners.scanners()["text/redaction:redacted"]
    run(lines * 200)  # what is loaded or compiled once
    assert scanners.lines_run(run, lines * 200) < 30 * 200 * lines.count("\n")


def test_no_word_costs_a_look_at_the_whole_text() -> None:
    """Of 15,000 different words that begin like encoded keys each had the text copied: a second a megabyte."""
    words = " ".join(base64.b64encode(f"ghp, {n:09} {'you see ' * 6}".encode()).decode() for n in range(300))

    class Text(str):
        __slots__ = ()

        def replace(self, *_: object) -> str:
            raise AssertionError

    assert encoded.marked(Text(words), lambda _: ["key"]).count("[redacted: ") == 300
