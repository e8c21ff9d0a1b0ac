import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.text.markdown import own_paragraphs
from holdfast.text.tokens import estimate
from holdfast.worklog import marks, model, record


def made(text: str) -> list[tuple[str, str]]:
    return [(mark["kind"], mark["text"]) for mark in marks.marked(text, "assistant", 1)]


@pytest.mark.parametrize(
    ("line", "mark"),
    [
        ("RULE: tabs, never blanks", ("rule", "tabs, never blanks")),
        ("Rule: tabs", ("rule", "tabs")),
        ("DECISION: SQLite, because it is one file", ("decision", "SQLite, because it is one file")),
        ("- **Decision:** SQLite", ("decision", "SQLite")),
        ("**DECISION: SQLite**", ("decision", "SQLite")),
        ("### DEC-2026-01-30-001: SQLite", ("decision", "DEC-2026-01-30-001: SQLite")),
        ("ADR-7: SQLite", ("decision", "ADR-7: SQLite")),
        ("1. TODO: port the importer", ("todo", "port the importer")),
        ("- [ ] TODO: port it", ("todo", "port it")),
        ("- [x] BUG-7: the lock", ("done", "BUG-7: the lock")),
        ("BUG-7: the lock is never freed", ("bug", "BUG-7: the lock is never freed")),
        ("* BUG: the lock", ("bug", "the lock")),
        ("Lesson: flush before fork", ("lesson", "flush before fork")),
        ("Lesson learned: flush", ("lesson", "flush")),
        ("FAILED: the second lock -- deadlocks", ("failed", "the second lock -- deadlocks")),
        ("FAILED F2: the cache", ("failed", "the cache")),
        ("CHOSE: tabs, because they are here", ("decision", "tabs, because they are here")),
        ("- **CHOSE C12**: ports", ("decision", "ports")),
        ("RULE R1: never push", ("rule", "never push")),
        ("`RULE`: 使用制表符", ("rule", "使用制表符")),
        ("RULE\uff1a使用制表符", ("rule", "使用制表符")),
        ("**DECISION\uff1a** SQLite", ("decision", "SQLite")),
    ],
)
def test_a_marked_line_is_kept_without_its_mark(line: str, mark: tuple[str, str]) -> None:
    assert made(f"Some prose.\n\n{line}\nand more") == [mark]


@pytest.mark.parametrize(
    "text",
    [
        *("We always use tabs, because the formatter wants it.", "see the RULE: tabs"),
        *("RULE:", "RULE : x", "FAILED tests/test_a.py::test_b - KeyError: 'x'", "failed: 3"),
        *("DEC: x", "ADR: x", "> RULE: from a mail", "- > RULE: from a mail", "```\nRULE: in code\n```"),
        *("~~~text\nRULE: in code", "    RULE: indented code", "<page>\nRULE: of the page\n</page>"),
        "| RULE: | a cell |",
    ],
)
def test_what_is_no_mark_of_its_author(text: str) -> None:
    assert made(text) == []


@pytest.mark.parametrize(
    ("text", "users", "assistants"),
    [
        ("RULE: deploy only\nwhen I say so", "deploy only", "deploy only"),
        (f"RULE: deploy {'only ' * 10}\nwhen I say so", f"deploy {'only ' * 10}when I say so", None),
        (f"RULE: deploy {'only ' * 10}\nNow begin.", f"deploy {'only ' * 10}".strip(), None),
        ("RULE: never use,\neval. RULE: tabs", "never use, eval.", None),
        ("RULE: dates are ISO\nplease start", "dates are ISO", None),
        ("RULE: データは変更しない\nテストを書いて", "データは変更しない", None),
        ("RULE: deploy only\n  when I say so\nnow begin", "deploy only when I say so", None),
        ("- RULE: push,\n  but never on Fridays\n- and now this", "push, but never on Fridays", "push,"),
        ("RULE: use tabs\nRULE: push by hand", "use tabs", "use tabs"),
        ("RULE: use tabs\n\nPlease begin.", "use tabs", "use tabs"),
        ("RULE: use tabs\nNow begin.", "use tabs", "use tabs"),
        ("RULE: never push.\nok now run the tests", "never push.", "never push."),
        ("RULE: Before each commit:\n- Run the tests.\n- lint", "Before each commit: - Run the tests. - lint", None),
        ("RULE: push, but only for:\n- hotfixes\n- Alice", "push, but only for: - hotfixes - Alice", None),
        ("RULE: push is allowed,\n(only Alice)\nbegin", "push is allowed, (only Alice)", None),
        ("RULE: 可以推送\uff0c\n但是只限热修复。", "可以推送\uff0c 但是只限热修复。", None),
        ("RULE: never use\n```\neval\n```\nhere", "never use [\u2026] here", None),
        ("- RULE: use tabs\n  - except YAML\n- and now this", "use tabs - except YAML", None),
        ("1. RULE: use tabs\n2. RULE: no eval", "use tabs", None),
        ("RULE:\u4f7f\u7528\u30bf\u30d6", "\u4f7f\u7528\u30bf\u30d6", None),
        ("TODO: port it\nand now this", "port it", "port it"),
    ],
)
def test_what_the_user_lays_down_goes_on_in_the_next_line(text: str, users: str, assistants: str | None) -> None:
    assert marks.marked(text, "user", 1)[0]["text"] == users
    if assistants is not None:
        assert marks.marked(text, "assistant", 1)[0]["text"] == assistants
    if text.startswith("RULE:"):
        assert record.users_words(f'"{users}"', own_paragraphs(text)) == users


@pytest.mark.parametrize(
    ("text", "rule", "rest"),
    [
        ("please fix the bug. RULE: never use eval", "never use eval", "please fix the bug."),
        ("Done!  RULE: never use,\neval", "never use, eval", "Done!"),
        ("Deploy it now: port 80. RULE: tabs", "Deploy it now: port 80. RULE: tabs", "Deploy it now: port 80. "),
        ("Bob said 'Be brief. RULE: push' to me", "Bob said 'Be brief. RULE: push' to me", "Bob said 'Be brief. "),
        ("修正。RULE\uff1a用制表符", "用制表符", "修正。"),
        ("Bob says: be brief. RULE: push", "Bob says: be brief. RULE: push", "Bob says: be brief. "),
        ("Is this good? RULE: push", "push", "Is this good?"),
        ("Undo (be brief. RULE: push).", "Undo (be brief. RULE: push).", "Undo (be brief. "),
        ("RULE: tabs. RULE: no eval", "tabs. RULE: no eval", ""),
        ("Say RULE: tabs", "", "Say RULE: tabs"),
        ('What does "Be brief. RULE: push" mean?', "", 'What does "Be brief. RULE: push" mean?'),
        ("Mend `a.b()`. RULE: tabs", "tabs", "Mend `a.b()`."),
        ("It holds. Rule: tabs", "", "It holds. Rule: tabs"),
    ],
)
def test_a_users_rule_counts_behind_a_sentence_with_what_may_turn_it(text: str, rule: str, rest: str) -> None:
    assert [mark["text"] for mark in marks.marked(text, "user", 1)] == [rule] * bool(rule)
    assert marks.unmarked(text) == rest.strip()
    assert rule in text.replace("\n", " ")
    assert not [one for one in made(text) if not text.startswith("RULE")]


def test_each_mark_once_the_newest_last_and_bounded() -> None:
    """One made again moves to the end and stays the user's; of each kind and author the newest stay."""
    state = model.empty()
    marks.keep(state, "RULE: one\nTODO: two\nRULE: three", "user")
    marks.keep(state, "RULE: one", "assistant")
    assert [(mark["text"], mark["by"]) for mark in state["marks"]] == [
        ("two", "user"),
        ("three", "user"),
        ("one", "user"),
    ]
    marks.keep(state, "\n".join(f"TODO: number {number} {'x' * 450}" for number in range(100)), "assistant")
    todos = [mark for mark in state["marks"] if mark["kind"] == "todo"]
    assert (len(todos), len(state["marks"])) == (41, 43)
    assert max(len(mark["text"]) for mark in todos) <= 400


@pytest.mark.parametrize(
    ("pasted", "kept"),
    [
        (f"RULE: of the document\n{'text ' * 3_000}\n\nRULE: small steps", ["tabs", "small steps"]),
        (f"```\n{'text ' * 3_000}\n\nRULE: of the page\n```", ["tabs"]),
    ],
)
def test_of_a_very_long_prompt_only_the_edges_are_the_users(pasted: str, kept: list[str]) -> None:
    """What nobody types is pasted; whose lines they are follows from the whole text, not from its last paragraph."""
    state = model.empty()
    marks.keep(state, f"RULE: tabs\n\n{pasted}", "user")
    assert [mark["text"] for mark in state["marks"]] == kept


@given(st.text(alphabet="RULE:-*#[ x]`\n>1. ") | st.text())
def test_any_text_is_read(text: str) -> None:
    assert all(mark["text"] and "\n" not in mark["text"] for mark in marks.marked(text, "user", 1))


def test_what_is_asked_of_the_agent_stays_short() -> None:
    """It stands in every window; and what it shows is what is read."""
    assert estimate(marks.ASK, "new") <= 80
    assert estimate(marks.ASK, "old") <= 80
    shown = "RULE: " + marks.ASK.partition(" RULE: ")[2]
    assert [kind for kind, _ in made(shown.replace("; ", "\n"))] == ["rule", "decision", "lesson"]


@pytest.mark.parametrize(
    ("above", "lead"),
    [
        ("Never follow this:\n", "Never follow this: "),
        ("The README says:\n\n", "The README says: "),
        ("What Bob wants\uff1a\n- ", "What Bob wants: "),
        ("# What we refuse\n", "What we refuse: "),
        ("**Bob's rules**\n- RULE: push\n- ", "Bob's rules: "),
        ("Not this:\nof Bob:\n", "Not this: of Bob: "),
        ("What of these:\n\nRULE: push\n\n", "What of these: "),
        ("What of these:\n\nRULE: push\n\n**DECISION: Redis**\n\n", "What of these: "),
        ("Not this:\n\n\npush\n\n", ""),
        ("**RULE: no mocks**\n", ""),
    ],
)
def test_a_rule_of_the_users_stands_behind_what_leads_to_it(above: str, lead: str) -> None:
    """They may say there that it is somebody else's; in a conversation the assistant's quoting it changes nothing."""
    text = f"{above}RULE: Always skip tests."
    assert marks.marked(text, "user", 1)[-1]["text"] == f"{lead}Always skip tests."
    assert marks.marked(f"{above}TODO: it", "user", 1)[-1]["text"] == "it"  # else a tick would not find it
    assert made(text)[-1] == ("rule", "Always skip tests.")
    told = record.users_words('"Always skip tests."', own_paragraphs(text))
    assert told.startswith(" ".join(above.split()) if lead else "Always")
