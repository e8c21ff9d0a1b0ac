"""The example's loop through the real SDK against its loopback API."""

import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

import agent_loop
import fake_model
from agent_loop import TASK, WINDOW, Loop
from fake_api import FakeApi, Request
from fake_project import AREAS

Played = tuple[Loop, FakeApi]
ROOT = Path(agent_loop.__file__).parents[1]


@pytest.fixture(scope="module")
def cleared(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """The same where the API clears first."""
    return agent_loop.play(str(tmp_path_factory.mktemp("cleared")), edits="tools")


def begun(api: FakeApi) -> list[Request]:
    """The requests that opened a window: tools, system, one message."""
    return [request for request in api.requests if len(request.parts) == 3]


def test_without_a_manager_the_api_refuses_the_loop(tmp_path: Path) -> None:
    """The window is full long before the task is done."""
    loop, api = agent_loop.play(str(tmp_path), manage=False)
    assert loop.receipt.end.startswith("400 prompt is too long: ")
    assert loop.receipt.calls < 100
    assert api.refused == [loop.receipt.end.removeprefix("400 ")]


def test_with_a_manager_the_task_is_finished_within_the_window(managed: Played) -> None:
    """Hundreds of calls, the project's own check is content, and no request was refused for its size or its form."""
    loop, api = managed
    assert loop.receipt.end == "Done. 0 failed; 0 left in shop"
    assert loop.receipt.calls >= 300
    assert (loop.project.left("shop"), loop.project.wrong("shop")) == ([], [])
    assert api.refused == []
    assert loop.receipt.peak == max(request.tokens for request in api.requests) <= WINDOW


def test_the_second_window_begins_with_goal_decision_and_open_work(managed: Played) -> None:
    """What the first request of it says; what was finished is not open, and the checkpoint is on disk."""
    loop, api = managed
    assert len(begun(api)) == 1 + len(loop.receipt.windows) >= 2
    text = begun(api)[1].opening
    assert TASK in text
    assert fake_model.DECISION in text
    at_hand = re.findall(r"^- in progress: move shop/(\w+)$", text, re.MULTILINE)[0]
    now = AREAS.index(at_hand)
    assert all(f"planned: move shop/{area}" in text for area in AREAS[now + 1 :])
    assert not any(f"planned: move shop/{area}" in text for area in AREAS[: now + 1])
    assert f"in progress: move shop/{at_hand}" in Path(loop.receipt.windows[0]).read_text(encoding="utf-8")


def test_where_nothing_was_replaced_a_request_begins_as_the_one_before_it(managed: Played) -> None:
    """The prompt cache keeps its prefix: every part of the last request stands again, in its place."""
    loop, api = managed
    opened = {number for number, request in enumerate(api.requests) if len(request.parts) == 3}
    changed = {*loop.receipt.rewrites, *opened}
    kept = [
        after.parts[: len(before.parts)] == before.parts
        for number, (before, after) in enumerate(pairwise(api.requests), 1)
        if number not in changed
    ]
    assert len(kept) > len(api.requests) / 2
    assert all(kept)


def test_what_left_the_window_was_recalled_by_its_name(managed: Played) -> None:
    """The lanes stand in a file that was read in the first minutes; each folder needs it again."""
    loop, _ = managed
    assert loop.receipt.replaced > 50
    assert loop.receipt.recalls > 0


def test_where_the_api_clears_the_manager_leaves_those_results_alone(cleared: Played) -> None:
    """The API's clearing is in the audit, nothing that it cleared was replaced again, and the task was finished."""
    loop, api = cleared
    assert loop.manager
    assert loop.receipt.end.endswith("Done. 0 failed; 0 left in shop")
    assert api.refused == []
    assert any(entry["by"] == "api" for entry in loop.manager.audit)
    assert loop.receipt.peak <= WINDOW


@pytest.mark.parametrize(
    ("options", "told"), [(["--window", "900"], "of 900 tokens"), (["--live", "x"], "api_key")], ids=["room", "key"]
)
def test_what_cannot_begin_is_told_in_a_line(options: list[str], told: str) -> None:
    command, env = [sys.executable, "-B", agent_loop.__file__, *options], {"PYTHONPATH": "hooks"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env, cwd=ROOT)
    assert done.returncode == 1
    assert done.stderr.startswith("agent_loop: ")
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_missing_package_is_named_with_what_to_do() -> None:
    """Not with a traceback."""
    example = Path(agent_loop.__file__)
    done = subprocess.run([sys.executable, "-I", "-S", "-B", str(example)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("agent_loop: the package anthropic is not here. From a checkout: `pip install ")
    assert done.stderr.count("\n") == 1
