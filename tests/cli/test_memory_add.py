import argparse
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from holdfast.cli import memory_add
from holdfast.cli.memory_add import fields
from holdfast.errors import BadInput
from holdfast.memory.markdown import render
from holdfast.memory.record import check
from holdfast.session import folders
from holdfast.text.dates import seconds
from tests.memory.memories import record

NOW = seconds("2026-12-01T00:00:00Z")


def given(**options: Any) -> argparse.Namespace:
    texts = dict.fromkeys(("kind", "title", "text", "expires", "supersedes", "by", "file"), "")
    return argparse.Namespace(**{**texts, "set": [], "tag": [], "path": [], "importance": None, **options})


def made(environment: dict[str, str] | None = None, **options: Any) -> dict[str, Any]:
    return fields(given(**options), NOW, environment or {})


def test_options_become_fields(project: Path) -> None:
    options = {"text": "All of it", "set": ["blockers=a", "blockers=b=c", "completion_percentage=40"]}
    one = check(made({"CLAUDE_CODE_SESSION_ID": "s-1"}, kind="state", title="Move", expires="2027-01-01", **options))
    assert one.content["task_description"] == "All of it"
    assert (one.content["blockers"], one.content["completion_percentage"]) == (("a", "b=c"), 40)
    assert (one.time, one.expires) == ("2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z")
    assert (one.project, one.agent, one.session, one.trust) == (project.name, "user", folders.shown("s-1"), "trusted")


@pytest.mark.parametrize(
    ("by", "in_client", "expected"),
    [
        ("", False, ("user", "trusted")),
        ("", True, ("assistant", "semi_trusted")),
        ("user", True, ("assistant", "semi_trusted")),
        ("tool", True, ("tool", "untrusted")),
        ("assistant", False, ("assistant", "semi_trusted")),
    ],
)
def test_who_said_it(by: str, in_client: bool, expected: tuple[str, str]) -> None:
    """In the client's shell there is no way to be trusted, or to be the user."""
    one = made({"CLAUDECODE": "1"} if in_client else {}, kind="learning", title="x y", by=by)
    assert (one["agent"], one["trust"]) == expected


@pytest.mark.parametrize("agent", ["user", "user ", "researcher"])
def test_in_the_clients_shell_a_file_does_not_say_who_speaks(tmp_path: Path, agent: str) -> None:
    """Elsewhere it does, unless an option goes over it."""
    file = f"{tmp_path}/x.json"
    Path(file).write_text(json.dumps({"kind": "learning", "title": "x y", "content": {"lesson": "x"}, "agent": agent}))
    in_client = [made({"CLAUDECODE": "1"}, file=file, by=by)["agent"] for by in ("", "user")]
    assert in_client == ["assistant", "assistant"]
    assert [made(file=file, by=by)["agent"] for by in ("", "tool")] == [agent, "tool"]


def test_an_issue_is_one_that_starts_tell() -> None:
    """As one that is marked; unless its severity is said."""
    assert made(kind="issue", title="Price is float")["content"]["severity"] == "high"
    assert made(kind="issue", title="Price is float", set=["severity=low"])["content"]["severity"] == "low"


def test_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """JSON or Markdown, from a file or stdin; trust is not the file's to give."""
    said = {"kind": "learning", "title": "Clocks drift", "content": {"lesson": "Use NTP"}, "trust": "trusted"}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(said).encode())))
    one = check(made(by="tool", file="-"))
    assert (one.title, one.trust, one.importance) == ("Clocks drift", "untrusted", 7)
    whole = record("learning", 4, importance=3)
    (tmp_path / "x.md").write_text(render(whole))
    assert check(made(file=str(tmp_path / "x.md"))) == whole._replace(trust="trusted")
    with pytest.raises(BadInput, match="there is no such file"):
        made(file=str(tmp_path / "none"))


def test_options_go_over_a_file(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text(render(record("state", 4, tags=["old"], content={"task_description": "Move"})))
    options: dict[str, Any] = {"importance": 9, "tag": ["new"], "path": ["a.py"], "set": ["blockers=a"]}
    one = check(made(file=str(tmp_path / "x.md"), expires="30d", **options))
    assert (one.importance, one.tags, one.paths, one.expires) == (9, ("new",), ("a.py",), "2026-12-31T00:00:00Z")
    said = one.content
    assert (said["task_description"], said["blockers"], one.title) == ("Move", ("a",), "Adopt PostgreSQL 4")
    other = check(made(file=str(tmp_path / "x.md"), title="Moved", text="All of it"))
    assert (other.title, other.content["task_description"], other.tags) == ("Moved", "All of it", ("old",))


@pytest.mark.parametrize("content", ["a text", None, ["x"]])
def test_a_file_with_another_content_is_refused(tmp_path: Path, content: object) -> None:
    (tmp_path / "x.json").write_text(json.dumps({"kind": "learning", "title": "Clocks drift", "content": content}))
    with pytest.raises(BadInput, match="content"):
        check(made(file=str(tmp_path / "x.json")))


@pytest.fixture
def code(project: Path) -> Path:
    """A project with a file, two of one name, and a folder."""
    for name in ("tests/test_dates.py", "src/auth.py", "a/same.py", "b/same.py"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text("def verify_token(): ...\n")
    return project


def about(*places: str) -> tuple[tuple[str, ...], list[str]]:
    """(the places of a record about these, those of them that are said to be missing)."""
    new, seen = memory_add.checked(given(kind="learning", title="Tests need TZ=UTC", path=list(places)), NOW, {})
    return new.paths, seen["missing"]


def test_a_place_is_found_and_named_from_the_projects_folder_on(
    code: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the current folder, from the project's, or by a name that only one file has."""
    monkeypatch.chdir(code / "tests")
    assert about("test_dates.py") == (("tests/test_dates.py",), [])
    assert about("../src/auth.py", "src/auth.py", f"{code}/src/auth.py") == (("src/auth.py",), [])
    monkeypatch.chdir(tmp_path)
    found = ("tests/test_dates.py", "src/auth.py::verify_token", "src")
    assert about("test_dates.py", "auth.py::verify_token", "src/") == (found, [])
    (tmp_path / "link").symlink_to(code)
    monkeypatch.chdir(tmp_path / "link" / "src")
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path / "link"))
    assert about("auth.py") == (("src/auth.py",), [])


def test_a_place_that_is_not_there_is_kept_and_said(code: Path) -> None:
    """None, several of that name, one outside, a name that its file does not have; a bare name may be anything."""
    none = ("old.py", "same.py", "/etc/hosts")
    assert about(*none) == (none, [*none])
    assert about("auth.py::old_name") == (("src/auth.py::old_name",), ["old_name in src/auth.py"])
    assert about("verify_token", "::x", ".") == (("verify_token", "::x", "."), [])
