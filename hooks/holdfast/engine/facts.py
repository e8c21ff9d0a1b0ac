"""Which facts of the work so far must outlast a cut, beside the user's own messages?

Rule: what the worklog holds by structure, verbatim: lines that their author marked (RULE:, DECISION: …) and by whom,
the plan as it stands, open errors; as far as there is room then test runs, commits, files. Where room ends the later
sections lose theirs. Sources: requirements K1, K8, W5.
"""

from collections.abc import Iterable, Sequence

from holdfast.checkpoint import model
from holdfast.checkpoint.sections import Section, by_folder, quoted, run_lines
from holdfast.engine.blocks import Count
from holdfast.engine.strategy import fitting
from holdfast.worklog.model import Worklog


def must(work: Worklog) -> list[Section]:
    """What is never left out while it fits: most important first, newest last."""
    tasks = model.tasks(work)
    return [
        ("Rules, as they were marked", _marked(work, "rule")),
        ("Plan", [*_told("in progress", tasks["in_progress"]), *_told("planned", tasks["planned"])]),
        ("Open errors", [f"- {error['at']}: {error['what']}" for error in model.open_errors(work)]),
        ("Decisions, as they were marked", _marked(work, "decision")),
        ("Marked besides", _marked(work, "bug", "failed", "lesson", "todo")),
    ]


def rest(work: Worklog) -> list[Section]:
    """What is told as far as there is room."""
    tasks, runs, commits = model.tasks(work), run_lines(work, 5), work["commits"][-5:]
    return [
        ("Test runs and commits", [*runs, *_told("commit", commits)]),
        ("Files changed, newest first", by_folder(work["changed"])),
        ("Plan, settled", [*_told("done", tasks["done"]), *_told("dropped", tasks["cancelled"])]),
        ("The last answer", quoted(work["last_message"]["text"])),
        ("Files read besides, newest first", by_folder([path for path in work["read"] if path not in work["changed"]])),
    ]


def _marked(work: Worklog, *kinds: str) -> list[str]:
    marks = (mark for mark in work["marks"] if mark["kind"] in kinds)
    return [f"- {mark['kind'].upper()}: {mark['text']} (by the {mark['by']})" for mark in marks]


def _told(label: str, texts: Iterable[str]) -> list[str]:
    return [f"- {label}: {text}" for text in texts]


def text(work: Worklog, tokens: int, count: Count, most: int) -> str:
    """The sections within `tokens`; what must be told may have up to `most` tokens, where that is more."""
    first = _within(must(work), max(tokens, most), count)
    more = _within(rest(work), tokens - count(first), count)
    return "\n".join(part for part in (first, more) if part)


def _within(sections: Sequence[Section], tokens: int, count: Count) -> str:
    """Of a section without room for all its newest lines, in their order."""
    shown: list[str] = []
    for title, lines in sections:
        head = f"## {title}"
        flat = [" ".join(line.split()) for line in lines]
        kept = fitting(reversed(flat), tokens - count(head) - 1, count)[::-1] if flat else []
        if kept:
            shown += [head, *kept]
            tokens -= count("\n".join([head, *kept])) + 1
    return "\n".join(shown)


def lacking(work: Worklog, said: str) -> list[str]:
    """Lines of what must be told that do not stand in a text word by word; of a marked line its own words count."""
    flat = " ".join(said.split())
    lines = (" ".join(line.split()) for _, found in must(work) for line in found)
    return [line for line in dict.fromkeys(lines) if _words(line) not in flat]


def _words(line: str) -> str:
    for end in (" (by the user)", " (by the assistant)"):
        if line.endswith(end):
            return line.removesuffix(end).partition(": ")[2]
    return line[2:]
