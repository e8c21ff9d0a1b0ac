from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.compaction import critical_facts
from holdfast.handoff import orchestrator
from holdfast.worklog import fold


def work(**changes: Any) -> dict[str, Any]:
    """A worklog."""
    return {**fold.empty(), **changes}


def note(kind: str, text: str, by: str = "user") -> dict[str, Any]:
    """One note of the worklog."""
    return {"kind": kind, "text": text, "by": by, "n": 1}


def kinds(found: list[critical_facts.Fact]) -> list[str]:
    """Their kinds in order."""
    return [fact.kind for fact in found]


FULL = work(
    goal="Replace the session cookie by a signed token",
    prompts=[
        {"text": "Replace the session cookie by a signed token", "n": 1, "re": ""},
        {"text": "the second one", "n": 9, "re": "Keep tokens for 7 or 14 days?"},
    ],
    notes=[
        note("constraint", "Never log the secret key"),
        note("constraint", "Never call the shop", by="assistant"),
        note("correction", "Wait 45 seconds, not 30"),
        note("decision", "Use HMAC because keys rotate", by="assistant"),
        note("failed", "Signing with RSA was too slow", by="assistant"),
        note("cancelled", "Drop the admin page after all"),
    ],
    todos=[
        {"text": "Write the signer", "status": "in_progress"},
        {"text": "Document the header", "status": "pending"},
        {"text": "Read the old code", "status": "completed"},
        {"text": "Keep the XML export", "status": "deleted"},
    ],
    left_over=["Port the importer"],
    errors=[{"at": "/p/src/signer.py", "what": "ValueError: signature does not match key id 7", "n": 2, "tried": []}],
    changed=[f"/p/src/file_{number}.py" for number in range(7)],
    tests=[{"command": "pytest tests/test_signer.py -q | tail -3", "ok": False, "end": "1 failed"}],
    commits=["1234abc First", "89abcde Second"],
)


def test_what_must_survive() -> None:
    """Every kind, the request before the rest; who said it decides what binds."""
    found = critical_facts.critical(FULL, orchestrator.empty())
    assert kinds(found)[:2] == ["request", "goal"]
    texts = {fact.kind: [f.text for f in found if f.kind == fact.kind] for fact in found}
    assert texts["request"] == ["Keep tokens for 7 or 14 days? the second one"]
    assert texts["constraint"] == ["Never log the secret key", "Drop the admin page after all"]
    assert texts["cancelled"] == ["Keep the XML export"]
    assert "Port the importer" not in {text for found in texts.values() for text in found}
    assert texts["file"] == [f"/p/src/file_{number}.py" for number in (6, 5, 4, 3, 2)]
    assert {"correction", "decision", "failed", "step", "plan", "error", "test", "commit"} <= texts.keys()


def test_what_must_stay_is_marked() -> None:
    """What scores 100 (K8); the rest of the plan, failed approaches, test and commit are beside it."""
    found = critical_facts.critical(FULL, orchestrator.empty())
    must = {fact.kind for fact in found if fact.must}
    assert must == {"request", "goal", "constraint", "correction", "step", "plan", "decision", "file"}
    assert {fact.text for fact in found if fact.kind == "plan" and fact.must} == {"Document the header"}
    assert {"failed", "test", "commit", "cancelled"} <= {fact.kind for fact in found if not fact.must}


@pytest.mark.parametrize("kind", ["constraint", "correction", "cancelled", "decision"])
def test_no_number_limits_what_must_stay(kind: str) -> None:
    """As many as the record holds; of what need not stay, the newest."""
    notes = [note(kind, f"number_{n} of all things") for n in range(40)]
    failed = [note("failed", f"attempt_{n} of all things", by="assistant") for n in range(40)]
    found = critical_facts.critical(work(notes=[*notes, *failed]), {})
    assert sum(fact.must for fact in found) == 40
    assert [fact.keys[0] for fact in found if not fact.must] == [f"attempt_{n}" for n in range(32, 40)]


def test_grave_bugs_and_details_are_facts() -> None:
    """An ordinary bug or lesson is none."""
    texts = {"bug": ("BUG-1 [critical]: tokens leak", "BUG-2: a typo"), "learning": ("CRITICAL: keys rotate", "nice")}
    notes = [note(kind, text, by="assistant") for kind, both in texts.items() for text in both]
    assert [fact[:2] for fact in critical_facts.critical(work(notes=notes), {})] == [
        ("bug", texts["bug"][0]),
        ("detail", texts["learning"][0]),
    ]


def test_states_and_sources() -> None:
    """Of plan, error, test run and file."""
    by = {fact.text: fact for fact in critical_facts.critical(FULL, orchestrator.empty())}
    assert by["Write the signer"].state == "in progress"
    assert by["Document the header"].state == "planned"
    assert by["Read the old code"].state == "done"
    assert by["Keep the XML export"].state == "cancelled"
    error = by["ValueError: signature does not match key id 7"]
    assert (error.state, error.where) == ("open", "/p/src/signer.py")
    assert next(fact for fact in by.values() if fact.kind == "test").keys == ("tests/test_signer.py",)


def test_what_a_value_replaced() -> None:
    """The corrected number and the earlier commits, so that an old value is told from a wrong one."""
    found = critical_facts.critical(FULL, orchestrator.empty())
    assert next(fact for fact in found if fact.kind == "correction").old == ("30",)
    commit = next(fact for fact in found if fact.kind == "commit")
    assert (commit.keys, commit.old) == (("89abcde",), ("1234abc",))


def test_decisions_of_agents() -> None:
    """With the summary that holds their reason; one that was not stated is none."""
    agents = {
        **orchestrator.empty(),
        "decisions": {"design": "PROCEED", "review": "not stated"},
        "progress": {**orchestrator.empty()["progress"], "summaries": {"design": "HMAC keeps rotation simple"}},
    }
    (fact,) = [fact for fact in critical_facts.critical(work(), agents) if fact.kind == "decision"]
    assert fact.text == "design: PROCEED. HMAC keeps rotation simple"


def test_keys_are_names_else_words() -> None:
    """Paths by their last part, identifiers, quoted words, numbers; without any the longest words."""
    assert critical_facts.keys_of("set maxRetries to 12 in src/net/client.py, see `retry loop`") == (
        "client.py",
        "maxRetries",
        "retry loop",
        "12",
    )
    assert "wording" in critical_facts.keys_of("keep the wording short")
    assert critical_facts.keys_of('number folders from `/1`, not `/0`, with the mark `"` and `go run`') == ("go run",)


def test_nothing_done_nothing_to_keep() -> None:
    """And a prompt without a telling word is no fact."""
    assert critical_facts.critical(work(), orchestrator.empty()) == []
    assert critical_facts.critical(work(goal="go on", prompts=[{"text": "go on", "n": 1, "re": ""}]), {}) == []


def test_known_names() -> None:
    """Files that were read, changed or spoken of."""
    told = work(read=["/p/a.py"], changed=["/p/b.py"], prompts=[{"text": "look at c/d.py", "n": 1, "re": ""}])
    assert critical_facts.known_names(told) >= {"a.py", "b.py", "d.py"}


TEXT = st.text(st.characters(codec=None) | st.sampled_from(' \n.`/"7'), max_size=120)


@given(TEXT, st.sampled_from(["constraint", "correction", "decision", "failed", "cancelled", "bug"]), TEXT)
def test_whatever_was_said(goal: str, kind: str, text: str) -> None:
    """Each fact is one line of bounded length that can be known again."""
    for fact in critical_facts.critical(work(goal=goal, notes=[note(kind, text)]), {}):
        assert len(fact.text) <= critical_facts.CHARS
        assert len(fact.text.splitlines()) <= 1
        assert fact.keys or critical_facts.words(fact)
