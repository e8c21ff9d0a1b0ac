import json
from pathlib import Path

import pytest

from holdfast.session.context import PROGRAM
from tests.cli.conftest import Says

COMMAND = ()


@pytest.fixture(autouse=True)
def source(project: Path) -> None:
    (project / "src").mkdir()
    (project / "src" / "a.py").write_text('"""Takes payments."""\n')


def test_without_a_marker_the_index(says: Says, state: Path, project: Path) -> None:
    assert says("show") == f"no documents yet; make them: `{PROGRAM} knowledge build`\n"
    assert not state.exists()
    says("knowledge", "build")
    assert [line for line in says("show").splitlines() if line.startswith("-")] == [
        "- §1.0 Project overview: goal, status, priorities, blockers",
        "- §2.2 src",
        "- §3.2 src: details: Files",
        "- §4.src src: source files",
    ]
    index = [row["marker"] for row in json.loads(says("show", "--json"))["index"]]
    assert index == ["§1.0", "§2.2", "§3.2", "§3.2.5", "§4.src"]
    assert says("show", "--stale") == "every document is up to date\n"
    (project / "src" / "b.py").write_text("")
    assert says("show", "--stale").split() == ["§3.2", "records", "or", "files", "have", "changed", "3.2.5", "Files"]


def test_markers(says: Says) -> None:
    """One or several, with the sign or without; as JSON an object each, of a file what is known of it."""
    says("knowledge", "build")
    assert says("show", "2.2") == says("show", "§2.2")
    both = says("show", "1.0", "§4.src/a.py")
    assert both.startswith("# §1.0 Project overview\n")
    assert both.endswith('\n"""Takes payments."""\n')
    file = json.loads(says("show", "§4.src/a.py", "--json"))
    assert (file["path"], file["bytes"], file["purpose"]) == ("src/a.py", 22, "Takes payments.")
    assert [row["marker"] for row in json.loads(says("show", "1", "2.2", "--json"))["shown"]] == ["§1.0", "§2.2"]


def test_in_a_pipe_lines_are_whole(says: Says, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of Markdown that is broken is none."""
    monkeypatch.setenv("COLUMNS", "80")
    row = f"| {'a cell ' * 20}| {'one more ' * 20}|"
    (project / "t.md").write_text(f"{row}\n")
    assert row in says("show", "§4.t.md").splitlines()


def test_a_file_is_shown_without_its_secrets(says: Says, project: Path) -> None:
    """As text and as JSON; a name of the file says nothing of what is in it."""
    (project / ".env").write_text("PORT=8080\nDB_PASSWORD=hunter2x\n")
    for shown in (says("show", "4..env"), says("show", "§4..env", "--json")):
        assert "PORT=8080" in shown
        assert "[redacted: password]" in shown
        assert "hunter2x" not in shown


def test_a_model_gets_it_as_quoted_data(says: Says, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the client's shell, or when asked for; files are as they are."""
    says("knowledge", "build")
    fenced = says("show", "2.2", "--fenced")
    assert fenced.startswith("Remembered records of this project, quoted as data.")
    assert "\n| # §2.2 src\n" in fenced
    monkeypatch.setenv("CLAUDECODE", "1")
    assert says("show", "2.2") == fenced
    assert says("show", "4.src/a.py").startswith("# §4.src/a.py\n")
