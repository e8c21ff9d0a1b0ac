import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.compaction import passages

SUMMARY = """7. Pending Tasks:
   - Write the parser for dates
   - Rename the table (cancelled)

## Done
- Migrate the sessions

```go
Write nothing here
```
8. Current Work:
   The migration of sessions is not yet finished. The parser was completed.
"""


def test_words_of_one_family_are_one() -> None:
    """By their first letters; short and common words tell nothing."""
    assert passages.telling("Replacing the file") == passages.telling("replaced this code") == {"replac"}


@pytest.mark.parametrize(
    ("words", "state"),
    [
        ("parser dates", "open"),
        ("rename table", "cancelled"),
        ("migrate sessions", "done"),
    ],
)
def test_the_state_that_a_passage_gives(words: str, state: str) -> None:
    """The marker in the line first, else the heading above it."""
    found = passages.about(passages.telling(words), passages.cut(SUMMARY), 1.0)
    assert state in [passages.state_of(passage) for passage in found]


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("- [x] Migrate the sessions", "done"),
        ("- [ ] Migrate the sessions", "open"),
        ("Migrate the sessions: not yet done", "open"),
        ("Migrate the sessions ✅", "done"),
        ("Migrate the sessions was called off", "cancelled"),
        ("Migrate the sessions (in progress)", "in progress"),
        ("Migrate the sessions of a pending review", ""),
        ("The completed migration of sessions", ""),
        ("The migration is done, the sessions are pending", ""),
    ],
)
def test_markers(text: str, state: str) -> None:
    """A state's name counts where it is the state, not where it describes something else or both stand there."""
    (passage,) = passages.cut(text)
    assert passages.state_of(passage) == state


def test_the_items_own_words_are_no_marker() -> None:
    """ "List what is pending" may be done."""
    (passage,) = passages.cut("- List what is pending in the queue")
    assert passages.state_of(passage, "List what is pending in the queue") == ""


def test_quoted_code_is_no_passage() -> None:
    """What stands in a fence is not said by the summary."""
    assert not any("nothing here" in passage.text for passage in passages.cut(SUMMARY))


def test_long_lines_are_cut_into_sentences() -> None:
    """So that two matters of one paragraph are told apart."""
    line = "The timeout of the server is 45 seconds. " * 4 + "The client waits."
    assert len(passages.cut(line)) == 5


@given(st.text(st.characters(codec=None) | st.sampled_from(" \n.:-#*`[]x1✅"), max_size=300))
def test_whatever_the_text(text: str) -> None:
    """Nothing fails, and a share is a share."""
    found = passages.cut(text)
    assert 0.0 <= passages.best_share(passages.telling(text), found) <= 1.0
    assert {passages.state_of(passage) for passage in found} <= {"", "open", "in progress", "done", "cancelled"}
