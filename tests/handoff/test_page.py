from holdfast.handoff.page import LOOSE, Page
from holdfast.text.markdown import statements
from holdfast.text.tokens import estimate

PARTS = [
    part
    for part in statements(
        "## Flow\n- The hook `startSession` runs.\n- It ends with `stopSession`.\n## Issues\n- `readFile` fails.\n"
        "## Rules\n- Never rename `mainLoop`.\n"
    )
    if part.text
]


def page() -> Page:
    """All parts on one page."""
    full = Page()
    full.decision = "Decision: STOP"
    for part in reversed(PARTS):
        full.add(part)
    return full


def test_the_page_has_its_blocks_in_order() -> None:
    """Decision, findings by section, open errors, constraints, files; the report's order within each."""
    full = page()
    full.add_file("src/a.py")
    full.add_file("src/b.py")
    full.add_name("otherName", "Flow")
    full.add_name("looseName", LOOSE)
    full.add_name("firstName", LOOSE)
    full.arrange({"firstName": 0, "looseName": 1})
    assert full.text().split("\n") == [
        "Decision: STOP",
        "Findings:",
        "- Flow: The hook startSession runs. It ends with stopSession. Also otherName",
        "- Also named: firstName looseName",
        "Open:",
        "- readFile fails.",
        "Constraints:",
        "- Never rename mainLoop.",
        "Files: src/a.py, b.py",
    ]


def test_what_is_on_the_page_is_covered() -> None:
    """Names of statements, files and bare names are not listed twice."""
    full = page()
    full.add_file("src/a.py")
    assert {"startSession", "readFile", "src/a.py"} <= full.covered
    assert full.holds(PARTS[0])


def test_costs_follow_what_is_there_already() -> None:
    """A section's title and a folder are paid once."""
    empty, full = Page(), page()
    assert empty.cost(PARTS[0]) > full.cost(PARTS[0])
    first = empty.file_cost("src/deep/a.py")
    empty.add_file("src/deep/a.py")
    assert empty.file_cost("src/deep/b.py") < first


def test_costs_add_up_to_the_text() -> None:
    """The sum of the costs is near the size of the page: budgets can be kept."""
    full, spent = Page(), 0
    for part in PARTS:
        spent += full.cost(part)
        full.add(part)
    assert abs(estimate(full.text()) - spent) < 20


def test_an_empty_page_is_empty() -> None:
    """No labels without content."""
    assert Page().text() == ""
