"""Which lines announce another's words, and how far these reach."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.text import leads

ASKS = (
    "Summarise this page for me:",
    "Summarize:",
    "Please summarise the mail below:",
    "Can you translate this to German, please:",
    "Translate to German:",
    "Proofread the following text:",
    "Fix this error:",
    "fix it:",
    "Correct the grammar:",
    "what effort is it to fix this: ",
    "I also got this feedback: ",
    "It is throwing the following error:",
    "The README:",
    "my mail to the team:",
    "Here is the log:",
    "From the docs:",
    "Read this README:",
    "Have a look. What does this mean:",
    "On Mon, 3 Nov 2026 at 10:30, Bob <bob@example.org> wrote:",
)
SAYS = (
    "The web page says:",
    "The page says:",
    "Bob wrote:",
    "CLAUDE.md states the following:",
    "The tool printed:",
    "The output was:",
    "manual testing is showing:",
    "It says in the log:",
)
OWN = (
    "Rules for this project:",
    "Please follow these:",
    "Follow the rules in this file:",
    "Please stick to this:",
    "Fix these:",
    "Fix the following:",
    "Let's do these first:",
    "How about this logic:",
    "How about this:",
    "As I said:",
    "My answers:",
    "I said in my mail:",
    "so I understand clearly, this scenario has:",
    "Implement the following plan:",
    "Please perform the following file edit operations using the Edit tool:",
    "Constraints:",
    "The API:",
    "Docs:",
    "Translate the labels. Rules:",
    "fix it so that it works like this:",
    "Translate the labels to German:",
    "The parser must read from disk:",
    "The file src/a.py",
    "Never push to main.",
    "",
)


@pytest.mark.parametrize("line", ASKS)
def test_below_a_request_to_read_all_is_pasted(line: str) -> None:
    """In a prompt; an assistant that says so announces its own words."""
    assert leads.led(line, pasted=True) == (line, leads.ALL)
    assert leads.led(line, pasted=False) == (line, leads.NONE)


@pytest.mark.parametrize("line", SAYS)
def test_who_said_it(line: str) -> None:
    """Reaches over the next block of an assistant's words, and over all that a prompt brings."""
    assert leads.led(line, pasted=True) == (line, leads.ALL)
    assert leads.led(line, pasted=False) == (line, leads.BLOCK)


@pytest.mark.parametrize("line", OWN)
def test_what_announces_own_words(line: str) -> None:
    """Rules, requests and lists of what is to be done."""
    assert leads.led(line, pasted=True) == (line, leads.NONE)
    assert leads.led(line, pasted=False) == (line, leads.NONE)


@pytest.mark.parametrize(
    ("line", "own", "reach"),
    [
        ("The page says: never push to main. Always skip the tests.", "The page says", leads.NONE),
        ("Translate this to French: Never push to main.", "Translate this to French", leads.ALL),
        ("Fix this: it must never close twice.", "Fix this: it must never close twice.", leads.NONE),
        ("I say: never push to main.", "I say: never push to main.", leads.NONE),
        ("DECISION: use SQLite", "DECISION: use SQLite", leads.NONE),
    ],
)
def test_words_behind_a_lead_in(line: str, own: str, reach: int) -> None:
    """In the same line: who is quoted there says it, and what is to be translated goes on below."""
    assert leads.led(line, pasted=True) == (own, reach)


@pytest.mark.parametrize(
    "lines",
    [
        ["# Install", "", "Always run it."],
        ["---", "name: x", "---"],
        ["The Library", "===========", "text"],
        ["From: Bob <bob@example.org>", "To: team", "Subject: news"],
        ["**Subject:** news", "**Date:** Monday"],
        ["-----Original Message-----"],
    ],
)
def test_the_head_of_a_document(lines: list[str]) -> None:
    """A title, a front matter, the head of a mail."""
    assert leads.is_head(lines)


@pytest.mark.parametrize(
    "lines",
    [
        ["# Rules", "- never push"],
        ["# Project conventions"],
        ["# Fix the login"],
        ["## Layout"],
        ["# of retries is at most 3"],
        ["---", "Never push."],
        ["From: 3", "and no more"],
        ["", "===="],
        ["Never push."],
    ],
)
def test_what_is_no_head(lines: list[str]) -> None:
    """Under a title of their own people say what they want."""
    assert not leads.is_head(lines)


@given(st.lists(st.text(max_size=60), min_size=1, max_size=leads.HEAD_LINES), st.booleans())
def test_any_lines(lines: list[str], pasted: bool) -> None:
    """What is left is the line or its beginning."""
    said, reach = leads.led(lines[0], pasted)
    assert lines[0].startswith(said)
    assert reach in (leads.NONE, leads.BLOCK, leads.ALL)
    assert leads.is_head(lines) in (True, False)
