import pytest

from holdfast.knowledge.document import write
from holdfast.knowledge.levels import documents
from holdfast.knowledge.navigation import Entry, entries, page, percent
from tests.knowledge.made import project, record

RECORDS = [record("state", "Pay", {"completion_percentage": 60}, paths=["src/a.py"])]
TEXTS = {one.marker: write(one) for one in documents(project(RECORDS, ("src/a.py", "README.md")))}


def test_every_place_once_level_by_level() -> None:
    """Overview, summaries, details with their parts, folders; on the page parts stand with their document."""
    found = entries(TEXTS, ("", "src", "my notes"))
    assert [one.marker for one in found] == [
        "§1.0", "§2.1", "§2.2", "§3.1", "§3.1.6", "§3.2", "§3.2.1", "§3.2.6", "`my notes`", "§4.src",
    ]  # fmt: skip
    assert found[2] == Entry("§2.2", "src", "60 %: Pay [IN PROGRESS]")
    text = page(found)
    assert text.startswith("# Navigation index\n\n## Executive summary\n- §1.0 Project overview: goal, ")
    assert "\n- §3.2 src: details: Status, Files\n\n## Files\n- `my notes` my notes" in text


@pytest.mark.parametrize(
    ("status", "share"),
    [("60 %: Pay", 60), ("100%", 100), ("None recorded.", None), ("- high: 50 % slower", None), ("", None)],
)
def test_the_percentage_of_a_status(status: str, share: int | None) -> None:
    """Only at its beginning."""
    assert percent(f"# §2.1 x\n\n## Status\n{status}\n") == share
