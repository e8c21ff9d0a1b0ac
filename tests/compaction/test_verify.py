import pytest

from holdfast.compaction import verify
from holdfast.compaction.verify import Fact, Texts
from holdfast.session.reply import utf16_length

FACTS = [
    Fact("request", "Replace the session cookie"),
    Fact("task", "Write the guide", "pending"),
    Fact("file", "/p/src/signed_token.py"),
    Fact("commit", "1234abc Add it", must=False),
]


def test_a_summary_that_has_it_all() -> None:
    """Everything retained, nothing to tell."""
    summary = "Replace the session cookie\nsigned_token.py\nto do: Write the guide\n1234abc"
    found, told = verify.check(FACTS, Texts(summary, "", ""), ())
    assert found["facts"] == found["facts_in_summary"] == {"retained": 4, "recoverable": 0, "missing": 0}
    assert (told, found["correction"], found["missing"]) == ("", 0, [])


def test_the_restored_text_counts_with_the_summary() -> None:
    """What the summary lost and was restored is held; sections and size of what was restored are recorded."""
    found, told = verify.check(FACTS, Texts("OK done.", "Holdfast\n\n## Plan\n- to do: Write the guide", ""), ())
    assert found["facts"]["retained"] == 1
    assert found["facts_in_summary"]["retained"] == 0
    assert found["packet"]["sections"] == ["Plan"]
    assert "Write the guide" not in told
    assert "- the user's newest request: Replace the session cookie" in told
    assert "- a changed file: /p/src/signed_token.py" in told
    assert "1234abc" not in told


def test_what_stands_on_the_page_alone_is_told_too() -> None:
    """It is recoverable, and counted as such; but nobody has read it."""
    found, told = verify.check(FACTS[:1], Texts("OK", "", "> Replace the session cookie", "/c/0001.md"), ())
    assert found["must"] == {"items": 1, "held": 0, "on_page": 1, "missing": 0}
    assert "Replace the session cookie" in told


def test_over_two_compactions() -> None:
    """Facts that the compaction before had to carry are counted by themselves."""
    before = [("request", "Replace the session cookie"), ("task", "gone since")]
    found, _ = verify.check(FACTS, Texts("Replace the session cookie", "", ""), before)
    assert found["facts_of_last_time"] == {"retained": 1, "recoverable": 0, "missing": 0}
    assert verify.check(FACTS, Texts("", "", ""), ())[0]["facts_of_last_time"] is None


@pytest.mark.parametrize("text", ["x" * 300, "😀" * 300], ids=["plain", "emoji"])
def test_what_does_not_fit_is_counted_with_the_page_that_has_it(text: str) -> None:
    """Within the bound, whole lines only."""
    many = [Fact("task", f"{n} {text}", "pending") for n in range(20)]
    told = verify.correction(verify.validate(many, ()), "/c/0001.md")
    assert utf16_length(told) <= verify.CHARS
    assert told.splitlines()[-1].endswith("more: read /c/0001.md")
    assert len(told.splitlines()) > 2
