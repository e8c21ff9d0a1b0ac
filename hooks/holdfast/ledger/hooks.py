"""The ledger as hooks write it and commands read it: `~/.claude/holdfast/ledger/`, one small file for each session.

Written when a turn ends, before a compaction and at the session's end, from what its hooks left; nothing on the hot
road. A file is replaced as a whole: of two processes at once the later one counts, and both have read the same. Why a
file each: docs/decisions/0023-ledger.md.
"""

import contextlib
import os
import time
from collections import Counter
from typing import Any

from holdfast.compaction import hooks as compaction
from holdfast.handoff import orchestrator
from holdfast.hot import call_log, provenance
from holdfast.hot.files import names_in, read_bytes, read_text, size_of, variable, write_atomic
from holdfast.hot.fingerprint import fingerprint
from holdfast.hot.jsonc import dumps, loads_object, sane, whole
from holdfast.hot.paths import InSession
from holdfast.ledger import agents as sub_agents
from holdfast.ledger import model
from holdfast.ledger.model import Entry, Figures
from holdfast.session import faults, folders, hook_log, liveness
from holdfast.session.context import Session
from holdfast.text.tokens import rough
from holdfast.worklog.model import Worklog

MOST = 4_000
"""Sessions that are kept: at a kilobyte each, and ten a day, those of a year."""
LONGEST = 256_000


def folder() -> str:
    """Where the ledger is; "" where the user has no home."""
    home = variable("HOME")
    return f"{home}/.claude/holdfast/ledger" if home else ""


def note(event: str, session: Session, work: Worklog) -> None:
    """Bring the session's entry up to date. A fault is logged and costs the hook nothing else."""
    place = folder()
    if not place or not session.config["stats.ledger"]:
        return
    try:
        path = _path(place, session.state, session.folder)
        known = model.load(loads_object(read_bytes(path, LONGEST)))
        if not known:
            _make_room(place)
            provenance.private_folder(place)
        seen, more = sub_agents.look(session.folder)
        if more:
            session.write(InSession.AGENTS, {**seen})
        entry = _looked(known or _blank(session.project, session.state, session.folder, session.now), work, session.now)
        write_atomic(path, dumps(entry))
    except OSError:  # a full or read-only disk: the next look has it all
        pass
    except Exception:  # noqa: BLE001 - figures are not worth a hook's answer
        faults.log_current_fault(event)


def _path(place: str, state: str, session_folder: str) -> str:
    mark = fingerprint(state.encode("utf-8", "replace"))[:12]
    return f"{place}/{os.path.basename(session_folder)}-{mark}.json"


def _blank(project: str, state: str, session_folder: str, now: float) -> Entry:
    name = os.path.basename(session_folder)
    return Entry(v=model.VERSION, session=name, project=project, state=state, started=now, used=now, seen={}, days={})


def _looked(entry: Entry, work: Any, now: float) -> Entry:
    day = time.strftime("%Y-%m-%d", time.localtime(now))
    return model.grown(entry, figures(entry["state"], folder_of(entry), work), day, now)


def _make_room(place: str) -> None:
    """The oldest go, a tenth at once."""
    names = [name for name in names_in(place) if name.endswith(".json")]
    if len(names) >= MOST:
        paths = sorted((f"{place}/{name}" for name in names), key=lambda path: os.stat(path).st_mtime)
        for path in paths[: MOST // 10]:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)


def folder_of(entry: Entry) -> str:
    """Where the session's own files are, or were."""
    return f"{entry['state']}/sessions/{entry['session']}"


def entries(state: str) -> tuple[list[Entry], list[str]]:
    """(the ledger, the files of it that cannot be read), with this project's sessions as they are now, the newest last.

    Of those that no hook has noted yet all counts for the day on which they were last used. Nothing is written.
    """
    place, found, torn = folder(), dict[str, Entry](), list[str]()
    for path in (f"{place}/{name}" for name in names_in(place) if place and name.endswith(".json")):
        if entry := model.load(loads_object(read_bytes(path, LONGEST))):
            found[path] = entry
        else:
            torn.append(path)
    for one in liveness.past(state):
        path, last, used = _path(place, state, one), liveness.noted(one), min(folders.last_used(one), time.time())
        known = found.get(path) or _blank(str(last.get("project") or ""), state, one, used)
        work = loads_object(read_bytes(f"{one}/{InSession.STATE}"))
        found[path] = _looked(known, work, max(used, known["used"]))
    return sorted(found.values(), key=lambda one: one["used"]), torn


def figures(state: str, session_folder: str, work: Any) -> Figures:
    """What the session has come to, from what its hooks left."""
    log, letters = hook_log.load(session_folder), calls(session_folder)
    runs = Counter(entry.event for entry in log)
    stops, agents = runs["Stop"], letters.count("a")
    of_all = len(letters) + max(0, size_of(f"{session_folder}/{InSession.AGENTS_CALLS}"))
    over = of_all - runs["PostToolUse"] - runs["PostToolUseFailure"]
    hot = (over, agents - runs["SubagentStart"], stops - runs["UserPromptSubmit"])
    made = {
        "turns": sane(work.get("turns", stops)),  # a background notice ends with a Stop, too
        "calls": len(letters),
        "agents": agents,
        "warm_runs": len(log),
        "hot_runs": sum(max(0, count) for count in hot),
        "warm_ms": round(sum(entry.ms for entry in log)),
        "put_in": sum(map(rough, [*(entry.context for entry in log), *protocols(session_folder, log)])),
        "steering": sum(rough(entry.plain) for entry in log),
        **_digests(session_folder),
        **_handoffs(session_folder),
        **_compactions(state, os.path.basename(session_folder)),
        **model.spendings("spent", work.get("spent")),
        **sub_agents.figures(session_folder),
    }
    return {key: value for key, value in made.items() if value}


def calls(session_folder: str) -> list[str]:
    """The letters of its tool calls (hot/call_log.py)."""
    path = f"{session_folder}/{InSession.CALLS}"
    return [letter for _, _, letter in call_log.last(path, call_log.count(path))]


def protocols(session_folder: str, log: list[hook_log.HookRun]) -> list[int]:
    """Characters of what sub-agents were given at their start by the hot road, which keeps no log of its runs."""
    unlogged = calls(session_folder).count("a") - sum(entry.event == "SubagentStart" for entry in log)
    return [len(_protocol(session_folder))] * max(0, unlogged)


def _protocol(session_folder: str) -> str:
    written = read_bytes(f"{session_folder}/{InSession.SUBAGENT}").partition(b"\n")[2]  # below the folder's mark
    reply = loads_object(written).get("hookSpecificOutput")
    return str(reply.get("additionalContext") or "") if isinstance(reply, dict) else ""


def _digests(session_folder: str) -> Figures:
    rows = digests(session_folder)
    before, after = (sum(rough(row[place]) for row in rows) for place in (0, 1))
    return {"digests": len(rows), "digests_before": before, "digests_after": after}


def digests(session_folder: str) -> list[tuple[int, int, int]]:
    """Results that became digests: characters before, after, and epoch seconds (0 where an older version noted it)."""
    found = []
    for line in read_text(f"{session_folder}/{InSession.SAVED}").splitlines():
        with contextlib.suppress(ValueError):  # a torn one
            before, after, when = [*map(whole, line.split()[1:4]), 0][:3]
            found.append((before, after, when))
    return found


def _handoffs(session_folder: str) -> Figures:
    kept = orchestrator.load(loads_object(read_bytes(f"{session_folder}/{InSession.ORCHESTRATOR}")))["kept_out"]
    asked = [name for name in names_in(f"{session_folder}/{InSession.CLAIMS}") if name.startswith("ask-")]
    sizes = {"handoffs_before": kept["tokens_before"], "handoffs_after": kept["tokens_after"]}
    return {"handoffs": kept["returns"], **sizes, "send_backs": len(asked)}


def _compactions(state: str, session: str) -> Figures:
    rows = [row for row in compaction.log(state) if row.get("session") == session]
    sizes = [(row.get("tokens_before"), row.get("tokens_after")) for row in rows]
    known = [(before, after) for before, after in sizes if type(before) is int and type(after) is int]
    must = [(row["must"], bool(row.get("corrected"))) for row in rows if isinstance(row.get("must"), dict)]
    kept = sum(sane(counts.get("held")) + sane(counts.get("on_page")) for counts, _ in must)
    records = [one for row in rows if isinstance(one := row.get("record"), dict)]
    mended = sum(sane(one.get("corrected")) for one in records)
    missed = [(sane(counts.get("missing")), told) for counts, told in must]
    return {
        "compactions": len(rows),
        "compactions_before": sum(before for before, _ in known),
        "compactions_after": sum(after for _, after in known),
        "facts_kept": kept,
        "facts_corrected": sum(count for count, told in missed if told),
        "lines_corrected": mended,
        "facts_lost": sum(count for count, told in missed if not told),
    }
