"""Handoff packages: within their tokens and their reduction, in the order of need, acknowledged when read."""

import json
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.cli.main import main
from holdfast.errors import BadInput
from holdfast.memory.store import project_memory
from holdfast.package import conversation, kinds, page, store
from holdfast.package.kinds import KINDS, PackagePart
from holdfast.team import store as team
from holdfast.team.location import folder_of
from holdfast.team.model import Agent, Wanted
from holdfast.text import tokenizer, tokens
from holdfast.text.dates import DAY
from tests.checkpoint.made import repository

Make = Callable[..., Any]
HEAD = page.Head("HO-2026-11-22-001", "continuation", "session 1", "tester", "today", "holdfast handoff received X")
COUNTS = (tokens.estimate, tokenizer.counter())
PARTS = st.lists(
    st.builds(
        PackagePart,
        title=st.sampled_from(["Rules", "Open", "Files"]),
        entries=st.lists(st.text("ab \n", min_size=1, max_size=400).map(str.strip).filter(bool), max_size=12),
        share=st.integers(1, 100),
        backwards=st.booleans(),
    ),
    max_size=6,
)


@given(PARTS, st.integers(0, 1_200))
def test_what_is_chosen_fits_and_stands_in_its_order(parts: list[PackagePart], room: int) -> None:
    chosen = kinds.fill(parts, room, tokens.estimate)
    told = "\n".join(line for one in chosen if one.entries for line in (f"## {one.part.title}", *one.entries))
    assert tokens.estimate(told) <= max(room, 1)
    for one in chosen:
        entries = list(one.part.entries)
        newest_first = entries[: len(one.entries)][::-1]
        in_order = [entry for entry in entries if entry in one.entries]
        assert one.entries == newest_first if one.part.backwards else set(one.entries) <= set(in_order)
        assert len(one.entries) + one.left == len(entries)


def test_every_part_gets_its_share_before_one_takes_the_rest() -> None:
    """A first part that could fill the room leaves the others theirs; what is left then goes to it."""
    parts = [
        PackagePart("A", ["word " * 20] * 100, 30),
        PackagePart("B", ["other " * 20] * 100, 30),
        PackagePart("C", ["last one"], 10),
    ]
    chosen = {one.part.title: len(one.entries) for one in kinds.fill(parts, 2_000, tokens.estimate)}
    assert chosen["C"] == 1
    assert chosen["A"] > chosen["B"] > 10


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("material", [8_000, 60_000, 400_000])
def test_the_bounds_of_each_kind_hold(kind: str, material: int) -> None:
    entry = "The cache is written behind a lock (src/cache.py:12), because two writers lost an update.\n"
    parts = [PackagePart("Open", [f"- {number} {entry * 4}" for number in range(400)])]
    made = page.written(HEAD._replace(kind=kind), parts, material, COUNTS)
    low, high, least, _ = KINDS[kind]
    assert made.tokens == tokenizer.count(made.text).tokens <= high
    assert f" About {made.tokens:,} tokens, made from" in made.text
    assert kinds.reduction(made.tokens, material) >= least
    assert made.tokens >= min(low, material * (100 - least) // 100 * 8 // 10)


@pytest.mark.parametrize(("ceiling", "is_whole"), [(0, True), (2_000, False)])
def test_nothing_open_is_left_out_while_there_is_room(ceiling: int, is_whole: bool) -> None:
    """It goes over what the reduction leaves, never over what the kind and the reader have room for; the rest waits."""
    lines = [f"- {number} two writers lost an update of the cache (src/cache.py:12)" for number in range(120)]
    parts = [PackagePart("Rules", [f"{one}." for one in lines], 30), PackagePart("Open", lines, 10, is_kept=True)]
    made = page.written(HEAD, parts, 2_000, COUNTS, ceiling)
    left = {one.part.title: one.left for one in made.chosen}
    assert left["Rules"] > 0
    assert (left["Open"] == 0) == is_whole
    assert made.tokens <= (ceiling or KINDS[HEAD.kind].high)


def test_a_part_without_room_is_named() -> None:
    parts = [PackagePart("Rules", ["- one"]), PackagePart("Words", ["> " + "word " * 3_000])]
    assert page.written(HEAD, parts, 2_000, COUNTS).text.endswith("\n\nLeft out: Words.\n")


def test_too_little_is_said() -> None:
    with pytest.raises(BadInput, match="own words"):
        page.written(HEAD, [PackagePart("Open", ["- one"])], 300, COUNTS, 60)


def test_a_long_package_says_in_which_parts_to_read_it_and_the_client_can() -> None:
    """The ranges cover every line, each within what a Read takes, and no line is longer than it shows."""
    parts = [PackagePart("Words", [f"> {number} " + "word " * 700 for number in range(60)])]
    text = page.written(HEAD, parts, 400_000, COUNTS).text
    lines = text.splitlines()
    told = next(line for line in lines if "offset" in line)
    ranges = [
        (int(words[1]), int(words[3].rstrip("."))) for one in told.split(": ")[1].split(";") if (words := one.split())
    ]
    assert [start for start, _ in ranges] == [1, *(start + count for start, count in ranges)][: len(ranges)]
    assert sum(count for _, count in ranges) == len(lines)
    assert all(tokenizer.count("\n".join(lines[s - 1 : s - 1 + n])).tokens < 20_000 for s, n in ranges)
    assert max(map(len, lines)) < 2_000


@pytest.fixture
def worked(project: Path, run_hook: Make, payload: Make, transcript: Any) -> Path:
    """A session with a rule, a plan, a refusal, a failure, a secret and a file that it changed."""
    (project / "src").mkdir()
    (project / "src" / "pay.py").write_text("def pay(order):\n    return order.total\n")
    run_hook("session_start", payload("SessionStart.startup"))
    transcript.user("Make refunds idempotent in src/pay.py.\nRULE: never touch the ledger table")
    transcript.did("TodoWrite", todos=[{"content": "write refund()", "status": "in_progress"}])
    transcript.did("Bash", "the build log\n" * 4_000 + "token sk-ant-api03-" + "a1B2" * 22 + "\n", command="make")
    transcript.did("Edit", file_path=str(project / "src" / "pay.py"), old_string="a", new_string="b")
    transcript.did("Bash", "AssertionError: paid twice", failed=True, command="pytest tests/test_pay.py")
    transcript.assistant("DECISION: a refund has a key of its own.\nRefunds are half done.")
    transcript.user("Go on, please.")
    run_hook("stop", payload("Stop"))
    return project


def made(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["handoff", *arguments, "--json"]) == 0, capsys.readouterr().err
    return dict(json.loads(capsys.readouterr().out))


def test_no_reduction_takes_what_the_user_ruled_and_decided(
    project: Path, run_hook: Make, payload: Make, transcript: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = [f"never push to branch {one} without asking whoever is on call for the orders" for one in range(12)]
    transcript.user("Please look at the orders.\n" + "\n".join(f"RULE: {one}" for one in rules))
    transcript.user("DECISION: PostgreSQL holds the orders, for its transactions")
    transcript.assistant("DECISION: SQLite instead of files")
    for hook, event in (("session_start", "SessionStart.startup"), ("stop", "Stop")):
        run_hook(hook, payload(event))
    transcript.user("Go on with the orders, and tell me what you find.")
    told = made(capsys, "package", "--kind", "continuation")
    text = Path(told["path"]).read_text()
    standing = text[text.index("standing rules, verbatim") :]
    assert [one for one in (*rules, "PostgreSQL holds the orders", "SQLite instead") if one not in standing] == []
    assert told["tokens"] < told["low"]
    assert [one["left_out"] for one in told["sections"] if "rules" in one["title"]] == [0]


@pytest.mark.parametrize("kind", KINDS)
def test_a_package_tells_what_the_next_agent_needs_first(
    kind: str, worked: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Task, rules, decisions, what is open, the file with its text, in this order; nothing secret."""
    told = made(capsys, "package", "--kind", kind, "--task", "Why is it paid twice?", "--for", "writer")
    text = Path(told["path"]).read_text()
    needed = [
        *("Why is it paid twice?", "> Make refunds idempotent in src/pay.py.", "- never touch the ledger table ["),
        *("- a refund has a key of its own. [", "- in progress: write refund()", "AssertionError: paid twice"),
        *("src/pay.py: changed 1 time", "def pay(order):"),
    ]
    places = [text.find(one) for one in needed]
    assert -1 not in places
    assert places == sorted(places)
    assert [text.count(one) for one in needed[2:4]] == [1, 1]  # by the memory's record, not by the session's line too
    assert "sk-ant" not in text
    assert "holdfast handoff received HO-" in text
    assert told["tokens"] <= told["high"]
    assert told["reduction"] >= told["least_reduction"]
    assert (worked / ".claude/holdfast/packages").stat().st_mode & 0o777 == 0o700


def test_a_failed_agents_own_record_is_searched(
    worked: Path, transcript: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """An emergency package has what the sub-agent that failed had found, with who spoke."""
    folder = transcript.path.with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    said = {"role": "assistant", "content": [{"type": "text", "text": "The ledger deadlocks in settle_refund()."}]}
    row = {"type": "assistant", "isSidechain": True, "agentId": "a1", "message": said}
    (folder / "agent-a1.jsonl").write_text(json.dumps(row) + "\n")
    told = made(capsys, "package", "--kind", "emergency", "--task", "the writer died in settle_refund")
    text = Path(told["path"]).read_text()
    assert "> agent: The ledger deadlocks in settle_refund()." in text


def test_what_the_session_owns_is_told(worked: Path, payload: Make, capsys: pytest.CaptureFixture[str]) -> None:
    """With the files of its patterns, though none of them was read."""
    (worked / "docs").mkdir()
    (worked / "docs" / "refunds.md").write_text("# Refunds\n")
    name = payload("Stop")["session_id"]
    with team.SqliteStore(folder_of(str(worked))) as held:
        held.claim(Agent(name, name), Wanted("docs/**", why="task"), time.time() + 600, time.time())
    text = Path(made(capsys, "package", "--kind", "emergency")["path"]).read_text()
    assert "- owned by whoever hands over: docs/**" in text
    assert "- docs/refunds.md: owned, read" not in text
    assert "- docs/refunds.md: owned, " in text


def test_reading_it_is_its_receipt(
    worked: Path, run_hook: Make, payload: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    """By Read of a sub-agent, seen by the hook, or by the command; `--list` says who, each once."""
    path = made(capsys, "package", "--kind", "emergency")["path"]
    assert made(capsys, "package", "--list")["packages"][0]["received"] == []
    read = payload("PostToolUse.Read", tool_input={"file_path": path}, agent_id="a1", agent_type="writer")
    for _ in range(2):
        assert run_hook("post_tool_use", read)[0] == 0
    run_hook("post_tool_use", payload("PostToolUse.Read", tool_input={"file_path": f"{worked}/packages/HO-x.md"}))
    assert made(capsys, "received", Path(path).stem, "--by", "me")["received"][1]["how"] == "said"
    receipts = made(capsys, "package", "--list")["packages"][0]["received"]
    assert [(one["who"], one["how"]) for one in receipts] == [("writer a1", "read"), ("me", "said")]


@pytest.mark.parametrize(
    ("days", "left"),
    [
        ((0, 0, 1, 2), "12-02-002 12-03-001 12-04-001"),
        ((0, 400, 400, 400, 1, 2), "12-03-001 12-04-001 01-06-003"),
        ((400, 400, 400, 0, 0, 0, 0), "12-02-002 12-02-003 12-02-004"),
        ((0, 0, 0, -30, -29), "11-02-001 11-03-001 12-02-003"),
        ((0,) * 5, "12-02-003 12-02-004 12-02-005"),
    ],
    ids=["a right clock", "ahead for a while", "ahead and put right", "behind", "no code twice"],
)
def test_the_newest_packages_stay_whatever_clock_made_the_others(
    days: tuple[int, ...], left: str, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one just made is there in any case."""
    monkeypatch.setattr(store, "KEPT", 3)
    times = [1_796_212_800.0 + day * DAY for day in days]
    told = (("text", store.Facts(kind="emergency", of="", to="", time=now, tokens=1, material=1)) for now in times)
    for now in times:
        assert Path(store.save(str(state), now, lambda _: next(told)).path).exists()
    assert [code.removeprefix("HO-")[5:] for code in store.codes(str(state))] == left.split()


@pytest.mark.parametrize("ending", ["md", "json"])
def test_what_a_pull_puts_in_the_place_of_a_package_is_none(
    ending: str, worked: Path, run_hook: Make, payload: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither its text nor what is known of it: who lists, receives or reads it is told; no name leads elsewhere."""
    known = made(capsys, "package", "--kind", "emergency")
    path = Path(known["path"])
    brought = path.with_suffix(f".{ending}")
    brought.write_text(brought.read_text().replace("emergency", "complete"))
    assert made(capsys, "package", "--list") == {"packages": [], "foreign": [known["code"]]}
    read = payload("PostToolUse.Read", tool_input={"file_path": str(path)})
    assert "before the user has confirmed it" in run_hook("post_tool_use", read).specific["additionalContext"]
    assert main(["handoff", "received", known["code"]]) == 1
    assert f"there is no package {known['code']}, or its file is not as it was made here" in capsys.readouterr().err
    state = str(worked / ".claude" / "holdfast")
    for code in ("../packages/" + known["code"], ""):
        assert store.receive(state, code, store.Acknowledgement(1, "me", "said")) is None


@pytest.mark.parametrize("line", ["1\tme\tread", "²\tx\tread", "9" * 400 + "\tx\tread", "0" * 16 + "\t1\tme\tread"])
def test_what_a_pull_brings_as_receipts_is_none(line: str, worked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody has received it but who did so here, before and after; a receipt of one package is none of another's."""
    codes = [made(capsys, "package", "--kind", "emergency")["code"] for _ in range(2)]
    logs = [worked / ".claude/holdfast/packages" / f"{code}.log" for code in codes]
    made(capsys, "received", codes[0], "--by", "you")
    logs[1].write_text(f"{line}\n{logs[0].read_text()}{line}")
    assert made(capsys, "received", codes[1], "--by", "me")["received"][0]["who"] == "me"
    listed = made(capsys, "package", "--list")["packages"]
    assert [[who["who"] for who in one["received"]] for one in listed] == [["me"], ["you"]]


@pytest.mark.parametrize(
    ("line", "fact"),
    [
        ("STATE S1: on feature, nothing staged", "the branch is main now"),
        ("STATE S1: committed as 9f8e7d6", "9f8e7d6 stands nowhere in this session"),
        ("NEXT N1: look at the orders", "the to-do list has it as done"),
        ("DONE D1: write refund() as asked", "the to-do list has it as in progress"),
        ("FACT K1: src/gone.py holds the key", "src/gone.py is not there any more"),
        ("STATE S1: all tests pass", "failed, not seen to work since"),
    ],
)
def test_what_a_summary_says_is_told_with_the_facts_that_stand_against_it(
    line: str, fact: str, worked: Path, transcript: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once: the summary's own text does not repeat it unchecked."""
    repository(worked)
    todos = [("write refund()", "in_progress"), ("look at the orders", "completed")]
    for path in ("src/gone.py", "src/pay.py"):
        transcript.did("Edit", file_path=str(worked / path), old_string="a", new_string="b")
    transcript.did("TodoWrite", todos=[{"content": name, "status": status} for name, status in todos])
    transcript.user("go on", cwd=str(worked), gitBranch="feature")
    transcript.user(f"The summary.\n\n{line}", isCompactSummary=True)
    transcript.assistant("On it.", gitBranch="main")
    text = Path(made(capsys, "package", "--kind", "complete")["path"]).read_text()
    (said,) = (
        one for one in text.splitlines() if line.partition(": ")[2] in one and not one.startswith("- ticked off")
    )
    assert fact in (text if "tests" in line else said)


def test_what_the_client_says_of_a_start_in_the_background_is_no_result() -> None:
    call = {"type": "tool_use", "id": "t1", "name": "Agent", "input": {"description": "Review"}}
    launched = {"type": "tool_result", "tool_use_id": "t1", "content": "Launched. Do NOT read or quote any of this."}
    rows: list[Any] = [{"type": "assistant", "message": {"content": [call]}}]
    for more in ({"toolUseResult": {"isAsync": True}}, {}):
        row = {"type": "user", "message": {"content": [launched]}, **more}
        (piece,) = conversation.pieces([*rows, row])
        assert (piece.call, bool(piece.text)) == ("Agent Review", not more)


def test_a_summary_is_told_without_what_the_client_bids_its_own_model(
    worked: Path, run_hook: Make, payload: Make, transcript: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    written = "1. Cents hold the money.\n\n2. The ledger is next."
    for event in ("PreCompact.manual", "PostCompact.manual"):
        said = f"<analysis>a</analysis><summary>\n{written}\n</summary>"
        run_hook("pre_compact" if "Pre" in event else "post_compact", payload(event, compact_summary=said))
    transcript.user(f"Continued.\nSummary:\n{written}\n\nResume directly, ask nothing.", isCompactSummary=True)
    text = Path(made(capsys, "package", "--kind", "complete")["path"]).read_text()
    assert "> 1. Cents hold the money.\n> 2. The ledger is next." in text
    assert "Resume directly" not in text


def test_a_summary_of_another_transcript_too() -> None:
    """By how the client begins and ends what it puts around it (2.1.1 to 2.1.329)."""
    head = "This session is being continued from a previous conversation."
    end = "If you need specific details from before compaction, read x"
    for text in (f"{head}\n\n1. Cents.\n\n{end}", f"{head}\n\nAnalysis:\na\n\nSummary:\n1. Cents.\n{end}\nGo on."):
        row = {"isCompactSummary": True, "message": {"content": text}}
        assert [piece.text for piece in conversation.pieces([row])] == ["1. Cents."]


@pytest.mark.parametrize("turns", [0, 4, 400], ids=["tiny", "ordinary", "huge"])
def test_every_figure_of_a_package_is_so(
    turns: int, project: Path, transcript: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    transcript.user("Fix the typo.")
    for number in range(turns):
        transcript.user(f"Step {number}: " + "look at the cache and at the lock. " * 20)
        transcript.assistant(f"{number}. " + "The cache is written behind a lock. " * 60)
    arguments = ("package", "--kind", "complete", "--transcript", str(transcript.path))
    told = made(capsys, *arguments)
    text = Path(told["path"]).read_text()
    assert f" About {told['tokens']:,} tokens, made from {told['material']:,} of " in text
    assert 0 <= told["reduction"] <= max(0, 100 - 100 * told["tokens"] / told["material"])
    missing = [one["title"] for one in told["sections"] if not one["told"]]
    assert text.endswith(f"\n\nLeft out: {'; '.join(missing)}.\n") == bool(missing)
    assert sum(one["left_out"] for one in told["sections"] if one["told"]) == sum(
        int(line[1:].split()[0]) for line in text.splitlines() if re.fullmatch(r"\(\d+ entr(y|ies) left out\)", line)
    )
    assert main(["handoff", *arguments]) == 0
    assert ("% smaller" in capsys.readouterr().out) == (told["tokens"] < told["material"])


def test_of_a_file_only_what_is_known_is_told(
    worked: Path, transcript: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """A large one is read in part, a binary one has no tokens, and one that lies elsewhere is not gone."""
    texts = {"src/big.txt": b"cache " * 100_000, "src/logo.png": b"\0" * 9, "../elsewhere.md": b"x"}
    for name, data in texts.items():
        (worked / name).write_bytes(data)
    for path in (*texts, "src/gone.py"):
        transcript.did("Edit", file_path=os.path.normpath(worked / path), old_string="a", new_string="b")
    text = Path(made(capsys, "package", "--kind", "complete")["path"]).read_text()
    said = {line[2:].partition(": ")[0].rpartition("/")[2]: line for line in text.splitlines() if ": changed " in line}
    assert "over 10,000 tokens" in said["big.txt"]
    assert " tokens" not in said["logo.png"]
    assert [name for name, line in said.items() if "not there now" in line] == ["gone.py"]


def test_what_cannot_be_made_is_refused(worked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A specialist without a question, no kind, a transcript without a conversation: a line each, and no file. Whose
    work is meant comes first.
    """
    empty = worked / "empty.jsonl"
    empty.write_text("{}\n")
    for arguments, told in (
        (["--kind", "specialist"], "--task: a specialist needs the question"),
        ([], "--kind: no kind is given"),
        (["--kind", "complete", "--transcript", str(empty)], str(empty)),
        (["--transcript", "no.jsonl"], "no.jsonl"),
        (["--session", "nope"], f"{worked}/.claude/holdfast/sessions: there is no session nope"),
    ):
        assert main(["handoff", "package", *arguments]) == 1
        assert capsys.readouterr().err.startswith(f"holdfast: {told}")
    assert not list((worked / ".claude/holdfast").glob("packages/*.md"))


def test_what_was_set_aside_or_forgotten_stays_out(
    worked: Path, run_hook: Make, payload: Make, transcript: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Though the session has marked it; what the memory tells of it is told once, as is what the record tells too."""
    transcript.assistant("DECISION: floats hold the money\nDECISION: cents hold the money\nDECISION: deploy on Fridays")
    transcript.user("Summary.\n\nCHOSE C1: ship on Mondays", isCompactSummary=True)
    transcript.assistant("TODO: rename pay()\n\nOPEN O1: rename pay()\n\nLesson: the pool opens late")
    transcript.assistant('RULE: "the ledger table"')
    run_hook("stop", payload("Stop"))
    run_hook("session_end", payload("SessionEnd"))
    codes = {one.title: one.id for one in project_memory(str(worked)).all()}
    for order in (("supersede", "floats hold the money", "cents hold the money"), ("forget", "deploy on Fridays")):
        assert main(["memory", order[0], *(codes[title] for title in order[1:])]) == 0
    text = Path(made(capsys, "package", "--kind", "emergency")["path"]).read_text()
    decided = text[text.index("Decided") : text.index("Open")]
    assert "cents hold the money" in decided
    assert [one for one in ("floats hold", "deploy on Fridays", "the ledger table") if one in decided] == []
    assert [text.count(said) for said in ("\n- the pool opens late", "\n- ship on Mondays")] == [1, 1]
    opened = text[text.index(". Open") :]
    opened = opened[: opened.index("\n## ")]
    assert [opened.count(said) for said in ("AssertionError: paid twice", "rename pay()")] == [1, 1]
