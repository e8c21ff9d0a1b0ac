"""The list of what the user asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.compaction import prompt_list
from holdfast.compaction.overlap import Summary
from holdfast.compaction.packet import rooms
from tests.worklog.states import SESSIONS, after, boundary, told, user

NONE = Summary("")
FULL = rooms(10_000)["prompts"]
LONG = (
    "Please rework the importer so that it reads every sheet of the workbook. "
    "The column mapping belongs in a table of its own. Dates arrive in three formats, and all of them count. "
    "Rows without an amount are skipped and reported at the end. The report names the sheet and the line. "
    "Afterwards compare the totals with last month and tell me where they differ by more than a cent. "
)


def chars(found: dict[int, str]) -> int:
    """Of the requests that are quoted here, each with its line's end."""
    return sum(len(line) + 1 for line in found.values() if line != prompt_list.ELSEWHERE)


def said(*prompts: str, page: str = "", room: int = FULL) -> list[str]:
    """The lines of a session of these prompts, each with an answer."""
    work = after(*(step for prompt in prompts for step in (user(prompt), told("The answer is on its way."))))
    return list(prompt_list.lines(prompt_list.need(work, page, NONE), room).values())


@given(SESSIONS, st.integers(0, 6_000))
def test_never_above_the_room(work: dict[str, object], room: int) -> None:
    """For any session; the least is a few characters of each request of this window, so that none is lost."""
    needed = prompt_list.need(work, "", NONE)
    recent = sum(number > needed.since for number in needed.said)
    assert chars(prompt_list.lines(needed, room)) <= max(room, prompt_list.LEAST * recent)


@given(st.lists(st.integers(0, 300), min_size=1, max_size=120), st.integers(0, 3_000), st.integers(0, 120))
def test_room_is_kept_with_very_many_requests(sizes: list[int], room: int, since: int) -> None:
    """Also where each can have a few characters only; requests of any length, of this window and before."""
    texts = {number: "x" * size for number, size in enumerate(sizes)}
    needed = prompt_list.Need(texts, {number: text[:90] for number, text in texts.items()}, since)
    assert chars(prompt_list.lines(needed, room)) <= room


@pytest.mark.parametrize("count", [1, 2, 12, 36], ids=lambda count: f"{count} requests")
def test_every_request_of_the_window_is_there(count: int) -> None:
    """At 10,000 characters, in their order."""
    work = after(*(user(f"{number} is the request. {LONG}") for number in range(count)))
    found = prompt_list.lines(prompt_list.need(work, "", NONE), FULL)
    assert list(found) == [prompt["n"] for prompt in work["prompts"]]
    inner = list(found.values())[1:-1]
    assert all(f'"{number}' in line for number, line in enumerate(inner, 1))


def test_short_ones_whole_before_long_ones() -> None:
    """A long request gives way, and says so; the short ones beside it stay as they are."""
    short = [f"Now do the part with number {number} of the list." for number in range(8)]
    found = said("Begin.", *short[:4], LONG, *short[4:], "The end.", room=700)
    assert [line for line in found if "part with number" in line] == [f'- user: "{text}"' for text in short]
    (cut,) = [line for line in found if "rework the importer" in line]
    assert len(cut) < len(LONG)
    assert "…" in cut


def test_with_room_a_long_one_says_nearly_all() -> None:
    """The more room the more of it."""
    sizes = [len(said("Begin.", LONG, "The end.", room=room)[1]) for room in (200, 300, 500, 2_000)]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]
    assert "differ by more than a cent" in said("Begin.", LONG, "The end.", room=2_000)[1]


def test_those_of_earlier_windows_go_first() -> None:
    """With room they are listed too; without it this window's stay and theirs are left out."""
    old = [user(f"Old request {number}: look at the parser of the importer.") for number in range(6)]
    new = [user(f"New request {number}: look at the writer of the exporter.") for number in range(6)]
    needed = prompt_list.need(after(*old, boundary(), *new, user("The end.")), "", NONE)
    whole, tight = ("\n".join(prompt_list.lines(needed, room).values()) for room in (2_000, 300))
    assert [text.count("New request") for text in (whole, tight)] == [6, 5]
    assert [text.count("Old request") for text in (whole, tight)] == [5, 0]


def test_without_room_for_lines_that_say_something_the_oldest_go() -> None:
    """No request is cut down to a few letters."""
    work = after(*(user(f"Request {number}: look at the writer of the exporter.") for number in range(20)))
    found = prompt_list.lines(prompt_list.need(work, "", NONE), 4 * prompt_list.LEAST)
    assert list(found) == [prompt["n"] for prompt in work["prompts"]][-4:]
    assert all(len(line) > 30 or line == prompt_list.ELSEWHERE for line in found.values())


def test_what_is_listed_as_a_rule_is_not_repeated() -> None:
    """The sentence stands above; the rest of the request stays."""
    rule = "Never touch the generated files."
    found = said("Begin.", f"Rename the module. {rule}", "The end.", page=f'- "{rule}"')
    assert found[1] == '- user: "Rename the module."'
    assert rule in said("Begin.", f"Rename the module. {rule}", "The end.")[1]


def test_a_request_that_is_all_rules_is_quoted_above() -> None:
    """Nothing is left to say of it, and its place in the order stays."""
    rule = "Never touch the generated files."
    assert said("Begin.", rule, "The end.", page=f'- "{rule}"')[1] == prompt_list.ELSEWHERE


@pytest.mark.parametrize("count", [1, 2, 5])
def test_the_first_and_the_last_stand_elsewhere(count: int) -> None:
    """They are the objective and the latest request; those between are quoted here."""
    found = said(*(f"Do the part with number {number}." for number in range(count)))
    assert [line == prompt_list.ELSEWHERE for line in found] == [number in (0, count - 1) for number in range(count)]


@pytest.mark.parametrize("text", ["yes", "2", "ok", "```\nmake all\n```", "> quoted from the mail"])
def test_what_stands_nowhere_else_is_not_called_quoted(text: str) -> None:
    """A very short answer or a prompt of pasted text only is still said."""
    assert said("Begin.", text, "The end.")[1] == f'- user: "{" ".join(text.split())}"'


def test_what_the_summary_holds_is_not_said_again() -> None:
    """The request is in the client's own summary, so its place is enough."""
    work = after(user("Begin."), user("Rename the module of the importer."), user("Then write it down."), user("End."))
    summary = Summary("The user asked to rename the module of the importer, which was done in one step. " * 8)
    found = list(prompt_list.lines(prompt_list.need(work, "", summary), FULL).values())
    assert found[1:3] == [prompt_list.ELSEWHERE, '- user: "Then write it down."']
