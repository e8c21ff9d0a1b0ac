"""Who may write what of a project's knowledge, by command and by hand."""

import pytest

from holdfast.team import access
from tests.team.conftest import Office, denied


@pytest.mark.parametrize(
    ("command", "what"),
    [
        ("holdfast memory add decision 'use cents'", "decision"),
        ('cd x && "$HOME/.claude/holdfast/pack/bin/holdfast" memory add learning x', "learning"),
        ("X=1 /a/bin/holdfast memory add issue x;true", "issue"),
        ("true;holdfast memory add --file -", "decision"),
        ("holdfast memory supersede a b", "decision"),
        ("holdfast memory resolve a --text 'so'", "issue"),
        ("holdfast memory search decision", ""),
        ("(holdfast knowledge build)", "L1"),
        ("holdfast knowledge update --change code", "L1"),
        ("holdfast knowledge check", ""),
        ("echo 'holdfast memory add decision x'", ""),
        ("echo it's; holdfast memory forget a", "decision"),
        ("holdfast", ""),
        ("", ""),
    ],
)
def test_what_a_command_writes(command: str, what: str) -> None:
    assert access.of_command(command) == what


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("knowledge/L1.md", "L1"),
        ("knowledge/shop-1a/L3/3.2-src.md", "L3"),
        ("memory/decisions/2026-a.md", "decision"),
        ("memory/shared/learnings/2026-a.md", "learning"),
        ("knowledge/index.md", ""),
        ("sessions/a/knowledge/L1.md", ""),
        ("/elsewhere/memory/decisions/a.md", ""),
    ],
)
def test_what_stands_in_a_file(path: str, what: str) -> None:
    """Of the state folder; others' files are nobody's knowledge."""
    assert access.of_path(path) == what


def test_the_table_is_kept(office: Office) -> None:
    office.start("s1", "s1/a")
    for what, may in access.WRITE.items():
        path = office.file(f".claude/holdfast/knowledge/{what}.md")
        inputs = {"command": f"holdfast memory add {what} x"}
        for who in ("s1/a", "s1"):
            command = {"tool_name": "Bash", "tool_input": inputs}
            reply = office.edit(who, path) if what[0] == "L" else office.send("PreToolUse", who, **command)
            assert bool(denied(reply)) is (who == "s1/a" and (may == "never" or what == "L3"))


def test_details_are_written_by_who_owns_their_document(office: Office) -> None:
    """As its task says; an edit before does not make an owner."""
    office.start("s1", "s1/a", "s1/b")
    path = office.file(".claude/holdfast/knowledge/L3/3.2-src.md")
    assert "whose task says" in denied(office.edit("s1/a", path))
    office.delegate("s1", "Owns: .claude/holdfast/knowledge/L3/")
    office.meta("s1/a", toolUseId="toolu_1")
    assert office.edit("s1/a", path) == {}
    assert "whose task says" in denied(office.edit("s1/b", path))
