"""H8: what stands in neither summary nor packet is told once, with the next result or prompt."""

import json
import subprocess
from typing import NamedTuple

import pytest

from client import Run, Sandbox, SandboxMaker
from loopback import Json, Rule, call, rule
from stories import AUTOCOMPACT, FULL, SUMMARISER

RULE = "Never let the gateway timeout exceed 45 seconds."
GOAL = f"GO-GATE replace the session cookie by a signed token. {RULE}"
MARK = "SUMMARY-MARK"
CALLED_OFF = "Export the monthly report as XML"
TODO = "Describe the token header for operators"
ERROR = "ValueError: signature does not match the key of tenant blue"
CORRECTION = "Holdfast compared the summary"

EMPTY = f"OK done. {MARK}"


def _work(sandbox: Sandbox, summary: str) -> list[Rule]:
    """A plan with one item called off, a file, a failing test; an answer that fills the window; two calls after."""
    token = str(sandbox.project / "src" / "signed_token.py")
    failing = f"pytest tests/test_token.py 2>/dev/null || {{ echo '{ERROR}'; exit 1; }}"
    return [
        rule(SUMMARISER, summary),
        rule(
            GOAL,
            call("TaskCreate", subject=CALLED_OFF, description="x"),
            call("TaskCreate", subject=TODO, description="x"),
            call("Write", file_path=token, content="KEY = 7\n"),
            times=1,
            tools=True,
            usage={"cache_creation_input_tokens": 30_000},
        ),
        rule("Task #1 created", call("TaskUpdate", taskId="1", status="deleted"), times=1),
        rule("task #1", call("Bash", command=failing, description="run the tests"), times=1, usage=FULL),
        rule(MARK, call("Bash", command="echo first-after", description="go on"), within="body", times=1),
        rule(MARK, call("Bash", command="echo second-after", description="go on"), within="body", times=1),
    ]


class Story(NamedTuple):
    """A session with an auto-compaction, resumed with one more prompt."""

    sandbox: Sandbox
    auto: Run
    resumed: Run

    @property
    def records(self) -> list[Json]:
        """The log of compactions."""
        return _records(self.sandbox)

    @property
    def told(self) -> list[str]:
        """Every context in which a hook told a correction, in both runs."""
        hooks = [*self.auto.hooks(), *self.resumed.hooks()]
        return [hook.context for hook in hooks if CORRECTION in hook.context]


def _records(sandbox: Sandbox) -> list[Json]:
    log = sandbox.state / "logs" / "compactions.jsonl"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def _play(sandbox: Sandbox, summary: str) -> Story:
    auto = sandbox.run(GOAL, _work(sandbox, summary), *AUTOCOMPACT).undisturbed()
    resumed = sandbox.run("go on with the header", [], "--resume", auto.session)
    return Story(sandbox, auto, resumed)


def _without_start(sandbox: Sandbox) -> Sandbox:
    sandbox.configure({"hooks": {"off": ["SessionStart"]}})
    return sandbox


@pytest.fixture(scope="module")
def lost(make_sandbox: SandboxMaker) -> Story:
    """A summary that keeps nothing, and nothing is restored."""
    return _play(_without_start(make_sandbox("plugin")), EMPTY)


@pytest.fixture(scope="module")
def empty(make_sandbox: SandboxMaker) -> Story:
    """A summary that keeps nothing; the record is put back."""
    return _play(make_sandbox("dropin"), EMPTY)


def test_what_is_lost_reaches_the_model_once(lost: Story) -> None:
    """With the first tool result after the compaction, and never again: not with the second, not after the resume."""
    assert len(lost.told) == 1
    for words in (RULE, TODO, "signed_token.py", ERROR, "failed, not seen to work since"):
        assert words in lost.told[0]
    assert CALLED_OFF not in lost.told[0]
    assert len(lost.told[0].encode("utf-16-le")) // 2 <= 1_500
    following = lost.auto.holding("first-after", CORRECTION)[0]
    assert following.text.count(lost.told[0]) == 1
    assert lost.resumed.first.text.count(lost.told[0]) <= 1
    (record,) = lost.records
    assert record["corrected"] == "PostToolUse"
    assert record["must"]["held"] == 0


def test_an_empty_summary_is_made_up_for(empty: Story) -> None:
    """What was restored has what the summary lost: nothing is told, and the record counts it."""
    (record,) = empty.records
    assert empty.told == []
    assert record["facts_in_summary"]["retained"] == 0
    must = record["must"]
    assert must["held"] == must["items"] >= 4
    assert record["correction"] == 0


def test_the_record_tells_the_whole_compaction(empty: Story) -> None:
    """Tokens before and after, ratio, what was put in again, and what the hooks took."""
    (record,) = empty.records
    assert record["tokens_before"] > record["tokens_after"] > 0
    assert record["ratio"] > 1
    assert record["packet"]["tokens"] > 0
    assert record["hooks_ms"] > 0


def test_a_prompt_delivers_too(make_sandbox: SandboxMaker) -> None:
    """After /compact nothing is called: the next prompt carries what is lost, the one after it does not."""
    sandbox = _without_start(make_sandbox("dropin"))
    work = _work(sandbox, EMPTY)
    first = sandbox.run(GOAL, work[1:4])
    resume = ("--resume", first.session)
    sandbox.run("/compact", work[:1], *resume).undisturbed()
    runs = [sandbox.run(prompt, [], *resume) for prompt in ("go on with the header", "and now the rest")]
    told = [[hook for hook in run.hooks() if CORRECTION in hook.context] for run in runs]
    assert [[hook.event for hook in hooks] for hooks in told] == [["UserPromptSubmit"], []]
    assert told[0][0].context in runs[0].first.text


def _fire(sandbox: Sandbox, hook: str, sent: Json) -> str:
    """What a dropped-in hook prints; the client itself cannot be made to begin a compaction and throw it away."""
    command = [str(sandbox.pack / "hooks" / "run"), hook]
    env = {**sandbox.environment(""), "CLAUDE_PROJECT_DIR": str(sandbox.project)}
    done = subprocess.run(command, input=json.dumps(sent), env=env, capture_output=True, text=True, check=True)
    return done.stdout


def test_a_precompact_that_comes_to_nothing(make_sandbox: SandboxMaker) -> None:
    """Begun and thrown away: no record, nothing told; the next compaction is recorded once, with its own figures."""
    sandbox = make_sandbox("dropin")
    work = _work(sandbox, EMPTY)
    first = sandbox.run(GOAL, work[1:4])
    sent = {
        "session_id": first.session,
        "transcript_path": str(next(sandbox.home.glob(f".claude/projects/*/{first.session}.jsonl"))),
        "cwd": str(sandbox.project),
        "hook_event_name": "PreCompact",
        "trigger": "auto",
        "custom_instructions": None,
    }
    for _ in range(2):
        assert "Facts from the tool Holdfast" in _fire(sandbox, "pre_compact", sent)
    quiet = sandbox.run("go on with the header", [], "--resume", first.session)
    assert [hook.context for hook in quiet.hooks("UserPromptSubmit") if hook.context] == []
    assert _records(sandbox) == []
    sandbox.run("/compact", work[:1], "--resume", first.session)
    (record,) = _records(sandbox)
    assert record["trigger"] == "manual"


def test_a_sub_agents_own_compaction_leaves_the_session_alone(make_sandbox: SandboxMaker) -> None:
    """No record, no correction, no summary kept: the window of the main conversation was not compacted."""
    sandbox = make_sandbox("dropin")
    task = "AGENT-TASK look through the project and report"
    rules = [
        rule(SUMMARISER, EMPTY),
        rule(
            GOAL, call("Agent", description="look", prompt=task, subagent_type="general-purpose"), times=1, tools=True
        ),
        rule(task, call("Bash", command="echo inside", description="look"), begun=task, times=1, usage=FULL),
        rule(MARK, "Decision: PROCEED, the project was looked through.", within="body"),
    ]
    run = sandbox.run(GOAL, rules, *AUTOCOMPACT).undisturbed()
    assert run.holding(SUMMARISER), "the sub-agent's window was not compacted"
    assert _records(sandbox) == []
    session = sandbox.state / "sessions" / run.session
    assert not (session / "summary.txt").exists()
    assert not (session / "correction.json").exists()
    assert [hook.context for hook in run.hooks() if CORRECTION in hook.context] == []
