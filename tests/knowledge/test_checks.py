import pytest

from holdfast.knowledge.checks import World, findings, leads
from holdfast.knowledge.document import CLOSE, OPEN, write
from holdfast.knowledge.levels import documents
from tests.knowledge.made import project, record

CODE = "DEC-2026-11-04-001"
RECORDS = [
    record("state", "Pay", {"completion_percentage": 60}, paths=["src/a.py"]),
    record("decision", "Use JWT", code=CODE, paths=["src/a.py"]),
]
FILES = ("src/a.py", "README.md")
TEXTS = {one.marker: write(one) for one in documents(project(RECORDS, FILES))}
WORLD = World(lambda path: path in (*FILES, "src"), {CODE}, {1, 2})


def own(text: str) -> str:
    """The summary of src with these words of its reader."""
    return TEXTS["§2.2"].replace(f"{OPEN}\n{CLOSE}", f"{OPEN}\n{text}\n{CLOSE}")


def test_a_build_has_no_finding() -> None:
    """What is built fits."""
    assert findings(TEXTS, WORLD) == []


@pytest.mark.parametrize(
    ("change", "check", "marker"),
    [
        ({"§2.2": own("See §3.9.")}, "dangling", "§2.2"),
        ({"§2.2": own("See §3.2.5.")}, "dangling", "§2.2"),
        ({"§2.2": own("See §4.src/gone.py.")}, "dangling", "§2.2"),
        ({"§2.2": own("See §4.../../etc/passwd.") + "§4.a/../b"}, "dangling", "§2.2"),
        ({"§2.2": own("As DEC-2020-01-01-001 says.")}, "unknown-decision", "§2.2"),
        ({"§2.2": own("```\ncode\n```")}, "misplaced", "§2.2"),
        ({"§2.2": own("word " * 600)}, "too-long", "§2.2"),
        ({"§2.2": TEXTS["§2.2"].replace("60 %", "70 %")}, "status", "§1.0"),
        ({"§2.2": TEXTS["§2.2"].replace("60 %:", "-")}, "status", "§1.0"),
        ({"§3.2": "# §3.2 src: details\n"}, "no-details", "§2.2"),
    ],
    ids=["section", "part", "file", "outside", "decision", "code", "long", "status", "no-status", "no-details"],
)
def test_what_does_not_fit_is_found(change: dict[str, str], check: str, marker: str) -> None:
    """With the document that it stands in, and what to do."""
    found = [one for one in findings({**TEXTS, **change}, WORLD) if one.check == check]
    assert [one.marker for one in found] == [marker]
    assert all(one.what and one.todo for one in found)


def test_a_document_that_is_gone() -> None:
    """The overview, a summary, details."""
    assert [one.check for one in findings({}, WORLD)] == ["missing"]
    without = {marker: text for marker, text in TEXTS.items() if marker != "§2.2"}
    assert ("missing", "§2.2") in [(one.check, one.marker) for one in findings(without, WORLD)]
    without = {marker: text for marker, text in TEXTS.items() if marker != "§3.2"}
    assert {one.check for one in findings(without, WORLD)} == {"dangling", "no-details"}


def test_five_percent_are_tolerated() -> None:
    """And no more."""
    for share, checks in ((65, []), (66, ["status"])):
        changed = {**TEXTS, "§2.2": TEXTS["§2.2"].replace("60 %", f"{share} %")}
        assert [one.check for one in findings(changed, WORLD)] == checks


def test_what_leads_somewhere() -> None:
    """A whole level, too."""
    for marker, there in (("§2", True), ("§2.2", True), ("§3.2.1", True), ("§3.2.9", False), ("§2.x", False)):
        assert leads(marker, TEXTS, WORLD.is_file) is there
