"""Whose word changes what is remembered: a request of the user's in this conversation, or a shell of their own."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from holdfast.cli.main import main
from holdfast.memory.record import Record
from holdfast.memory.store import project_memory, users_memory
from holdfast.text.dates import iso
from tests.memory.memories import record

Make = Callable[..., Any]
ACTIONS = ("archive", "forget", "supersede")


@pytest.fixture
def conversation(event_of: Make, session_of: Make, transcript: Any, monkeypatch: pytest.MonkeyPatch) -> Make:
    """`conversation("archive DEC-…")`: the client's shell, in a session in which the user has typed this."""
    from holdfast.session import liveness

    def begin(*typed: str) -> None:
        event = event_of("SessionStart.startup")
        liveness.opened(event, session_of(event))
        for text in typed:
            transcript.user(text)
            transcript.assistant("Yes.")
        monkeypatch.setenv("CLAUDECODE", "1")
        monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", event.session_id)

    return begin


@pytest.fixture
def kept() -> tuple[Record, Record]:
    memory = project_memory("")
    users, other = record("decision", 1, trust="trusted"), record("decision", 2)
    return memory.add(users).record, memory.add(other).record


def did(action: str, one: Record, other: Record) -> bool:
    return main(["memory", action, one.code, *([other.code] if action == "supersede" else [])]) == 0


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize(
    ("says", "may"),
    [
        ("{action} {code}", True),
        ("- {action} `{short}`.", True),
        ("An agent proposed this, and I said no\n\n- {action} {code}", False),
        ("<command-name>/holdfast:{action}</command-name><command-args>{short}</command-args>", True),
        ("please {action} {code}", False),
        ("Keep {code}, never {action} it!", False),
        ("Whatever happens, do not\n{action} {code}", False),
        ("What may nobody do:\n\n{action} {code}", False),
        ("What is this?\n```\n{action} {code}\n```", False),
        ("> {action} {code}", False),
        ("read {code}", False),
        ("forget what we decided on the database", False),
        ("{action} {code}7", False),
        ("", False),
    ],
)
def test_one_rule_for_all_that_sets_a_record_aside(
    action: str, says: str, may: bool, conversation: Make, kept: tuple[Record, Record]
) -> None:
    """The user names it in the conversation, or nobody touches it; an assistant's own it may change."""
    users, other = kept
    third = project_memory("").add(record("decision", 3)).record
    conversation(says.format(action=action, code=users.code, short=users.id[:8]))
    assert did(action, third, users)
    assert did(action, users, other) is may


def test_only_their_word_takes_back_what_the_user_has_set_aside(
    conversation: Make, kept: tuple[Record, Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or a rule that holds no more would be told as theirs."""
    assert did("archive", *kept)
    conversation("Look at the parser")
    assert not did("restore", *kept)
    conversation(f"restore {kept[0].code}")
    assert did("restore", *kept)


@pytest.mark.parametrize("ahead", [60, -60])
def test_what_is_confirmed_is_what_the_user_has_seen(
    ahead: int, conversation: Make, transcript: Any, kept: tuple[Record, Record]
) -> None:
    """An assistant may have changed its own record since the user asked for it."""
    conversation("Look at the parser")
    assert main(["memory", "confirm", kept[1].code]) != 0
    transcript.user(f"confirm {kept[1].code}", timestamp=iso(time.time() + ahead))
    assert (main(["memory", "confirm", kept[1].code]) == 0) is (ahead > 0)
    assert (project_memory("").get(kept[1].code).trust == "trusted") is (ahead > 0)


def test_a_superseding_is_not_turned_round(conversation: Make, kept: tuple[Record, Record]) -> None:
    users, other = kept
    conversation(f"supersede {other.code} {users.code}")
    assert not did("supersede", users, other)
    assert did("supersede", other, users)


@pytest.mark.parametrize("ago", [0, 2, 3])
def test_a_request_holds_for_the_next_few(ago: int, conversation: Make, kept: tuple[Record, Record]) -> None:
    conversation(f"archive {kept[0].code}", *["go on with the table"] * ago)
    assert did("archive", *kept) is (ago < 3)


def test_in_a_shell_of_their_own_it_is_the_user(kept: tuple[Record, Record]) -> None:
    assert did("supersede", *kept)
    assert did("archive", kept[1], kept[0])
    assert did("forget", *kept)


@pytest.mark.parametrize(("by", "typed", "trust"), [
    ("user", "Indent with tabs, please", "trusted"),
    ("user", "Look at the parser", "semi_trusted"),
    ("user", "What is this page?\n```\nIndent with tabs\n```", "semi_trusted"),
    ("user", "> Indent with tabs", "semi_trusted"),
    ("assistant", "Indent with tabs, please", "semi_trusted"),
])  # fmt: skip
def test_words_are_the_users_where_they_stand_in_a_request(by: str, typed: str, trust: str, conversation: Make) -> None:
    conversation(typed)
    words = ("add", "decision", "Tabs", "--text", "Indent with tabs", "--tag", "rule", "--by", by)
    assert main(["memory", *words]) == 0
    assert main(["memory", *words, "--user"]) == int(trust != "trusted")
    (one,) = project_memory("").all()
    assert one.trust == trust
    assert [one.trust for one in users_memory().all()] == ["trusted"] * (trust == "trusted")


@pytest.mark.parametrize(
    ("more", "trust"),
    [
        ((), "trusted"),
        (("--set", "rationale=They lose data."), "trusted"),
        (("--set", "rationale=Every push goes straight to main"), "semi_trusted"),
        (("--set", "alternatives_considered=skip the tests"), "semi_trusted"),
        (("--set", "rationale=every push goes to main"), "semi_trusted"),
    ],
)
def test_all_of_a_record_is_the_users_or_none(more: tuple[str, ...], trust: str, conversation: Make) -> None:
    """What an assistant adds to their sentence is not told as theirs, and the title turns no sense round."""
    conversation("Never use Redis for sessions. They lose data. I doubt that every push goes to main.")
    words = ("use Redis for sessions", "--text", "Never use Redis for sessions.")
    assert main(["memory", "add", "decision", *words, "--by", "user", *more]) == 0
    (one,) = project_memory("").all()
    assert one.trust == trust
    assert one.title.startswith("Never") is (trust == "trusted")


@pytest.mark.parametrize(
    ("typed", "text", "may"),
    [
        ("Never on a Monday.", "Never on a Monday", True),
        ("Never on a Monday.", "On a Monday", False),
        ("```\nAlways push.\n```", "Always push.", False),
        ("Look at the parser", "Always push.", False),
    ],
)
def test_an_edit_puts_no_words_into_the_users_mouth(
    typed: str, text: str, may: bool, conversation: Make, kept: tuple[Record, Record]
) -> None:
    """New words of a record of theirs are a whole sentence that they said, whoever asked for the change."""
    conversation(typed, f"edit {kept[0].code}")
    assert (main(["memory", "edit", kept[0].code, "--text", text]) == 0) is may
    assert (main(["memory", "edit", kept[0].code, "--set", f"rationale={text}"]) == 0) is may
    part = kept[0].title.partition(" ")[2]
    assert main(["memory", "edit", kept[0].code, "--title", part]) != 0
    assert main(["memory", "edit", kept[1].code, "--text", text]) == 0
    assert main(["memory", "edit", kept[0].code, "--importance", "3"]) == 0


def test_an_option_of_the_models_asks_for_nothing(
    conversation: Make, transcript: Any, kept: tuple[Record, Record]
) -> None:
    conversation("Tidy up")
    asks = f"forget {kept[0].code}"
    question = {"question": "What next?", "options": [{"label": asks, "description": asks}]}
    transcript.assistant("", calls=[("q1", "AskUserQuestion", {"questions": [question]})])
    transcript.result("q1", "ok", toolUseResult={"questions": [question], "answers": {"What next?": asks}})
    assert not did("forget", *kept)
