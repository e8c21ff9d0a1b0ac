import pytest

from holdfast.memory.marked import marked
from tests.worklog.states import after, bash, told, user

SAID = (
    "Note: the staging database resets every night.\n"
    "Performance: batching cut the import from 40 s to 4 s.\n"
    "Blocked by: missing credentials of the vendor\n\n"
    "## Next steps\n- wire the retry queue\n- add metrics to it\n"
)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("note", ["the staging database resets every night."]),
        ("gain", ["Performance: batching cut the import from 40 s to 4 s."]),
        ("blocked", ["missing credentials of the vendor"]),
        ("next", ["wire the retry queue", "add metrics to it"]),
    ],
)
def test_marked_lines(kind: str, expected: list[str]) -> None:
    """Each by its mark, and by nothing else."""
    assert marked(after(user("go on"), told(SAID)), kind) == expected


@pytest.mark.parametrize("kind", ["note", "gain", "next", "blocked"])
def test_what_others_say_is_not_marked(kind: str) -> None:
    """A quote, a fence, a tool's output, the user's prompt."""
    quoted = "The page:\n" + "\n".join(f"> {line}" for line in SAID.splitlines() if "#" not in line and line[:1] != "-")
    for step in (told(quoted), told(f"The page:\n```\n{SAID}\n```\n"), bash("cat a.md", SAID), user(SAID)):
        assert marked(after(user("go on"), step), kind) == []


def test_of_next_steps_the_last_list_counts() -> None:
    """The list before it is out of date."""
    work = after(told("Next steps:\n- write the schema first"), told("Next steps:\n- wire the retry queue"))
    assert marked(work, "next") == ["wire the retry queue"]


@pytest.mark.parametrize(
    "said", ["It would go from 40 s to 4 s with batches.", "Move it from 2 to 3.", "Is it 4x faster?"]
)
def test_a_gain_is_one_that_was_measured(said: str) -> None:
    """Not a wish, a question, or numbers without a unit."""
    assert marked(after(told(said)), "gain") == []
