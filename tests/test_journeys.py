"""Six journeys through the code, traced: the modules that each passes, in the order in which it first enters them.

docs/architecture.md writes them down; `HOLDFAST_REFRESH=1 pytest tests/test_journeys.py` writes them anew.
"""

import functools
import importlib
import json
import os
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import holdfast

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "architecture.md"
MOST_MODULES, MOST_PACKAGES = 15, 5
GROUND = ("errors", "hot", "text", "config", "transcript", "worklog", "session")
"""What every journey stands on: files, pure tools, settings, rows, what the session did, the event and its reply."""
KEPT = type(functools.cache(len))
REFRESH = os.environ.get("HOLDFAST_REFRESH") == "1"

Make = Callable[..., Any]


@pytest.fixture(scope="module", autouse=True)
def everything_imported() -> None:
    """What an import runs is no part of a journey, so nothing is imported on the way."""
    for module in pkgutil.walk_packages(holdfast.__path__, "holdfast."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    """What an earlier test left in a cache would be no part of the journey; each begins as a process does."""
    for module in [module for name, module in sys.modules.items() if name.startswith("holdfast.")]:
        owners = (module, *(one for one in vars(module).values() if isinstance(one, type)))
        for kept in (one for owner in owners for one in vars(owner).values() if isinstance(one, KEPT)):
            kept.cache_clear()


class Way(list[str]):
    """Modules in the order in which they were first entered, without the package's own name."""

    @contextmanager
    def traced(self) -> Iterator[None]:
        """Notes each module of the library of which a function is called."""

        def look(frame: FrameType, what: str, _: object) -> None:
            name = str(frame.f_globals.get("__name__", ""))
            if what == "call" and name.startswith("holdfast.") and name[9:] not in (*self, "text.late"):  # it is `re`
                self.append(name[9:])

        sys.setprofile(look)
        try:
            yield
        finally:
            sys.setprofile(None)


@pytest.fixture
def way() -> Way:
    return Way()


@pytest.fixture
def hook(payload: Make, way: Way, capfd: pytest.CaptureFixture[str]) -> Make:
    """`hook("Stop", traced=True)`: a recorded event by the road that it takes, in this process; its reply."""
    from holdfast.hook import fast, runner
    from holdfast.hot.files import say

    def run(name: str, traced: bool = True, **changes: Any) -> dict[str, Any]:
        sent = payload(name, **changes)
        event, raw = name.split(".", maxsplit=1)[0], json.dumps(sent).encode()
        capfd.readouterr()

        def go() -> None:
            if event in fast.ROADS:
                fast.ROADS[event](event, raw, sent)
            else:
                say(runner.answer(event, raw))

        with way.traced() if traced else nullcontext():
            go()
        out = capfd.readouterr().out
        return json.loads(out) if out.startswith("{") else {"plain": out}

    return run


def told(way: Way, rooms: tuple[str, ...]) -> str:
    """The journey as the page has it: its own modules, what it stands on, which other features the events call."""
    own = [name for name in way if name.split(".")[0] in rooms]
    ground = [name for name in way if name.split(".")[0] in GROUND]
    others = sorted({name.split(".")[0] for name in way if name not in own and name not in ground})
    lines = [", ".join(f"`{name.replace('.', '/')}.py`" for name in own)]
    also = f"; the events also call {', '.join(f'`{name}/`' for name in others)}" if others else ""
    return "\n   ".join([*lines, f"On {len(ground)} modules of the ground{also}."])


def holds(name: str, way: Way, *rooms: str) -> None:
    """The journey is as the page has it, and short: its own modules and packages, the ground not counted."""
    own = [module for module in way if module.split(".")[0] in rooms]
    page = PAGE.read_text()
    found = re.search(
        rf"^(\d\. \*\*{re.escape(name)}\.\*\* [^\n]*\n   )(.*?)\n(?=\n|\d\. )", page, re.MULTILINE | re.DOTALL
    )
    assert found, f"no journey {name!r} in {PAGE.name}"
    if REFRESH:
        page = page[: found.start(2)] + told(way, rooms) + page[found.end(2) :]
        PAGE.write_text(page)
    else:
        assert found[2] == told(way, rooms)
    assert len(own) <= MOST_MODULES
    assert len({module.split(".")[0] for module in own}) <= MOST_PACKAGES


def test_a_large_result_becomes_a_digest(hook: Make, way: Way, transcript: Any) -> None:
    transcript.assistant("x", tokens=20_000)
    hook("SessionStart.startup", traced=False)
    text = "all is well in this line\n" * 4_000 + "error: one\n"
    big = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
    reply = hook("PostToolUse.Bash", tool_response=big)
    assert len(reply["hookSpecificOutput"]["updatedToolOutput"]["stdout"]) < 10_000
    holds("A large result becomes a digest", way, "hook", "digest")


def test_an_over_long_report_becomes_a_handoff(hook: Make, way: Way, transcript: Any) -> None:
    report = "# Review\n\nDecision: PROCEED\n\n" + "The parser drops what it has read when a stream ends.\n" * 200
    transcript.user("Review it.")
    hook("SessionStart.startup", traced=False)
    assert hook("SubagentStop.first", last_assistant_message=report)["decision"] == "block"
    for _ in range(2):
        hook("SubagentStop.retry", last_assistant_message=report)
    sent = json.loads((ROOT / "tests" / "payloads" / "PostToolUse.Agent.json").read_text("utf-8"))["tool_response"]
    agent = json.loads((ROOT / "tests" / "payloads" / "SubagentStop.first.json").read_text("utf-8"))["agent_id"]
    told = {**sent, "agentId": agent, "content": [{"type": "text", "text": report}]}
    reply = hook("PostToolUse.Agent", tool_response=told)
    assert len(reply["hookSpecificOutput"]["updatedToolOutput"]["content"][0]["text"]) < 3_000
    holds("An over-long report becomes a handoff", way, "hook", "handoff")


def test_a_compaction_is_steered_restored_and_verified(hook: Make, way: Way, transcript: Any) -> None:
    hook("SessionStart.startup", traced=False)
    transcript.user("Fix the login in a.py. Never touch b.py.")
    transcript.did("Edit", file_path="/p/a.py", old_string="x", new_string="y")
    transcript.did("Bash", "1 failed", failed=True, command="pytest -q")
    transcript.assistant("Half done.", tokens=150_000)
    assert "Fix the login" in hook("PreCompact.auto")["plain"]
    hook("SubagentStop.internal", last_assistant_message="We did things.")
    told = hook("SessionStart.compact")["hookSpecificOutput"]["additionalContext"]
    assert "Fix the login" in told
    hook("PostCompact.auto", compact_summary="We did things.")
    transcript.boundary()
    hook("UserPromptSubmit", prompt="go on")
    holds("A compaction is steered, restored and verified", way, "hook", "compaction")


def test_a_rule_is_told_at_the_next_start(hook: Make, way: Way, transcript: Any) -> None:
    hook("SessionStart.startup", traced=False)
    transcript.user("Please always use tabs in this project.")
    transcript.assistant('Will do.\n\nRULE: "always use tabs in this project"', tokens=20_000)
    hook("Stop")
    hook("SessionEnd", traced=False)
    reply = hook("SessionStart.startup", session_id="22222222-0000-4000-8000-000000000002")
    assert "always use tabs" in reply["hookSpecificOutput"]["additionalContext"]
    holds("A rule is told at the next start", way, "hook", "memory")


def test_the_engine_makes_room(way: Way) -> None:
    from holdfast import ContextWindowManager

    messages: list[dict[str, Any]] = [{"role": "user", "content": "Find the bug."}]
    for number in range(40):
        call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": f"cat f{number}.py"}}
        text = f"def f{number}(): pass\n" * 300
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    manager = ContextWindowManager(limit=60_000)
    with way.traced():
        turn = manager.on_turn_start(messages)
    assert len(json.dumps(turn.messages)) < len(json.dumps(messages)) / 1.3
    holds("The engine makes room", way, "engine", "gauge", "digest")


def test_memory_search(way: Way, hook: Make, capfd: pytest.CaptureFixture[str]) -> None:
    from holdfast.cli.main import main

    assert main(["memory", "add", "learning", "Tabs", "--set", "lesson=The importer wants tabs"]) == 0
    capfd.readouterr()
    with way.traced():
        assert main(["memory", "search", "tabs"]) == 0
    assert "Tabs" in capfd.readouterr().out
    holds("The memory is searched", way, "cli", "memory", "search")
