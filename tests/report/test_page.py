import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.cli.main import main
from holdfast.handoff import hooks as handoff
from holdfast.hook.on import stop
from holdfast.hot import call_log
from holdfast.report import trace
from holdfast.report.status import SHOWN
from holdfast.session import hook_log
from holdfast.text.dates import iso

Make = Callable[..., Any]
HOSTILE = "/p/<script>alert('1')</script><img src=http://x.test/ onerror=alert(2)>&\"' \x1b[31m\u202e{{7*7}}"
DAY = {
    "turns": 3,
    "calls": 40,
    "digests": 2,
    "digests_before": 1_000,  # as much as the client would have shown of them
    "digests_after": 2_500,
    "put_in": 700,
    "handoffs": 1,
    "handoffs_before": 2_900,
    "handoffs_after": 440,
    "send_backs": 1,
    "warm_runs": 4,
    "warm_ms": 210,
    "hot_runs": 40,
    "compactions": 1,
    "facts_kept": 9,
    "facts_corrected": 1,
    "lines_corrected": 1,
    "facts_lost": 1,
    "spent claude-opus-4-6 output": 4_000,
}


@pytest.fixture
def at_work(event_of: Make, session_of: Make, transcript: Any, known: Make) -> Any:
    """A session with calls, a digest, a handoff and a compaction, and three of other projects; gives the session."""
    transcript.user("Fix it")
    event = event_of("Stop")
    session = session_of(event)
    start = int(session.now)
    for number in range(12):
        time = f"{iso(start + 10 * number)[:-1]}.250Z"
        transcript.assistant(f"x{number}", tokens=20_000 * (number % 8 + 1), timestamp=time)
    call_log.record(session.path("calls.log"), call_log.line(start, 20_000, "Bash"))  # the others called no tool
    Path(session.path("saved.log")).write_text(f"Bash 1000 5100 {start + 25}\n" * 2 + "Bash 5100 510\n")
    for seconds, name, kind in ((41, "PostToolUse", "Agent"), (79, "SessionStart", "compact"), (90, "Stop", "")):
        hook_log.note(session.folder, hook_log.HookRun(start + seconds, name, kind, 30.0, 0, 0))
    session.write("window.json", {"size": 200_000})
    for agent, report in (("a1b2c3d4e5", "word " * 2_000), ("b2", "")):
        if report:
            handoff.keep_report(session, agent, report)
        read = "Decision: PROCEED"
        handoff.absorb(session, agent, f"review <b>{agent[:2]}</b> of all that was changed", (report or read, read))
    stop.handle(event, session)
    known("other", {"2027-01-01": DAY, "2027-01-09": DAY}, HOSTILE)
    known("gone", {"2026-11-09": {"digests": 1}}, "/p/shop")
    known("less", {"2027-01-09": {"digests": 1, "digests_before": 440, "digests_after": 900}}, "/p/shop")
    return session


ALL = "[...document.querySelectorAll('{}')].map(one => {})"
"""What a browser says of each element."""


@pytest.mark.usefixtures("at_work")
def test_the_page_in_a_browser(browser: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On a phone and a desk, light and dark: all is drawn and fits, nothing is asked for or complained of, and every
    figure is that of `stats --json`; names are text.
    """
    page = tmp_path / "report.html"
    assert main(["report", "--output", str(page)]) == 0
    capsys.readouterr()
    assert main(["stats", "--json"]) == 0
    stats = json.loads(capsys.readouterr().out)
    for told in ("stats", "sessions", "status"):
        assert main([told, *["--all"] * (told == "sessions"), *["--receipt"] * (told == "status")]) == 0
        printed = " ".join(capsys.readouterr().out.split())
        assert SHOWN in printed, told
        assert ("1 (9/11)" in printed) == (told == "stats"), "as `compactions` counts: without lines of the record"
    assert f"<h2>Sessions</h2>\n<p>Kept out {SHOWN}.</p>" in page.read_text()
    for width, scheme in ((360, "light"), (1280, "dark")):
        assert browser.looked_at(page.as_uri(), width, scheme) == [page.as_uri()]
        assert browser.value(ALL.format("figure svg", "one.getBBox().width > 200")) == [True] * 7
    figures = browser.value(ALL.format("data[data-figure]", "[one.dataset.figure, one.value]"))
    assert len(figures) > 60
    for path, value in figures:
        found: Any = stats
        for key in path.split("."):
            found = found[int(key) if key.isdecimal() else key]
        assert value == ("" if found is None else str(found)), path
    bars = browser.value(ALL.format("#kept_out title", "one.textContent"))
    drawn = [int(bar.partition(": ")[2].replace(",", "")) for bar in bars if bar[:2].isdecimal() and ": " in bar]
    assert min(drawn) < 0
    assert sum(drawn) == stats["total"]["kept_out"]
    marks = browser.value(ALL.format("#window title", "one.textContent"))
    assert [mark.partition(":")[0] for mark in marks if ": " in mark] == ["1 compaction", "2 digests", "1 handoff"]
    right = "one.getBoundingClientRect().right"
    (edge,) = browser.value(ALL.format("#agents > svg", right))
    assert max(browser.value(ALL.format("#agents .legend", right))) <= edge
    assert HOSTILE[:60] in browser.value("document.body.innerText")


def test_what_stands_in_a_trace(at_work: Any, state: Path) -> None:
    """Answers with their windows, and what changed these at the answer before it; long ones are thinned.

    Without a transcript calls stand there.
    """
    found = trace.gather(str(state), at_work.folder, "/p", at_work.now)
    assert found.points[:2] == [(1, 20_000), (2, 40_000)]
    assert len(found.points) == 12
    changes = [("digest", 3, 60_000), ("digest", 3, 60_000), ("handoff", 5, 100_000), ("compaction", 8, 160_000)]
    assert [(one.kind, one.number, one.tokens) for one in found.marks] == changes
    assert (found.limit, "system and tools" in [one.name for one in found.components]) == (167_000, True)
    first, second = found.agents
    assert (first.agent, second.agent) == tuple(f"review <b>{one}</b> of all that was changed" for one in ("a1", "b2"))
    assert (first.before > 1_500, first.after < 20, second.before < 20) == (True, True, True)
    Path(at_work.read("last.json")["transcript"]).unlink()
    without = trace.gather(str(state), at_work.folder, "/p", at_work.now)
    assert (found.by, without.by, without.points) == ("answers", "tool calls", [(1, 20_000)])
    long = [(number, 1_000 if number == 7_777 else 2_000 + number) for number in range(10_000)]
    thinned = trace.thinned(long)
    assert len(thinned) <= trace.MOST + 4
    assert {long[7_776], long[7_777], long[-1]} <= set(thinned)


def test_a_page_of_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "report.html"
    assert main(["report", "--output", str(page)]) == 0
    assert capsys.readouterr().out.startswith(f"written: {page} (")
    body = page.read_text().partition("<body>")[2]
    assert "No session is known for this" in body
    assert [part for part in ("<svg", "<table>", "data-figure", "is not drawn") if part in body] == []


def test_what_can_be_missing(
    at_work: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    own = os.path.basename(at_work.folder)
    assert main(["report", "--output", str(page), "--session", "gone"]) == 0
    assert "the files of session gone are gone" in capsys.readouterr().out
    monkeypatch.setenv("BROWSER", "/nonexistent/browser")
    monkeypatch.setenv("PATH", "/nonexistent")
    assert main(["report", "--session", own[:6]]) == main(["report", "--session", own[:6], "--open"]) == 0
    told = capsys.readouterr().out.splitlines()[1:]
    assert told[0].startswith(f"written: {os.environ['HOME']}/.claude/holdfast/ledger/report.html (")
    assert (Path(os.environ["HOME"]) / ".claude" / "holdfast" / "ledger" / ".gitignore").read_text() == "*\n"
    assert told[1:] == ["no browser was found here; open the file in yours"]
    other = tmp_path / "notes.txt"
    other.write_text("mine")
    assert _refused(["--output", str(other)], "something else stands there already", capsys)
    assert other.read_text() == "mine"
    nowhere = tmp_path / "no" / "folder"
    assert _refused(["--output", str(nowhere / "x.html")], f"{nowhere}: there is no such folder. Make it", capsys)
    assert not nowhere.parent.exists()
    assert _refused(["--output", str(page / "in a file")], "there is no such folder", capsys)
    assert _refused(["--session", "nothing"], "there is no such session. The newest are: ", capsys)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert _refused([], " install jinja2`", capsys)


def _refused(options: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> bool:
    code, err = main(["report", *options]), capsys.readouterr().err
    return code == 1 and said in err and err.count("\n") == 1
