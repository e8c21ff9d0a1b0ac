import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.hook.on import pre_tool_use
from holdfast.session.reply import NOTHING
from tests.conftest import NOW, Transcript

Make = Callable[..., Any]
Launch = Callable[..., Any]
ONE, TWO = "Write the findings to docs/notes.md.", "Then update docs/notes.md too."


@pytest.fixture
def launch(event_of: Make, session_of: Make, monkeypatch: pytest.MonkeyPatch, transcript: Transcript) -> Launch:
    """`launch("toolu_1", prompt)`: the hook's answer to one launch at a screen where somebody sits."""
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ATTENDED", "1")
    transcript.user("go")

    def run(call: str, prompt: str, now: float = NOW, **fields: Any) -> Any:
        inputs = {"description": call, "prompt": prompt, "subagent_type": "general-purpose", "run_in_background": False}
        event = event_of(
            "PreToolUse.Agent", tool_use_id=call, tool_input={**inputs, **fields.pop("inputs", {})}, **fields
        )
        return pre_tool_use.handle(event, session_of(event, now))

    return run


def configure(state: Path, **keys: Any) -> None:
    """Write the project's configuration."""
    state.mkdir(parents=True, exist_ok=True)
    (state / "config.json").write_text(json.dumps(keys))


def test_two_that_change_one_file_are_told_once(launch: Launch) -> None:
    """The second brings the advice; a third of the same batch and a repeated hook bring none."""
    assert launch("toolu_1", ONE) == NOTHING
    told = launch("toolu_2", TWO)
    assert "docs/notes.md is to be changed by" in told.context
    assert told._replace(context="") == NOTHING
    assert launch("toolu_2", TWO) == NOTHING
    assert launch("toolu_3", "Fix docs/notes.md.") == NOTHING


def test_the_same_launch_twice_is_one(launch: Launch) -> None:
    """A pack that is installed twice does not make an agent meet itself."""
    assert launch("toolu_1", ONE) == launch("toolu_1", ONE) == NOTHING
    assert launch("toolu_2", "Look for the callers of refresh().") == NOTHING


def test_one_after_another_is_well(launch: Launch, transcript: Transcript) -> None:
    """The first has its result before the second begins."""
    launch("toolu_1", ONE)
    transcript.result("toolu_1", "done")
    assert launch("toolu_2", TWO) == NOTHING


def test_a_background_agent_runs_until_it_is_notified(launch: Launch, transcript: Transcript) -> None:
    """Its result only says that it was launched."""
    background = {"run_in_background": True}
    launch("toolu_1", ONE, inputs=background)
    transcript.result("toolu_1", "Async agent launched")
    assert launch("toolu_2", TWO).context
    launch("toolu_3", ONE.replace("notes", "plan"), inputs=background)
    transcript.user("<task-notification>\n<tool-use-id>toolu_3</tool-use-id>")
    assert launch("toolu_4", TWO.replace("notes", "plan")) == NOTHING


@pytest.mark.parametrize(
    "changes",
    [{"prompt_id": "another"}, {"now": NOW + 3_600}, {"agent_id": "a1"}],
    ids=["another turn", "an hour later", "within a sub-agent"],
)
def test_what_does_not_belong_to_the_batch_is_left_out(launch: Launch, changes: dict[str, Any]) -> None:
    """Old launches, those of other turns and those of sub-agents meet nobody."""
    launch("toolu_1", ONE)
    assert launch("toolu_2", TWO, **changes) == NOTHING


def test_of_two_at_once_the_later_line_may_have_the_earlier_time(launch: Launch) -> None:
    """Parallel hooks start in one order and write in another."""
    launch("toolu_1", ONE)
    assert launch("toolu_2", TWO, now=NOW - 0.1).context


def test_the_mode_decides_what_is_done(launch: Launch, state: Path) -> None:
    """block refuses each time, off does not look."""
    configure(state, gate={"mode": "block"})
    launch("toolu_1", ONE)
    assert "docs/notes.md" in launch("toolu_2", TWO).block
    assert "docs/notes.md" in launch("toolu_3", TWO).block
    configure(state, gate={"mode": "off"})
    assert launch("toolu_4", TWO) == NOTHING


@pytest.mark.parametrize("line", ["", "{", "[]", '{"id": 7}', '{"id": "x", "time": "soon", "from": 0}', "\x00"])
def test_a_torn_line_is_no_launch(launch: Launch, state: Path, line: str) -> None:
    """What cannot be read neither runs nor disturbs."""
    launch("toolu_1", ONE)
    log = next(state.rglob("launches.log"))
    log.write_text(f"{line}\n{log.read_text()}")
    assert "docs/notes.md" in launch("toolu_2", TWO).context
