"""What of an older tool result does the window still need?

Rule: results above a size (500 tokens) that the model has answered give way to a summary of about a fifth: problem
lines, the finding, numbers, paths and names that nothing else in the window says, and where the whole is. What counts
as the finding depends on the kind of result: of code its definitions, of a search its counts and files, of a run how
it went, of JSON its shape, of prose its statements. A summary that saves less than half is not made. The lowest scores
go first, as they would in an eviction, and it ends when enough is free. Source: requirement K3; sizes of the parts are
ours.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from holdfast.compaction.critical_facts import NUMBER
from holdfast.digest import policy
from holdfast.engine import prompts
from holdfast.engine.block_index import LONG
from holdfast.engine.blocks import DIGEST, RESULT, WHOLE, Block
from holdfast.engine.eviction_scores import SCORERS, checked
from holdfast.engine.plan import Change, Plan
from holdfast.engine.strategy import Scene
from holdfast.handoff.condense import condense
from holdfast.text import identifiers
from holdfast.text.lines import clip
from holdfast.text.tokens import rough
from holdfast.transcript import commands

SHARE, LEAST, MOST = 0.2, 80, 400
"""Tokens of a summary: this share of the whole, within these bounds."""
KEEP_SHARE = 0.5
"""A summary may be at most this share of the whole (requirement K3: it must save half)."""
LINE_CHARS = 220
NAMES_SHARE = 0.45
"""Of the room, for names and numbers."""
PROBLEMS = 6


class Finding(NamedTuple):
    """What a kind of result says at first sight."""

    lines: tuple[str, ...]
    names: tuple[str, ...] = ()
    """Names that count before the others."""
    problems: bool = True
    """Whether a line with a word for trouble tells of trouble: not in code and listings."""


def summarise(scene: Scene) -> Plan:
    """The summaries of older results, until enough is free. Raises OSError when a whole cannot be stored."""
    return prompts.until_enough("summarise", _candidates(scene), scene, _change)


def _candidates(scene: Scene) -> list[Block]:
    least = scene.options.summarise
    score = SCORERS[checked(scene.options.policy)]
    free = (block for block in scene.free(frozenset({RESULT})) if block.state == WHOLE and least)
    long = [block for block in free if block.tokens >= least and rough(len(block.text)) >= least * KEEP_SHARE]
    return sorted(long, key=lambda block: (score(block, scene.moment.turn, scene.options.settings), block.place))


def _change(block: Block, scene: Scene, asker: prompts.Asker) -> Change | None:
    room = int(min(MOST, max(LEAST, SHARE * block.tokens)))
    body = asker(prompts.result(block.about, block.text, room), room, scene.count)
    how = "model" if body else "offline"
    body = body or offline(block, room, scene.names(block), scene.count)
    if not body or scene.count(body) + _HEAD > block.tokens * KEEP_SHARE:
        return None
    text = f"[Summary of {clip(block.about or 'a result', 80)}, ~{block.tokens} tokens; whole: {scene.where(block)}]\n"
    text += body
    tokens = scene.count(text)
    return Change(block.id, text, tokens, DIGEST, how) if tokens <= block.tokens * KEEP_SHARE else None


_HEAD = 30  # tokens of the line above a summary


def offline(block: Block, room: int, names: Iterable[str], count: Callable[[str], int]) -> str:
    """A summary by rules, about `room` tokens; names: those that stand nowhere else, most wanted first."""
    tool, _, argument = block.about.partition(" ")
    text = _LINE_NUMBER.sub("", block.text) if tool == "Read" else block.text
    if tool in _PROSE or (tool == "Read" and _DOCUMENT.search(argument)):
        return condense(text, room, known=argument)
    found = _json(text) or _diff(text) or _BY_TOOL.get(tool, _run)(argument, text)
    lines = [*(_problems(text) if found.problems else ()), *found.lines]
    shown = _fitting(lines, room * (1 - NAMES_SHARE), count)
    left = room - count("\n".join(shown))
    told = "\n".join(shown)
    wanted = [name for name in dict.fromkeys((*names, *_names(text[:LONG]), *found.names)) if name not in told]
    listed = _listed(wanted, left, count)
    return "\n".join([*shown, *([f"Names: {', '.join(listed)}"] if listed else [])])


def _fitting(lines: Iterable[str], room: float, count: Callable[[str], int]) -> list[str]:
    shown: list[str] = []
    for line in dict.fromkeys(clip(" ".join(line.split()), LINE_CHARS) for line in lines):
        cost = count(line) + 1 if line else room + 1
        if cost <= room:
            shown.append(line)
            room -= cost
    return shown


def _listed(names: Iterable[str], room: float, count: Callable[[str], int]) -> list[str]:
    found: list[str] = []
    room -= 3
    for name in names:
        room -= count(name) + 1
        if room < 0:
            break
        found.append(name)
    return found


def _names(text: str) -> list[str]:
    return [*(identifiers.basename(path) for path in identifiers.paths(text)), *identifiers.identifiers(text)]


def _problems(text: str) -> list[str]:
    """Lines that tell of trouble, the one that says most first."""
    rows = policy.search(text.encode("utf-8", "replace"))[1][:PROBLEMS]
    shown = [f"{number}: {line.strip()}" + (f" (x{times})" if times > 1 else "") for number, line, times in rows]
    told = commands.telling_line(text) if shown else ""
    return [told, *(line for line in shown if told not in line)] if told else shown


_LINE_NUMBER = re.compile(r"(?m)^\s*\d+[\u2192\t]")
_DOCUMENT = re.compile(r"\.(?:md|mdx|rst|adoc)(?::\d+)?$")
_DIFF_FILE = re.compile(r"\+\+\+ (?:b/)?(\S+)")
_DIFF_CHARS = 4_000  # within which a diff's first hunk begins
_LOG = re.compile(r"\.(?:log|out|txt|csv|tsv|jsonl?|lock|xml)(?::\d+)?$")


def _code(path: str, text: str) -> Finding:
    """A file that was read: its definitions; a log or data file is read like a run's output."""
    if _LOG.search(path):
        return _run("", text)
    made = identifiers.definitions(text)
    lines = [f"{text.count(chr(10)) + 1} lines", f"Defines: {', '.join(made[:40])}" if made else ""]
    if not made:
        lines += [line for line in text.splitlines() if line.strip()][:4]
    return Finding(tuple(lines), tuple(identifiers.qualified(text)), problems=False)


def _diff(text: str) -> Finding | None:
    """What a diff changes: each file with its lines added and taken away; None for any other text."""
    if "\n@@ " not in text[:_DIFF_CHARS] and not text.startswith("@@ "):
        return None
    counted: dict[str, list[int]] = {}
    name = ""
    for line in text.splitlines():
        head = _DIFF_FILE.match(line)
        name = head[1] if head else name
        if line[:1] in ("+", "-") and line[:3] not in ("+++", "---"):
            counted.setdefault(name, [0, 0])[line[0] == "-"] += 1
    told = ", ".join(
        f"{identifiers.basename(path) or 'lines'} +{more} -{less}" for path, (more, less) in counted.items()
    )
    return Finding((f"A diff of {len(counted)} files: {told}",), problems=False)


def _hits(pattern: str, text: str) -> Finding:
    """A search or a listing: how many lines, and in which files how often."""
    lines = [line for line in text.splitlines() if line.strip()]
    files = Counter(path for line in lines for path in identifiers.paths(line.split(":", 1)[0])[:1])
    told = ", ".join(
        f"{identifiers.basename(path)} ({hits})" if hits > 1 else path for path, hits in files.most_common(12)
    )
    first = f"{len(lines)} lines in {len(files)} files" if files else f"{len(lines)} lines"
    return Finding((f"{first}: {told}" if told else first, *lines[:2]), problems=False)


def _run(command: str, text: str) -> Finding:
    """What a command printed: how it went, its first and last line, its numbers."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    outcome = commands.outcome_line(text)
    ends = [lines[0], lines[-1]] if lines else []
    numbers = [number for number in dict.fromkeys(NUMBER.findall(outcome + "\n" + "\n".join(ends))) if len(number) > 1]
    first = [outcome, *ends] if commands.TEST_COMMAND.search(command) else [*ends[1:], outcome, *ends[:1]]
    return Finding((f"{len(lines)} lines", *first), tuple(numbers))


_BY_TOOL: dict[str, Callable[[str, str], Finding]] = {"Read": _code, "Grep": _hits, "Glob": _hits, "LS": _hits}
"""Tool -> how its result is read; what is not here is read like a run."""
_PROSE = frozenset({"Task", "Agent", "WebFetch", "WebSearch"})
_DEEPEST, _KEYS, _JSON_CHARS = 3, 12, 400_000


def _json(text: str) -> Finding | None:
    """The shape of a JSON text; None for any other."""
    start = text.lstrip()[:1]
    if start not in ("{", "[") or len(text) > _JSON_CHARS:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return Finding((f"JSON: {_shape(value)}",))


def _shape(value: Any, depth: int = 0) -> str:
    """`{id: number, rows: 12 x {name: text}}`; short texts and numbers are told themselves."""
    if isinstance(value, dict):
        parts = [f"{key}: {_shape(inner, depth + 1)}" for key, inner in list(value.items())[:_KEYS]]
        more = [f"{len(value) - _KEYS} more"] if len(value) > _KEYS else []
        return "{" + ", ".join([*parts, *more]) + "}" if depth < _DEEPEST else f"{len(value)} keys"
    if isinstance(value, list):
        return f"{len(value)} x {_shape(value[0], depth + 1)}" if value else "[]"
    shown = json.dumps(value, ensure_ascii=False)
    return shown if len(shown) <= 40 else f"text of {len(shown)} characters"
