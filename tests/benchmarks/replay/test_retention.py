"""What of what the agent uses next is still before its eyes."""

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.replay.retention import Losses, Tally, added, old_texts, plain
from holdfast.engine.messages import replaced
from tests.engine.conversations import Json, asked, conversations, results, said

READ = results(("c1", "     1→def retry_pool(size):\n     2→    return parseHeader(size)"))
HISTORY = [asked("Mend src/api.py."), said("Looking.", ("c1", "Read", {"file_path": "src/api.py"})), READ]
EDIT = {"file_path": "src/api.py", "old_string": "def retry_pool(size):\n    return", "new_string": "fresh_name = 1"}
MESSAGES = [*HISTORY, said("Now retry_pool.", ("c2", "Edit", EDIT)), results(("c2", "done"))]


def gone(text: str) -> list[Json]:
    """The history with another text for what was read."""
    return [dict(message) for message in replaced(HISTORY, {(2, 0): text})]


def used(view: list[Json], archive: dict[str, str] | None = None) -> Tally:
    """What the edit uses, with this view of what was before it."""
    texts = archive or {}
    return Losses(MESSAGES, lambda place: texts.get(place, "")).use(3, view, True)


def test_what_left_without_a_word_is_lost() -> None:
    """The name and the edit's text; the path still stands in the call."""
    assert used(gone("[cleared]")) == Tally(uses=2, held=1, at_risk=1, at_risk_held=0, edits=1)


def test_a_placeholder_holds_the_names_that_it_says() -> None:
    """And no longer ones that merely begin so."""
    assert used(gone("[Evicted: Read, turn 2: retry_pool; whole: a1]")).held == 2
    assert used(gone("[Evicted: Read, turn 2: retry_pool_size; whole: a1]")).held == 1


def test_an_edit_is_readable_only_where_the_named_place_has_its_text() -> None:
    """At the place itself or at one that is named there; a place that has something else does not count."""
    whole, view = plain(READ), gone("[Evicted: Read, turn 2; whole: a1]")
    assert used(view, {"a1": whole}).edits_readable == 1
    assert used(view, {"a1": "[What came before: a0]\nmore", "a0": whole}).edits_readable == 1
    assert used(view, {"a1": "another file", "a2": whole}).edits_readable == 0
    assert used(view, {"a1": "[What came before: a1]"}).edits_readable == 0


def test_each_edit_of_a_message_counts() -> None:
    """Also those of one call with several, and of a tool with another name for them."""
    several = {"file_path": "a", "edits": [{"old_string": "x"}, {"old_string": "y"}, {"new_string": "z"}]}
    other = {"path": "a", "command": "str_replace", "old_str": "w", "new_str": "v"}
    message = said("", ("1", "MultiEdit", several), ("2", "str_replace_based_edit_tool", other), ("3", "Bash", {}))
    assert old_texts(message) == ["x", "y", "w"]


@given(conversations(), st.booleans())
def test_the_whole_history_loses_nothing(messages: list[Json], changed: bool) -> None:
    """Turn by turn, whether the view is said to be new or to go on."""
    losses = Losses(messages, lambda place: "")
    answers = [index for index, message in enumerate(messages) if message["role"] == "assistant"]
    total = added([losses.use(index, messages[:index], changed) for index in answers])
    assert total.held == total.uses
    assert total.at_risk == 0
    assert added([]) == Tally()
