import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.text import duplicates


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ok  \tcmd/app/cli\t1.947s", "ok cmd/app/cli 2.34s"),
        (
            "2026-01-31 09:41:35 checkpoint saved for the session",
            "2026-02-02 11:20:01 checkpoint saved for the session",
        ),
        ("2026-02-12T15:55:22+01:00 lock file removed", "2026-02-12T17:02:17+01:00 Lock  file removed"),
        ("Committed changes to the branch (0d05243)", "Committed changes to the branch (526c0c6)"),
        ("warning in tree 098f5900f9ab: has '.git'", "warning in tree 1c136b914a77: has '.git'"),
        ("pid 1234567890 was not found", "pid 9876543210 was not found"),
        (
            "agent 3f0c8a52-9d1e-4b7a-8c11-2f6d1a90b7e4 has stopped",
            "agent a1b0c3d2-0000-4b7a-8c11-2f6d1a90b7e4 has stopped",
        ),
    ],
    ids=["running time", "date and time", "stamp and case", "hash", "object", "number", "uuid"],
)
def test_what_changes_from_run_to_run_does_not_count(one: str, other: str) -> None:
    """Times and ids in a line that says something else; case and blanks."""
    assert duplicates.normalise(one) == duplicates.normalise(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("31af4ad Checkpoint: a76f0ea30b28", "2d2f7ae Checkpoint: b014cc9be4b8"),
        ("--- 2026-01-21 ---", "--- 2026-01-20 ---"),
        ("3 tests passed in the parser", "4 tests passed in the parser"),
        ("look at docs/plans/2026-02-06-phases.md first", "look at docs/plans/2026-03-07-phases.md first"),
        ("the error is at store.go:120:14 in Save", "the error is at store.go:121:30 in Save"),
        (
            "read .meta/05d4a287-8403-43ce-8a55-9194126050dc/p.txt again",
            "read .meta/858b0904-60ba-4f20-8465-12ec25bca08c/p.txt again",
        ),
        ("set the timeout to 30s for uploads", "set the timeout to 60s for uploads"),
    ],
    ids=["only ids", "only a date", "counts", "dates in names", "line numbers", "ids in paths", "a setting"],
)
def test_what_is_said_counts(one: str, other: str) -> None:
    """A number, a name, a path, or an id that is all there is, makes another text of it."""
    assert duplicates.normalise(one) != duplicates.normalise(other)
    assert duplicates.newest([one, other]) == [one, other]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Now let's run the test again:", "Let's run the test again"),
        ("- **Long-running commands** (compilation, test suites)", "Long-running commands (compilation, test suites)"),
        ("result, err := s.Condense(repo, id, state)", "result, err := s.Condense(repo, id, state)  // first"),
        ("118-\t// Also scan main if it is not current", "118:\t// Also scan main if it is not current"),
    ],
    ids=["fillers", "marks", "a word more", "separators"],
)
def test_near_texts_are_one(older: str, newer: str) -> None:
    """The newer says all that the older said; it is the one that stays."""
    assert duplicates.newest([older, "something else entirely, said between", newer])[-1] == newer
    assert len(duplicates.newest([older, newer])) == 1


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (
            "Please move the session tests into the folder for integration of login",
            "Please move the session tests into the folder for integration of logout",
        ),
        (
            "always push the release branch to the main remote before the meeting starts",
            "always push the release branch to the main remote before the meeting starts, not now",
        ),
        (
            "keep at most 500 tokens in each handoff that an agent gives back to us",
            "keep at most 900 tokens in each handoff that an agent gives back to us",
        ),
        (
            "read the whole of src/store.py before you change anything in the archive code",
            "read the whole of src/files.py before you change anything in the archive code",
        ),
        (
            "go through the critical issues and add tests and an end-to-end run for each of them",
            "go through the critical issues and add tests for each of them",
        ),
    ],
    ids=["a word", "a denial", "a number", "a path", "something left out"],
)
def test_similar_texts_that_differ_in_what_they_say_stay_two(older: str, newer: str) -> None:
    """Words in common are not enough: another name, number or direction is another thing."""
    assert duplicates.newest([older, newer]) == [older, newer]


TEXTS = st.lists(
    st.sampled_from(["run the tests", "Run the  tests", "now run the tests", "10:15 lock file removed", "~", "", "│ │"])
    | st.text(max_size=30),
    max_size=14,
)


@given(TEXTS)
def test_every_text_stands_in_one_group(texts: list[str]) -> None:
    """Nothing is lost or told twice; the kept one is the newest of its group; equal texts are one."""
    found = duplicates.groups(texts)
    assert sorted(index for group in found for index in (group.kept, *group.older)) == list(range(len(texts)))
    assert all(index < group.kept for group in found for index in group.older)
    kept = duplicates.newest(texts)
    assert len({duplicates.normalise(text) for text in kept}) == len(kept)
    assert kept == duplicates.newest(kept)


@given(st.text(max_size=60), st.text(max_size=60))
def test_similarity_is_a_measure(one: str, other: str) -> None:
    """Between 0 and 1, the same both ways, 1 for a text and itself."""
    assert 0 <= duplicates.similarity(one, other) <= 1
    assert duplicates.similarity(one, other) == duplicates.similarity(other, one)
    assert duplicates.similarity(one, one) == 1


@given(st.text(max_size=60))
def test_a_normalised_text_stays_as_it_is(text: str) -> None:
    """Normalising twice changes nothing, so stored keys can be compared."""
    once = duplicates.normalise(text)
    assert duplicates.normalise(once) == once


def test_the_same_search_is_told_with_its_count() -> None:
    """What limits the view is no difference; what is searched for, and where, is."""
    commands = {
        "rg foo src": 1,
        "go test ./... 2>&1 | tail -20": 2,
        "rg foo src | head -50": 1,
        "git show 1234abc": 1,
        "git show 5678def": 1,
        "go test ./...": 1,
        "rg foo src 2>/dev/null": 1,
    }
    assert duplicates.told(duplicates.merged(commands)) == [
        "git show 1234abc",
        "git show 5678def",
        "go test ./... (3x)",
        "rg foo src (3x)",
    ]


@given(st.dictionaries(st.text(max_size=20) | st.sampled_from(["a | head", "a", "| head", "2>&1"]), st.integers(1, 5)))
def test_merging_loses_no_run(commands: dict[str, int]) -> None:
    """The counts add up, and a command never becomes nothing."""
    found = duplicates.merged(commands)
    assert sum(found.values()) == sum(commands.values())
    assert all(key.strip() for key in found) or any(not command.strip() for command in commands)
