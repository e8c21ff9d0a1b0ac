"""The README shows what the hooks print: its blocks are compared with a session that is played here.

With HOLDFAST_REFRESH=1 in its environment this test writes the blocks anew.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from holdfast.install import installer
from holdfast.text import tokenizer
from holdfast.worklog import marks
from tryout import play, receipt
from tryout.recording import Moment, carried
from tryout.stage import Ran

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
BLOCK = re.compile(r"(<!-- real: (\w+) -->\n```\n)(.*?)(\n```\n)", re.DOTALL)
LINE_CHARS, SHOWN_LINES = 160, 3
REFRESH = os.environ.get("HOLDFAST_REFRESH") == "1"
WINDOW = 200_000
PATH_CHARS = 110


class Listener(receipt.Collector):
    """The receipt's collector, which also remembers what each hook answered."""

    def take(self, moment: Moment, ran: Ran) -> None:
        heard.append((moment, ran))
        super().take(moment, ran)


heard: list[tuple[Moment, Ran]] = []


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The README's blocks as the hooks of today would fill them."""
    top = str(tmp_path_factory.mktemp("played"))
    folder = Path(f"{top}/".ljust(PATH_CHARS, "p"))  # of one length, so that a text is the same wherever it is made
    (folder / "project").mkdir(parents=True)
    heard.clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(receipt, "Collector", Listener)
        patch.setenv("HOME", str(folder))
        patch.delenv("CLAUDE_CONFIG_DIR", raising=False)
        patch.setenv("NO_COLOR", "1")
        installer.install(folder / "project", env=sys.prefix)
        result = play.play(folder, carried(folder / "recorded"), WINDOW)
    assert result["faults"] == []
    texts = {
        "screen": "\n".join(
            [
                *(_said("SessionStart", "is on"), _said("PostToolUse", "handoff"), _said("PostToolUse", "/compact")),
                *(_said("SessionStart", "put back"), next(ran.text for _, ran in heard if ran.event == "StatusLine")),
            ]
        ),
        "digest": _digest(_output("Bash")["stdout"]),
        "restored": _beginning(_restored(), "## Plan"),
    }
    texts = {name: text.replace(f"{folder}/project/", "") for name, text in texts.items()}
    return {name: _short(text.replace(str(folder), "…")) for name, text in texts.items()}


def _specific(event: str, key: str, tool: str = "") -> Any:
    for moment, ran in heard:
        value = ran.reply.get("hookSpecificOutput", {}).get(key)
        if ran.event == event and value and tool in ("", moment.fields.get("tool_name")):
            return value
    pytest.fail(f"no {event} hook answered with {key}")


def _restored() -> str:
    """What the start after the compaction tells, without what every start asks."""
    _, ran = next((m, r) for m, r in heard if r.event == "SessionStart" and m.fields.get("source") == "compact")
    return str(ran.reply["hookSpecificOutput"]["additionalContext"]).removesuffix(f"\n\n{marks.ASK}")


def _output(tool: str) -> Any:
    return _specific("PostToolUse", "updatedToolOutput", tool)


def _said(event: str, part: str = "Holdfast") -> str:
    """A message with this in it as the screen shows it: with its event, further lines indented below."""
    moment, ran = next((m, r) for m, r in heard if r.event == event and part in r.reply.get("systemMessage", ""))
    subject = moment.fields.get("tool_name") or moment.fields.get("source")
    return f"⎿  {event}:{subject} says: " + str(ran.reply["systemMessage"]).replace("\n", "\n   ")


def _digest(text: str) -> str:
    """The digest with the first two lines of its head and of its tail."""
    shown: list[str] = []
    for part in re.split(r"^(?=--- )", text, flags=re.MULTILINE):
        lines = part.strip().splitlines()
        shown += lines if len(lines) <= SHOWN_LINES + 2 else [*lines[:SHOWN_LINES], "…"]
    return "\n".join(shown)


def _beginning(text: str, end: str) -> str:
    return text.partition(end)[0].rstrip() + "\n…"


def _short(text: str) -> str:
    """The session's id and long lines cut, spans and ages as at once."""
    text = re.sub(r"(sessions/[0-9a-f]{8})[0-9a-f-]{28}", r"\1…", text)
    text = re.sub(r"recorded \d+ s ago", "recorded 0 s ago", text)
    return "\n".join(line if len(line) <= LINE_CHARS else line[: LINE_CHARS - 2] + " …" for line in text.splitlines())


def _shape(name: str, text: str) -> str:
    """What the screen shows without figures: they vary by a few with the path of the temporary folder."""
    return re.sub(r"[\d,]+", "0", text) if name == "screen" else text


def test_the_readme_shows_what_the_hooks_print(blocks: dict[str, str]) -> None:
    text = README.read_text()
    if REFRESH:
        text = BLOCK.sub(lambda found: found[1] + blocks[found[2]] + found[4], text)
        README.write_text(text)
    shown = {name: _shape(name, body) for _, name, body, _ in BLOCK.findall(text)}
    wanted = {name: _shape(name, body) for name, body in blocks.items()}
    assert shown == wanted, "run it with HOLDFAST_REFRESH=1 to write the blocks anew, then read them"


def test_what_stands_in_every_session_has_the_size_that_is_told() -> None:
    """Names and descriptions of skills and agents as the client lists them, and what a start asks: within a tenth."""

    def listed(pattern: str) -> int:
        fronts = [dict(re.findall(r"^(\w+): (.*)$", path.read_text(), re.MULTILINE)) for path in ROOT.glob(pattern)]
        tools = [f" (Tools: {front['tools']})" if "tools" in front else "" for front in fronts]
        rows = (
            f"- holdfast:{one['name']}: {one['description']}{more}" for one, more in zip(fronts, tools, strict=True)
        )
        return sum(tokenizer.count(row).tokens for row in rows)

    skills, agents, asked = listed("skills/*/SKILL.md"), listed("subagents/*.md"), tokenizer.count(marks.ASK).tokens
    text = README.read_text()
    told = re.search(r"(\d+) and (\d+) tokens in each session", text)
    start = re.search(r"(\d+) tokens a session", text)
    resident = re.search(r"Resident in a session are ([\d,]+) tokens", text)
    assert told
    assert start
    assert resident
    for said, true in (
        *zip(told.groups(), (skills, agents), strict=True),
        (start[1], asked),
        (resident[1].replace(",", ""), skills + agents + asked),
    ):
        assert abs(int(said) - true) <= true / 10, (said, true)
