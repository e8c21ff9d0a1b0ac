import pytest

from holdfast.knowledge.checks import findings
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


def is_file(path: str) -> bool:
    return path in (*FILES, "src")


def found_in(texts: dict[str, str]) -> list[tuple[str, str]]:
    found = findings(texts, {CODE}, is_file)
    assert all(one.what and one.todo for one in found)
    return [(one.check, one.marker) for one in found]


def own(text: str) -> str:
    return TEXTS["§2.2"].replace(f"{OPEN}\n{CLOSE}", f"{OPEN}\n{text}\n{CLOSE}")


@pytest.mark.parametrize(
    ("change", "check", "marker"),
    [
        ({"§2.2": own("See §3.9.")}, "dangling", "§2.2"),
        ({"§2.2": own("See §3.2.4, not §2.")}, "dangling", "§2.2"),
        ({"§2.2": own("See §2.x.")}, "dangling", "§2.2"),
        ({"§2.2": own("See §4.src/gone.py.")}, "dangling", "§2.2"),
        ({"§2.2": own("See §4.../../etc/passwd.") + "§4.a/../b"}, "dangling", "§2.2"),
        ({"§2.2": own("As DEC-2020-01-01-001 says.")}, "unknown-decision", "§2.2"),
        ({"§2.2": own("```\ncode\n```")}, "misplaced", "§2.2"),
        ({"§2.2": own("word " * 600)}, "too-long", "§2.2"),
        ({"§2.2": TEXTS["§2.2"].replace("60 %", "66 %")}, "status", "§1.0"),
        ({"§2.2": TEXTS["§2.2"].replace("60 %:", "-")}, "status", "§1.0"),
        ({"§3.2": "# §3.2 src: details\n"}, "no-details", "§2.2"),
    ],
    ids=["section", "part", "none", "file", "outside", "decision", "code", "long", "status", "no-status", "no-details"],
)
def test_what_does_not_fit_is_found(change: dict[str, str], check: str, marker: str) -> None:
    """With the document that it stands in; of what is built nothing is found. Five per cent are tolerated."""
    assert found_in(TEXTS) == found_in({**TEXTS, "§2.2": TEXTS["§2.2"].replace("60 %", "65 %")}) == []
    assert [where for name, where in found_in({**TEXTS, **change}) if name == check] == [marker]


def test_a_document_that_is_gone() -> None:
    assert found_in({}) == [("missing", "§1.0")]
    for gone, told in (("§2.2", {"missing", "dangling"}), ("§3.2", {"dangling", "no-details"})):
        assert {check for check, _ in found_in({name: TEXTS[name] for name in TEXTS if name != gone})} >= told
