"""Sessions of several prompts, told by a script: what is planted in them, and what is left after a compaction.

A `Turn` is one prompt and the answers to it, in order. `play` gives a turn to the client, each after the first as a
resume. A turn that ends in `fill` has its window compacted before the next answer, by a summariser that says what
it is given to say.
"""

import re
import stat
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from client import Run, Sandbox
from loopback import Json, Request, Rule, call, rule

SUMMARISER = "CRITICAL: Respond with TEXT ONLY"
NOTHING_SAID = "OK done."
AUTOCOMPACT = ("--autocompact", "100000")
FULL = {"cache_creation_input_tokens": 185_000}
FILL = "echo window-is-full"
Step = tuple[Json | str, ...]


class Turn(NamedTuple):
    """One prompt of the user's and what the assistant answers, answer by answer."""

    prompt: str
    steps: tuple[Step, ...] = ()
    fills: bool = False
    """Whether the window is full after the last step, so that it is compacted."""


class Planted(NamedTuple):
    """One thing that must survive: it does when all the needles are in one line of the packet, or in the text."""

    needles: tuple[str, ...]

    def within(self, text: str) -> bool:
        """Whether it is there, line breaks and runs of blanks aside."""
        flat = _flat(text)
        return all(_flat(needle) in flat for needle in self.needles)


def _flat(text: str) -> str:
    return " ".join(text.split()).casefold()


def plant(*needles: str) -> Planted:
    """A thing that must survive."""
    return Planted(needles)


def turn(prompt: str, *steps: Json | str | Step, fills: bool = False) -> Turn:
    """A turn; a single text or call stands for an answer of its own."""
    return Turn(prompt, tuple(step if isinstance(step, tuple) else (step,) for step in steps), fills)


def rules(told: Turn, summary: str) -> list[Rule]:
    """The turn as rules for the loopback API; what it does not script is answered with a short text."""
    *before, last = told.steps or ((NOTHING_SAID,),)
    steps = [rule("", *step, times=1, tools=True) for step in before]
    end = (
        rule("", *last, bash(FILL), times=1, tools=True, usage=FULL)
        if told.fills
        else rule("", *last, times=1, tools=True)
    )
    return [rule(SUMMARISER, summary), *steps, end]


class Story:
    """A session that is played turn by turn at one sandbox."""

    def __init__(self, sandbox: Sandbox, summary: str = NOTHING_SAID) -> None:
        self.sandbox, self.summary = sandbox, summary
        self.runs: list[Run] = []

    def play(self, turns: Iterable[Turn]) -> Run:
        """Play the turns; the last one's run. Fails when the client or a hook does."""
        for told in turns:
            resume = ("--resume", self.runs[0].session) if self.runs else ()
            run = self.sandbox.run(told.prompt, rules(told, self.summary), *AUTOCOMPACT, *resume)
            self.runs.append(run.undisturbed())
        return self.runs[-1]


def after_compaction(run: Run) -> Request:
    """The first request of the conversation after the summariser's, which the client asks again for an empty one."""
    asked = [request.number for request in run.holding(SUMMARISER)]
    assert asked, "the window was not compacted"
    return next(r for r in run.requests if r.number > asked[-1] and r.body.get("tools"))


def packet(run: Run) -> str:
    """What SessionStart gave after the last compaction of the run; it stands in the request that follows."""
    found = [h.context for h in run.hooks("SessionStart") if h.name == "SessionStart:compact"]
    assert found[-1] in after_compaction(run).text
    return found[-1]


def missing(planted: Sequence[Planted], text: str) -> list[str]:
    """What is not in the text."""
    return [" … ".join(item.needles) for item in planted if not item.within(text)]


def section(text: str, title: str) -> str:
    """The lines of the packet's section whose title begins so; "" when there is none."""
    parts = re.split(r"(?m)^## ", text)
    return next((part for part in parts if part.startswith(title)), "")


def lines_with(text: str, needle: str) -> list[str]:
    """The lines that hold this."""
    return [line for line in text.splitlines() if needle.casefold() in line.casefold()]


def shared_runs(text: str, other: str, words: int = 5) -> float:
    """Share of the runs of so many words in `text` that stand in `other` too, 0..1."""
    own, others = list(_runs(text, words)), set(_runs(other, words))
    return sum(run in others for run in own) / len(own) if own else 0.0


def _runs(text: str, words: int) -> Iterator[tuple[str, ...]]:
    found = re.findall(r"\w+", text.casefold())
    return (tuple(found[start : start + words]) for start in range(len(found) - words + 1))


def script(sandbox: Sandbox, name: str, *lines: str) -> None:
    """An executable shell script in the project."""
    place = sandbox.project / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    place.chmod(place.stat().st_mode | stat.S_IXUSR)


def file(sandbox: Sandbox, name: str, content: str) -> str:
    """A file of the project; its full path."""
    place = sandbox.project / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(content)
    return str(place)


def repository(sandbox: Sandbox) -> None:
    """Make the project a git repository with an author of its own."""
    (sandbox.project / ".gitignore").write_text(".claude/\n")
    settings = (("user.name", "dev"), ("user.email", "dev@example.org"))
    for command in (("init", "-q"), *(("config", *setting) for setting in settings), ("add", "-A", ".")):
        subprocess.run(["git", *command], cwd=sandbox.project, check=True, capture_output=True)
    first = ["git", "commit", "-q", "--allow-empty", "-m", "first"]
    subprocess.run(first, cwd=sandbox.project, check=True, capture_output=True)


def bash(command: str) -> Json:
    """A Bash call."""
    return call("Bash", command=command, description="run it")


def write(place: str | Path, content: str) -> Json:
    """A Write call."""
    return call("Write", file_path=str(place), content=content)


def task(subject: str) -> Json:
    """A TaskCreate call."""
    return call("TaskCreate", subject=subject, description=subject)


def status(number: int, state: str) -> Json:
    """A TaskUpdate call."""
    return call("TaskUpdate", taskId=str(number), status=state)


def chatter(about: str, count: int) -> str:
    """Talk with names in it that nobody needs again, one statement per line: what plants have to be found among."""
    return "\n".join(
        f"- `{about}_{number}` takes row {number} of the {about} listing and hands it to `fold_{about}_{number}`."
        for number in range(count)
    )
