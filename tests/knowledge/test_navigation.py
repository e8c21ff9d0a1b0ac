import pytest

from holdfast.knowledge.document import write
from holdfast.knowledge.levels import documents
from holdfast.knowledge.navigation import Entry, entries, page, percent
from tests.knowledge.made import project, record

RECORDS = [record("state", "Pay", {"completion_percentage": 60}, paths=["src/a.py"])]
TEXTS = {one.marker: write(one) for one in documents(project(RECORDS, ("src/a.py", "README.md")))}


def test_every_place_once_level_by_level() -> None:
    """Overview, summaries, details with their parts, folders."""
    found = entries(TEXTS, {1: "", 2: "src"})
    assert [one.marker for one in found] == [
        "§1.0", "§2.1", "§2.2", "§3.1", "§3.1.6", "§3.2", "§3.2.1", "§3.2.6", "§4.src",
    ]  # fmt: skip
    assert found[2] == Entry("§2.2", "src", "60 %: Pay [IN PROGRESS]")


def test_numbers_are_in_order() -> None:
    """Ten comes after nine; a folder that a marker cannot hold comes last."""
    many = {f"§2.{number}": f"# §2.{number} x\n" for number in (10, 9, 2)}
    assert [one.marker for one in entries(many, {2: "my notes"})] == ["§2.2", "§2.9", "§2.10", "`my notes`"]


def test_the_page() -> None:
    """A group per level; parts stand with their document."""
    text = page(entries(TEXTS, {1: "", 2: "src"}))
    assert text.startswith("# Navigation index\n\n## Executive summary\n- §1.0 Project overview: goal, ")
    assert "\n- §3.2 src: details: Status, Files\n" in text
    assert "§3.2.1" not in text
    assert page(()) == "# Navigation index\n"


@pytest.mark.parametrize(
    ("status", "share"),
    [("60 %: Pay", 60), ("100%", 100), ("None recorded.", None), ("- high: 50 % slower", None), ("", None)],
)
def test_the_percentage_of_a_status(status: str, share: int | None) -> None:
    """Only at its beginning."""
    assert percent(f"# §2.1 x\n\n## Status\n{status}\n") == share
