#!/usr/bin/env python3
"""Tries what docs/security.md promises: each case with the hooks' real processes, in temporary folders.

    scripts/faults.py [POINT or words ...] [--json]    (from a checkout also: holdfast bench faults)

Prints a line for each case, by its point: whether it holds, and what was seen where it does not, with the room that
answers for it. How one is provoked says the first line of its function. Ends with 1 when one fails.
"""

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

SCRIPTS = Path(__file__).resolve().parent
sys.path[:0] = [str(SCRIPTS), str(SCRIPTS.parent / "hooks")]

from hostile import clone, interpreters, memories, repositories, secrets, times, voices  # noqa: E402 - it is found only now
from hostile.clone import Case  # noqa: E402 - as above
from hostile.place import Place  # noqa: E402 - as above


class Row(NamedTuple):
    """One row of the table."""

    point: int  # a number for all rows of one kind, to ask for them by
    room: str  # that answers for it
    what: str
    case: Case


STATE = ".claude/holdfast"
FOLDERS, WITHIN = ("memory", "sessions", "logs"), ("memory/.cache", "unsaved", ".gitignore")
CASES = (
    Row(1, "hot", "a pipe as .git", clone.fifo(".git")),
    Row(1, "hot", "a pipe as .git/HEAD", clone.fifo(".git/HEAD")),
    Row(1, "hot", "a pipe as the transcript", clone.fifo("transcript")),
    Row(1, "hot", "a pipe as config.json", clone.fifo(f"{STATE}/config.json")),
    Row(1, "hot", "a pipe as faults.log", clone.fifo(f"{STATE}/logs/faults.log")),
    Row(1, "hot", "a pipe as compactions.jsonl", clone.fifo(f"{STATE}/logs/compactions.jsonl")),
    Row(1, "hot", "a pipe as progress.md", clone.fifo(f"{STATE}/logs/progress.md")),
    Row(1, "hot", "a pipe as sessions.log", clone.fifo(f"{STATE}/logs/sessions.log")),
    Row(1, "memory", "a pipe as a record", clone.fifo(f"{STATE}/memory/decisions/2026-11-20-001-x-1a2b3c4d.md")),
    Row(1, "knowledge", "a pipe as a document", clone.fifo(f"{STATE}/knowledge/L1-executive.md")),
    *(Row(1, "hot", f"a pipe as {name}", clone.fifo(name)) for name in (STATE, *(f"{STATE}/{one}" for one in FOLDERS))),
    Row(1, "hot", "pipes within the state folder", clone.fifo(*(f"{STATE}/{name}" for name in WITHIN))),
    *(Row(1, "hot", f".git linked to {name}", clone.linked(".git", name)) for name in ("/dev/ptmx", "/dev/zero")),
    Row(1, "hot", "pipes, terminals, zeros as a session's files", clone.session_files),
    Row(1, "search", "what stands around the team's database", clone.team_files),
    Row(1, "search", "a journal that names a file of the user's", clone.named_journal),
    Row(1, "config", "the user's own config is no file", clone.own_config),
    Row(1, "config", "config.json linked to a terminal", clone.linked(f"{STATE}/config.json", "/dev/ptmx")),
    Row(1, "config", "config.json linked to /dev/zero", clone.linked(f"{STATE}/config.json", "/dev/zero")),
    Row(1, "hot", "progress.md linked to /dev/zero", clone.linked(f"{STATE}/logs/progress.md", "/dev/zero")),
    Row(1, "hot", "the transcript linked to /dev/zero", clone.linked("transcript", "/dev/zero")),
    Row(1, "config", "config.json linked to a file", clone.linked_config),
    Row(1, "config", "a config of 4 GB", clone.sparse_config),
    Row(2, "skills", "a pack that came with the clone", clone.skills),
    Row(3, "install", "modules of the project with names of the library", clone.shadows),
    Row(3, "install", "a committed environment, interpreter, library", clone.committed_environment),
    Row(3, "hot", "programs by name, relative places", clone.named_programs),
    Row(3, "hot", "settings that only look like ours", clone.silenced),
    Row(3, "text", "compiled forms that came with a clone", clone.compiled_by_others),
    Row(4, "checkpoint", "programs in the repository's config and hooks", repositories.git_programs),
    Row(4, "checkpoint", "a partial clone that fetches by a program", repositories.git_fetch),
    Row(4, "checkpoint", "a bare repository within the project", repositories.embedded_repository),
    Row(4, "checkpoint", "a git that does not end", repositories.slow_git),
    Row(4, "checkpoint", "pipes as .gitignore of folders within", repositories.pipes_within),
    Row(5, "session", "the state folder leads out", clone.leads_out(STATE)),
    Row(5, "session", ".claude leads out", clone.leads_out(".claude")),
    Row(5, "session", "sessions/ leads out", clone.leads_out(f"{STATE}/sessions")),
    Row(5, "memory", "memory/ leads out", clone.leads_out(f"{STATE}/memory")),
    Row(5, "memory", "a kind of memory leads out", clone.leads_out(f"{STATE}/memory/decisions")),
    Row(5, "session", "logs/ leads out", clone.leads_out(f"{STATE}/logs")),
    Row(5, "knowledge", "knowledge/ leads out", clone.leads_out(f"{STATE}/knowledge")),
    Row(5, "team", "team/ leads out", clone.leads_out(f"{STATE}/team")),
    Row(5, "checkpoint", ".git/holdfast leads out", clone.leads_out(".git/holdfast")),
    Row(5, "session", "the user's own setting leads out", clone.allowed_to_lead_out),
    Row(5, "install", "the installer's targets lead out", clone.install_targets),
    Row(5, "install", "links and folders in the place of ours", clone.odd_targets),
    Row(5, "install", "install.json lists foreign files", clone.listed_files),
    Row(6, "config", "a project's config takes caution away", clone.config_takes_away),
    Row(6, "config", "the home as project", clone.home_as_project),
    Row(6, "config", "keys and values with line ends and bidi", voices.config_keys),
    Row(6, "config", "a config that is no JSON", voices.torn_config),
    Row(7, "text", "names with line ends and headings", voices.names),
    Row(7, "checkpoint", "a branch, a subject, a folder with headings", voices.branch),
    Row(7, "cli", "escapes in records, logs, settings, outputs", voices.steered),
    Row(7, "memory", "records and progress that speak", voices.speaks),
    Row(7, "handoff", "a report that speaks in our voice", voices.speaking_report),
    Row(7, "worklog", "a summary closes a rule of the user's", voices.closed_rule),
    Row(8, "text", "60 kinds of secrets in every place", secrets.nowhere),
    Row(8, "text", "secrets in progress.md and in records", secrets.progress),
    Row(9, "session", "a clock that is a year ahead", times.clock_ahead),
    Row(9, "session", "a clock that is ahead over starts of the machine", times.clock_over_starts),
    Row(9, "session", "a clock that goes back", times.clock_back),
    Row(10, "hook", "prompts of 1 MB", times.slow("UserPromptSubmit", "prompt")),
    Row(10, "digest", "outputs of 1 MB", times.slow("PostToolUse.Bash", "tool_response")),
    Row(10, "handoff", "reports of 250 KB", times.slow("SubagentStop.first", "last_assistant_message", 250_000)),
    Row(10, "compaction", "summaries of 1 MB", times.slow("PostCompact.auto", "compact_summary")),
    Row(10, "worklog", "long texts in the transcript", times.slow_transcript),
    Row(10, "worklog", "rows that cannot be read", times.bad_rows),
    Row(10, "worklog", "a row at which hooks die", times.dead_folds),
    Row(11, "session", "a full disk", times.full_disk),
    Row(11, "session", "a disk that fills up", times.full_later),
    Row(11, "session", "the state of another user", times.anothers_state),
    Row(11, "handoff", "a report where nothing can be written", times.full_handoff),
    Row(12, "install", "an old or dying interpreter", interpreters.old_python),
    Row(12, "install", "a torn module", interpreters.torn_pack),
    Row(12, "install", "a truncated launcher", interpreters.torn_launcher),
    Row(12, "hook", "a package that panics", interpreters.panic),
    Row(12, "hook", "Ctrl+C", interpreters.interrupted),
    Row(12, "hook", "closed or full ends", interpreters.closed_ends),
    Row(13, "install", "the user's own hook names our path", times.own_hook),
    Row(13, "install", "settings not UTF-8, settings of 5 MB", times.odd_settings),
    Row(13, "hot", "a relative HOLDFAST_DIR", times.relative_folder),
    Row(13, "hot", "a HOLDFAST_DIR of the user's own", times.users_folder),
    Row(13, "hot", "torn lines in every log", times.torn_logs),
    Row(13, "hot", "numbers that nothing has", times.odd_numbers),
    Row(13, "memory", "names and fields that are no text, fields nested deep", memories.odd_records),
    Row(13, "memory", "50 pages of sessions that a pull brings", memories.pulled_pages),
    Row(13, "memory", "files and folders in the places of a memory's", memories.in_the_way),
    Row(13, "memory", "60,000 cloned records", memories.many_records),
    Row(13, "memory", "cloned records of 250 KB", memories.large_records),
    Row(13, "memory", "a .git that names another repository", memories.git_of_another),
    Row(13, "handoff", "an agent's second return after a lost first", times.lost_return),
)


class Result(NamedTuple):
    """How a case went."""

    row: Row
    seen: str  # what must not be; "" where it holds
    seconds: float


def tried(row: Row, folder: Path) -> Result:
    """One case in a folder of its own."""
    began, root = time.monotonic(), Path(tempfile.mkdtemp(dir=folder))
    folder.chmod(0o711)  # a case may be played as another user, who must get to what is his to read
    try:
        seen = row.case(Place(root, folder / "compiled"))
    except Exception as error:  # noqa: BLE001 - a case that breaks has failed, and the others go on
        seen = f"the case broke: {type(error).__name__}: {error}"[:300]
    finally:
        shutil.rmtree(root, ignore_errors=True)
    return Result(row, seen, time.monotonic() - began)


def wanted(words: Sequence[str]) -> list[Row]:
    """The rows of these points or rooms, or whose name holds one of these words; all without any."""

    def fits(row: Row, word: str) -> bool:
        return word == str(row.point) if word.isdecimal() else word == row.room or word in row.what

    return [row for row in CASES if not words or any(fits(row, word) for word in words)]


def line(result: Result) -> str:
    """A result as a row of the table."""
    row, mark = result.row, "FAIL" if result.seen else "ok  "
    seen = f"\n       seen: {result.seen}   (room: {row.room})" if result.seen else ""
    return f"{mark} {row.point:>2}  {row.what:<50} {result.seconds:5.1f} s{seen}"


def run(args: argparse.Namespace) -> int:
    """Tries the cases and prints the table; 1 when one fails."""
    results = []
    kept = tempfile.TemporaryDirectory(prefix="holdfast-faults-", ignore_cleanup_errors=True)  # set-ups go on
    with kept as folder, ThreadPoolExecutor(3) as workers:
        for result in workers.map(lambda row: tried(row, Path(folder)), wanted(getattr(args, "words", ()))):
            results.append(result)
            if not args.json:
                print(line(result), flush=True)
    failed = [result for result in results if result.seen]
    if args.json:
        rows = [
            {"point": one.row.point, "room": one.row.room, "case": one.row.what, "seen": one.seen} for one in results
        ]
        print(json.dumps({"rows": rows, "failed": len(failed)}, indent=2))
    else:
        print(f"{len(results) - len(failed)} of {len(results)} cases hold")
    return 1 if failed else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="points or words; all cases without any")
    parser.add_argument("--json", action="store_true")
    sys.exit(run(parser.parse_args()))
