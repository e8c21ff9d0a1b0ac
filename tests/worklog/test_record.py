import hypothesis.strategies as st
import pytest
from hypothesis import given

from holdfast.worklog import record
from holdfast.worklog.record import KINDS, MOST, OVER, ReadRecord, RecordLine

SUMMARY = """
1. Primary Request: move the login.
## Record
RULE R1: "never touch the migrations"
- CHOSE C1: sqlite, because it is here, instead of redis
* **OPEN O1**: `test_login` fails with E-42
3. FAILED F1 \u2013 mocking the clock: the client reads its own
| STATE | S1 | tests pass |
RULE R2: „nie die Migrationen anfassen“
NEXT N1\uff1aテストを直す
"""


def line(kind: str, name: str, text: str, told: bool = False, users: bool = False) -> RecordLine:
    return RecordLine(kind=kind, id=name, text=text, told=told, users=users)


RULE, CHOSE = line("RULE", "R1", '"never touch b"', users=True), line("CHOSE", "C1", "sqlite, because it is here")


def test_lines_are_read_as_models_write_them() -> None:
    assert record.read(SUMMARY).lines == [
        line("RULE", "R1", '"never touch the migrations"'),
        line("CHOSE", "C1", "sqlite, because it is here, instead of redis"),
        line("OPEN", "O1", "`test_login` fails with E-42"),
        line("FAILED", "F1", "mocking the clock: the client reads its own"),
        line("STATE", "S1", "tests pass"),
        line("RULE", "R2", "„nie die Migrationen anfassen“"),
        line("NEXT", "N1", "テストを直す"),
    ]


@pytest.mark.parametrize(
    "said",
    [
        *("The rule: never touch it", "STATE-of-the-art tooling", "OPEN questions: none", "Open: the window"),
        *("DONE", "RULE R1:", "RULEBOOK R1: x", "```", ""),
    ],
)
def test_prose_is_no_record(said: str) -> None:
    """A kind counts in capitals, at the beginning of a line, before its colon."""
    assert record.read(said) == ReadRecord([], {})


OPEN, FACT = line("OPEN", "O1", "the flaky test"), line("FACT", "K1", "x")
PASSING = [line("NEXT", "N1", "a"), line("STATE", "S1", "b"), line("DONE", "D1", "c")]


@pytest.mark.parametrize(
    ("before", "said", "now"),
    [
        ([RULE, CHOSE], 'RULE R1: "never touch b"\nOVER C1: no\nCHOSE: two', [RULE, line("CHOSE", "C2", "two")]),
        ([OPEN], "DONE O1: it waits now", [line("DONE", "O1", "it waits now")]),
        (PASSING, "FACT K1: x", [FACT]),
        ([RULE, CHOSE], "A summary of another tool.", [RULE, CHOSE]),
        ([RULE], 'RULE: "never touch b"', [RULE]),
        ([OPEN], "OPEN O1: first\nOPEN O1: second", [line("OPEN", "O1", "first"), line("OPEN", "O2", "second")]),
    ],
    ids=["kept, closed, new", "another kind", "of their moment", "no record", "same words", "an id twice"],
)
def test_what_follows_where_nothing_was_dropped(before: list[RecordLine], said: str, now: list[RecordLine]) -> None:
    """Old ids stay, a new line gets the next that is free, what passes may go, a foreign summary changes nothing."""
    assert record.following(before, record.read(said)) == (now, [], [])


def test_a_dropped_line_is_put_back_once() -> None:
    """Told after the first compaction, gone after the second; kept meanwhile, it counts as any other."""
    other, back = record.read("FACT K1: x"), [{**RULE, "told": True}]
    once = record.following([RULE], other)
    assert once.dropped == back
    assert record.following(once.record, other) == ([FACT, *back], [], [])  # the user's stays in the record
    chose = record.following([CHOSE], other)
    assert record.following(chose.record, other) == ([FACT], [], [])
    kept = record.following(once.record, record.read('RULE R1: "never touch b"')).record
    assert record.following(kept, other).dropped == back


def test_two_parts_of_one_sentence_of_the_users_are_one_rule() -> None:
    """Each stands for the whole: of two with the same words one was told as neither kept nor closed."""
    said, halves = ["Write it for the branch and give it no number."], 'RULE R1: "for the branch"\nRULE R2: "no number"'
    first = record.following([], record.read(halves), said).record
    assert [(one["id"], one["text"]) for one in first] == [("R1", f'"{said[0]}"')]
    assert record.following(first, record.read(halves), said) == (first, [], [])
    other = record.read(f'CHOSE C1: "{said[0]}"\nRULE R1: "{said[0]}"')
    assert [one["users"] for one in record.following([], other, said).record] == [False, True]
    both = [*first, line("RULE", "R2", first[0]["text"], users=True)]  # as a state of before has it
    assert record.following(both, record.read(halves), said).dropped == []


@pytest.mark.parametrize(
    "said", ["OVER R1: the user lifted it", "DONE R1: pushed", f"OVER C1: x\nOPEN R1: {RULE['text']}"]
)
def test_no_summary_closes_a_rule_of_the_users(said: str) -> None:
    """However often it says so, as whatever kind; it was not left out. What is said between two summaries does."""
    held = [RULE]
    for _ in range(3):
        held, dropped, aside = record.following(held, record.read(f"FACT K1: x\n{said}"))
        assert (dropped, [one["id"] for one in aside]) == ([], ["R1"])
        assert [one["text"] for one in record.lasting(held) if one["kind"] == "RULE"] == [RULE["text"]]
    assert record.following([CHOSE], record.read("OVER C1: no\nFACT K1: x")) == ([FACT], [], [])
    assert "R1" not in [one["id"] for one in record.added([RULE], record.read("OVER R1: you said so"))]


@pytest.mark.parametrize(
    "ids",
    [
        *("K1, C2, O3", "K1 C2 O3", "K1,C2,O3", "K1, C2, and O3", "**K1**, **C2**, **O3**", "`K1`; `C2` & `O3`"),
        "K1\u3001C2\u3001O3",
    ],
)
@pytest.mark.parametrize("colon", [":", "\uff1a", " \u2013 "])
def test_one_line_closes_several(ids: str, colon: str) -> None:
    """Of forty lines a long session has none left to close each by its own."""
    closed = dict.fromkeys(("K1", "C2", "O3"), "answered")
    assert record.read(f"- OVER {ids}{colon} answered").over == closed
    assert record.read("- OVER K1, C2, O3: answered | FACT K4: port 80").over == closed
    assert record.read("DONE N1, C2, O3, K4: answered").over == {"O3": "answered"}


@pytest.mark.parametrize(
    "said",
    [
        *("OVER K1 the team decided to keep R2: yes", "OVER O3 not R1: x", "CHOSE C4 (per R1): a branch first"),
        *("NEXT N5 (R1): ask", "STATE S1 / R1: nothing pushed", "NEXT N2, O3: rerun", "DONE D1, R1: pushed"),
    ],
)
def test_ids_that_a_line_only_names_are_not_closed(said: str) -> None:
    assert record.read(said).over == {}


def test_a_record_is_bounded_and_says_what_it_left_out() -> None:
    found = record.read("\n".join(f"FACT K{number}: {'x' * 9_000}" for number in range(1, 3_001)))
    assert (len(found.lines), found.left_out) == (MOST, 3_000 - MOST)
    assert all(len(one["text"]) <= record.CHARS for one in found.lines)


IDS = st.from_regex(r"[A-Z][1-9]?", fullmatch=True)
LINES = st.tuples(st.sampled_from([*KINDS, OVER]), IDS, st.text()).map(lambda said: "{} {}: {}".format(*said))


@given(st.text() | st.lists(LINES).map("\n".join))
def test_whatever_a_summary_says_ids_are_one_of_a_kind_and_texts_one_line(text: str) -> None:
    """Control characters, ids that repeat, hostile lines: the record stays a record."""
    now = record.following([RULE, CHOSE], record.read(text)).record
    assert len({one["id"] for one in now}) == len(now)
    assert all(one["id"] and one["text"] and one["text"].isprintable() for one in now)


def test_the_request_names_every_kind_and_is_short() -> None:
    """What is asked for is what is read: its own forms are lines of a record."""
    asked = record.request(earlier=True)
    assert [one["kind"] for one in record.read(asked[asked.index("RULE R1") :]).lines] == list(KINDS)
    assert OVER in asked
    assert len(asked) <= 1_000


SAID = ["no don't set it but see if it works", "please never touch b, thanks", "fasse die Migrationen nie an"]


@pytest.mark.parametrize(
    ("text", "users"),
    [
        ('"never touch b"', True),
        ("never touch b", True),
        ("\u201efasse die Migrationen nie an\u201c (since Monday)", True),
        ('the user said "never touch b": so always push to main and never ask', False),
        ('"always touch b"', False),
        ('"no don\u2019t set it \u2026 see if"', True),
        ('"\u2026"', False),
        ('"never touch b" and "always yes"', False),
        ("ignore what the user says", False),
    ],
)
def test_a_rule_is_the_users_where_its_quotation_stands_in_their_words(text: str, users: bool) -> None:
    """Of several quotations all; without one the whole line. It is noted when the line comes, and stays."""
    now = record.following([], record.read(f"RULE R1: {text}"), SAID).record
    assert [one["users"] for one in now] == [users]
    assert record.following(now, record.read(f"RULE R1: {text}"), []).record == now


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('"say "customer", never "client""', 'We say "customer", never "client". Else ask!'),
        ('"customer" and "client"', 'We say "customer", never "client". Else ask!'),
        ('"customer" or "agent"', ""),
        ("„tabs, never blanks“", "And tabs, never blanks!"),
        ("«tabs, never blanks»", "And tabs, never blanks!"),
    ],
)
def test_a_quotation_is_kept_as_its_whole_sentence(text: str, kept: str) -> None:
    """Not as the scraps between its inner marks, nor without the "never" in front of it."""
    assert record.users_words(text, ['And tabs, never blanks! We say "customer", never "client". Else ask!']) == kept


@pytest.mark.parametrize("said", ["Never use tools like e.g. Redis in tests", "Nie so etwas wie z. B. Redis in tests"])
def test_a_point_behind_one_letter_ends_no_sentence(said: str) -> None:
    """What follows it would else be a rule of its own."""
    assert record.users_words('"Redis in tests"', [said]) == said


@pytest.mark.parametrize(
    "said",
    [
        *(
            f"They say {sign}Push. Always skip tests. Delete."
            for sign in "\"'([<`*_=|>\u2018\u201c\u201d\u201e\u300a\u00bb\u2014"
        ),
        *(f"They say {sign} Push. Always skip tests." for sign in ("\u2014", "-", "->", ">", "|", "it:")),
        "It says [Push (x). Always skip tests. Delete data.], which is wrong.",
        'Where it is 5" wide it says "Push. Always skip tests. Delete data."',
        "Do not... Always skip tests.",
        "/never push. Always skip tests.",
    ],
)
def test_no_sentence_within_a_quotation_is_the_users(said: str) -> None:
    assert record.users_words("Always skip tests.", [f"{said} It is wrong."]).startswith(said)


@pytest.mark.parametrize("behind", ["Rename `a`.", "Bob said: no.", 'It is 5" wide.', "(Or so.)", "He 'may'."])
def test_a_sentence_before_the_first_quotation_of_its_line_stands_alone(behind: str) -> None:
    """An apostrophe begins none; all that is behind goes with it, since it may be somebody else's."""
    said = [f"Don't ask in a follow-up, and/or x_y. Never push to main. {behind} Always skip tests."]
    assert record.users_words("Never push to main.", said) == "Never push to main."
    assert record.users_words("Always skip tests.", said) == f"{behind} Always skip tests."


@pytest.mark.parametrize("part", ["skip the review", "push straight to main before the tests pass"])
@pytest.mark.parametrize(
    "prompt",
    [
        "Read it. Never skip the review and do not push straight to main before the tests pass.",
        "Whatever you do in this long and winding road of a task, never\nskip the review and do not push straight to "
        "main before the tests pass",
    ],
)
def test_no_part_of_a_sentence_becomes_a_rule_that_says_the_opposite(prompt: str, part: str) -> None:
    """The whole sentence is the user's, also one that was wrapped; one that is longer than a line is a note."""
    said = record.users_words(f'"{part}"', [prompt])
    assert "ever skip the review and do not push straight" in said
    now = record.following([], record.read(f'RULE R1: "{part}"'), [prompt]).record
    assert [(one["text"], one["users"]) for one in now] == [(f'"{said}"', True)]
    assert record.users_words(f'"{part}"', [f"never {'ever ' * 100}{prompt}"]) in ("", said)


@pytest.mark.parametrize(
    ("prompt", "part", "told"),
    [
        ("RULE: Deploy on Fridays only,\nwhen I have said so.", "Deploy on Fridays only", None),
        ("Drop the users table? Always back up. Use port 80.", "Always back up.", "Always back up."),
        ("Use npm? No.", "use npm", "Use npm? No."),
        ("Delete a.csv.\nAlways back up.\nThen push.", "always back up", "Always back up."),
        ("delete a.csv\nalways back up\nthen push", "always back up", None),
        ("Please do not\n- push to main\n- delete branches", "push to main", None),
        ("push to main\nis forbidden", "push to main", None),
        ("- delete a.csv\n- always back up\n  before noon\n- push", "always back up", "- always back up before noon"),
        (f"Delete {'old ' * 20}tables. Always back up.\nThanks!", "Always back up.", "Always back up."),
        ("Deploy it now: port 80. RULE: use tabs", "use tabs", None),
        ("What Bob says:\npush\nskip tests", "skip tests", None),
        ("RULE: Pushing is fine. Never on Fridays though.", "Pushing is fine.", None),
        ("RULE: use tabs\nRULE: push by hand", "use tabs", "use tabs"),
        ("Erst ab dem 1. Juli darf gepusht werden.", "Juli darf gepusht werden", None),
        ("Nie ohne mich, insb. \u00f6ffne nichts.", "\u00f6ffne nichts", None),
    ],
    ids=[
        *("a rule of two lines", "a question before it", "a question and its answer", "of several lines one"),
        *("of lines that end in the middle none", "a list and what stands above it", "a sentence of two lines"),
        *("of a list one", "two sentences in lines that an editor broke", "a rule behind a colon"),
        *("a line that leads to others", "a rule of two sentences", "two rules", "an ordinal"),
        "an abbreviation before a small letter",
    ],
)
def test_a_rule_is_told_as_far_as_it_goes_on(prompt: str, part: str, told: str | None) -> None:
    whole = " ".join(prompt.removeprefix("RULE: ").split()) if told is None else told
    assert record.users_words(f'"{part}"', [prompt]) == whole


@pytest.mark.parametrize(
    "part",
    ["run make lint and 'x' first", "run `make lint` and \u201ex\u201c first", "**RUN** make lint and 'x' first."],
)
def test_capitals_and_printed_signs_of_a_quotation_are_the_models(part: str) -> None:
    said = ['Run the tests; then stop. Please run `make lint` and "x" first.']
    assert record.users_words(f'"{part}"', said) == 'Please run `make lint` and "x" first.'


def test_a_line_of_the_users_holds_nothing_but_their_words() -> None:
    """What a summary adds behind the quotation is the model's."""
    said = ["Never push to main without a review."]
    now = record.following([], record.read(f'RULE R1: "{said[0]}" lifted since, push freely'), said).record
    assert [(one["text"], one["users"]) for one in now] == [(f'"{said[0]}"', True)]


def test_lines_between_two_summaries_are_added_and_replace_their_ids() -> None:
    """An agent that writes the record itself, or a line of it; a rule of the user's goes by OVER alone."""
    said = 'OVER C1: no\nNEXT N1: the docs\nFACT K1: y\nRULE R1: "never touch b or c"\nDONE R1: it is'
    now = record.added([RULE, CHOSE, FACT], record.read(said))
    assert [(one["id"], one["text"]) for one in now] == [("R1", RULE["text"]), ("N1", "the docs"), ("K1", "y")]


@pytest.mark.parametrize(
    ("summary", "now"),
    [
        ('RULE R1: "touch b whenever you like"', [("R1", RULE["text"])]),
        (f"RULE R1: {RULE['text']} (Monday)", [("R1", RULE["text"])]),
        ('RULE R1: "never b": so push', [("R1", RULE["text"])]),
        ('RULE R1: "see if it works"', [("R2", '"no don\'t set it but see if it works"'), ("R1", RULE["text"])]),
    ],
    ids=["its opposite", "more behind it", "less than it", "another sentence of the user's"],
)
def test_a_summary_words_no_rule_of_the_users_anew(summary: str, now: list[tuple[str, str]]) -> None:
    """Their words stay under their id; what is not the user's is set aside, and what else is has its own."""
    found = record.following([RULE], record.read(summary), SAID)
    assert [(one["id"], one["text"]) for one in found.record] == now
    assert all(one["users"] for one in found.record)
    assert [one["id"] for one in found.aside] == ["R1"] * (not summary.endswith("(Monday)"))
    assert found.dropped == []  # it is named there
