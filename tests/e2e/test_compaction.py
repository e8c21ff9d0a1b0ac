"""Points 5 and 6: compactions are recorded and steered, and what they drop is restored, once."""

import json
import subprocess
from typing import NamedTuple

import pytest

from client import Run, Sandbox, SandboxMaker
from loopback import Json, Rule, call, rule
from stories import AUTOCOMPACT, FULL, SUMMARISER

GOAL = "GO-AUTH replace the session cookie by a signed token and keep the old cookie readable for a week"
SUMMARY = "<analysis>a</analysis><summary>1. Primary Request: the cookie. SUMMARY-MARK</summary>"
KEEP = "keep the auth decision"
FAILING = "ValueError: signature does not match key id 7"


def _work(sandbox: Sandbox) -> list[Rule]:
    """A bit of work: a file written, a failing test, and an answer that fills the window."""
    token = str(sandbox.project / "src" / "signed_token.py")
    write = call("Write", file_path=token, content="KEY_ID = 7\n")
    test = call("Bash", command=f"echo '{FAILING}'; exit 1 # pytest tests/test_token.py", description="run the tests")
    return [
        rule(SUMMARISER, SUMMARY),
        rule(GOAL, write, times=1, tools=True, usage={"cache_creation_input_tokens": 30_000}),
        rule("signed_token.py", test, times=1, usage=FULL),
        rule("SUMMARY-MARK", call("Bash", command="echo after", description="go on"), within="body", times=1),
    ]


class Story(NamedTuple):
    """One session: work with auto-compaction, a commit beside it, two resumes, /compact, a third resume."""

    sandbox: Sandbox
    auto: Run
    resumed: Run
    again: Run
    manual: Run
    after: Run

    @property
    def records(self) -> list[Json]:
        """The log of compactions."""
        lines = (self.sandbox.state / "logs" / "compactions.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]


def _commit(sandbox: Sandbox, what: str) -> str:
    """A commit that somebody makes beside the session; its id."""
    author = ("-c", "user.name=dev", "-c", "user.email=dev@example.org")
    for command in (
        ("init", "-q"),
        ("add", "-A", "."),
        (*author, "commit", "-q", "--allow-empty", "-m", what),
    ):
        subprocess.run(["git", *command], cwd=sandbox.project, check=True, capture_output=True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=sandbox.project, check=True, capture_output=True, text=True)
    return head.stdout.strip()


@pytest.fixture(scope="module")
def story(sandbox: Sandbox) -> Story:
    """Play the session; nothing disturbs any of its runs."""
    rules = _work(sandbox)
    (sandbox.project / ".gitignore").write_text(".claude/\n")
    _commit(sandbox, "first")
    auto = sandbox.run(GOAL, rules, *AUTOCOMPACT).undisturbed()
    _commit(sandbox, "meanwhile")
    prompts = ("go on with the week", "and now the tests", f"/compact {KEEP}", "go on once more")
    resume = ("--resume", auto.session)
    return Story(sandbox, auto, *(sandbox.run(one, rules[:1], *resume).undisturbed() for one in prompts))


def _asked_for_summary(run: Run) -> str:
    requests = run.holding(SUMMARISER)
    assert len(requests) == 1
    return requests[0].last


def _steering(run: Run) -> str:
    """What PreCompact printed: it stands last under the summariser's additional instructions."""
    return _asked_for_summary(run).split("Additional Instructions:\n")[1].split("\n\nREMINDER:")[0]


def _restored(run: Run, source: str) -> str:
    found = [h.context for h in run.hooks("SessionStart") if h.name == f"SessionStart:{source}"]
    assert len(found) == 1, [h.name for h in run.hooks("SessionStart")]
    return found[0]


@pytest.mark.parametrize("which", ["auto", "manual"])
def test_the_summariser_is_steered(story: Story, which: str) -> None:
    """Its request holds the steering text, which names the file and the open error of this session."""
    run = getattr(story, which)
    steering = _steering(run)
    assert "signed_token.py" in steering
    assert FAILING in steering
    assert not steering.startswith("{")


def test_the_user_s_own_words_come_first(story: Story) -> None:
    """The text given to /compact stands in the summariser's request before the steering."""
    steering = _steering(story.manual)
    assert steering.startswith(KEEP)
    assert steering.count(KEEP) == 1


def test_each_compaction_leaves_one_record(story: Story) -> None:
    """Two records: trigger, the user's instructions, tokens before and after as the client counted them."""
    assert [r["trigger"] for r in story.records] == ["auto", "manual"]
    assert [r["instructions"] for r in story.records] == ["", KEEP]
    bounds = [e["compact_metadata"] for run in story[1:] for e in run.events if e.get("subtype") == "compact_boundary"]
    assert len(bounds) == 2
    assert [r["tokens_before"] for r in story.records] == [b["pre_tokens"] for b in bounds]
    assert [r["tokens_after"] for r in story.records] == [b["post_tokens"] for b in bounds]
    assert {r["session"] for r in story.records} == {story.auto.session}


def test_the_next_request_holds_the_restored_state(story: Story) -> None:
    """After the auto-compaction the goal, the changed file and the open error are back."""
    packet = _restored(story.auto, "compact")
    assert len(packet.encode("utf-16-le")) // 2 <= 10_000
    following = story.auto.holding("SUMMARY-MARK")[0]
    assert following.number > story.auto.holding(SUMMARISER)[0].number
    assert packet in following.text
    for fact in (GOAL, "signed_token.py", FAILING):
        assert fact in packet


def test_a_manual_compaction_restores_in_the_next_run(story: Story) -> None:
    """What SessionStart gave after /compact is in the first request of the run that follows."""
    packet = _restored(story.manual, "compact")
    assert GOAL in packet
    assert packet in story.after.first.text


def test_a_resume_restores(story: Story) -> None:
    """--resume brings the state of the work, and what changed meanwhile, into the first request."""
    packet = _restored(story.resumed, "resume")
    assert "signed_token.py" in packet
    assert "cut off" not in packet, packet
    assert "HEAD" in packet, packet
    assert packet in story.resumed.first.text


def test_a_second_resume_does_not_repeat_the_first(story: Story) -> None:
    """Nothing changed since the first resume: its restore stands once in the second's request, not twice."""
    packet = _restored(story.resumed, "resume")
    line = next(line for line in packet.splitlines() if "HEAD" in line)
    assert story.again.first.text.count(line) == story.resumed.first.text.count(line) == 1


def test_installed_twice_says_it_once(make_sandbox: SandboxMaker) -> None:
    """As a plugin and dropped in at once, every event fires twice, and the packet comes once."""
    sandbox = make_sandbox("both")
    run = sandbox.run(GOAL, _work(sandbox), *AUTOCOMPACT).undisturbed()
    starts = [h for h in run.hooks("SessionStart") if h.name == "SessionStart:compact"]
    assert len(starts) == 2
    assert sum(bool(h.context) for h in starts) == 1
    records = (sandbox.state / "logs" / "compactions.jsonl").read_text().splitlines()
    assert len(records) == 1
