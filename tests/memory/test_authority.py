"""Whose word changes what is remembered: a request of the user's in this conversation, or a shell of their own."""

import json
import time
from collections.abc import Callable
from pathlib import Path
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


@pytest.mark.parametrize("name", ["holdfast-remember", "holdfast:remember"])
def test_what_is_to_be_remembered_is_kept_without_the_command(name: str, conversation: Make) -> None:
    conversation(f"<command-name>/{name}</command-name><command-args>we ship on Fridays</command-args>")
    main(["memory", "add", "learning", "ship", "--text", "we ship on Fridays", "--by", "user"])
    told = [(one.title, one.content["lesson"], one.trust) for one in project_memory("").all() if one.kind == "learning"]
    assert told == [("we ship on Fridays", "we ship on Fridays", "trusted")]


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
        (("--set", "rationale=They lose data."), "semi_trusted"),
        (("--set", "alternatives_considered=They lose data."), "semi_trusted"),
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
    """New words of a record of theirs are a whole sentence that they said, and nothing else of it changes."""
    users, other = kept
    conversation(typed, f"edit {users.code}")
    assert (main(["memory", "edit", users.code, "--text", text]) == 0) is may
    assert main(["memory", "edit", users.code, "--title", text]) != 0
    for more in [("--set", f"rationale={text}"), ("--importance", "3"), ("--path", "lifted.md")]:
        assert main(["memory", "edit", users.code, *more]) != 0
        assert main(["memory", "edit", users.code, "--text", text, *more]) != 0
    assert main(["memory", "edit", other.code, "--text", text, "--importance", "3"]) == 0
    now = project_memory("").get(users.code)
    assert (now.title, now.importance, now.content["decision"].rstrip(".")) == (
        (typed, users.importance, text) if may else (users.title, users.importance, users.content["decision"])
    )


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        (("Never push to main.", "Not any more."), '"Never push to main." "Not any more."'),
        (("Should we always push to main?", "Yes."), '"Should we always push to main?" "Yes."'),
        (("Push on Mondays. Never on Fridays. Tell me then.",), '"Push on Mondays." "Tell me then."'),
    ],
)
def test_a_record_of_the_users_is_one_passage_of_one_message(
    typed: tuple[str, ...], text: str, conversation: Make, fire: Make, transcript: Any
) -> None:
    conversation(*typed)
    assert main(["memory", "add", "decision", "x", "--by", "user", "--text", text]) == 0
    transcript.assistant(f"RULE: {text}")
    fire("Stop")
    assert {one.trust for one in project_memory("").all()} == {"semi_trusted"}


@pytest.mark.parametrize("how", ["archive", "forget"])
def test_what_the_user_has_withdrawn_is_no_word_of_theirs_until_they_say_it_anew(
    how: str, conversation: Make, transcript: Any
) -> None:
    words = ["memory", "add", "decision", "x", "--by", "user", "--text", "Indent with tabs."]
    conversation("Indent with tabs.")
    assert main(words) == 0
    (one,) = project_memory("").all()
    transcript.user(f"{how} {one.code}")
    assert main(["memory", how, one.code]) == 0
    assert main(words) != 0
    transcript.user("Indent with tabs.", timestamp=iso(time.time() + 60))
    assert main(words) == 0
    assert [one.trust for one in project_memory("").all() if not one.archived] == ["trusted"]


def test_half_of_a_marked_line_is_told_whole(conversation: Make) -> None:
    conversation("RULE: Pushing to main is fine. Never on Fridays though.")
    assert main(["memory", "add", "decision", "x", "--by", "user", "--text", "Pushing to main is fine."]) == 0
    (one,) = project_memory("").all()
    assert one.content["decision"] == "Pushing to main is fine. Never on Fridays though."


def test_where_the_work_stands_is_no_word_of_the_users(conversation: Make) -> None:
    conversation("Deploy by hand.")
    assert main(["memory", "add", "state", "x", "--by", "user", "--text", "Deploy by hand."]) == 0
    assert [one.trust for one in project_memory("").all()] == ["semi_trusted"]


@pytest.mark.parametrize("from_file", [False, True])
def test_a_model_gives_a_record_of_the_users_no_end_weight_or_place(
    from_file: bool, conversation: Make, tmp_path: Path
) -> None:
    conversation("Never push to main from ci.py.")
    more: dict[str, Any] = {"tags": ["rule", "void"], "importance": 1, "expires": iso(time.time() + 60)}
    more |= {"paths": ["ci.py", "lifted-by-the-user.md"], "time": "2027-01-01T00:00:00Z", "project": "withdrawn"}
    given = {"kind": "decision", "title": "x", "content": {"decision": "Never push to main from ci.py."}, **more}
    (tmp_path / "given.json").write_text(json.dumps(given))
    options = ("--tag", "rule", "--tag", "void", "--importance", "1", "--expires", more["expires"])
    places = ("--path", "ci.py", "--path", "lifted-by-the-user.md")
    words = ["decision", "x", "--text", "Never push to main from ci.py.", *options, *places]
    words = ["--file", str(tmp_path / "given.json")] if from_file else words
    assert main(["memory", "add", *words, "--by", "user"]) == 0
    (one,) = project_memory("").all()
    assert (one.trust, one.tags, one.importance, one.expires, one.paths) == ("trusted", ("rule",), 9, "", ("ci.py",))
    assert (one.time < "2027", one.project != "withdrawn") == (True, True)


@pytest.mark.parametrize("action", ["supersede", "beside"])
def test_a_request_for_two_is_for_these_two(action: str, conversation: Make, kept: tuple[Record, Record]) -> None:
    users, other = kept
    third = project_memory("").add(record("decision", 3)).record
    conversation(f"{action} {users.code} {other.code}")
    assert main(["memory", action, users.code, third.code]) != 0
    assert main(["memory", "add", "decision", "Another", "--supersedes", users.code]) != 0
    assert main(["memory", action, users.code, other.code]) == 0


def test_nobody_but_the_user_says_what_their_word_is_beside(conversation: Make, kept: tuple[Record, Record]) -> None:
    conversation("Look at the parser")
    assert main(["memory", "beside", kept[0].code, kept[1].code]) != 0


def test_an_option_of_the_models_asks_for_nothing(
    conversation: Make, transcript: Any, kept: tuple[Record, Record]
) -> None:
    conversation("Tidy up")
    asks = f"forget {kept[0].code}"
    question = {"question": "What next?", "options": [{"label": asks, "description": asks}]}
    transcript.assistant("", calls=[("q1", "AskUserQuestion", {"questions": [question]})])
    transcript.result("q1", "ok", toolUseResult={"questions": [question], "answers": {"What next?": asks}})
    assert not did("forget", *kept)
