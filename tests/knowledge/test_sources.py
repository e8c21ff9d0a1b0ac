import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.knowledge.sources import LISTED, Raw, facts, goal, listing, page, places, purpose


@pytest.mark.parametrize(
    ("head", "path", "said"),
    [
        ('"""Tokens for logins. More."""\n', "a.py", "Tokens for logins."),
        ('#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n# Sends mail.\nimport x\n', "a.py", "Sends mail."),
        ("// Copyright X\n\n// Package auth checks keys.\npackage auth\n", "a.go", "Package auth checks keys."),
        ("/*\n * Draws the page.\n */\n", "a.js", "Draws the page."),
        ("<!-- note -->\n# The manual\n", "a.md", "The manual"),
        ("import os\n# later comment\n", "a.py", ""),
        ("", "a.py", ""),
        ("{}", "a.json", ""),
    ],
    ids=["docstring", "script", "licence", "block", "markdown", "code", "empty", "json"],
)  # fmt: skip
def test_what_a_file_says_that_it_is_for(head: str, path: str, said: str) -> None:
    """Its first sentence before any code; no licence, no mode line."""
    assert purpose(head, path) == said


@pytest.mark.parametrize(
    ("readme", "said"),
    [
        ("# Shop\n\n[![ci](x)](y)\n\nA shop that sells\nbolts.\n\nMore.", "A shop that sells bolts."),
        ("<p><img src=x></p>\n\n<!-- hidden words\n\nthat say much -->\nIt keeps all files.", "It keeps all files."),
        ("# Title\n\n- a list of four words\n", ""),
        ("", ""),
    ],
    ids=["badges", "html", "list", "empty"],
)  # fmt: skip
def test_the_goal_is_the_first_paragraph_of_prose(readme: str, said: str) -> None:
    """Without headings, badges, HTML and comments."""
    assert goal(readme) == said


@given(st.text())
def test_any_beginning_has_a_short_purpose(text: str) -> None:
    """One line, or none."""
    for path in ("a.py", "a.md"):
        assert len(purpose(text, path)) <= 160
        assert "\n" not in purpose(text, path)
    assert len(goal(text)) <= 300


LARGE = "\n".join(
    f"def function_{number}(x):\n    return 'a rather long line of text {number}'" for number in range(400)
)


def test_a_large_file_has_markers_within() -> None:
    """They are markers that can be shown; a small file has none."""
    marked = places(LARGE, "a.py")
    assert 30 <= len(marked) <= 60
    assert marked[0] == {"marker": "§4.a.py:1", "what": "function_0"}
    assert places("def f():\n    pass\n", "a.py") == []
    assert "  §4.a.py:1 function_0\n" in page(Raw("a.py", len(LARGE), 0.0, LARGE))


def test_a_file_with_its_metadata() -> None:
    """Path, last change, size and purpose; then the file, or the lines asked for."""
    raw = Raw("a.py", 40, 1_800_000_000.0, '"""Says hello."""\nx = 1\ny = 2\n')
    text = page(raw)
    assert text.startswith("# §4.a.py\nPath: a.py\nLast change: 2027-01-15T08:00:00Z\nSize: 40 bytes, 3 lines, about ")
    assert "\nPurpose: Says hello.\n" in text
    assert text.endswith(raw.text or "-")
    assert page(raw, (2, 2)).endswith("\n\nx = 1")
    assert page(raw, (99, 0)).endswith("\n\n")
    assert facts(raw)["purpose"] == "Says hello."


def test_what_steers_a_terminal_is_not_printed() -> None:
    """Nor is what is no text."""
    assert "\x1b" not in page(Raw("a", 9, 0.0, "a\x1b[2Jb\tc"))
    assert page(Raw("a.bin", 9, 0.0, None)).endswith("It is no text and is not shown.")


def test_a_folder_is_its_files() -> None:
    """With purposes; what is too much is counted."""
    inner = [f"src/f{number:04d}.py" for number in range(LISTED + 5)]
    text = listing("src", inner, {inner[0]: "The first."})
    assert text.startswith(f"# §4.src\n{LISTED + 5} files\n\n- §4.src/f0000.py: The first.\n- §4.src/f0001.py\n")
    assert text.endswith("…and 5 more, see their own folders")
