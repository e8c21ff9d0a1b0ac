import json
import time
from pathlib import Path

import pytest

from holdfast.cli import main as cli
from holdfast.memory import authority
from holdfast.memory.briefing import line_of
from holdfast.memory.record import check, trust_of
from holdfast.memory.store import Memory, project_memory, users_memory
from holdfast.session.context import PROGRAM
from holdfast.text.dates import DAY, iso
from tests.cli.conftest import Says
from tests.memory.memories import brought, record

COMMAND = ("memory",)


@pytest.fixture
def memory() -> Memory:
    return project_memory("")


def trust(memory: Memory, name: str) -> str:
    return trust_of(memory.get(name), memory.written())


def test_an_edit_changes_what_is_said_and_no_more(says: Says, memory: Memory) -> None:
    """Options take the place of a field, a list is given anew; it stays the user's word, and keeps its code."""
    content = {"decision": "Use MySQL", "rationale": "it is there", "alternatives_considered": ["files"]}
    one = memory.add(record("decision", 1, trust="trusted", tags=["db"], content=content)).record
    says("edit", one.code, "--text", "Use PostgreSQL", "--set", "alternatives_considered=MySQL", "--importance", "9")
    new = Memory(memory.folder).get(one.id)
    changed = {"decision": "Use PostgreSQL", "alternatives_considered": ("MySQL",)}
    assert new == one._replace(content={**one.content, **changed}, importance=9)
    assert trust(memory, one.id) == "trusted"
    assert "nothing is given that changes it" in says("edit", one.code, code=1)
    assert "importance is '11'" in says("edit", one.code, "--importance", "11", code=1)


def test_an_expiry_that_is_past_is_taken_off(says: Says, memory: Memory) -> None:
    """By `restore`, and any by `edit --expires never`; one that is ahead stays."""
    past, ahead = "2026-01-02T00:00:00Z", iso(time.time() + DAY)
    one = memory.add(record("learning", 1, trust="trusted", expires=past)).record
    other = memory.add(record("learning", 2, expires=ahead, archived=past)).record
    assert says("restore", one.id).startswith(f"in use again: {one.id[:8]}")
    assert one.id[:8] in says("list")
    assert trust(memory, one.id) == "trusted"
    assert says("restore", one.id).startswith("in use already")
    says("restore", other.id)
    assert [Memory(memory.folder).get(name).expires for name in (one.id, other.id)] == ["", ahead]
    says("edit", other.id, "--expires", "Never")
    assert Memory(memory.folder).get(other.id).expires == ""
    says("add", "learning", "Use NTP for all clocks", "--expires", "never")


def test_an_edit_says_of_places_and_secrets_what_an_addition_does(says: Says, memory: Memory, project: Path) -> None:
    """New places as they are in the project, what is not there, what was taken out; it refuses the same words."""
    (project / "tests").mkdir()
    (project / "tests" / "test_dates.py").write_text("")
    content = {"lesson": "Tests need TZ=UTC"}
    one = memory.add(record("learning", 1, paths=["old.py"], content=content)).record
    changes = (
        "--path",
        "test_dates.py",
        "--path",
        "gone.py",
        "--path",
        "old.py",
        "--text",
        f"Tests need {'AKIA' + 'IOSFODNN7EXAMPLE'} set",
    )
    told = json.loads(says("edit", one.id, *changes, "--json"))
    assert (told["missing"], told["redacted"]) == (["gone.py"], ["AWS key"])
    assert Memory(memory.folder).get(one.id).paths == ("tests/test_dates.py", "gone.py", "old.py")
    assert "kept as given: away.py" in says("edit", one.id, "--path", "away.py")
    for text in ("@@ -1 +1 @@\n-a\n+b", "x y " * 4_900):
        assert "not worth a record" in says("edit", one.id, "--text", text, code=1)


@pytest.mark.parametrize(
    ("title", "old", "new"),
    [
        ("deploy on Mondays only.", "deploy on Mondays only. Ask Ann.", "deploy on Tuesdays only."),
        ("deploy on Mondays…", "deploy on Mondays and never by night", "deploy on Tuesdays only."),
        ("Deploys", "deploy on Mondays only.", ""),
    ],
    ids=["a rule's first sentence", "a beginning", "a title of its own"],
)
def test_an_edited_record_is_told_with_its_new_words_alone(
    title: str, old: str, new: str, says: Says, memory: Memory
) -> None:
    one = memory.add(record("decision", 1, title=title, tags=["rule"], content={"decision": old})).record
    says("edit", one.code, "--text", "deploy on Tuesdays only. Ask Bob.")
    edited = Memory(memory.folder).get(one.id)
    assert edited.title == (new or title)
    assert line_of(edited, 0.0).startswith(f"- {'' if new else 'Deploys: '}deploy on Tuesdays only. Ask Bob. [")


def test_a_hand_edit_stays_and_is_the_users_word_once_confirmed(says: Says, memory: Memory) -> None:
    """Until then it is told as changed by hand; nothing of it is undone by what is done later."""
    found = memory.add(record("decision", 1, trust="trusted"))
    path = Path(found.path)
    path.write_text(path.read_text().replace("holds the orders", "holds the bills") + "\n### Mine\n\nby hand\n")
    assert trust(Memory(memory.folder), found.record.id) == "semi_trusted, from the repository"
    says("confirm", found.record.code)
    says("archive", found.record.code)
    new = Memory(memory.folder).get(found.record.id)
    assert trust(Memory(memory.folder), new.id) == "trusted"
    assert ("holds the bills" in new.content["decision"], new.extra["### Mine"].strip()) == (True, "by hand")


def test_only_an_issue_is_resolved(says: Says, memory: Memory) -> None:
    bug = memory.add(record("issue", 1, content={"description": "x y", "severity": "critical"})).record
    says("resolve", bug.id, "--text", "the index is right")
    content = Memory(memory.folder).get(bug.id).content
    assert (content["status"], content["investigation_status"][-20:]) == ("resolved", ": the index is right")
    says("edit", bug.id, "--set", "status=open")
    content = Memory(memory.folder).get(bug.id).content
    assert (content["status"], content["investigation_status"][:9]) == ("open", "reopened ")
    assert "nothing to resolve" in says("resolve", memory.add(record("learning", 2)).record.id, code=1)


@pytest.mark.parametrize("action", ["confirm", "edit", "resolve"])
def test_in_the_clients_shell_the_users_word_stays(
    action: str, says: Says, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless a request names it; `confirm` always needs one."""
    one = memory.add(record("issue", 1, trust="semi_trusted" if action == "confirm" else "trusted")).record
    monkeypatch.setenv("CLAUDECODE", "1")
    assert f"Ask the user to say `{action} 00000001`" in says(action, one.id, code=1)


@pytest.mark.parametrize("name", ["DEC-2026-01-01-001", "00000001"])
def test_a_name_that_a_clone_has_given_to_another_record_too_means_neither(
    name: str, says: Says, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user has seen one of them, and the other would be their word; also in their own memory."""
    one = memory.add(record("decision", 1, trust="semi_trusted", code="DEC-2026-01-01-001")).record
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setattr(authority, "requests", lambda: [("2999-01-01T00:00:00Z", [f"confirm {name}"])])
    other = one._replace(id=one.id[:-1] + "f", title="another", content={**one.content, "decision": "Push to main"})
    brought(memory.folder, other)
    for named in (one, other):
        assert f"Ask the user to say `confirm {named.id}`" in says("confirm", named.id, code=1)
    Path(memory.find(other.id).path).unlink()
    mine = users_memory().add(one._replace(id=other.id)).record
    assert "Ask the user" in says("confirm", one.id, code=1)
    assert "Ask the user" in says("confirm", "--user", mine.id, code=1)
    users_memory().forget([mine.id])
    says("confirm", one.id)
    assert trust(memory, one.id) == "trusted"


@pytest.mark.parametrize(("asked", "whose"), [([], "user's own"), (["--user"], "project's")])
def test_of_a_code_that_the_other_memory_has_too_the_way_there_is_told(
    asked: list[str], whose: str, memory: Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not where an id says which is meant; the one that is forgotten is named by its title."""
    one = record("decision", 1, code="DEC-2026-01-01-001")
    ids = [place.add(one._replace(id=f"{n}{one.id[1:]}")).record.id for n, place in enumerate((memory, users_memory()))]
    assert cli.main(["memory", "archive", *asked, ids[bool(asked)]]) == 0
    assert capsys.readouterr().err == ""
    assert cli.main(["memory", "forget", *asked, one.code]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(f'forgotten: {one.code} ({ids[bool(asked)][:8]}), "{one.title}"\n')
    way = "show" if asked else "show --user"
    assert err == f"holdfast: the {whose} memory has a {one.code} too: `{PROGRAM} memory {way} {one.code}`\n"


def test_what_is_to_be_typed_about_the_users_own_memory_says_so(
    says: Says, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The project may have a record of the same code, which the words without --user would change."""
    monkeypatch.delenv("CLAUDECODE", raising=False)
    ids = "0" * 7 + "1", "0" * 7 + "2"
    brought(users_memory().folder, *(record("learning", number, paths=["src/gone/x.py"]) for number in (1, 2)))
    told = says("check", "--user", code=1)
    assert f"`{PROGRAM} memory confirm {ids[0]} {ids[1]} --user`" in told
    assert f"`{PROGRAM} memory edit {ids[0]} --path PLACE --user`" in told
    assert f"`{PROGRAM} memory confirm {ids[0]} --user`" in says("show", "--user", ids[0])
    assert f"`{PROGRAM} memory list --user` has all" in says("show", "--user", "99999999", code=1)
    for verb in ("show", "archive"):
        assert "The user's own memory has it: say --user" in says(verb, ids[0], code=1)
        assert "--user" not in says(verb, "99999999", code=1)


def test_what_is_exported_makes_the_records_again(says: Says, memory: Memory, tmp_path: Path) -> None:
    for number, kind in enumerate(("decision", "issue", "learning", "state")):
        memory.add(record(kind, number))
    path = tmp_path / "all.jsonl"
    says("export", "--output", str(path))
    lines = path.read_text().splitlines()
    assert lines == says("export").splitlines()
    rows = [{name: value for name, value in json.loads(line).items() if name != "holdfast"} for line in lines]
    assert [check(row) for row in rows] == Memory(memory.folder).all()
    assert "it is there already" in says("export", "--output", str(path), code=1)


def test_a_search_of_all_projects(says: Says, memory: Memory, tmp_path: Path) -> None:
    """Those that the client knows, and the user's own memory; each answer says where it is from."""
    other = tmp_path / "other"
    places = {"here": memory, "mine": users_memory(), "there": Memory(str(other / ".claude" / "holdfast" / "memory"))}
    for number, (name, one) in enumerate(places.items()):
        one.add(record("learning", number, project=name, content={"lesson": f"The heron parser is slow {name}"}))
    client = Path(users_memory().folder).parents[2] / ".claude.json"
    linked = tmp_path / "linked"
    linked.symlink_to(other)
    known = (str(other), str(linked), str(tmp_path / "gone"), "relative")
    client.write_text(json.dumps({"projects": {key: {} for key in known}}))
    found = json.loads(says("search", "heron", "--all-projects", "--json"))
    assert {row["project"] for row in found["results"]} == places.keys()
    assert found["count"] == 3
    assert "project there" in says("search", "heron", "--all-projects")
    assert not any(one.uses() for one in places.values()), "a look around is no use of a record"
    assert json.loads(says("search", "heron", "--json"))["count"] == 1
    noise = {"lesson": "A slow day is a quiet one"}  # the best of its memory, and far behind in all of them
    places["there"].add(record("learning", 9, project="noise", importance=8, content=noise))
    places["there"].forget([record("learning", 2).id])
    shown = json.loads(says("search", "heron parser slow here", "--all-projects", "--limit=2", "--json"))["results"]
    assert [one["project"] for one in shown] == ["here", "mine"]


def test_a_search_of_all_projects_makes_no_memory(says: Says, memory: Memory) -> None:
    users_memory().add(record("learning", 1, content={"lesson": "The heron parser is slow"}))
    assert json.loads(says("search", "heron", "--all-projects", "--json"))["count"] == 1
    assert not Path(memory.folder).exists()
