from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.checkpoint import model
from holdfast.checkpoint.sections import FULL, WRONG, SectionMaterial, sections
from holdfast.compaction import instructions, packet
from holdfast.session.reply import utf16_length
from tests.checkpoint.made import TITLES, prompt, state
from tests.compaction.states import WORK
from tests.worklog import states


def told(source: str = "compact", chars: int = FULL, work: Any = WORK, **more: Any) -> str:
    known = SectionMaterial(work, {}, {"directory": "/p"}, chars=chars, **more)
    return packet.text(known, sections(source, known))


def test_after_a_compaction_the_record_is_put_back() -> None:
    """The user's words, what was marked, the plan by state, what failed, test runs, files; the most important first."""
    text = told(page="/c/0001.md", recalls=True, seconds=300.0, drift=("the branch is now b; it was a",))
    order = [
        "Holdfast's notes on this session, 5 min old; data, no new instruction; where the conversation differs, it is "
        "newer; more of them: /c/0001.md; the skill `holdfast-recall` searches the whole conversation.",
        "## The user's newest requests, verbatim, the newest last\n> Replace the session cookie by a signed token\n\n"
        "> Now the tests",
        "## Changed since Holdfast last looked\n- the branch is now b; it was a",
        "## Lines marked to be kept\n- lesson (assistant): The cache is cold at 04:30.\n"
        "- rule (user): Never push to main.",
        "- in progress: Wire the router (whole list last changed 2 requests ago)\n- planned: Load-test it",
        "- ticked off as done: Write the engine\n- dropped: Port the widget",
        "## Failed, not seen to work since\n- `pytest`: AssertionError: 19 != 20",
        '## Last test runs, newest first\n- `pytest -q`: exit 1, "1 failed"',
        "## Repository\n- made by this session: 1234abcdef Add the engine",
        "## Files changed, newest first\n- src/: part_7.py, part_6.py",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert told("clear") == ""


def test_a_command_in_the_background_is_told_to_the_summariser_and_on_the_page() -> None:
    """Beside the summary the client itself names it (2.1.329)."""
    ended = states.notified("<task-id>b2</task-id>\n<status>completed</status>")
    work = states.after(states.background("npm run dev", "b7f3a01"), states.background("make", "b2"), ended)
    line = "egun in the background, no end seen: `npm run dev` (id b7f3a01)\n"
    for text in (instructions.for_summariser(work), told("page", work=model.slim(work))):
        assert line in f"{text}\n".replace("seen\n- ", "seen: ")
    for text in (packet.alone(work, FULL, "Pages.")[1], told("resume", work=work)):
        assert "b7f3a01" not in text


def test_beside_a_record_that_lacks_nothing_one_line_is_told() -> None:
    files = ", ".join(f"/p/src/part_{n}.py" for n in range(8))
    summary = f"""Asked: Replace the session cookie by a signed token. Then: Now the tests. 1234abc has it; {files}.
NEXT N1: run them; OPEN O1: AssertionError: 19 != 20; RULE R1: "Never push to main."
"""
    assert (
        packet.alone(WORK, FULL, summary)[1] == "Holdfast: the skill `holdfast-recall` finds what the summary left out."
    )


def test_lines_of_which_the_same_is_to_be_said_are_named_together() -> None:
    summary = 'RULE R1: "be quick"\nRULE R1: "be quick"\nDONE D1: the wiring: Wire the router\nRULE R2: "be brief"'
    found, text = packet.alone(WORK, FULL, summary)
    assert WRONG in [title for title, _ in found]
    assert "\n- R1, R2: the user did not type this; " in text
    assert "\n- D1: the to-do list has it as in progress" in text


@pytest.mark.parametrize(
    ("summary", "why"),
    [
        ("OVER R1: the user replaced it", 'the summary ended this rule ("the user replaced it"); only the user can'),
        ('RULE R1: "dates are German"', "the summary put another rule under this id"),
    ],
)
def test_a_rule_that_only_a_summary_ends_is_told_with_what_that_says(summary: str, why: str) -> None:
    """Not as one that it has left out, which it has not."""
    first = states.user('RULE R1: "dates are ISO"', isCompactSummary=True)
    work = states.after(states.user("RULE: dates are ISO"), first, states.user("RULE: dates are German"))
    found, text = packet.alone(work, FULL, f'{summary}\nRULE R2: "dates are German"')
    titles = [
        "The user's newest requests, verbatim, the newest last",
        WRONG,
    ]
    assert [title for title, _ in found] == titles
    assert f"\n- R1: {why}" in text
    assert text.count('"dates are ISO"') == 1


def test_the_users_rules_of_this_session_are_put_back_where_no_record_has_them() -> None:
    """Each once, in their words, whoever has marked it; none that the summary has or that is put back anyway."""
    said = states.user("RULE: never push\n\nAlways use tabs here. Dates are ISO.")
    marked = states.told('RULE: "use tabs"\n\nRULE: "never push"\n\nRULE: made up by the agent')
    first = states.user('RULE R1: "Dates are ISO."', isCompactSummary=True)
    work = states.after(said, marked, first, states.user("Now write the invoice module with all its tests."))
    text = packet.alone(work, FULL, "NEXT N1: go on")[1]
    assert "\n- Always use tabs here.\n- never push" in text
    assert [text.count(rule) for rule in ("never push", "use tabs", "ISO", "made up")] == [1, 1, 1, 0]
    assert "tabs" not in packet.alone(work, FULL, 'RULE R2: "Always use tabs here."')[1]


def test_beside_a_record_no_approval_without_a_word() -> None:
    """There are no words of the user's to keep; one with words is told, and so is what they refused."""
    for text, source, telling in (("", "approval", False), ("but in Rust", "approval", True), ("", "refusal", True)):
        asked = {"n": 7, "text": text, "source": source, "to": "the plan Move the login"}
        said = packet.alone(state(prompts=[asked]), FULL, "NEXT N1: move it")[1]
        assert ("Move the login" in said) is telling


@pytest.mark.parametrize("chars", [400, 600, 2_000, 10_000])
def test_the_budget_holds_and_the_least_important_goes_first(chars: int) -> None:
    """In UTF-16 units; what was cut is said."""
    asked = [prompt("😀 " * 900, 1), prompt("Wire it " * 60, 2)]
    text = told(chars=chars, work={**WORK, "prompts": asked})
    assert 0 < utf16_length(text) <= chars
    assert "> Wire it Wire it" in text
    assert text.endswith("(cut here for want of room)") is (chars <= 2_000)


@given(states.SESSIONS, st.sampled_from(["compact", "resume"]), st.integers(300, 10_000))
def test_any_session_can_be_told(work: Any, source: str, chars: int) -> None:
    """Within the budget; what is done, dropped or fixed is never told as to do, and every heading is ours."""
    text = told(source, chars, work=work)
    assert utf16_length(text) <= chars
    assert {line[3:] for line in text.splitlines() if line.startswith("## ")} <= TITLES
    closed = {item["text"] for item in work["todos"] if item["status"] in ("completed", "cancelled", "deleted")}
    still = {item["text"] for item in work["todos"] if item["text"] not in closed}
    opened = [line for line in text.splitlines() if line.startswith(("- planned: ", "- in progress: "))]
    assert all(line.partition(": ")[2].partition(" (whole list")[0] in still for line in opened if work["todos"])
