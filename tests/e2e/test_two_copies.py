"""The plugin and a drop-in are both active: the one nearer to the project speaks, and the user is told once."""

import json
from collections import Counter

import pytest

from client import Run, Sandbox, SandboxMaker
from holdfast.hot import presence
from loopback import agent, call, rule
from reports import BUILD, SHORT, long_report

GO = "GO-TWICE build it"


def play(sandbox: Sandbox) -> Run:
    """A session with one large result and one agent that cuts its report when it is asked."""
    rules = [
        rule(GO, BUILD, agent("SUBTASK"), times=1, tools=True),
        rule("Stop hook", SHORT, begun="SUBTASK"),
        rule("", long_report("SUBTASK"), begun="SUBTASK"),
    ]
    return sandbox.run(GO, rules).undisturbed()


@pytest.fixture(scope="module")
def runs(make_sandbox: SandboxMaker) -> tuple[Run, Run]:
    """Two sessions of one project that has both."""
    sandbox = make_sandbox("both")
    return play(sandbox), play(sandbox)


def test_one_of_the_two_answers(runs: tuple[Run, Run]) -> None:
    """Both run at each event and one has something to say; what the model reads stands there once."""
    for run in runs:
        ran = Counter(hook.event for hook in run.hooks())
        assert ran["PostToolUse"] == 4
        spoke = Counter(hook.event for hook in run.hooks() if hook.context or hook.reply.get("decision"))
        assert spoke["SessionStart"] == spoke["SubagentStart"] == spoke["SubagentStop"] == 1
        texts = [request.text for request in run.requests]
        assert max(text.count("how to hand back your work") for text in texts) == 1


def test_a_result_that_was_never_shown_is_called_no_earlier_one(runs: tuple[Run, Run]) -> None:
    """Each of them would take the other's note for its own."""
    for run in runs:
        assert "the same result as an earlier" not in run.requests[-1].text
        assert run.holding("Whole result: ", SHORT.splitlines()[2], opening=GO)


def test_the_user_is_told_once(runs: tuple[Run, Run]) -> None:
    """At the first start of the project."""
    told = ["\n".join(hook.told for hook in run.hooks("SessionStart")) for run in runs]
    assert [presence.DISABLE in one for one in told] == [True, False]


@pytest.mark.parametrize("spoilt", ["at the start", "in mid-session"])
def test_a_file_that_the_client_drops_silences_nobody(spoilt: str, make_sandbox: SandboxMaker) -> None:
    """The drop-in's hooks stand in it word for word, and one bad entry keeps them from running."""
    sandbox = make_sandbox("both")
    settings, bad = sandbox.project / ".claude" / "settings.local.json", sandbox.root / "bad.json"
    bad.write_text(json.dumps({**json.loads(settings.read_text()), "permissions": 5}))
    if spoilt == "at the start":
        settings.write_bytes(bad.read_bytes())
    rules = [
        rule(GO, call("Bash", command=f"cp {bad} {settings}; sleep 7; echo copied", description="pull"), times=1),
        rule("copied", BUILD, times=1),
        rule("", "Built."),
    ]
    run = sandbox.run(GO, rules).undisturbed()
    assert len(run.hooks("PostToolUse")) == 2, "the client has taken the settings"
    assert run.holding("Whole result: ")
    if spoilt == "at the start":
        assert [bool(hook.context) for hook in run.hooks("SessionStart")] == [True]
