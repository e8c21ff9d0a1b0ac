"""A session that is killed: the next start finds its state, says so, and takes a session that ended well for ended."""

import json
from typing import NamedTuple

import pytest

from client import Run, Sandbox, SandboxMaker
from loopback import call, rule

GOAL = "GO-TOKEN replace the cookie by a signed token; never touch the cookie's name"
CUT_OFF = "was cut off (killed or crashed)"


class Story(NamedTuple):
    """A run that is killed in a tool call, a new session beside it, the killed one resumed, a session after that."""

    sandbox: Sandbox
    killed: Run
    beside: Run
    resumed: Run
    after: Run


@pytest.fixture(scope="module")
def story(make_sandbox: SandboxMaker) -> Story:
    """Play it; the tool's shell kills the client, its parent."""
    sandbox = make_sandbox("dropin")
    file = str(sandbox.project / "signed_token.py")
    kill = call("Bash", command="sleep 1; kill -9 $PPID; sleep 5", description="end")  # the transcript is written late
    rules = [
        rule("GO-TOKEN", call("Write", file_path=file, content="KEY = 7\n"), times=1, tools=True),
        rule("signed_token.py", kill, times=1, tools=True),
    ]
    killed = sandbox.run(GOAL, rules)
    assert killed.code == -9  # without the client's own end, so without SessionEnd
    last = json.loads((sandbox.state / "sessions" / killed.session / "last.json").read_text())
    assert [last["open"][name].isdigit() for name in ("pid", "birth")] == [True, True]
    beside = sandbox.run("what is new?")
    resumed = sandbox.run("go on", [], "--resume", killed.session)
    return Story(sandbox, killed, beside, resumed, sandbox.run("and now?"))


def test_a_new_session_is_told_where_the_state_is(story: Story) -> None:
    """The model in a few lines and the user in one; the checkpoint that is named is there and whole."""
    (start,) = story.beside.hooks("SessionStart")
    assert CUT_OFF in start.told
    assert f"claude --resume {story.killed.session}" in start.told
    assert "- task: GO-TOKEN replace the cookie" in story.beside.first.text
    assert "- files changed: signed_token.py" in story.beside.first.text
    assert any("GO-TOKEN" in page for page in story.sandbox.files_named(start.context))


def test_the_session_itself_is_restored_and_says_so(story: Story) -> None:
    """At the resume, once."""
    (start,) = story.resumed.hooks("SessionStart")
    assert f"this session {CUT_OFF}" in start.told
    assert "put back from checkpoint" in story.resumed.requests[-1].text
    assert "signed_token.py" in start.context


def test_a_session_that_ended_well_is_not_called_cut_off(story: Story) -> None:
    """The resumed session and the one beside it had their SessionEnd."""
    (start,) = story.after.hooks("SessionStart")
    assert CUT_OFF not in start.stdout
