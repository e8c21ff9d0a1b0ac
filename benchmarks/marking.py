"""`holdfast bench marking`: are lasting rules, decisions and lessons marked where they come up, and read as marked?

marking.json.xz (or --data, a file like it, packed or not) holds scenarios: what a user said, of which sort it is (rule,
decision, lesson, or none: once only, asked, quoted, in jest), and the reply of an agent that had `marks.ASK` in its
context. One model wrote the scenarios; another, which saw ASK and the users' turns alone, wrote the replies. A mark of
another kind than the scenario's sort, or a second one, is a false one. A rule is the user's when what would be kept of
it is one passage of the user's turn.
"""

import argparse
import json
import lzma
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from holdfast.cli.output import emit_json, emit_table
from holdfast.errors import BadInput
from holdfast.worklog import marks, record

DATA = Path(__file__).with_suffix(".json.xz")
RECALL, FALSE = 0.90, 0.05
"""Of rules and decisions, at least; of all marks that are read, at most."""
SORTS = ("rule", "decision", "lesson", "none")


class Outcome(NamedTuple):
    """What was read of one reply: marks of the scenario's sort (0 or 1) and all others; users: 1 for a rule in the
    user's words; adds: characters of the marked lines by those of the other lines.
    """

    language: str
    sort: str
    found: int
    false: int
    users: int
    adds: float


def run(args: argparse.Namespace) -> int:
    """Print a line per sort and per language; 1 when a target is missed."""
    read = [outcome(one) for one in scenarios(Path(args.data) if args.data else DATA)]
    asked = [one.found for one in read if one.sort in ("rule", "decision")]
    recall = sum(asked) / max(1, len(asked))
    false = sum(one.false for one in read) / max(1, sum(one.found + one.false for one in read))
    targets = {f"recall of rules, decisions >= {RECALL}": recall >= RECALL, f"false marks <= {FALSE}": false <= FALSE}
    missed = [name for name, met in targets.items() if not met]
    names = [*SORTS, *dict.fromkeys(one.language for one in read)]
    rows = [_summed(name, [one for one in read if name in (one.sort, one.language)]) for name in names]
    rows.append(_summed("all", read))
    if args.json:
        emit_json({"rows": rows, "recall": round(recall, 4), "false": round(false, 4), "missed": missed})
    else:
        emit_table([("of", "replies", "asked", "found", "false", "in user's words", "adds %"), *map(_cells, rows)])
        print(f"rules and decisions found: {recall:.3f}; false of all marks: {false:.3f}")
        print(f"targets: {'MISSED: ' + ', '.join(missed) if missed else 'met'}")
    return int(bool(missed))


def scenarios(path: Path) -> list[dict[str, str]]:
    """Each with language, sort, user and reply; some with `before`, the turn before. Raises BadInput without any."""
    said = path.read_bytes() if path.is_file() else b"[]"
    found: list[dict[str, str]] = json.loads(lzma.decompress(said) if path.suffix == ".xz" else said)
    if not found or any(one["sort"] not in SORTS for one in found):
        raise BadInput("needs scenarios, each with a sort", str(path), "Give a file like benchmarks/marking.json.xz")
    return found


def outcome(scenario: dict[str, str]) -> Outcome:
    """What the project's own code reads of a reply."""
    reply, sort, user = scenario["reply"], scenario["sort"], scenario["user"]
    made = marks.marked(reply, "assistant", 1)
    right = [mark["text"] for mark in made if mark["kind"] == sort]
    kept = [record.users_words(text, [user]) for text in right if sort == "rule"]
    rest = sum(len(line) for line in reply.splitlines() if not marks.marked(line, "assistant", 1))
    return Outcome(
        language=scenario["language"],
        sort=sort,
        found=min(1, len(right)),
        false=len(made) - min(1, len(right)),
        users=int(any(words and words.replace(" ", "") in "".join(user.split()) for words in kept)),
        adds=sum(map(len, reply.splitlines())) / max(1, rest) - 1,
    )


def _summed(name: str, part: Sequence[Outcome]) -> dict[str, Any]:
    """adds: the median in percent over replies in which a line was read."""
    adds = [one.adds for one in part if one.found or one.false]
    asked, rules = sum(one.sort != "none" for one in part), sum(one.sort == "rule" for one in part)
    found, false, users = (sum(getattr(one, of) for one in part) for of in ("found", "false", "users"))
    added = round(100 * statistics.median(adds)) if adds else 0
    counts = {"asked": asked, "found": found, "false": false, "users": users, "rules": rules}
    return {"of": name, "replies": len(part), **counts, "adds": added}


def _cells(row: dict[str, Any]) -> list[str]:
    users = f"{row['users']} of {row['rules']}" if row["rules"] else ""
    return [*(str(row[name]) for name in ("of", "replies", "asked", "found", "false")), users, str(row["adds"])]
