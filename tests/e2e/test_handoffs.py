"""Points 1 and 2: what a sub-agent may hand back to its parent."""

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

import pytest

from client import Run, Sandbox, SandboxMaker
from holdfast.cli.main import main
from holdfast.text import tokenizer
from loopback import Rule, agent, call, rule
from reports import DECISION, FILLER, OPEN_ERROR, SHORT, long_report

LIMIT = 500
Captured = pytest.CaptureFixture[str]
GO = "GO-PARENT find out why refresh fails"
OBEYS, NEVER, TOOLS = "SUBTASK-OBEYS", "SUBTASK-NEVER", "SUBTASK-TOOLS"
ASKED = "Stop hook"  # how the client heads what a SubagentStop hook sends back


def scenario(*calls: dict[str, object]) -> list[Rule]:
    """A parent that launches agents: one cuts when it is asked, one never does, one reads a file before."""
    return [
        rule(GO, *calls, times=1, tools=True),
        rule(ASKED, SHORT, begun=OBEYS),
        rule(TOOLS, call("Bash", command="echo looked", description="look"), times=1),
        rule("", long_report(OBEYS), begun=OBEYS),
        rule("", long_report(NEVER), begun=NEVER),
        rule("", long_report(TOOLS), begun=TOOLS),
    ]


class Played(NamedTuple):
    """One run of the scenario."""

    sandbox: Sandbox
    run: Run

    def parent(self) -> str:
        """All that the parent has read at the end of it."""
        return [r for r in self.run.requests if GO in r.opening][-1].text

    def asked(self, mark: str) -> int:
        """How often the agent was sent back to cut."""
        return sum(mark in r.opening and ASKED in r.last for r in self.run.requests)


@pytest.fixture(scope="module")
def foreground(sandbox: Sandbox) -> Played:
    """Three agents in the foreground, launched in one message."""
    calls = [agent(mark, run_in_background=False) for mark in (OBEYS, NEVER, TOOLS)]
    played = Played(sandbox, sandbox.run(GO, scenario(*calls)).undisturbed())
    assert played.run.result == "OK done."
    return played


def handed(text: str) -> list[str]:
    """The hand-backs in a text that the parent has read, without the client's own frame."""
    frame = r"The report follows:\n(.*?)(?=\nagentId: |\Z)|<result>(.*?)</result>"
    found = re.findall(frame, text, re.DOTALL)
    return ["\n".join(line.removeprefix("  ") for line in (a or b).splitlines()) for a, b in found]


def test_every_agent_gets_the_protocol(foreground: Played) -> None:
    """The first request of each agent holds the handoff protocol with its limit."""
    assert all(h.context for h in foreground.run.hooks("SubagentStart"))
    for mark in (OBEYS, NEVER, TOOLS):
        assert "500 tokens" in next(r for r in foreground.run.requests if mark in r.opening).text


def test_an_agent_that_cuts_when_asked_is_asked_once_and_the_parent_reads_its_handoff(foreground: Played) -> None:
    """One block, whose reason names the measured size and the limit; nothing of the long report comes back."""
    assert foreground.asked(OBEYS) == 1
    reason = next(r.last for r in foreground.run.requests if OBEYS in r.opening and ASKED in r.last)
    sizes = [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]{2,}", reason)]
    assert LIMIT in sizes
    assert any(2_400 < size < 3_700 for size in sizes), reason
    assert SHORT.splitlines()[2] in foreground.parent()
    assert f"{OBEYS}: {FILLER}" not in foreground.parent()


@pytest.mark.parametrize("mark", [NEVER, TOOLS])
def test_of_an_agent_that_never_complies_the_parent_reads_an_outline(foreground: Played, mark: str) -> None:
    """After two refusals: at most 500 tokens with the report's own decision, open error and headings."""
    assert foreground.asked(mark) == 2
    texts = [text for text in handed(foreground.parent()) if SHORT[:200] not in text]
    assert len(texts) == 2
    for text in texts:
        assert tokenizer.count(text).tokens <= LIMIT
        assert [part for part in (DECISION, OPEN_ERROR, "outline", "## Further notes") if part not in text] == []


@pytest.mark.parametrize("mark", [OBEYS, NEVER, TOOLS])
def test_the_full_report_is_where_the_parent_is_told(foreground: Played, mark: str) -> None:
    """A path that the parent reads leads to the whole report."""
    assert any(long_report(mark) in text for text in foreground.sandbox.files_named(foreground.parent()))


def test_what_it_cost_is_told(foreground: Played, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    """The ledger in the user's home has the returns, what they would have cost, and each request that cutting took."""
    monkeypatch.setenv("HOME", str(foreground.sandbox.home))
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(foreground.sandbox.project))
    assert main(["stats", "--json"]) == 0
    total = json.loads(capsys.readouterr().out)["total"]
    assert total["extra_requests"] == sum(map(foreground.asked, (OBEYS, NEVER, TOOLS)))
    assert total["handoffs"]["count"] == total["agents"] == 3
    assert 3 * 2_400 < total["handoffs"]["before"] < 3 * 3_700
    assert total["kept_out"] == total["handoffs"]["before"] - total["handoffs"]["after"] > 3 * 1_900
    own = sum(GO in request.opening for request in foreground.run.requests)
    agents = sum(any(mark in request.opening for mark in (OBEYS, NEVER, TOOLS)) for request in foreground.run.requests)
    spent, by_agents = (total[name]["answers"] for name in ("spent", "spent_by_agents"))
    assert (spent, by_agents, total["agents_unknown"]) == (own + agents, agents, 0)


@pytest.mark.parametrize("options", [{}, {"run_in_background": True}], ids=["unsaid", "background"])
def test_wherever_agents_run_the_parent_is_spared(make_sandbox: SandboxMaker, options: Mapping[str, bool]) -> None:
    """Under -p no launch lets a long report through, and the handoffs arrive."""
    sandbox = make_sandbox("plugin")
    played = Played(sandbox, sandbox.run(GO, scenario(agent(OBEYS, **options), agent(NEVER, **options))))
    assert (played.run.code, played.run.result) == (0, "OK done.")
    assert (played.asked(OBEYS), played.asked(NEVER)) == (1, 2)
    parent = played.parent()
    assert f"{OBEYS}: {FILLER}" not in parent
    assert SHORT.splitlines()[2] in parent
    assert OPEN_ERROR in parent
    assert max(tokenizer.count(text).tokens for text in handed(parent)) <= LIMIT
    assert any(long_report(NEVER) in text for text in played.sandbox.files_named(parent))


def test_background_agents_can_be_left_alone(make_sandbox: SandboxMaker) -> None:
    """With handoff.background "leave" the agent stays in the background and is still asked to cut."""
    sandbox = make_sandbox("plugin")
    sandbox.state.mkdir(parents=True)
    (sandbox.state / "config.json").write_text('{"handoff": {"background": "leave"}}')
    played = Played(sandbox, sandbox.run(GO, scenario(agent(OBEYS))))
    assert played.asked(OBEYS) == 1
    assert "<task-notification>" in played.parent()
    assert SHORT.splitlines()[2] in played.parent()
    assert FILLER not in played.parent()
