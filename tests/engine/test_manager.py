"""The manager as a loop uses it. What each policy decides is told in tests/policy/window."""

import copy
import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from holdfast.engine import messages as conversation
from holdfast.engine.archive import MemoryArchive
from holdfast.engine.manager import ContextWindowManager
from holdfast.errors import BadInput

GOAL = "Move every call of axios in user-service to fetch. Never touch the public API."
Json = dict[str, Any]


def exchange(number: int, text: str, tool: str = "read_file", **inputs: str) -> list[Json]:
    """A call and its result."""
    call = {"type": "tool_use", "id": f"t{number}", "name": tool, "input": inputs or {"path": f"src/file_{number}.ts"}}
    said = {"type": "text", "text": f"Step {number}: look at file_{number}."}
    result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text}
    return [{"role": "assistant", "content": [said, call]}, {"role": "user", "content": [result]}]


def history(steps: int, words: int = 400) -> list[Json]:
    """A task and so many calls, each with a result of its own names."""
    found: list[Json] = [{"role": "user", "content": GOAL}]
    for number in range(steps):
        found += exchange(number, " ".join(f"someName{number}_{word} = {word}" for word in range(words // 4)))
    return found


def play(manager: ContextWindowManager, messages: list[Any]) -> list[Any]:
    """Every turn of a conversation that grows by one answer and its result."""
    return [manager.on_turn_start(messages[:end]) for end in range(1, len(messages) + 1, 2)]


def texts(messages: Sequence[conversation.Message]) -> str:
    """All that a request says."""
    return "\n".join(piece.text for piece in conversation.pieces(messages))


def test_below_the_share_that_acts_the_messages_are_sent_as_they_are() -> None:
    """No cost without need."""
    messages = history(5)
    turn = ContextWindowManager(100_000).on_turn_start(messages)
    assert turn.messages == messages
    assert (turn.plans, turn.cost, turn.reading.zone, turn.hand_over) == ((), None, "green", False)


def test_a_window_that_would_overflow_stays_within_its_limit() -> None:
    """The goal and the newest results stay whole, older results give way, and every request obeys the API's rules."""
    messages, limit = history(60), 20_000
    before = copy.deepcopy(messages)
    turns = play(ContextWindowManager(limit), messages)
    assert ContextWindowManager(1_000_000).on_turn_start(messages).used > 2 * limit
    assert max(turn.used for turn in turns) < limit
    for turn in turns:
        conversation.check(turn.messages)
        assert GOAL in texts(turn.messages[:1])
    assert messages[-1]["content"][0]["content"] in texts(turns[-1].messages)
    assert messages == before


def test_what_left_is_named_and_can_be_recalled() -> None:
    """Its placeholder says where; the whole text is there, for the model and for people."""
    messages = history(60)
    manager = ContextWindowManager(20_000)
    turns = play(manager, messages)
    shown = texts(turns[-1].messages)
    assert "someName0_5 = 5" not in shown
    name = shown.partition("whole: ")[2].partition("]")[0]
    assert manager.recall(name) in texts(messages)
    with pytest.raises(BadInput, match="no such text"):
        manager.recall("a999")


def test_the_view_changes_only_when_a_plan_was_made() -> None:
    """Else the prompt cache would miss on every turn."""
    turns = play(ContextWindowManager(20_000), history(60))
    made = 0
    for before, after in itertools.pairwise(turns):
        made += bool(after.plans)
        assert bool(after.plans) == (after.messages[: len(before.messages)] != before.messages)
        assert bool(after.plans) == (after.cost is not None and after.cost.rewritten > 0)
    assert 0 < made < len(turns) / 3


def test_a_caller_may_keep_the_history_or_go_on_with_the_view() -> None:
    """Both are the same conversation."""
    messages, limit = history(60), 20_000
    whole = play(ContextWindowManager(limit), messages)
    view: list[Any] = messages[:1]
    manager, sent = ContextWindowManager(limit), list[Any]()
    for end in range(1, len(messages) + 1, 2):
        sent.append(manager.on_turn_start(view))
        view = [*sent[-1].messages, *messages[end : end + 2]]
    assert [turn.messages for turn in sent] == [turn.messages for turn in whole]


def test_a_limit_that_is_not_known_never_acts() -> None:
    """A wrong percentage is worse than none."""
    turns = play(ContextWindowManager(0), history(60))
    assert {turn.reading.zone for turn in turns} == {"unknown"}
    assert not any(turn.plans or turn.hand_over for turn in turns)


@pytest.mark.parametrize("fault", [OSError("disk full"), RuntimeError("connection lost")], ids=["disk", "its own way"])
def test_when_the_archive_fails_nothing_leaves(fault: Exception) -> None:
    """Never a half-applied eviction: the view is as it was, however far it came. Any object may stand behind it."""

    class Breaks(MemoryArchive):
        def keep(self, text: str, about: str) -> str:
            if len(self._texts) > 2:
                raise fault
            return super().keep(text, about)

    manager, messages = ContextWindowManager(9_000, archive=Breaks()), history(20)
    turn = manager.on_turn_start(messages)
    assert turn.messages == messages
    assert not any(plan.changes for plan in turn.plans)
    assert any("cannot be stored" in plan.note or "connection lost" in plan.note for plan in turn.plans)
    assert manager.audit == []
    manager.archive = MemoryArchive()
    conversation.check(manager.on_turn_start(messages).messages)


def test_a_rewritten_history_is_refused() -> None:
    """The view rests on what was read before."""
    manager, messages = ContextWindowManager(10_000), history(3)
    manager.on_turn_start(messages)
    messages[0] = {"role": "user", "content": "another goal"}
    with pytest.raises(BadInput, match="changed"):
        manager.on_turn_start(messages)


def test_a_very_long_result_becomes_a_digest_and_code_stays_whole() -> None:
    """What an edit must match exactly is never altered."""
    manager = ContextWindowManager(1_000_000)
    log = "\n".join(f"line {number} ok" for number in range(5_000)) + "\nERROR: port 8080 is taken"
    short = manager.on_tool_result("bash", log, {"command": "make"})
    assert len(short) < len(log) / 2
    assert "port 8080 is taken" in short
    assert manager.recall(short.partition("Whole result: ")[2].partition("]")[0]) == log
    assert manager.on_tool_result("read_file", log, {"path": "src/big.ts"}) == log
    assert manager.on_tool_result("bash", "ok", {"command": "make"}) == "ok"


def test_a_file_that_would_fill_the_window_becomes_a_digest_too() -> None:
    """Whole, it would be handed over for ever: every new window would read it again."""
    manager, code = ContextWindowManager(36_000), "\n".join(f"name_{number} = {number}" for number in range(6_000))
    short = manager.on_tool_result("read_file", code, {"path": "src/big.py"})
    assert len(short) < len(code) / 10
    assert manager.recall(short.partition("Whole result: ")[2].partition("]")[0]) == code


def test_what_no_hand_over_can_help_is_an_error() -> None:
    """System prompt, tools and goal stand in every window."""
    with pytest.raises(BadInput, match=r"system prompt, tools and goal take about [\d,]+ of 9,000"):
        ContextWindowManager(9_000).on_turn_start(history(1), system="You are careful. " * 3_000)


def test_a_request_may_be_tried_again_and_handed_over_with_the_same_list() -> None:
    """As after an answer of 529, or when `hand_over` is true."""
    manager, messages = ContextWindowManager(20_000), history(60)
    view = manager.on_turn_start(messages[:61]).messages
    given = [*view, *messages[61:91]]
    first = manager.on_turn_start(given)
    assert first.plans
    assert manager.on_turn_start(given).messages == first.messages
    assert GOAL in texts(manager.on_overflow(given).messages)


@pytest.mark.parametrize("model", ["claude", object()], ids=["name", "object"])
def test_a_model_that_cannot_be_asked_is_refused(model: object) -> None:
    """It would be left unasked without a word."""
    with pytest.raises(BadInput, match="model"):
        ContextWindowManager(20_000, model=model)


def test_a_full_window_is_handed_over_with_the_state_of_the_work(tmp_path: Path) -> None:
    """The next window begins with goal, rules and work; the checkpoint's page stands on disk."""
    manager = ContextWindowManager(20_000, folder=f"{tmp_path}/checkpoints")
    messages = [*history(20), *exchange(99, "ok", "edit_file", path="src/api.ts", old_str="axios", new_str="fetch")]
    play(manager, messages)
    handed = manager.on_overflow(messages, note="the last file is half done")
    conversation.check(handed.messages)
    shown = texts(handed.messages)
    assert GOAL in shown
    assert "api.ts" in shown
    page = Path(handed.checkpoint).read_text()
    assert "the last file is half done" in page
    assert manager.audit[-1]["by"] == "hand_over"
    assert manager.on_turn_start(handed.messages).used < 9_000
    assert len(manager.work()["prompts"]) == 1


def test_a_marked_block_never_leaves() -> None:
    """By the id that `blocks` gives; the mark can be taken off."""
    messages, manager = history(60), ContextWindowManager(20_000)
    manager.on_turn_start(messages[:3])
    manager.keep("result:t0")
    for end in range(5, len(messages) + 1, 2):
        manager.on_turn_start(messages[:end])
    states = {block.id: block.state for block in manager.blocks}
    assert states["result:t0"] == "whole"
    assert states["result:t1"] != "whole"
    with pytest.raises(BadInput, match="no such block"):
        manager.keep("result:t999")


def test_all_that_was_done_is_in_the_log(tmp_path: Path) -> None:
    """In memory and, where there is a folder, on disk: what, why, how many tokens, at what cost."""
    manager = ContextWindowManager(20_000, folder=str(tmp_path))
    play(manager, history(60))
    lines = [json.loads(line) for line in (tmp_path / "audit.jsonl").read_text().splitlines()]
    assert lines == manager.audit
    assert all(line["freed"] > 0 and line["rewritten"] > 0 for line in lines)
    assert all(one["before"] > one["after"] and one["why"] for line in lines for one in line["changes"])


def test_its_status_is_plain_json() -> None:
    """For a log or a dashboard."""
    manager = ContextWindowManager(20_000)
    play(manager, history(60))
    found = json.loads(json.dumps(manager.status()))
    assert found["zone"] in ("yellow", "orange")
    assert (found["plans"], found["model_calls"]) == (len(manager.audit), 0)


def test_notes_outlive_the_window() -> None:
    """They are told to the next one."""
    manager, messages = ContextWindowManager(20_000), history(3)
    manager.on_turn_start(messages)
    manager.note("decisions", "use fetch in src/api.ts, because axios is not kept any more")
    assert "axios is not kept any more" in texts(manager.on_overflow(messages).messages)


def test_what_the_agent_lets_go_leaves_at_once() -> None:
    """However empty the window is; it said so itself."""
    messages, manager = history(6), ContextWindowManager(1_000_000)
    manager.on_turn_start(messages)
    said = {"role": "assistant", "content": "PRUNE: src/file_1.ts - it has no call of axios"}
    turn = manager.on_turn_start([*messages, said, {"role": "user", "content": "go on"}])
    assert [plan.by for plan in turn.plans] == ["prune"]
    assert {block.state for block in manager.blocks if block.about == "Read src/file_1.ts"} == {"placeholder", "whole"}
    assert "someName1_7 = 7" not in texts(turn.messages)


def test_cache_marks_may_move_from_request_to_request() -> None:
    """As loops do it that mark the newest block: by copies of their messages."""
    messages, manager = history(6), ContextWindowManager(1_000_000)
    for end in range(1, len(messages) + 1, 2):
        marked = copy.deepcopy(messages[:end])
        content = marked[-1]["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        marked[-1]["content"] = [*blocks[:-1], {**blocks[-1], "cache_control": {"type": "ephemeral"}}]
        sent = manager.on_turn_start(marked).messages
        assert json.dumps(sent).count("cache_control") == 1


def test_the_budget_can_be_asked_before_something_is_added() -> None:
    """Tracking is not refusing: the caller decides. Without a limit there is none."""
    manager = ContextWindowManager(100_000)
    manager.on_turn_start(history(1))
    refused = manager.allow("results", 50_000)
    assert refused is not None
    assert not refused.allowed
    assert ContextWindowManager(0).allow("results", 1) is None
    with pytest.raises(BadInput, match="component"):
        manager.allow("jokes", 1)
