from typing import Any

import pytest

from benchmarks.compaction import score


def user(text: Any, **fields: Any) -> dict[str, Any]:
    """A user row."""
    return {"type": "user", "message": {"content": text}, **fields}


def said(*blocks: dict[str, Any]) -> dict[str, Any]:
    """An assistant row."""
    return {"type": "assistant", "message": {"content": list(blocks)}}


def text(words: str) -> dict[str, Any]:
    """A text block."""
    return {"type": "text", "text": words}


def use(name: str, **inputs: Any) -> dict[str, Any]:
    """A call block."""
    return {"type": "tool_use", "id": name, "name": name, "input": inputs}


BOUNDARY = {"type": "system", "subtype": "compact_boundary"}
ROWS = [
    user("Please repair the session handling of loadSession quickly"),
    said(use("Read", file_path="/p/src/login.py"), use("Edit", file_path="/p/src/token.py", old_string="a")),
    user([{"type": "tool_result", "tool_use_id": "Read", "content": "def check_token(): loadSession()"}]),
    BOUNDARY,
    user("The client's own words about token.py and check_token", isCompactSummary=True),
    said(text("I go on with check_token and brandNewName."), use("Bash", command="grep loadSession src")),
    said(use("Read", file_path="/p/src/login.py"), use("Read", file_path="/p/src/fresh.py")),
    BOUNDARY,
    said(text("nothing more")),
]


def test_an_event_holds_its_own_window_and_what_was_used_after_it() -> None:
    """Files and prompts of the window; of what is used afterwards only what the window had seen."""
    first, second = score.events(ROWS)
    assert first.rows == 3
    assert (set(first.edited), set(first.read)) == ({"token.py"}, {"login.py"})
    assert first.prompts == ("Please repair the session handling of loadSession quickly",)
    assert first.identifiers == {"check_token", "loadSession"}
    assert first.reused == first.reread == {"login.py"}
    assert first.summary.startswith("The client's own words")
    assert second.prompts == ()
    assert second.edited == set()


def test_a_score_counts_words_not_letters() -> None:
    """A name that is only part of another one is not kept; a prompt needs most of its words."""
    event = next(score.events(ROWS))
    kept = score.score(event, "token.py: check_token; repair the session handling please quickly")
    assert kept.edited == 1.0
    assert kept.read == 0.0
    assert kept.identifiers == 0.5
    assert kept.prompts == 1.0
    assert score.score(event, "recheck_token_twice").identifiers == 0.0
    assert score.score(event, "please").prompts == 0.0


def test_what_has_nothing_to_keep_has_no_score() -> None:
    """An empty window gives None, and the mean passes over it."""
    first, second = score.events(ROWS)
    empty = score.score(second, "")
    assert empty.edited is None
    assert empty.prompts is None
    assert score.mean([score.score(first, "token.py"), empty]).edited == 1.0
    assert score.mean([empty]).edited is None


@pytest.mark.parametrize(
    ("told", "held"),
    [
        pytest.param("the PORT is 8080 and\n  the mode  strict", (1.0, 1.0), id="case and blanks folded"),
        pytest.param("port 8080", (0.75, 1.0), id="the lesser fact is missing"),
        pytest.param("strict", (0.25, 0.0), id="the greater fact is missing"),
    ],
)
def test_facts_are_held_when_all_their_strings_occur(told: str, held: tuple[float, float]) -> None:
    """Weighted by importance, and those of the highest importance alone."""
    facts = [{"must": ["port", "8080"], "importance": 3}, {"must": ["strict"], "importance": 1}]
    assert score.facts_held(facts, told) == held
