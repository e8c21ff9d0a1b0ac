import pytest

from holdfast.compaction import contradictions
from holdfast.compaction.critical_facts import Fact, keys_of


def fact(kind: str, text: str, state: str = "", **more: tuple[str, ...]) -> Fact:
    """A fact with its keys."""
    return Fact(kind, text, more.get("keys", keys_of(text)), state, "", more.get("old", ()))


def verdict(one: Fact, text: str, *known: str) -> str:
    """altered, stale or "" of a text."""
    return contradictions.other(one, contradictions.read(text, frozenset(known)))[0]


TIMEOUT = fact("constraint", "Never let the gateway timeout exceed 45 seconds")
RENAMED = fact("file", "/p/src/auth/signed_token.py", keys=("signed_token.py",))
ITEM = "Export the monthly report as XML"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- The gateway timeout must never exceed 90 seconds", "altered"),
        ("- The gateway timeout must never exceed 45 seconds", ""),
        ("- The gateway timeout must not exceed the limit of the user", ""),
        ("- The gateway has 3 routes and a timeout that must not exceed 45 s", ""),
        (
            "- The gateway timeout must never exceed 90 seconds\n- so its timeout can exceed 45 seconds at the gateway",
            "",
        ),
        ("- The build takes 90 seconds", ""),
        ("9. The gateway timeout exceeds nothing\n90. more", ""),
    ],
)
def test_numbers(text: str, expected: str) -> None:
    """Another number beside the same word, in a sentence on the same matter that nowhere has the right one."""
    assert verdict(TIMEOUT, text) == expected


def test_one_of_several_numbers() -> None:
    """Each number of a sentence has its own place."""
    told = fact("decision", "Retry 5 times with a pause of 250 ms between attempts")
    assert verdict(told, "Retry 5 times with a pause of 900 ms between attempts") == "altered"
    assert verdict(told, "With a pause of 250 ms between attempts, retry 5 times") == ""


def test_lines_of_a_file_move() -> None:
    """Their numbers say nothing."""
    told = fact("decision", "The handler checks the signature in line 302 before parsing")
    assert verdict(told, "The handler checks the signature in line 310 before parsing") == ""


def test_a_value_that_was_replaced_is_stale() -> None:
    """The number before the user's correction."""
    told = fact("correction", "Wait 45 seconds for the gateway, not 30", old=("30",))
    assert verdict(told, "Wait 30 seconds for the gateway") == "stale"


@pytest.mark.parametrize(
    ("text", "known", "expected"),
    [
        ("edited src/auth/signing_token.py", (), "altered"),
        ("edited signing_token.py", (), "altered"),
        ("edited src/auth/signed_token.py and signing_token.py", (), ""),
        ("edited signing_token.py", ("signing_token.py",), ""),
        ("edited src/web/signing_token.py", (), ""),
        ("edited test_signed_token.py", (), ""),
        ("edited signing_token.ts", (), ""),
        ("edited cookie.py", (), ""),
    ],
)
def test_renamed_files(text: str, known: tuple[str, ...], expected: str) -> None:
    """Only a name that nobody knows, like the file's and at its place, while the right one is nowhere."""
    assert verdict(RENAMED, text, *known) == expected


@pytest.mark.parametrize(
    ("state", "text", "expected"),
    [
        ("cancelled", f"7. Pending Tasks:\n   - {ITEM}", "altered"),
        ("cancelled", f"- {ITEM} (cancelled)", ""),
        ("cancelled", f"- {ITEM}: still to be done", "altered"),
        ("cancelled", f"The plan had: {ITEM}", ""),
        ("done", f"## Remaining\n- {ITEM}", "altered"),
        ("done", f"## Remaining\n- {ITEM}\n\n## Completed\n- {ITEM}", ""),
        ("planned", f"- [x] {ITEM}", "altered"),
        ("planned", f"7. Pending Tasks:\n   - {ITEM}", ""),
        ("in progress", f"- [x] {ITEM}", ""),
    ],
)
def test_states_of_the_plan(state: str, text: str, expected: str) -> None:
    """Contradicted in so many words, and nowhere said right. A step at hand may have been finished since."""
    assert verdict(fact("plan", ITEM, state), text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ValueError: signature does not match key id 7 - fixed by rotating", "altered"),
        ("ValueError: signature does not match key id 7 is not fixed", ""),
        ("ValueError: signature does not match key id 7 (tried to get it fixed)", ""),
        ("The errors were fixed", ""),
    ],
)
def test_open_errors(text: str, expected: str) -> None:
    """Called fixed beside their own words."""
    assert verdict(fact("error", "ValueError: signature does not match key id 7", "open"), text) == expected


@pytest.mark.parametrize(
    ("state", "text", "expected"),
    [
        ("failed", "tests/test_signer.py passes", "altered"),
        ("failed", "tests/test_signer.py failed, now tests/test_signer.py passes", ""),
        ("passed", "tests/test_signer.py still fails", "altered"),
        ("failed", "All tests pass", ""),
    ],
)
def test_outcomes_of_tests(state: str, text: str, expected: str) -> None:
    """Only where the passage names what was run."""
    told = fact("test", "pytest tests/test_signer.py: 1 failed", state, keys=("tests/test_signer.py",))
    assert verdict(told, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The last commit is 1234abc", "stale"),
        ("The latest commit (fedcba9) has it", "altered"),
        ("Committed 1234abc, then 89abcde", ""),
        ("Committed 1234abc", ""),
    ],
)
def test_the_last_commit(text: str, expected: str) -> None:
    """Another one called the last; an earlier one of this session is stale."""
    assert verdict(fact("commit", "89abcde Second", keys=("89abcde",), old=("1234abc",)), text) == expected
