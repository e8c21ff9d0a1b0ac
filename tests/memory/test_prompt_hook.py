"""What a prompt calls up, as the hook answers it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.hook.on import session_start, user_prompt_submit
from holdfast.memory import derived, desk, recall
from holdfast.memory.record import check
from holdfast.memory.store import Memory
from holdfast.text.tokens import estimate

Make = Callable[..., Any]
TEXT = "the cobra importer gets the hyena flag"
PROMPT = "why does the cobra importer ask for the hyena flag?"


@pytest.fixture
def memory(project: Path) -> Memory:
    """A memory with one decision that is too weak for a start."""
    made = derived.memory_at(str(project))
    add(made, TEXT)
    return made


def add(memory: Memory, text: str) -> str:
    """A decision of little importance; its id."""
    given = {"id": desk.identity(text), "kind": "decision", "time": "2027-01-10T00:00:00Z", "title": text[:100]}
    memory.add(check({**given, "content": {"decision": text}, "importance": 5}))
    return given["id"]


@pytest.fixture
def ask(event_of: Make, session_of: Make, memory: Memory) -> Make:
    """`ask(prompt)`: what the hook adds to a prompt, in a session that has begun."""
    event = event_of("SessionStart.startup", transcript_path="")
    session_start.handle(event, session_of(event))

    def run(prompt: str, **changes: Any) -> str:
        event = event_of("UserPromptSubmit", prompt=prompt, **changes)
        return str(user_prompt_submit.handle(event, session_of(event)).context)

    return run


def test_a_prompt_that_touches_it(ask: Make, memory: Memory) -> None:
    """Once in a window; its use is counted."""
    text = ask(PROMPT)
    assert TEXT in text
    assert "</memory>" in text
    assert ask(PROMPT) == ""
    assert memory.uses()[desk.identity(TEXT)].times == 1


@pytest.mark.parametrize("prompt", ["add a button", "/recall cobra hyena importer", ""])
def test_silence(ask: Make, prompt: str) -> None:
    """For another matter, and for the client's own commands."""
    assert ask(prompt) == ""


def test_a_sub_agents_prompt_gets_none(ask: Make) -> None:
    """It has its own task."""
    assert ask(PROMPT, agent_id="a1", agent_type="Explore") == ""


def test_what_was_archived_or_broken_meanwhile(ask: Make, memory: Memory) -> None:
    """The record itself is read, not what was compiled of it."""
    broken = add(memory, "the otter loader gets the lynx flag")
    assert ask("otter loader lynx") == ""  # compiled before it was added
    (path,) = Path(memory.folder, "decisions").glob(f"*{broken[:8]}.md")
    path.write_text("---\ntorn")
    memory.archive(desk.identity(TEXT), "2027-01-11T00:00:00Z")
    assert ask(PROMPT) == ""


def test_three_at_most_within_the_tokens(event_of: Make, session_of: Make, memory: Memory) -> None:
    """However many would fit."""
    for number in range(2):
        add(memory, f"{TEXT} in case {number}")
    event = event_of("SessionStart.startup", session_id="two", transcript_path="")
    session_start.handle(event, session_of(event))
    asked = event_of("UserPromptSubmit", prompt=PROMPT, session_id="two")
    text = user_prompt_submit.handle(asked, session_of(asked)).context
    assert 1 <= text.count("| - ") <= recall.MOST
    assert estimate(text) <= recall.TOKENS


def test_a_session_that_began_without_a_memory(run_hook: Make, payload: Make, project: Path) -> None:
    """It hears of it from the moment that another session compiles the words."""
    assert run_hook("session_start", payload("SessionStart.startup")).code == 0
    asked = payload("UserPromptSubmit", prompt=PROMPT)
    assert run_hook("user_prompt_submit", asked).out == ""
    add(derived.memory_at(str(project)), TEXT)
    assert run_hook("user_prompt_submit", asked).out == ""
    assert run_hook("session_start", payload("SessionStart.startup", session_id="two", transcript_path="")).code == 0
    assert TEXT in run_hook("user_prompt_submit", asked).specific["additionalContext"]


@pytest.mark.parametrize("source", ["resume", "compact", "clear"])
def test_however_the_window_began(source: str, event_of: Make, session_of: Make, memory: Memory) -> None:
    """A fork that is resumed is a session of its own, and no start has told it anything."""
    derived.compiled(memory, 1_800_000_000.0)
    event = event_of("SessionStart.startup", source=source, session_id=f"s-{source}", transcript_path="")
    session_start.handle(event, session_of(event))
    asked = event_of("UserPromptSubmit", prompt=PROMPT, session_id=f"s-{source}")
    assert TEXT in user_prompt_submit.handle(asked, session_of(asked)).context


def test_the_words_that_a_clone_brought_are_not_followed(ask: Make, memory: Memory) -> None:
    """Only what was compiled on this machine."""
    assert (Path(memory.cache) / "made").exists()
    (Path(memory.cache) / "made").write_text("another machine")
    assert ask(PROMPT) == ""


def test_the_hook_as_a_process(run_hook: Make, payload: Make, memory: Memory) -> None:
    """The hot road leads there, and only there."""
    assert run_hook("session_start", payload("SessionStart.startup")).code == 0
    assert (
        TEXT in run_hook("user_prompt_submit", payload("UserPromptSubmit", prompt=PROMPT)).specific["additionalContext"]
    )
    assert run_hook("user_prompt_submit", payload("UserPromptSubmit", prompt="add a button")).out == ""
