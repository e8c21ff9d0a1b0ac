"""Summaries of older tool results."""

import json

import pytest
from hypothesis import given, settings

from holdfast.engine import blocks
from holdfast.engine.blocks import DIGEST
from holdfast.engine.plan import Plan
from holdfast.engine.strategy import Scene
from holdfast.engine.summarise_results import summarise
from holdfast.text import tokens
from tests.engine.conversations import Json, Model, asked, conversations, looked, scene

CODE = "\n".join(f"{n:6}\u2192def handle_{n}(request):\n{n:6}\u2192    return self.pool_{n}.run()" for n in range(60))
GREP = "\n".join(f"src/mod_{n % 4}.py:{n}: connect_socket(timeout={n})" for n in range(80))
RUN = "\n".join(
    [f"tests/test_{n}.py ....." for n in range(150)] + ["E  KeyError: 'sid'", "1 failed, 1499 passed in 8.1s"]
)
DIFF = "\n".join(
    ["--- a/src/api.py", "+++ b/src/api.py", "@@ -1,5 +1,9 @@", *(f"+    raise ValueError({n})" for n in range(90))]
)
JSON = json.dumps({"total": 120, "rows": [{"id": n, "name": f"user_name_{n}"} for n in range(120)]})
PROSE = " ".join(f"The service_{n} restarts because its pool_{n} is exhausted after {n} calls." for n in range(60))


def window(tool: str, inputs: Json, shown: str, rest: int = 4) -> Scene:
    """One long result, and so many short ones after it."""
    after = (message for number in range(rest) for message in looked(number, "Bash", {"command": "true"}, "ok"))
    return scene([asked("Find out why users lose their session."), *looked(99, tool, inputs, shown), *after])


def only(found: Plan) -> str:
    """The text of the one change."""
    [change] = found.changes
    assert change.state == DIGEST
    return str(change.text)


@pytest.mark.parametrize(
    ("tool", "inputs", "shown", "holds"),
    [
        ("Read", {"file_path": "src/api.py"}, CODE, ("120 lines", "Defines: handle_0, handle_1", "handle_9")),
        ("Read", {"file_path": "server.log"}, RUN, ("E  KeyError: 'sid'".replace("  ", " "), "1 failed, 1499 passed")),
        ("Grep", {"pattern": "connect"}, GREP, ("80 lines in 4 files", "mod_0.py (20)", "connect_socket")),
        ("Bash", {"command": "pytest -q"}, RUN, ("KeyError: 'sid'", "1 failed, 1499 passed in 8.1s")),
        ("Bash", {"command": "git diff"}, DIFF, ("A diff of 1 files: api.py +90 -0",)),
        ("Bash", {"command": "curl /users"}, JSON, ("total: 120", "120 x {id: 0", "name")),
        ("WebFetch", {"url": "https://x.test/a"}, PROSE, ("service_", "pool_")),
    ],
    ids=["code", "log", "search", "tests", "diff", "json", "prose"],
)
def test_the_finding_of_each_kind_is_said(tool: str, inputs: Json, shown: str, holds: tuple[str, ...]) -> None:
    """What it was, where the whole is, what it found; at most half of what it was, and mostly far less."""
    found = window(tool, inputs, shown)
    text = only(summarise(found))
    assert text.startswith(f"[Summary of {tool} ")
    assert "; whole: a1]" in text
    for part in holds:
        assert part in text
    assert tokens.estimate(text) <= tokens.estimate(shown) / 2


def test_code_and_listings_tell_of_no_trouble() -> None:
    """A word for an error in a diff or a file is no error."""
    text = only(summarise(window("Bash", {"command": "git diff"}, DIFF)))
    assert "raise ValueError(7)" not in text


@pytest.mark.parametrize("shown", ["ok", "word " * 300], ids=["tiny", "below the threshold"])
def test_what_is_short_stays(shown: str) -> None:
    """Requirement K3: 500 tokens."""
    assert summarise(window("Bash", {"command": "x"}, shown)).changes == ()


def test_what_the_model_has_just_been_given_stays() -> None:
    """The step it serves is not over."""
    assert summarise(window("Bash", {"command": "x"}, RUN, rest=0)).changes == ()


def test_zero_switches_it_off() -> None:
    """As the option says."""
    found = window("Bash", {"command": "pytest"}, RUN)
    assert summarise(found._replace(options=found.options._replace(summarise=0))).changes == ()


def test_it_ends_when_enough_is_free() -> None:
    """What need not be touched stays whole."""
    messages = [asked("Go."), *(m for n in range(8) for m in looked(n, "Bash", {"command": f"run {n}"}, f"{n} {RUN}"))]
    whole = scene(messages)
    some = summarise(scene(messages, used=whole.used, limit=int(whole.used / 0.61)))
    assert 0 < len(some.changes) < len(summarise(whole._replace(limit=1)).changes)
    assert some.short == 0


def test_a_model_says_it_where_one_is_given() -> None:
    """Its words stand under our line; the calls are told."""
    model = Model("The session id is lost in login_user.")
    found = summarise(window("Bash", {"command": "pytest"}, RUN)._replace(ask=model.ask))
    assert only(found).endswith("whole: a1]\nThe session id is lost in login_user.")
    assert (found.calls, found.note) == (1, "")
    assert "1 failed, 1499 passed" in model.asked[0]


def test_a_model_that_fails_costs_no_summary() -> None:
    """The same as without it, and the note says so."""
    plain, asked_of = window("Bash", {"command": "pytest"}, RUN), Model("")
    found = summarise(plain._replace(ask=asked_of.ask))
    assert only(found) == only(summarise(plain))
    assert "the answer is empty" in found.note


@given(conversations())
@settings(max_examples=40, deadline=None)
def test_no_summary_is_longer_than_half_and_all_runs_are_the_same(messages: list[Json]) -> None:
    """Whatever the results hold."""
    found = scene(messages, summarise=60)._replace(limit=1)
    made = summarise(found)
    sizes = {block.id: block.tokens for block in found.blocks}
    assert all(change.tokens <= sizes[change.id] / 2 for change in made.changes)
    assert made.freed == sum(sizes[change.id] - change.tokens for change in made.changes)
    assert made == summarise(scene(messages, summarise=60)._replace(limit=1))
    assert made.freed <= blocks.tokens_of(found.blocks)
