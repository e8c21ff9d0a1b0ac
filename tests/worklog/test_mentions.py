import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.worklog import fold, mentions


def test_the_users_words_weigh_more_than_output() -> None:
    """And what is mentioned often more than what is mentioned once."""
    state = fold.empty()
    mentions.said(state, "Fix loadSession", mentions.PROMPT)
    mentions.mention(state, "otherName otherName printedTwice", mentions.SHOWN)
    mentions.mention(state, "printedTwice", mentions.SHOWN)
    assert list(mentions.ranked(state)) == ["loadSession", "printedTwice", "otherName"]


def test_recent_beats_old() -> None:
    """A name fades by half every HALF_LIFE messages."""
    state = fold.empty()
    for _ in range(3):
        mentions.mention(state, "oldName", mentions.SHOWN)
    state["messages"] = 2 * mentions.HALF_LIFE
    mentions.mention(state, "newName", mentions.SHOWN)
    assert mentions.ranked(state) == {"newName": 1.0, "oldName": 0.75}


def test_the_file_in_which_a_name_was_seen() -> None:
    """The newest that is known; a mention without one does not take it away. A file's name has its path."""
    state = fold.empty()
    mentions.mention(state, "loadSession", mentions.SHOWN, "/p/a.py")
    mentions.mention(state, "loadSession in src/store/files.py", mentions.TYPED)
    assert state["terms"]["loadSession"][2] == "/p/a.py"
    assert state["terms"]["files.py"][2] == "src/store/files.py"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("`loadSession()` fails at hot/files.py:12", {"loadSession", "hot/files.py:12", "files.py"}),
        ("wait 45 seconds, 12.5 % at most", {"45", "12.5"}),
        ("set MAX_AGE with --dry-run, see ADR 12", {"MAX_AGE", "--dry-run", "ADR 12"}),
        ("commit 1234abc", {"1234abc"}),
        ("plain words only", set()),
    ],
)
def test_telling_words(text: str, words: set[str]) -> None:
    """Names, numbers, codes and flags; plain words tell nothing."""
    assert words <= mentions.telling(text)
    assert mentions.telling("plain words only") == set()


@pytest.mark.parametrize(
    ("word", "name"),
    [("loadSession", True), ("files.py", True), ("45", False), ("--dry-run", False), ("MAX 12", False), ("1.5", False)],
)
def test_names(word: str, name: bool) -> None:
    """Identifiers and files can stand alone in an index, other telling words not."""
    assert mentions.is_name(word) is name


def test_bounded_and_the_newest_stay() -> None:
    """After any number of names; a line of data is no name."""
    state = fold.empty()
    for n in range(9_000):
        state["messages"] = n
        mentions.mention(state, f"name_number_{n} {'dataLine' * 400}", mentions.SHOWN)
    assert len(state["terms"]) <= 2 * mentions.KEPT
    assert next(iter(mentions.ranked(state))) == "name_number_8999"
    assert max(map(len, state["terms"])) < 200


@given(st.text(max_size=300), st.text(max_size=20))
def test_any_text(text: str, path: str) -> None:
    """Nothing raises, and what is found can be ranked."""
    state = fold.empty()
    mentions.said(state, text, mentions.OWN)
    mentions.mention(state, text, mentions.TYPED, path)
    assert set(mentions.ranked(state)) == set(state["terms"])


@pytest.mark.parametrize("piece", ["a.", "a_", "x", "-", "{", "[", "**a", "a+a.", "/", "`"], ids=repr)
def test_a_long_run_of_signs_is_read_once(piece: str) -> None:
    """40,000 characters without a space: a pattern that looks at each of them from each start would take minutes."""
    state = fold.empty()
    mentions.said(state, piece * (40_000 // len(piece)), mentions.PROMPT)
    assert len(repr(state["terms"])) < 90_000


def test_a_file_is_known_by_its_whole_path() -> None:
    """Where a text names a file both from the root and from a folder, the path from the root is kept."""
    state = fold.empty()
    mentions.mention(state, "src/store.py /p/src/store.py src/store.py", mentions.SHOWN)
    assert state["terms"]["store.py"][2] == "/p/src/store.py"


def test_a_line_of_data_lends_no_names() -> None:
    """Nobody works with names out of a thousand characters without a break."""
    state = fold.empty()
    mentions.mention(state, "keepThis " + "aBcdEfgh/" * 200, mentions.SHOWN)
    assert list(state["terms"]) == ["keepThis"]


def test_a_file_counts_twice() -> None:
    """It holds more than any other name."""
    state = fold.empty()
    mentions.mention(state, "store.py someName", mentions.SHOWN)
    assert mentions.ranked(state) == {"store.py": 2.0, "someName": 1.0}


def test_the_place_in_a_file_that_was_spoken_of_most() -> None:
    """By the file's base name; an equal one gives way to the later line."""
    state = fold.empty()
    mentions.said(state, "src/store.py:12 and store.py:90, a.go:7", mentions.OWN)
    mentions.said(state, "src/store.py:12", mentions.OWN)
    assert mentions.places(state) == {"store.py": "12", "a.go": "7"}
