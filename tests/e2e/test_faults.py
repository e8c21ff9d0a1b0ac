"""Point 7: whatever is wrong around it, the session runs on and the model reads nothing of it.

Each fault is set up for real (surroundings.py) and the same session is played: a large output, a sub-agent with a
long report, an auto-compaction.
"""

from itertools import cycle
from pathlib import Path

import pytest

from client import Run, Sandbox, SandboxMaker
from loopback import agent, call, rule
from reports import BUILD, long_report
from stories import AUTOCOMPACT, FULL, SUMMARISER
from surroundings import (
    GIVEN,
    NOTHING_TO_WRITE_TO,
    SESSION,
    SURROUNDINGS,
    broken_config,
    put_between,
    python_missing,
    write_big_transcript,
)

GO = "GO-FAULT build and ask"
SUBTASK = "SUBTASK-FAULT"
HANDED_BACK = "[Subagent hand-back]"  # how the client heads a foreground agent's result
OUTPUT = "\n".join(f"compiled module number {number} of the build" for number in range(900))
TRACES = ("Traceback", "Errno", "hook error", "hook failed", "faults.log", "JSONDecodeError", "OSError")


def play(sandbox: Sandbox) -> Run:
    """The session that is played under each fault."""
    rules = [
        rule(SUMMARISER, "<summary>SUMMARY-MARK</summary>"),
        rule(
            GO,
            BUILD,
            agent(SUBTASK, run_in_background=False),
            times=1,
            tools=True,
        ),
        rule("", long_report(SUBTASK), begun=SUBTASK),
        rule("SUMMARY-MARK", call("Bash", command="echo after", description="go on"), within="body", times=1),
        rule(
            HANDED_BACK,
            "Done so far.",
            call("Bash", command="echo full", description="x"),
            times=1,
            usage=FULL,
        ),
    ]
    return sandbox.run(GO, rules, *AUTOCOMPACT, "--session-id", SESSION)


@pytest.fixture(scope="module")
def big_transcript(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A transcript of 50 MB."""
    path = tmp_path_factory.mktemp("big") / "big.jsonl"
    write_big_transcript(path)
    return path


def _assert_undisturbed(run: Run) -> None:
    """The session went its way to its end; no hook failed, and no request tells of a fault."""
    assert run.undisturbed().result == "OK done."
    assert len(run.holding(SUMMARISER)) == 1
    assert [r.number for r in run.holding("SUMMARY-MARK", opening="SUMMARY-MARK")] != []
    for request in run.requests:
        assert [trace for trace in TRACES if trace in request.text] == []


def _assert_nothing_lost(sandbox: Sandbox, run: Run) -> None:
    """The whole report and output stand in what the model read, or in a file that it was told of."""
    read = "\n".join(request.text for request in run.holding(opening=GO))
    known = [line.strip() for text in (read, *sandbox.files_named(read)) for line in text.splitlines()]
    for whole in (long_report(SUBTASK), OUTPUT):
        assert {line.strip() for line in whole.splitlines()} - set(known) == set()


def _assert_told_all_the_same(run: Run) -> None:
    """The summariser its facts, the model what the compaction lost, the user once that nothing can be written."""
    assert {h.event for h in run.hooks() if h.stdout} <= {"SessionStart", "SubagentStart", "PreCompact"}
    assert f'newest request: "{GO}"' in run.holding(SUMMARISER)[0].last
    (packet,) = (h.context for h in run.hooks("SessionStart") if h.name == "SessionStart:compact")
    assert f"> {GO}" in packet
    assert packet in run.holding("SUMMARY-MARK")[0].text
    said = "\n".join(str(h.reply.get("systemMessage", "")) for h in run.hooks())
    assert said.count(": nothing of this session is kept from now on") == 1


@pytest.mark.parametrize(("fault", "way"), list(zip(SURROUNDINGS, cycle(("dropin", "plugin")), strict=False)))
def test_the_session_runs_on(make_sandbox: SandboxMaker, fault: str, way: str) -> None:
    """A fault of the surroundings, in either form: the session ends as it should, the model reads nothing of it."""
    sandbox = make_sandbox(way)
    with SURROUNDINGS[fault](sandbox):
        run = play(sandbox)
        _assert_undisturbed(run)
        _assert_nothing_lost(sandbox, run)
    if SURROUNDINGS[fault] in NOTHING_TO_WRITE_TO:
        _assert_told_all_the_same(run)


@pytest.mark.parametrize("kind", GIVEN)
def test_the_session_runs_on_when_hooks_are_given(make_sandbox: SandboxMaker, big_transcript: Path, kind: str) -> None:
    """A fault of stdin or of the transcript: the same."""
    sandbox = make_sandbox("dropin")
    put_between(sandbox, kind, big_transcript)
    run = play(sandbox)
    _assert_undisturbed(run)
    _assert_nothing_lost(sandbox, run)
    if kind == "not-json":
        assert [h for h in run.hooks() if h.stdout] == []


def test_without_python_the_model_reads_nothing_of_the_pack(make_sandbox: SandboxMaker) -> None:
    """With no interpreter to be found anywhere the hooks are silent: no request holds a word of theirs."""
    sandbox = make_sandbox("dropin")
    run_script = sandbox.pack / "hooks" / "run"
    text = run_script.read_text()
    assert "/usr/bin/python3" in text
    with python_missing(sandbox):
        run_script.write_text(text.replace("/bin/python3", "/bin/no-python"))  # as on a machine without one
        run = play(sandbox)
    _assert_undisturbed(run)
    assert [h for h in run.hooks() if h.stdout] == []


def test_a_broken_config_is_told_and_the_defaults_serve(make_sandbox: SandboxMaker) -> None:
    """The user reads which file is wrong; the model does not, and its sub-agents keep the default limit."""
    sandbox = make_sandbox("plugin")
    with broken_config(sandbox):
        run = play(sandbox)
    _assert_undisturbed(run)
    _assert_nothing_lost(sandbox, run)
    told = "\n".join(h.told for h in run.hooks("SessionStart"))
    assert "config.json" in told
    assert "500 tokens" in "\n".join(h.context for h in run.hooks("SubagentStart"))
    assert run.holding("config.json") == []


def test_switched_off_it_is_silent(make_sandbox: SandboxMaker) -> None:
    """HOLDFAST_OFF=1: no hook says anything and nothing is written."""
    sandbox = make_sandbox("plugin")
    sandbox.extra["HOLDFAST_OFF"] = "1"
    run = play(sandbox)
    _assert_undisturbed(run)
    assert [h for h in run.hooks() if h.stdout] == []
    assert not sandbox.state.exists()
