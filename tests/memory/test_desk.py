"""One thing that a session has said becomes a record, or is one already; and what gives way to it."""

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.hook.on import session_end, session_start, stop, user_prompt_submit
from holdfast.memory import derived, desk
from holdfast.memory.record import Record
from holdfast.memory.store import Memory
from holdfast.text.dates import iso
from tests.conftest import Transcript
from tests.memory.memories import record

Make = Callable[..., Any]
NOW = 1_800_000_000.0
RULE = "Never commit directly to main."


@pytest.fixture
def memory(project: Path) -> Memory:
    """The project's memory."""
    return derived.memory_at(str(project))


@pytest.fixture
def titled(memory: Memory) -> Callable[[str], list[Record]]:
    """`titled(text)`: the records of this title, the oldest first."""
    return lambda title: [one for one in memory.all() if one.title == title]


@pytest.fixture
def end(event_of: Make, session_of: Make) -> Make:
    """`end(said, now=…)`: a session with this transcript ends."""
    count = iter(range(99))

    def run(said: Transcript, now: float = NOW) -> None:
        event = event_of("SessionEnd", session_id=f"s{next(count)}", transcript_path=str(said.path))
        session_end.handle(event, session_of(event, now))

    return run


@pytest.fixture
def said(desk_folder: Path) -> Make:
    """`said(user="…", assistant="…")`: a transcript of its own."""
    count = iter(range(99))

    def build(user: str, assistant: str = "Well.") -> Transcript:
        made = Transcript(desk_folder / f"said-{next(count)}.jsonl")
        made.user(user)
        made.assistant(assistant)
        return made

    return build


def as_cloned(memory: Memory) -> None:
    """The memory as a clone brings it: its files without the cache."""
    kept = f"{memory.folder}-kept"
    shutil.copytree(memory.folder, kept, ignore=shutil.ignore_patterns(".cache"))
    shutil.rmtree(memory.folder)
    os.rename(kept, memory.folder)


def test_an_identity_follows_from_the_text() -> None:
    """The same for the same words, a UUID in form."""
    assert desk.identity("a") == desk.identity("a") != desk.identity("b")
    assert [len(part) for part in desk.identity("a").split("-")] == [8, 4, 4, 4, 12]


def test_the_users_word_is_not_swallowed_by_anothers(memory: Memory, titled: Make, end: Make, said: Make) -> None:
    """The same words stand already, of a clone and with less weight: the user's are stored, and hold in their place."""
    memory.add(record("decision", 1, time=iso(NOW - 60), title=RULE, importance=2, content={"decision": RULE}))
    as_cloned(memory)
    end(said(RULE))
    old, new = titled(RULE)
    assert (new.trust, new.importance, new.archived) == ("trusted", 9, "")
    assert old.superseded_by == new.id
    end(said(RULE), NOW + 60)
    assert len(titled(RULE)) == 2


def test_an_assistants_word_is_not_swallowed_by_a_weaker_one(
    memory: Memory, titled: Make, end: Make, said: Make
) -> None:
    """The user's own words of less weight stay beside it."""
    text = "use cents for all amounts"
    for number, trust in enumerate(("trusted", "semi_trusted")):
        given = {"trust": trust, "importance": 4, "title": text, "content": {"decision": text}}
        memory.add(record("decision", number, time=iso(NOW - 60), **given))
    end(said("Go on.", f"DECISION: {text} because floats drift"))
    user, assistant, new = titled(text)
    assert (new.importance, new.archived, user.archived) == (8, "", "")
    assert assistant.superseded_by == new.id


def test_an_issue_of_the_same_command_becomes_graver(memory: Memory, end: Make, transcript: Transcript) -> None:
    """One record, as grave as the newer says, in its own words and for good."""
    content = {"description": "slow", "severity": "low", "reproduction_steps": "pytest -q"}
    memory.add(record("issue", 1, importance=4, time=iso(NOW - 60), expires=iso(NOW + 86_400), content=content))
    transcript.user("Run the tests.")
    transcript.did("Bash", "AssertionError: 3 == 4\n1 failed", failed=True, command="pytest -q")
    end(transcript)
    (issue,) = (one for one in memory.all() if one.kind == "issue")
    assert (issue.content["severity"], issue.content["description"]) == ("high", "slow")
    assert (issue.importance, issue.expires) == (7, "")


def test_a_forged_decision_of_the_user_gives_way(memory: Memory, titled: Make, end: Make, said: Make) -> None:
    """A clone's file says that the user decided it; what was decided here by an assistant takes its place."""
    text = "use MySQL as the database"
    memory.add(record("decision", 1, time=iso(NOW - 60), title=text, trust="trusted", content={"decision": text}))
    as_cloned(memory)
    end(said("Go on.", "DECISION: use PostgreSQL as the database because of JSON"))
    assert titled(text)[0].superseded_by == titled("use PostgreSQL as the database")[0].id


def test_what_a_session_says_itself_is_not_told_to_it(
    event_of: Make, session_of: Make, transcript: Transcript, memory: Memory
) -> None:
    """A prompt calls it up in another window only; after a compaction in its own, too, what is said then not."""
    prompt = "And Postgres, the session store: does SQLite lock?"

    def at(name: str, now: float, **more: Any) -> Any:
        event = event_of(name, **more)
        return event, session_of(event, now)

    session_start.handle(*at("SessionStart.startup", NOW))
    transcript.user("Where do the sessions go?")
    transcript.assistant("DECISION: use Postgres for the session store because SQLite locks under load")
    stop.handle(*at("Stop", NOW + 5))
    assert user_prompt_submit.handle(*at("UserPromptSubmit", NOW + 10, prompt=prompt)).context == ""
    session_start.handle(*at("SessionStart.startup", NOW + 20, session_id="two", transcript_path=""))
    two = at("UserPromptSubmit", NOW + 25, prompt=prompt, session_id="two", transcript_path="")
    assert user_prompt_submit.handle(*two).context == ""  # its start has told it
    session_start.handle(*at("SessionStart.compact", NOW + 30))
    transcript.assistant("DECISION: use Zebra for the okapi queue because it is quick under load")
    stop.handle(*at("Stop", NOW + 35))
    assert "Postgres" in user_prompt_submit.handle(*at("UserPromptSubmit", NOW + 40, prompt=prompt)).context
    other = "Why Zebra for the okapi queue, is it quick?"
    assert user_prompt_submit.handle(*at("UserPromptSubmit", NOW + 45, prompt=other)).context == ""


def test_counts_that_a_clone_does_not_have_remove_nothing(memory: Memory, end: Make, said: Make) -> None:
    """Old lessons that were used elsewhere stay; here they count as unused from now on."""
    now = time.time()
    old = record("learning", 1, time=iso(now - 900 * 86_400), content={"lesson": "The suite needs TZ=UTC"})
    memory.add(old)
    as_cloned(memory)
    end(said("Go on.", "DECISION: use cents for all amounts because floats drift"), now)
    assert [one.archived for one in memory.all() if one.id == old.id] == [""]
    end(said("Go on."), now + 181 * 86_400)
    assert all(one.archived for one in memory.all() if one.id == old.id)
