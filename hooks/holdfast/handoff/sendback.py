"""What is an agent told whose report is too long?

Code tells what it knows: sizes, where the whole is kept, the lines where the report states a decision or labels
something, its parts by line, the end of the task. The agent writes the words. Nothing is named as what to cut but
breaches of a rule; form and content are asked for apart, so that a form of the task's takes nothing away; and what was
asked for in detail is left in the file, with an index for the caller.
"""

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from holdfast.handoff import decision, model, outline, rules, structure
from holdfast.handoff.structure import Line
from holdfast.text.lines import one_line
from holdfast.text.quoting import QUOTE, clean

DENSER = 0.85
"""Characters to a token of an answer, as a share of its report's: 0.82 to 1.06, mean 0.94, in 36 answers in six
languages. Words say nothing in Japanese and Chinese, and a number of tokens nobody can count."""


class Most:
    """What of a report and a task is quoted."""

    ROWS, PARTS, TASK_CHARS = 8, 20, 500


class Answer(NamedTuple):
    """An agent's present answer, which is too long: its tokens and its characters; limit: tokens that it may have."""

    tokens: int
    chars: int
    limit: int


def reason(report: str, answer: Answer, path: str, task: str = "") -> str:
    """The message that sends an agent back.

    report: the full one, which is kept at `path`; task: what the agent was asked, "" where that is not known.
    """
    parsed = model.parse(report)
    lines = structure.scan(parsed.read)
    in_file = parsed.form == "prose"  # else the file's lines are not those that were read
    parts = _parts(lines, report.count("\n") + 1) if in_file else ""
    room = int(DENSER * answer.chars * answer.limit / max(1, answer.tokens)) // 10 * 10
    told = [
        f"Your answer has {answer.tokens:,} tokens; its caller has room for {answer.limit:,}. So write at most "
        f"{room:,} characters, where there are {answer.chars:,} now. Your full report is kept at {path}, where the "
        "caller can open it.",
        *_form(parsed, task),
        'Say nothing that the report does not say ("all", "each", "none" only where it does). In any form these are in '
        "it, where there are any:",
        f"- the decision with its reason{_stated(parsed, lines, in_file)};",
        "- every finding that blocks or is severe and every required fix, none left out, one short line each: path "
        f"and line, what is wrong, what to do{_named(lines, in_file)};",
        "- what failed and is not mended, with its exact message;",
        "- the answer to each point of the task, with exact names and numbers, and what you did not find or check;",
        "- files changed; constraints to observe.",
        "Only what the task wanted long (a catalogue, a plan, a text, code) and does not fit stays in the file, no "
        'word of it changed: in its place name its parts with the file\'s lines ("plan: lines 12-34"), and what must '
        f"be known first.{parts}",
        f"Leave out{_breaches(parsed.read)} steps on the way, alternatives not chosen, errors already resolved.",
        f"End with the line: Full report: {path}",
    ]
    return "\n".join(told)


def _form(parsed: model.Parsed, task: str) -> list[str]:
    """In which form to answer: the one that was given, the task's, else ours; with the last paragraphs of a task.

    There a form for the answer mostly stands.
    """
    asked = "Write, as your whole answer, the handoff that the caller reads in its place"
    if parsed.form != "prose":
        return [f"{asked}, in the same form as before ({parsed.form}), context_summary short and findings empty."]
    end = clean(task)[-Most.TASK_CHARS :]
    whole = len(end) == len(clean(task))
    shown = end if whole else end[max(end.find("\n\n"), end.find("\n"), 0) :].strip()
    ours = "begin with the line Decision: PROCEED, STOP or CLARIFY, and take the points below in their order"
    if not shown:
        return [f"{asked}: {ours}."]
    return [
        f"{asked}. If your task names a form for the answer (sections, a first line, a verdict in words of its own), "
        f"keep to that form; else {ours}. The end of your task:",
        *(QUOTE + line for line in shown.split("\n")),
    ]


def _stated(parsed: model.Parsed, lines: Sequence[Line], in_file: bool) -> str:
    """The lines in which the report itself states a decision."""
    if not in_file:
        return f', which was "{one_line(parsed.decided, 120)}"' if parsed.decided else ""
    where = [f'line {line.number} "{one_line(line.plain, 120)}"' for line, _ in decision.statements(lines)]
    return f" (the report on it: {'; '.join(where[:3])})" if where else ""


def _named(lines: Sequence[Line], in_file: bool) -> str:
    """What the report itself labels as severe or open, the first of it by its words."""
    rows = {line.number: line for line in outline.labelled(lines)}
    where = [
        (f"line {number} " if in_file else "") + f'"{one_line(row.plain, 80)}"'
        for number, row in sorted(islice(rows.items(), Most.ROWS))
    ]
    more = f" and {len(rows) - Most.ROWS} more" if len(rows) > Most.ROWS else ""
    return f" (labelled so, though one may say that there is none: {'; '.join(where)}{more})" if rows else ""


def _parts(lines: Sequence[Line], last: int) -> str:
    """The headings of the upper levels with the lines that they span; "" where there are none."""
    titles = [line for line in lines if line.kind == "heading" and line.depth < structure.Depth.BOLD]
    if not titles:
        return ""
    titles = sorted(structure.upper(titles, Most.PARTS))
    ends = [*(line.number - 1 for line in titles[1:]), last]
    spans = [f'{one.number}-{end} "{one_line(one.plain, 60)}"' for one, end in zip(titles, ends, strict=True)]
    more = f" and {len(spans) - Most.PARTS} more" if len(spans) > Most.PARTS else ""
    return f" The file's headings by line: {', '.join(spans[: Most.PARTS])}{more}."


def _breaches(text: str) -> str:
    found = (f" {rules.CUTS[rule]} (e.g. {' / '.join(told)});" for rule, told in rules.lint(text).items())
    return ":" + "".join(found)
