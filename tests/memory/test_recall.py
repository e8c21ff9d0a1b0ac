"""Which memories a prompt calls up, when there is silence, and what the hook answers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.hot import prompt_match
from holdfast.memory import briefing, supersession
from holdfast.memory.record import Record, check
from holdfast.memory.store import Memory, project_memory

Make = Callable[..., Any]
TEXTS = {
    1: "The export drops rows on every retry of BUG-12",
    2: "verify_token stays in auth.py, without a cache",
    3: "Payments in yen have no minor unit: rounding twice loses money",
    4: "The sandbox bank answers in local time",
    5: "Refunds go through the queue, the ledger is written last",
}


def record(number: int, text: str, **content: Any) -> Record:
    given = {"id": f"{number:08x}-0000-4000-8000-000000000000", "time": "2026-11-04T14:32:00Z", "title": text[:100]}
    return check({**given, "kind": "learning", "content": {"lesson": text, **content}})


def row(number: int, text: str) -> briefing.RecordWords:
    return briefing.RecordWords(str(number), "learning", *briefing.words_of(record(number, text)))


ROWS = [row(number, text) for number, text in TEXTS.items()]


def called(prompt: str) -> list[int]:
    return list(map(int, briefing.fitting(ROWS, prompt)))


LONG = (
    "please look at all files of this project, tell me what the export of the module system does in general terms, "
    "and rewrite its documentation in plain words for newcomers, with drawings, headings, examples and exercises"
)


@pytest.mark.parametrize(
    ("prompt", "numbers"),
    [
        ("why does the export lose rows?", [1]),
        ("what about BUG-12?", [1]),
        ("where is verify_token used?", [2]),
        ("the rounding of payments is wrong", [3]),
        ("refunds: when is the ledger written, and what of the queue? also the payments' rounding", [5, 3]),
        *((prompt, []) for prompt in ("add a button to the page and run the tests", "continue", "", LONG)),
        ("the payments page needs a new colour", []),
    ],
)
def test_a_prompt_calls_up_what_it_matches_well(prompt: str, numbers: list[int]) -> None:
    """Two telling words or one name; the better match first. A word in common is none, least of all in a long one."""
    assert called(prompt) == numbers


@given(st.lists(st.lists(st.sampled_from(["alpha", "betas", "beta", "run_all", "BUG-7", "a-term"]), max_size=4)))
def test_what_many_hold_tells_nothing(said: list[list[str]]) -> None:
    """A word tells where few records hold it, twice as much where it is a name."""
    rows = [row(number, " ".join(words) or "-") for number, words in enumerate(said)]
    own = [prompt_match.words((" ".join(words) or "-").encode()) for words in said]
    rare = [word for word in set().union(*own) if sum(word in one for one in own) <= min(3, max(1, len(said) // 3))]
    assert briefing.weights(rows) == {word: 2 if word in (b"run_all", b"bug-7") else 1 for word in rare}


@given(st.text(max_size=80), st.sampled_from(list(TEXTS.values())))
def test_the_hot_road_never_misses_what_fits(prompt: str, text: str) -> None:
    """Its guess is on for every prompt that the policy would answer."""
    asked = f"{prompt} {text}"
    places = prompt_match.weights(briefing.weights(ROWS))
    if briefing.fitting(ROWS, asked):
        assert (
            prompt_match.weight(places, asked[: prompt_match.LONGEST].encode("utf-8", "replace")) >= prompt_match.ENOUGH
        )


TEXT = "the cobra importer gets the hyena flag"
PROMPT = "why does the cobra importer ask for the hyena flag?"


@pytest.fixture
def memory(project: Path) -> Memory:
    made = project_memory(str(project))
    add(made, TEXT)
    return made


def add(memory: Memory, text: str) -> str:
    given = {"id": supersession.identity(text), "kind": "decision", "time": "2027-01-10T00:00:00Z", "title": text[:100]}
    memory.add(check({**given, "content": {"decision": text}, "importance": 5}))
    return given["id"]


@pytest.fixture
def ask(fire: Make, memory: Memory) -> Make:
    """`ask(prompt)`: what the hook adds to a prompt, in a session that has begun."""
    fire("SessionStart.startup", transcript_path="")
    return lambda prompt: str(fire("UserPromptSubmit", prompt=prompt).context)


def test_a_prompt_that_touches_it(ask: Make, memory: Memory) -> None:
    text = ask(PROMPT)
    assert TEXT in text
    assert "</memory>" in text
    assert ask(PROMPT) == ""
    assert memory.uses()[supersession.identity(TEXT)].times == 1


@pytest.mark.parametrize("prompt", ["add a button", "/recall cobra hyena importer", ""])
def test_silence(ask: Make, prompt: str) -> None:
    assert ask(prompt) == ""


def test_what_was_archived_or_broken_meanwhile(ask: Make, memory: Memory) -> None:
    broken = add(memory, "the otter loader gets the lynx flag")
    assert ask("otter loader lynx") == ""  # compiled before it was added
    (path,) = Path(memory.folder, "decisions").glob(f"*{broken[:8]}.md")
    path.write_text("---\ntorn")
    memory.archive(supersession.identity(TEXT), "2027-01-11T00:00:00Z")
    assert ask(PROMPT) == ""


@pytest.mark.parametrize("source", ["resume", "compact", "clear"])
def test_however_the_window_began(source: str, fire: Make, memory: Memory) -> None:
    """A fork that is resumed is a session of its own, and no start has told it anything."""
    briefing.renew(memory, 1_800_000_000.0)
    fire("SessionStart.startup", source=source, session_id="new", transcript_path="")
    assert TEXT in fire("UserPromptSubmit", prompt=PROMPT, session_id="new").context


def test_the_words_that_a_clone_brought_are_not_followed(ask: Make, memory: Memory) -> None:
    assert (Path(memory.cache) / "made").exists()
    (Path(memory.cache) / "made").write_text("another machine")
    assert ask(PROMPT) == ""
