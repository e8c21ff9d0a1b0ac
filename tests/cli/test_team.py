import json
import os
from pathlib import Path

import pytest

from holdfast.cli.main import main
from holdfast.team.location import folder_of

Captured = pytest.CaptureFixture[str]


def told(capsys: Captured, *arguments: str) -> tuple[int, str]:
    """(exit code, what was printed, errors too)"""
    code = main(["team", *arguments])
    printed = capsys.readouterr()
    return code, printed.out + printed.err


def test_by_hand_and_back(capsys: Captured, project: Path) -> None:
    """Taken, shown, refused to another, released, and all of it in the audit."""
    for looks, said in (
        (("state", "get", "k"), "its version is 0"),
        (("audit",), "nothing was owned yet"),
        ((), "nobody is"),
    ):
        assert said in told(capsys, *looks)[1]
    assert not os.path.exists(folder_of())
    assert told(capsys, "claim", f"{project}/src/") == (0, "src/**: owned by you for 30 min\n")
    assert "src/** (exclusive)" in told(capsys)[1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLAUDECODE", "1")
        patch.setenv("CLAUDE_CODE_SESSION_ID", "s1")
        code, said = told(capsys, "claim", "src/a.py", "--shared")
        assert (code, said.startswith("not yours: `src/**` is owned by the user")) == (1, True)
        assert "held by the user (src/**)" in told(capsys, "release", "src/a.py")[1]
        code, said = told(capsys, "release", "src/**")
        assert (code, "held by the user (src/**)" in said) == (1, True)
        assert told(capsys, "claim", "docs/a.md#Plan", "--minutes", "90")[1].endswith("owned by you for 90 min\n")
    assert told(capsys, "release", "docs/a.md#Plan") == (0, "docs/a.md#Plan: released\n")
    assert "--limit is 0. Ask for at least one" in told(capsys, "audit", "--limit", "0")[1]
    audit = json.loads(told(capsys, "audit", "--json")[1])
    assert [(one["deed"], one["agent"]) for one in audit] == [("released", "s1"), ("took", "s1"), ("took", "user")]


def test_what_is_still_held_is_said(capsys: Captured) -> None:
    told(capsys, "claim", "src/")
    assert "held by you (src/**)" in told(capsys, "release", "src/a.py")[1]
    told(capsys, "claim", "src/a.py")
    assert told(capsys, "release", "src/a.py") == (0, "src/a.py: released; still held by you: src/**\n")
    told(capsys, "claim", "src/a.py")
    told(capsys, "claim", "src/*.py")
    assert told(capsys, "release", "src/a.py")[1] == "src/a.py: released; still held by you: src/**, src/*.py\n"


def test_what_is_read_from_here_comes_before_what_the_list_shows(
    capsys: Captured, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The word that took a claim lets go of it, also where its folder is gone; else the one of the list does."""
    (project / "src" / "gen").mkdir(parents=True)
    for name in ("a.py", "src/a.py"):
        (project / name).write_text("")
    told(capsys, "claim", "a.py")
    monkeypatch.chdir(project / "src")
    for named in ("a.py", "gen"):
        told(capsys, "claim", named)
    assert told(capsys, "release", "a.py") == (0, "src/a.py: released\n")
    (project / "src" / "gen").rmdir()
    assert told(capsys, "release", "gen") == (0, "src/gen/**: released\n")
    assert told(capsys, "release", "a.py") == (0, "a.py: released\n")


@pytest.mark.parametrize(
    ("named", "held"),
    [
        ("a.py", "src/a.py"),
        ("new.py", "src/new.py"),
        ("pay", "src/pay/**"),
        ("pay/*.py", "src/pay/*.py"),
        ("new/", "src/new/**"),
        ("*.md", "src/*.md"),
        ("b.py", "b.py"),
        ("src/pay/new.py", "src/pay/new.py"),
        ("lib/**", "src/lib/**"),
        ("lib/x/new.py", "lib/x/new.py"),
        ("../b.py", "b.py"),
    ],
)
def test_in_a_subfolder(
    capsys: Captured, project: Path, monkeypatch: pytest.MonkeyPatch, named: str, held: str
) -> None:
    """As the shell has it, else from the project's folder on; released by the same words."""
    (project / "src" / "pay").mkdir(parents=True)
    for name in ("b.py", "src/a.py"):
        (project / name).write_text("")
    monkeypatch.chdir(project / "src")
    assert told(capsys, "claim", named) == (0, f"{held}: owned by you for 30 min\n")
    assert told(capsys, "release", named) == (0, f"{held}: released\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("claim", "**"), "this owns every file of the project. Name files or folders, take it with --shared, or say"),
        (("claim", "a\nb"), "this is no path or glob"),
        (("claim", "src/{a,b}.py"), "'src/{a,b}.py': braces are not supported. Name each by itself: src/api/**, src"),
        (("claim", "["), "this is no path or glob"),
        (("claim", "/etc/passwd"), "'/etc/passwd': this is outside of the project. Name a file, src/pay/** or"),
        (("claim", "../x"), "'../x': this is outside of the project. Name a file, src/pay/** or docs/a.md#Heading"),
        *((("claim", "a", "--minutes", n), f"{n} minutes are no lease. Give 1 to 1440") for n in ("-1", "0", "1441")),
        (("release", "a"), "nobody holds it"),
        (("state", "set", "plan", "x"), "the version that it replaces. Say"),
        (("state", "get", "plan", "--version", "3"), "version 3 is not kept"),
        (("state", "set", "plan", "x", "--version", "3"), "nobody has set it yet, so its version is 0, not 3"),
    ],
)
def test_what_is_refused(capsys: Captured, arguments: tuple[str, ...], said: str) -> None:
    code, printed = told(capsys, *arguments)
    assert (code, len(printed.splitlines()), said in printed) == (1, 1, True)


def test_switched_off_a_claim_says_that_nobody_hears_of_it(capsys: Captured) -> None:
    assert main(["config", "set", "coordination.mode", "off"]) == 0
    capsys.readouterr()
    said = "a.py: owned by you for 30 min; coordination.mode is off: no agent is told\n"
    assert told(capsys, "claim", "a.py") == (0, said)


def test_everything_is_had_by_a_word_more(capsys: Captured) -> None:
    for arguments in (("claim", "**", "--yes"), ("release", "**"), ("claim", "**", "--shared")):
        assert told(capsys, *arguments)[0] == 0


def test_who_comes_too_late_is_told_what_changed(capsys: Captured) -> None:
    """The lines that differ; nothing is written. No secret is kept."""
    key = "sk-ant-api03-" + "a1B2" * 24
    assert told(capsys, "state", "set", "plan", f"build\ntest {key}", "--version", "0") == (0, "plan: version 1\n")
    assert told(capsys, "state", "set", "plan", "build\nship", "--version", "1") == (0, "plan: version 2\n")
    code, said = told(capsys, "state", "set", "plan", "build\nrest", "--version", "1")
    assert (code, "it is version 2 by user since" in said, "+ship" in said, key in said) == (1, True, True, False)
    assert told(capsys, "state", "get", "plan") == (0, "version 2, by user\nbuild\nship\n")
    assert key not in told(capsys, "state", "get", "plan", "--version", "1", "--json")[1]
    told(capsys, "state", "set", "db_password", "Summer2024!", "--version", "0")
    assert told(capsys, "state", "get", "db_password")[1] == "version 1, by user\n[redacted: password]\n"
