"""W7: a scripted summariser keeps, drops, closes, translates and ignores lines of the record, five times in a session.

What the model reads after each compaction is the first request that the client sends then.
"""

import json
import subprocess

import pytest

from client import Sandbox, SandboxMaker
from holdfast.checkpoint.sections import GONE, WRONG
from loopback import rule
from stories import AUTOCOMPACT, FULL, SUMMARISER, Story, after_compaction, repository, section, turn

GOAL = "Move the login to tokens. Never touch the migrations folder."
RULE = 'RULE R1: "Never touch the migrations folder."'
CHOSE = "CHOSE C1: HS256, because the gateway knows it, instead of RS256"
SUMMARIES = (
    f"The login moves to tokens.\n{RULE}\n{CHOSE}\nRULE R2: always deploy on Fridays",
    f"La connexion passe aux jetons.\n- **{RULE}**",
    f"1. {RULE}\n2. {CHOSE}",
    "A summary of another kind, without lines.",
    f"{RULE}\nOVER C1: the gateway is gone",
)


def lines(text: str, title: str) -> str:
    """The lines of a section, without what the client puts behind the last one."""
    return section(text, title).partition("\n\n")[0].partition("</system-reminder>")[0]


@pytest.fixture(scope="module")
def sandbox(make_sandbox: SandboxMaker) -> Sandbox:
    """A sandbox with the pack as a plugin."""
    return make_sandbox("plugin")


@pytest.fixture(scope="module")
def texts(sandbox: Sandbox) -> list[str]:
    """What the model reads after each of the five compactions."""
    story, found = Story(sandbox), []
    for number, summary in enumerate(SUMMARIES):
        story.summary = f"<summary>{summary}</summary>"
        run = story.play([turn(GOAL if number == 0 else f"go on, step {number}", "working on it", fills=True)])
        found.append(after_compaction(run).text)
    return found


def test_a_rule_that_the_user_never_said_is_named(texts: list[str]) -> None:
    """And the one in the user's own words is not."""
    told = lines(texts[0], WRONG)
    assert "R2: the user did not type this" in told
    assert "R1" not in told


def test_what_a_summary_drops_is_put_back_once(texts: list[str]) -> None:
    """Whatever its language; what it keeps again is not told again."""
    told = lines(texts[1], GONE)
    assert CHOSE in told
    assert "RULE" not in told
    assert section(texts[2], GONE) == ""


def test_without_a_record_the_last_one_stands_and_a_new_one_is_asked_for(texts: list[str]) -> None:
    """The whole of it, in the words in which it was written."""
    told = section(texts[3], GONE)
    assert RULE in told
    assert CHOSE in told
    assert "forms `RULE R1: …`" in section(texts[3], "The summary has no closing record")


def test_what_is_over_stays_over(texts: list[str]) -> None:
    """A closed line does not come back."""
    assert section(texts[4], GONE) == ""


def test_each_compaction_counts_its_record(texts: list[str], sandbox: Sandbox) -> None:
    """Lines that came, were dropped, were corrected."""
    entries = [json.loads(line) for line in (sandbox.state / "logs" / "compactions.jsonl").read_text().splitlines()]
    counts = [entry.get("record", {}) for entry in entries]
    assert [one.get("lines", 0) for one in counts] == [3, 1, 2, 0, 1]
    assert [one.get("dropped", 0) for one in counts] == [0, 1, 0, 0, 0]
    assert counts[0]["corrected"] == 1


def test_a_rule_of_an_earlier_session_is_put_back_and_kept_once(make_sandbox: SandboxMaker) -> None:
    """A summary that repeats it is not corrected; where one drops it, it comes with what is open, from the memory."""
    sandbox, said = make_sandbox("plugin"), "Never touch the migrations folder."
    sandbox.run(said, [rule(said, f'RULE: "{said}"', tools=True)]).undisturbed()
    story, open_still = Story(sandbox), "TODO: rename add() in src/app.py"
    for number, kept in enumerate((f'RULE R1: "{said}"\n', "")):
        story.summary = f"<summary>The login moves.\n{kept}NEXT N1: go on</summary>"
        run = story.play([turn(f"go on, step {number}", f"{open_still}\n\nworking on it", fills=True)])
        text = after_compaction(run).text
        assert section(text, WRONG) == ""
        assert (said in section(text, "Standing rules of the user's")) is (not kept)
        assert "rename add()" in section(text, "In neither the summary nor its closing record")
    rules = [one for one in sandbox.holdfast("memory", "list", "--json")["records"] if "rule" in one["tags"]]
    assert [(one["title"], one["trust"]) for one in rules] == [(said, "trusted")]


def test_what_is_staged_is_compared_with_what_the_record_says(make_sandbox: SandboxMaker) -> None:
    """The index of the project's repository decides."""
    sandbox = make_sandbox("plugin")
    repository(sandbox)
    (sandbox.project / "new.py").write_text("1\n")
    subprocess.run(("git", "add", "new.py"), cwd=sandbox.project, check=True)
    story = Story(sandbox)
    story.summary = f"<summary>{GOAL}\nSTATE S1: staged: nothing\nSTATE S2: staged: new.py</summary>"
    text = after_compaction(story.play([turn(GOAL, "working on it", fills=True)])).text
    assert lines(text, WRONG).splitlines()[1:] == ["- S1: staged now: new.py"]


def test_words_that_nobody_has_answered_are_handed_on_once(make_sandbox: SandboxMaker) -> None:
    """The client makes room before it answers, and they follow its summary; whether they stand in the transcript by
    then, so that the summariser is told that they wait, is the client's chance.
    """
    sandbox, asked = make_sandbox("plugin"), "That was a little while back"
    first = sandbox.run(GOAL, [rule("", "Done.", times=1, tools=True, usage=FULL)], *AUTOCOMPACT)
    summary = rule(SUMMARISER, f"<summary>{GOAL}\nNEXT N1: go on</summary>")
    run = sandbox.run(asked, [summary], *AUTOCOMPACT, "--resume", first.session).undisturbed()
    assert after_compaction(run).text.count(asked) == 1
