"""In front of the interactive screen: what the user sees, and what a background agent may hand back there."""

import re
from typing import NamedTuple

import pytest

from client import ROOT, Sandbox, SandboxMaker
from holdfast.text import tokenizer
from loopback import Loopback, Request, Rule, agent, call, rule
from reports import DECISION, OPEN_ERROR, SHORT, long_report
from screen import Screen
from stories import SUMMARISER

COUNT, ASK = "GO-COUNT the files", "GO-ASK the agents"
OBEYS, NEVER = "SUBTASK-OBEYS", "SUBTASK-NEVER"
PROMPT = "\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT}"  # heads what was typed
SUMMARY = "<summary>1. Primary Request: SUMMARY-MARK</summary>"


class Seen(NamedTuple):
    """One session at the screen."""

    sandbox: Sandbox
    before: str
    """The screen before the compaction."""
    screen: str
    """The screen at the end."""
    requests: list[Request]


def _rules(sandbox: Sandbox, *, busy: bool) -> list[Rule]:
    """The story; `busy`: the parent is in the middle of its turn when the agents end, else it waits for them."""
    reads = []
    for number in range(50):
        path = sandbox.project / f"file{number}.ts"
        path.write_text(f"export const value{number} = {number};\n")
        reads.append(call("Read", file_path=str(path)))
    agents = [agent(prompt, description=prompt) for prompt in (OBEYS, NEVER)]
    wait = [call("Bash", command="sleep 3; echo waited", description="work meanwhile")] if busy else []
    return [
        rule(SUMMARISER, SUMMARY),
        rule("Stop hook", SHORT, begun=OBEYS),
        rule("", long_report(OBEYS), begun=OBEYS),
        rule("", long_report(NEVER), begun=NEVER),
        # Two usages stand in the transcript long before call 50: the client writes an answer's own row late.
        rule(COUNT, *reads[:20], times=1, tools=True, usage={"cache_creation_input_tokens": 116_000}),
        rule("value19 =", *reads[20:40], times=1, usage={"cache_creation_input_tokens": 119_000}),
        rule("value39 =", *reads[40:], times=1, usage={"cache_creation_input_tokens": 122_000}),
        rule(ASK, *agents, *wait, times=1, tools=True),
    ]


@pytest.fixture(scope="module", params=["plugin", "dropin"])
def seen(request: pytest.FixtureRequest, make_sandbox: SandboxMaker) -> Seen:
    """50 calls in a window that is filling up, two background agents, a compaction typed by hand; no hook fails."""
    sandbox = make_sandbox(request.param)
    sandbox.configure({"coordination.mode": "off"})  # each agent is told of the other's task, by which rules go here
    with Loopback(_rules(sandbox, busy=request.param == "plugin")) as api, Screen(sandbox, api) as screen:
        screen.type(COUNT)
        screen.wait_for("50 tool calls")
        screen.type(ASK)
        screen.wait_for(lambda: any("Holdfast: outline of a report" in r.last for r in _parents(api)))
        before = screen.wait_for("Holdfast: outline of a report" if sandbox.plugin else "2 handoffs")
        screen.type("/compact keep the auth decision")
        screen.wait_for("put back after a compaction")
        shown = screen.text()
        assert [fault for fault in ("hook error", "hook failed") if fault in shown] == []
        return Seen(sandbox, before, shown, list(api.requests))


def _parents(api: Loopback) -> list[Request]:
    return [r for r in api.requests if COUNT in r.opening]


def _lines(screen: str, part: str) -> list[str]:
    """The lines on the screen that hold this, without the client's own words before it."""
    found = [line for line in screen.splitlines() if part in line and PROMPT not in line]
    return [re.sub(r"^.*? says: ", "", line).strip() for line in found]


def _parts(line: str) -> list[str]:
    """The parts of a line, with numbers, zones and plurals left open."""
    plain = re.sub(
        r"(\u25cf|\u25b2+) \S+ [\u2588\u2591]+",
        "ZONE",
        re.sub(r"\d[\d.,]*", "N", line.replace("/holdfast:", "/holdfast-")),
    )
    return [re.sub(r"(handoff|turn|tool call)s\b", r"\1", part) for part in re.split(r", | · ", plain)]


def _as_shown(line: str, part: str) -> bool:
    """Whether the README shows a line like this one: all that it shows is there, in its order."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = next(re.sub(r"^.*? says: ", "", row).strip() for row in readme.splitlines() if part in row)
    parts = iter(_parts(line))
    return all(wanted in parts for wanted in _parts(shown))


@pytest.mark.parametrize("part", ["Holdfast is on", "50 tool calls", "put back after a compaction"])
def test_the_user_is_told_once_and_as_the_readme_shows(seen: Seen, part: str) -> None:
    """What is on, the suggestion and the restore message: one line each, and as the README shows it."""
    lines = _lines(seen.screen, part)
    assert len(lines) == 1, seen.screen
    assert lines[0].startswith("Holdfast")
    unknown = seen.sandbox.plugin is not None and "limit unknown" in lines[0]  # no status line told the window
    assert unknown or _as_shown(lines[0], part), lines[0]


def test_the_suggestion_brings_a_line_to_paste(seen: Seen) -> None:
    """Under the suggestion stands the /compact line that names what to keep."""
    rows = seen.screen.splitlines()
    (row,) = [number for number, line in enumerate(rows) if "50 tool calls" in line]
    assert rows[row + 1].strip().startswith("/compact keep ")


def test_the_status_line_stands_on_the_screen(seen: Seen) -> None:
    """Dropped in, the gauge is there as the README shows it; a plugin cannot set a status line."""
    lines = _lines(seen.before, "holdfast ●")
    if seen.sandbox.plugin:
        assert lines == []
    else:
        assert len(lines) == 1
        assert _as_shown(lines[0], "holdfast ●"), lines[0]


def test_the_screen_says_what_a_handoff_came_to(seen: Seen) -> None:
    """Below the agent's name, or behind the client's own words for a prompt that is dropped; once for each agent."""
    said = [line for line in seen.screen.splitlines() if "Holdfast: handoff " in line]
    assert len(said) == 2, seen.screen
    sizes = [re.search(r"handoff ([\d,]+) → ([\d,]+) tokens", line) for line in said]
    told = [[int(number.replace(",", "")) for number in size.groups()] for size in sizes if size]
    assert [before > 2_900 and after <= 500 for before, after in told] == [True, True]
    assert [NEVER in line for line in said if "outline" in line] == [True]
    assert seen.screen.count("operation blocked by hook") == 1


def _notices(seen: Seen) -> list[str]:
    """What the parent read of task notifications, each in its own text."""
    parts = [text for r in seen.requests if COUNT in r.opening for text in r.last.split("<task-notification>")[1:]]
    return list(dict.fromkeys(parts))


def test_a_background_agent_that_cuts_arrives_short(seen: Seen) -> None:
    """Its notification carries the handoff, and the agent was asked once."""
    notice = next(text for text in _notices(seen) if OBEYS in text)
    assert SHORT.splitlines()[2] in notice
    assert sum("Stop hook" in r.last for r in seen.requests if OBEYS in r.opening) == 1


def test_of_a_background_agent_that_never_complies_an_outline_arrives(seen: Seen) -> None:
    """Its report stays out of every request of the parent; its outline comes, the whole is on disk."""
    assert sum("Stop hook" in r.last for r in seen.requests if NEVER in r.opening) == 2
    notices = [text for text in _notices(seen) if "Holdfast: outline of a report" in text]
    assert len(notices) == 1
    text = notices[0].split("<system-reminder>")[1].split("&lt;/system-reminder")[0]
    assert tokenizer.count(text).tokens <= 500
    assert [part for part in (DECISION, OPEN_ERROR, "outline") if part not in text] == []
    assert any(long_report(NEVER) in whole for whole in seen.sandbox.files_named(text))
    last_detail = long_report(NEVER).splitlines()[-5]
    assert [r.number for r in seen.requests if COUNT in r.opening and last_detail in r.text] == []


def test_a_resume_says_that_agents_have_returned_whose_reports_were_dropped(make_sandbox: SandboxMaker) -> None:
    """The client says that they did not finish: once it does not, this line and ADR 0004 can go."""
    sandbox = make_sandbox("dropin")
    names = [f"{NEVER}-{number}" for number in range(3)]
    rules = [*(rule("", long_report(NEVER), begun=name) for name in names)]
    rules += [rule(ASK, *(agent(name, description=name) for name in names), times=1, tools=True)]
    with Loopback(rules) as api:
        with Screen(sandbox, api) as screen:
            screen.type(ASK)
            screen.wait_for(lambda: any(r.text.count("Holdfast: outline of a report") >= 3 for r in api.requests))
            screen.wait_for("3 handoffs")
            screen.type("/exit")
            screen.wait_for(lambda: not sandbox.processes())
        with Screen(sandbox, api, "--continue") as screen:
            screen.type("GO-ON then")
            screen.wait_for(lambda: any("GO-ON then" in r.last for r in api.requests))
            shown = screen.text()
        said = next(r.text for r in api.requests if "GO-ON then" in r.last)
    assert "agents didn't finish before the previous session ended" in said
    assert "had returned, whatever the client says" in shown
    line = said.partition("Background agents that have returned")[2].partition("\n\n")[0]
    assert [name for name in names if f"{name} (" not in line] == []


LOUD = {"green": "●", "yellow": "▲", "ORANGE": "▲▲", "RED": "▲▲▲"}
ZONES = {"green": 40_000, "yellow": 100_000, "ORANGE": 130_000, "RED": 158_000}


@pytest.fixture(scope="module")
def filling(make_sandbox: SandboxMaker) -> tuple[str, dict[str, str]]:
    """Four turns without a call, each ending in a worse zone: the screen at the end, and the coloured line of each."""
    sandbox = make_sandbox("dropin")
    rules = [
        rule(f"GO-{zone}", f"Seen {zone}.", usage={"cache_creation_input_tokens": size}) for zone, size in ZONES.items()
    ]
    lines: dict[str, str] = {}
    with Loopback(rules) as api, Screen(sandbox, api) as screen:
        for zone in ZONES:
            screen.type(f"GO-{zone}")
            screen.wait_for(f"Seen {zone}.")
            screen.wait_for(f"{LOUD[zone]} {zone}")
            lines[zone] = next(line for line in screen.text("-e").splitlines()[::-1] if "holdfast" in line)
        return screen.wait_for("(94 %)"), lines


def test_a_turn_that_ends_in_a_worse_zone_is_told_once(filling: tuple[str, dict[str, str]]) -> None:
    """Nothing while green, then one message for each zone, from the first turns on."""
    said = [line for line in filling[0].splitlines() if "says: Holdfast: " in line and "tokens used" in line]
    assert [re.findall(r"(\d+) %", line) for line in said] == [["59"], ["77"], ["94"]]


def test_each_zone_has_its_colour_on_the_screen(filling: tuple[str, dict[str, str]]) -> None:
    """Green, yellow, a bold orange, red as a ground: in the escapes of the terminal."""
    wanted = {"green": "32", "yellow": "33", "ORANGE": "208", "RED": "41"}
    for zone, code in wanted.items():
        codes = re.findall(r"\x1b\[([\d;]*)m", filling[1][zone].split(zone)[0])
        assert any(code in one.split(";") for one in codes[-3:]), filling[1][zone]
