from pathlib import Path

import pytest

from holdfast.errors import BadInput
from holdfast.knowledge import build as work
from holdfast.knowledge.build import Site
from holdfast.knowledge.sources import goal, purpose
from holdfast.knowledge.views import LISTED, facts, page, shown
from holdfast.memory.repository import ProjectFile


@pytest.fixture
def place(project: Path) -> Site:
    for name in ("README.md", "src/auth/jwt.py", "src/auth/keys.py", "lib/jwt.py"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(f'"""ProjectFile {name}."""\nx = 1\n')
    built = work.here(1_800_000_000.0)
    work.build(built)
    return built


def test_a_document_a_part_a_level(place: Site) -> None:
    whole = shown(place, "§3.2")
    assert (whole.marker, whole.level, whole.path) == ("§3.2", 3, f"{place.folder}/L3/3.2-lib.md")
    assert whole.text.startswith("# §3.2 lib: details\n")
    assert shown(place, "3.2.5").text.startswith("## 3.2.5 Files\n- §4.lib/jwt.py")
    assert shown(place, "2").text.count("\n- §2.") == 3
    assert shown(place, "1").text == shown(place, "§1.0").text
    index = [one.marker for one in work.entries(place)]
    assert len(index) > 8
    assert [shown(place, one).marker for one in index] == index


def test_a_file_and_a_folder(place: Site, project: Path) -> None:
    """A folder is its files, and what is too much is counted; what is no text has its metadata."""
    found = shown(place, "4.src/auth/jwt.py:2")
    assert (found.marker, found.path, found.purpose) == (
        "§4.src/auth/jwt.py", "src/auth/jwt.py", "ProjectFile src/auth/jwt.py.",
    )  # fmt: skip
    assert found.text.endswith("\n\nx = 1\n")
    assert shown(place, "4.src/auth").files == ["src/auth/jwt.py", "src/auth/keys.py"]
    (project / "a.bin").write_bytes(b"\x7fELF\0\1")
    found = shown(place, "4.a.bin")
    assert found.bytes == 6
    assert found.text.endswith("It is no text and is not shown.")
    for number in range(LISTED + 5):
        (project / "lib" / f"m{number:03d}").touch()
    text = shown(place, "4.lib").text
    assert text.startswith(f"# §4.lib\n{LISTED + 6} files\n\n- §4.lib/jwt.py: ProjectFile lib/jwt.py.\n- §4.lib/m000\n")
    assert text.endswith("…and 6 more, see their own folders\n")


@pytest.mark.parametrize(
    ("marker", "told"),
    [
        ("§9.1", "is no marker"),
        ("§2.9", "there is no §2.9"),
        ("§3.2.1", "§3.2 has no part 1"),
        ("§4.nothing", "there is no such file in the project"),
        ("§4.../../etc/passwd", "is no path within the project"),
        ("§4./etc/passwd", "is no path within the project"),
        ("§4.out", "leads out|no such file"),
        ("§4.etc/passwd", "leads out|no such file"),
        ("§4.lib/jwt.py:3", "lib/jwt.py: there is no line 3. It has 2 lines"),
        ("§4.lib/jwt.py:9000-9001", "there is no line 9,000"),
    ],
)
def test_what_is_not_there_or_not_ours_is_refused(place: Site, project: Path, marker: str, told: str) -> None:
    """Links out of the project, too."""
    (project / "out").symlink_to("/etc/passwd")
    (project / "etc").symlink_to("/etc")
    with pytest.raises(BadInput, match=told):
        shown(place, marker)


def test_a_file_with_its_metadata() -> None:
    """Path, last change, size and purpose; then the file, or the lines asked for; nothing that steers a terminal."""
    data = b'"""Says hello."""\nx = 1\ny\t= 2\x1b[2J'
    text = page(ProjectFile("a.py", len(data), 1_800_000_000.0, data))
    assert text.startswith("# §4.a.py\nPath: a.py\nLast change: 2027-01-15T08:00:00Z\nSize: 33 bytes, 3 lines, about ")
    assert text.endswith('\nPurpose: Says hello.\n\n"""Says hello."""\nx = 1\ny\t= 2\ufffd[2J')
    assert page(ProjectFile("a.py", 40, 0.0, data), (2, 2)).endswith("\n\nx = 1")


@pytest.mark.parametrize(
    ("head", "path", "said"),
    [
        ('"""Tokens for logins. More."""\n', "a.py", "Tokens for logins."),
        ('#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n# Sends mail.\nimport x\n', "a.py", "Sends mail."),
        ("// Copyright X\n\n// Package auth checks keys.\npackage auth\n", "a.go", "Package auth checks keys."),
        ("/*\n * Draws the page.\n */\n", "a.js", "Draws the page."),
        ("<!-- note -->\n# The manual\n", "a.md", "The manual"),
        ("import os\n# later comment\n", "a.py", ""),
        ("{}", "a.json", ""),
    ],
    ids=["docstring", "script", "licence", "block", "markdown", "code", "json"],
)  # fmt: skip
def test_what_a_file_says_that_it_is_for(head: str, path: str, said: str) -> None:
    assert purpose(head, path) == said


@pytest.mark.parametrize(
    ("readme", "said"),
    [
        ("# Shop\n\n[![ci](x)](y)\n\nA shop that sells\nbolts.\n\nMore.", "A shop that sells bolts."),
        ("<p><img src=x></p>\n\n<!-- hidden words\n\nthat say much -->\nIt keeps all files.", "It keeps all files."),
        ("# Title\n\n- a list of four words\n", ""),
    ],
    ids=["badges", "html", "list"],
)  # fmt: skip
def test_the_goal_is_the_first_paragraph_of_prose(readme: str, said: str) -> None:
    assert goal(readme) == said


def test_a_secret_is_known_by_the_whole_file(place: Site, project: Path) -> None:
    body = [f"MIIEpAIBAAKCAQEA{n:02}Qx7" for n in range(20)]
    (project / "server.key").write_text(
        "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *body, "-----END RSA PRIVATE KEY-----"])
    )
    (project / "app.yml").write_text("db:\n  password:\n    Tr0ub4dor&3xQ\n")
    text = shown(place, "4.server.key:2-14").text + shown(place, "4.app.yml:3").text
    assert [line for line in [*body, "Tr0ub4dor&3xQ"] if line in text] == []
    assert shown(place, "4.app.yml:1-2").text.endswith("\n\ndb:\n  password:")


def test_of_a_file_that_is_read_in_part_no_figures_are_told() -> None:
    """How much was read is; its end may be another line, and whether there are more nobody knows."""
    large = ProjectFile("a.log", 5_000_000, 1_800_000_000.0, b"first\nsecond\nthi")
    assert [facts(large)[name] for name in ("bytes", "lines", "tokens")] == [5_000_000, None, None]
    assert "\nSize: 5,000,000 bytes, its first 16 bytes are read\n" in page(large)
    assert page(large, (2, 0)).endswith("\n\nsecond\nthi")
    with pytest.raises(BadInput, match=r"there is no line 4\. Its first 16 bytes have 3 lines"):
        page(large, (4, 9))
