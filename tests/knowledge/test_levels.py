from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.knowledge.document import parts, write
from holdfast.knowledge.levels import documents
from holdfast.knowledge.scope import LIMITS
from holdfast.memory.record import Record
from holdfast.text.tokens import measure
from tests.knowledge.made import project, record

FILES = ("README.md", "src/a.py", "docs/b.md")
PAY = {"completion_percentage": 60, "blockers": ["review"], "next_actions": ["refunds"]}
JWT = {"rationale": "many services"}
RECORDS = [
    record("decision", "Use JWT", JWT, code="DEC-2026-11-04-001", tags=["src"], importance=9),
    record("decision", "Trust me", code="DEC-2026-11-04-002", trust="untrusted", importance=10),
    record("issue", "Payments are lost", {"severity": "critical", "next_actions": "retry once"}, paths=["src/a.py"]),
    record("issue", "A slow page", {"severity": "high"}, paths=["src/a.py"]),
    record("state", "Pay", PAY, tags=["src"], importance=8),
    record("state", "Manual", {"completion_percentage": 25, "substeps_remaining": ["index"]}, tags=["docs"]),
    record("learning", "Caches are cold at night", paths=["src/a.py"]),
]  # fmt: skip


def texts(records: list[Record], **others: str) -> dict[str, str]:
    """Marker -> text of each document."""
    return {one.marker: write(one) for one in documents(project(records, FILES, **others))}


def test_the_overview() -> None:
    """Goal, status with its percentage, three priorities, blockers, decisions as links; no tool's word."""
    found = parts(texts(RECORDS, goal="It sells bolts.")["§1.0"])
    assert found["Goal"] == "It sells bolts."
    assert found["Status"].startswith("42 %, the mean of 2 sections\n")
    assert found["Priorities"] == "1. resolve: Payments are lost\n2. refunds [BLOCKED: review]\n3. index"
    assert found["Blockers"] == "- review §2.3\n- Payments are lost §2.3"
    assert found["Key decisions"] == "- Use JWT [DEC-2026-11-04-001] §2.3"
    assert found["Sections"] == "- §2.1 Project\n- §2.2 docs: 25 %\n- §2.3 src: 60 %, 2 open issues"


def test_a_summary() -> None:
    """Overview, status, decisions with ids and reasons, next actions, where the details are."""
    found = parts(texts(RECORDS)["§2.3"])
    assert found["Overview"] == "Folder §4.src."
    assert found["Status"] == "60 %: Pay\n- high: A slow page"
    assert found["Key decisions"] == "- Use JWT [DEC-2026-11-04-001]: many services"
    assert found["Blockers"] == "- review\n- Payments are lost"
    assert found["Next actions"] == "- refunds\n- retry once"
    assert found["To know"] == "- Caches are cold at night"
    assert found["Details"].startswith("§3.3.1 Status, §3.3.2 Key decisions, ")


def test_what_is_missing_is_said() -> None:
    """An empty project has its overview, its section, and no invented figure."""
    found = {marker: parts(text) for marker, text in texts([]).items()}
    assert {found["§1.0"][name] for name in ("Goal", "Status", "Priorities", "Key decisions")} == {"None recorded."}
    assert "Blockers" not in found["§2.1"]
    assert found["§2.1"]["Key decisions"] == "None recorded."


def test_what_a_tool_said_stands_at_level_3_only() -> None:
    """With its source."""
    for marker, text in texts(RECORDS).items():
        assert ("Trust me" in text) is (marker == "§3.1")


LONG = st.builds(
    lambda kind, words, weight: record(kind, f"T {words}"[:90].strip(), importance=weight, paths=["src/a.py"]),
    st.sampled_from(("decision", "issue", "state", "learning")),
    st.text("ab 一\U0001f600-#§<", min_size=1, max_size=80),
    st.integers(1, 10),
)


@settings(max_examples=15)
@given(st.lists(LONG, min_size=20, max_size=80))
def test_every_document_is_within_its_tokens(records: list[Record]) -> None:
    """However much there is to say, in whatever script."""
    for marker, text in texts(records).items():
        limit = LIMITS[int(marker[1])]
        assert measure(text, limit) <= limit
