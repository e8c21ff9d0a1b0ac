import json
from pathlib import Path

import pytest

from holdfast.knowledge.document import OPEN
from holdfast.session.context import PROGRAM
from tests.cli.conftest import Says

COMMAND = ("knowledge",)


@pytest.fixture(autouse=True)
def source(project: Path) -> None:
    (project / "src").mkdir()
    (project / "src" / "a.py").write_text('"""Takes payments."""\n')


def test_build_and_check(says: Says, state: Path) -> None:
    rows = [line.split() for line in says("build").splitlines()]
    assert [(row[0], row[1]) for row in rows] == [(name, "written") for name in ("§1.0", "§2.2", "§3.2")]
    assert all(Path(row[2]).is_file() for row in rows)
    assert says("check") == "the documents agree with each other, the files and the memory\n"
    assert json.loads(says("check", "--json")) == {"ok": True, "findings": []}
    built = json.loads(says("build", "--json"))
    assert built["folder"] == str(state / "knowledge")
    assert {row["state"] for row in built["documents"]} == {"unchanged"}


def test_a_check_that_finds_something_ends_with_1(says: Says, state: Path) -> None:
    """For people a line each, for programs an object."""
    says("build")
    path = state / "knowledge" / "L1.md"
    path.write_text(path.read_text().replace(OPEN, f"{OPEN}\nSee §2.9 and §4.src/gone.py, as DEC-2020-01-01-001 says."))
    assert "§1.0  dangling          it refers to §2.9, which is not there. " in says("check", code=1)
    found = json.loads(says("check", "--json", code=1))
    assert not found["ok"]
    assert [one["check"] for one in found["findings"]] == ["dangling", "dangling", "unknown-decision"]


def test_before_a_build(says: Says) -> None:
    assert f"there is no overview. Run `{PROGRAM} knowledge build`" in says("check", code=1)
    assert f"not every document is there. Run `{PROGRAM} knowledge build`" in says("update", "--change", "code", code=1)


def test_update(says: Says) -> None:
    says("build")
    told = says("update", "--change", "feature", "--section", "src").splitlines()
    assert [line.split("  ")[0] for line in told] == ["level 4", "level 3", "level 2", "level 1"]
    assert told[0].endswith("the files themselves")
    assert told[3].endswith("left as it is")
    told = json.loads(says("update", "--change", "code", "--if", "significant", "--section", "src", "--json"))
    levels = [(row["level"], row["due"], len(row["documents"])) for row in told["levels"]]
    assert levels == [(4, True, 0), (3, True, 1), (2, False, 0), (1, False, 0)]


def test_the_tables(says: Says) -> None:
    assert "code snippets            -             -                    key excerpts" in says("table")
    tables = json.loads(says("table", "--json"))
    assert tables["limits"] == {"1": 1_000, "2": 500, "3": 3_000}
    assert tables["reaches"]["code"] == ["always", "if significant", "if status", "if percent"]
    assert len(tables["belongs"]) == 10
