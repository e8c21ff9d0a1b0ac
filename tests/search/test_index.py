import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import BadInput
from holdfast.search import analysis
from holdfast.search.facts import SearchMoment, TextFacts, Where
from holdfast.search.index import SearchIndex

NOTES = [
    ("login", "Login", "Tokens are refreshed every hour.\nThe cookie is called sid.", "2026-05-08T10:00:00Z"),
    ("ci", "Continuous integration", "The runner needs Python 3.11. It caches wheels.", "2026-06-01T10:00:00Z"),
    ("tea", "Kitchen", "There is tea in the kitchen.", ""),
]


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SearchIndex]:
    with SearchIndex.open(tmp_path / "index") as made:
        assert made.add_many(NOTES) == 3
        yield made


def ids(found: Sequence[tuple[str, float]]) -> list[str]:
    return [name for name, _ in found]


def test_a_question_finds_its_text_first(index: SearchIndex) -> None:
    """Best first, scores between 0 and 1, nothing that has nothing in common."""
    found = index.search("How often is the token refreshed?")
    assert found[0][0] == "login"
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
    assert all(0 < score <= 1 for _, score in found)
    assert ids(index.search("wheel caching")) == ["ci"]
    assert index.search("zebra") == []


def test_adding_again_replaces_and_removing_removes(index: SearchIndex) -> None:
    index.add_many([("tea", "", "There is coffee.", "")])
    assert (index.count(), index.search("kitchen")) == (3, [])
    assert ids(index.search("coffee")) == ["tea"]
    assert index.remove(["login", "unknown"]) == 1
    assert "login" not in ids(index.search("token sid cookie")) + ids(index.search("", mode="memory"))


@pytest.mark.parametrize("query", ["", "the of and", "?!", "\0", '"*():^-'], ids=repr)
def test_a_question_without_words(index: SearchIndex, query: str) -> None:
    assert index.search(query) == []
    assert len(index.search(query, mode="memory")) == 3


def test_another_mode_and_no_limit_are_refused(index: SearchIndex) -> None:
    with pytest.raises(BadInput, match=re.escape("Allowed: relevance, memory")):
        index.search("tea", mode="best")
    with pytest.raises(BadInput, match="limit is below 1"):
        index.search("tea", limit=0)


BAD = {"three fields": ("a", "b", "c"), "a number": ("a", "b", 3, ""), "no id": (None, "", "", ""), "not one": 5}
BAD["half an emoji as id"] = ("\ud83d", "", "", "")


@pytest.mark.parametrize("record", BAD.values(), ids=list(BAD))
def test_what_is_no_record_is_refused(index: SearchIndex, record: object) -> None:
    """And nothing of its batch is added."""
    with pytest.raises(BadInput):
        index.add_many([("new", "", "fine", ""), record])  # type: ignore[list-item] # that is the point
    assert index.count() == 3


def test_memory_prefers_what_matters(index: SearchIndex) -> None:
    """Of equal texts the important one, then the one often used, then the newer one."""
    text = "The parser keeps comments."
    rows = [(name, "", text, time) for name, time in (("old", "2025-01-01"), ("new", "2026-11-01"))]
    rows += [(name, "", text, "2025-01-01") for name in ("important", "used")]
    facts = {"important": TextFacts(importance=10), "used": TextFacts(accessed=8)}
    index.add_many(rows, facts)
    found = index.search("does the parser keep comments", mode="memory", at=SearchMoment("2026-11-21T00:00:00Z"))
    assert ids(found)[:4] == ["important", "used", "new", "old"]
    since = SearchMoment("2026-11-21T00:00:00Z", {"old": 10, "used": 0})
    found = index.search("does the parser keep comments", mode="memory", at=since)
    assert ids(found)[:4] == ["old", "important", "new", "used"]


ABOUT = TextFacts("decision", 7, 0, ("auth", "api"), expires="2026-12-01T00:00:00Z")
ASKED = {
    "anything": (Where(), True),
    "kind": (Where(kind="decision"), True),
    "another kind": (Where(kind="issue"), False),
    "tags": (Where(tags=("api", "auth")), True),
    "a tag that it lacks": (Where(tags=("api", "db")), False),
    "the beginning of a tag": (Where(tags=("aut",)), False),
    "importance": (Where(importance=7), True),
    "more importance": (Where(importance=8), False),
    "after": (Where(after="2026-11-01"), True),
    "after its time": (Where(after="2026-11-02"), False),
    "before": (Where(before="2026-11-02"), True),
    "before its time": (Where(before="2026-11-01T10:00:00Z"), False),
    "archived": (Where(archived=True), False),
    "before it expires": (Where(alive="2026-11-30T00:00:00Z"), True),
    "when it has expired": (Where(alive="2026-12-01T00:00:00Z"), False),
    "two at once": (Where(kind="decision", tags=("db",)), False),
}


@pytest.mark.parametrize(("where", "expected"), ASKED.values(), ids=list(ASKED))
def test_only_what_is_asked_for_is_found(tmp_path: Path, where: Where, expected: bool) -> None:
    """By a word and without one, as a scan of the records would have it."""
    with SearchIndex.open(tmp_path / "index") as index:
        index.add_many([("a", "", "tea", "2026-11-01T10:00:00Z")], {"a": ABOUT})
        assert ids(index.search("tea", where=where)) == ["a"] * expected
        assert ids(index.search("", mode="memory", where=where)) == ["a"] * expected


def test_stems_decide_whether_an_index_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package it works, says so, and is not mixed with words of the other kind."""
    for fresh in (True, False):
        with SearchIndex.open(tmp_path / "index") as index:
            assert (index.fresh, index.note) == (fresh, "")
            index.add_many(NOTES)
    monkeypatch.setattr(analysis, "STEMMED", False)
    with SearchIndex.open(tmp_path / "index") as index:
        assert index.fresh
        assert " install snowballstemmer" in index.note


def test_what_is_not_asked_for_hides_nothing(index: SearchIndex) -> None:
    """However many archived, expired or newer texts have the same words."""
    same = [(f"n{i}", "", "green tea pot", "2026-11-20T00:00:00Z") for i in range(300)]
    index.add_many([("old", "", "green tea pot", "2026-01-01T00:00:00Z"), *same[:200]])
    facts = {name: TextFacts(archived=True) for name, *_ in same[:100]}
    facts |= {name: TextFacts(expires="2026-11-20T12:00:00Z") for name, *_ in same[100:200]}
    index.add_many(same[:200], facts)
    now = "2026-11-21T00:00:00Z"
    for mode in ("relevance", "memory"):
        assert "old" in ids(index.search("green tea", mode=mode, where=Where(alive=now), at=SearchMoment(now)))
        index.add_many(same[200:])
        found = index.search("green tea", mode=mode, where=Where(before="2026-02-01T00:00:00Z"), at=SearchMoment(now))
        assert "old" in ids(found)
        index.remove(name for name, *_ in same[200:])


def test_a_large_limit_is_kept(index: SearchIndex) -> None:
    index.add_many((f"n{i}", "", "tea tea", "") for i in range(350))
    for mode in ("relevance", "memory"):
        assert len(index.search("tea", 400, mode)) == 351
    assert len(index.search("", 1_200, "memory")) == 353


@given(st.text(), st.text(), st.text(), st.text())
def test_any_texts_and_questions(tmp_path: Path, title: str, text: str, time: str, query: str) -> None:
    """Syntax of full-text engines, NUL, emoji, nothing: never an error, and a text is found by its own words."""
    with SearchIndex.open(tmp_path / "any") as index:
        index.add_many([("x", title, text, time), ("y", text, "", "")])
        for mode in ("relevance", "memory"):
            scored = index.search(query, mode=mode) + index.search(
                f'{query} AND NOT "x" NEAR(y, 3) body:* ^', mode=mode
            )
            assert all(0 <= score <= 1 + 1e-9 for _, score in scored)
        found = index.search(text)
        assert not found or {"x", "y"} == set(ids(found))
        assert index.search(text) == found
        assert index.count() == 2


def test_huge_texts_and_questions(tmp_path: Path) -> None:
    huge = " ".join(f"word{i}" for i in range(100_000))
    with SearchIndex.open(tmp_path / "index") as index:
        index.add_many([("huge", "", huge, ""), ("long", "", "x" * 1_000_000, ""), *NOTES])
        assert ids(index.search("word99999", limit=1)) == ["huge"]
        assert ids(index.search(huge, limit=1)) == ["huge"]
        assert ids(index.search("x" * 1_000_000, limit=1)) == ["long"]
