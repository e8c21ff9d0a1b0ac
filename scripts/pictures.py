"""Draws the README's pictures: how the windows of recorded sessions filled, and the page of `holdfast view`.

    python scripts/pictures.py NAME=FILE.jsonl …
    python scripts/pictures.py page

Each session is played through the pack's real hooks in a temporary project. What comes out is figures alone: the size
of the window at each call, as the API recorded it, and at which calls a hook cut something. Written to
docs/pictures/NAME.svg, in the colours of the report, light and dark. The page is that of the session that the project
carries, as headless Chromium shows it.
"""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from unittest import mock

import waitress

SCRIPTS = Path(__file__).resolve().parent
sys.path[:0] = [str(SCRIPTS.parent / "hooks"), str(SCRIPTS)]

from holdfast.hot import call_log  # noqa: E402 - it is found only now
from holdfast.install import installer  # noqa: E402
from holdfast.report import page, plots, trace  # noqa: E402
from holdfast.report.schema import Trace, WindowChange  # noqa: E402
from holdfast.view.app import App, Desk  # noqa: E402
from holdfast.view.door import Door  # noqa: E402
from tryout import play, receipt  # noqa: E402
from tryout.recording import AGENT_TOOLS, Moment, carried  # noqa: E402
from tryout.stage import Ran, Stage  # noqa: E402

PLACE = SCRIPTS.parent / "docs" / "pictures"
WINDOW, LIMIT = 200_000, 167_000


def played(recording: Path) -> Trace:
    """The session's window, call by call, with what the hooks did to it."""
    with _stage() as folder:
        log = folder / "project" / ".claude" / "holdfast" / "sessions" / recording.stem / "calls.log"
        marks: list[WindowChange] = []

        class Listener(receipt.Collector):
            """Notes at which call a hook changed what the window holds."""

            def take(self, moment: Moment, ran: Ran) -> None:
                super().take(moment, ran)
                kind, calls = _kind(moment, ran), call_log.count(str(log))
                tokens = [size for _, size, _ in call_log.last(str(log), calls) if size]
                if kind and tokens:
                    marks.append(WindowChange(kind=kind, number=calls, tokens=tokens[-1]))

        with mock.patch.object(receipt, "Collector", Listener):
            faults = play.play(folder, recording, WINDOW)["faults"]
        if faults:
            sys.exit(f"pictures: {faults[0]}")
        rows = call_log.last(str(log), call_log.count(str(log)))
    points = [(number, tokens) for number, (_, tokens, _) in enumerate(rows, start=1) if tokens]
    points = trace.thinned(points)
    by = "tool calls"
    return Trace(session="", project="", by=by, points=points, marks=marks, limit=LIMIT, components=[], agents=[])


@contextlib.contextmanager
def _stage() -> Iterator[Path]:
    """A temporary home with a project that the pack is installed in."""
    with tempfile.TemporaryDirectory(prefix="holdfast-picture-") as top:
        (Path(top) / "project").mkdir()
        os.environ["HOME"] = top
        installer.install(Path(top) / "project", env=sys.prefix)
        yield Path(top)


def shown(recording: Path, target: Path) -> None:
    """The page of this session after it has been played; its rows get the times at which they are."""
    grow = Stage.grow

    def grown(stage: Stage, line: bytes) -> None:
        now = datetime.now(UTC).isoformat().encode()
        grow(stage, re.sub(rb'"timestamp": ?"[^"]+"', b'"timestamp":"' + now + b'"', line))

    with _stage() as folder, mock.patch.object(Stage, "grow", grown):
        play.play(folder, recording, WINDOW)
        door, desk = Door(), Desk(lambda *_: ([], 0), lambda *_: {}, None)
        app = App(f"{folder}/project/.claude/holdfast", False, door, desk)
        server = waitress.create_server(app, host="127.0.0.1", port=0)
        threading.Thread(target=server.run, daemon=True).start()
        address = f"http://127.0.0.1:{server.effective_port}{door.top}/sessions/{recording.stem}"
        browser = ("chromium", "--headless=new", "--no-sandbox", "--hide-scrollbars", "--window-size=900,820")
        folders = (f"--user-data-dir={folder}/browser", f"--screenshot={target}")
        subprocess.run([*browser, *folders, address], check=True, capture_output=True, timeout=120)
        server.close()


def _kind(moment: Moment, ran: Ran) -> str:
    """What this answer did to the window; "" for nothing."""
    if ran.event == "SessionStart" and moment.fields.get("source") == "compact":
        return "compaction"
    if ran.event != "PostToolUse" or "updatedToolOutput" not in ran.reply.get("hookSpecificOutput", {}):
        return ""
    return "handoff" if moment.fields.get("tool_name") in AGENT_TOOLS else "digest"


def picture(found: Trace) -> str:
    """The plot as a file of its own, with the page's colours in it."""
    rules = re.findall(r"^(?::root|@media \(prefers-color-scheme|#window ).*$", page.template_text(), re.MULTILINE)
    rules.append("#window { background: var(--card) !important; font-family: system-ui, sans-serif !important; }")
    drawn = re.sub(r"chart-[0-9a-f-]{36}", "window", plots.window(found))  # as the page's rules have it
    drawn = re.sub(r' d="[^"]*"', lambda path: re.sub(r"\d+\.\d+", _whole, path[0]), re.sub(r"<g [^>]*/>", "", drawn))
    drawn = re.sub(r"\d+\.\d{2,}", lambda number: f"{float(number[0]):.1f}", drawn)  # a quarter less of a file
    return drawn.replace("</style>", f"{''.join(rules)}</style>", 1)


def _whole(number: re.Match[str]) -> str:
    return f"{float(number[0]):.0f}"


def main(argv: list[str]) -> int:
    """Draws each of them; 0 when all are written."""
    if argv == ["page"] and shutil.which("chromium"):
        with tempfile.TemporaryDirectory() as folder:
            shown(carried(Path(folder)), PLACE / "page.png")
        return 0
    for name, _, path in (one.partition("=") for one in argv):
        if not re.fullmatch(r"[a-z-]+", name) or not Path(path).is_file():
            print("usage: python scripts/pictures.py NAME=FILE.jsonl … | page (by chromium)", file=sys.stderr)
            return 2
        PLACE.mkdir(exist_ok=True)
        (PLACE / f"{name}.svg").write_text(picture(played(Path(path).resolve())), encoding="utf-8")
        print(PLACE / f"{name}.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
