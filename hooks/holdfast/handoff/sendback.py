"""What is an agent told whose report is too long?

Code tells what it knows: sizes, where the whole is kept, the report's own verdict and labelled lines, its parts by
line, the end of the task. The agent writes the words. Nothing is named as what to cut but breaches of a rule; a form
that the task asked for goes before ours, and what was asked for in detail is left in the file, with an index for the
caller.
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
        "Write, as your whole answer, the handoff that the caller reads in its place, and say nothing in it that the "
        'report does not say ("all", "each", "no change" only where it does). In this order, each where there is any:',
        f"- {_verdict(parsed)}",
        "- every finding that blocks or is severe and every required fix, none left out, one short line each: path "
        f"and line, what is wrong, what to do{_named(lines, in_file)};",
        "- errors still open, with their exact message;",
        "- the answer to each point of the task, with exact names and numbers, and what you did not find or check;",
        "- files changed; constraints to observe.",
        *_task_end(task),
        "Only where the task wanted something long (a catalogue, a plan, a text, code) that does not fit: the file "
        'delivers it, no word of it changed; give an index of it, its parts with their lines ("report 12-34"), and '
        f"what must be known first.{parts}",
        f"Leave out{_breaches(parsed.read)} steps on the way, alternatives not chosen, errors already resolved.",
        f"End with the line: Full report: {path}",
    ]
    return "\n".join(told)


def _verdict(parsed: model.Parsed) -> str:
    stated = decision.find(parsed.read)
    own = f', in agreement with what the report states: "{one_line(stated, 120)}"' if stated else ""
    if parsed.form == "prose":
        return f"first line: Decision: PROCEED, STOP or CLARIFY, with its reason{own};"
    return f"in the same form as before ({parsed.form}), context_summary short and findings empty: decision{own};"


def _named(lines: Sequence[Line], in_file: bool) -> str:
    """What the report itself labels as severe or open, the first of it by its words."""
    rows = {line.number: line for line in outline.labelled(lines)}
    where = [
        (f"line {number} " if in_file else "") + f'"{one_line(row.plain, 80)}"'
        for number, row in sorted(islice(rows.items(), Most.ROWS))
    ]
    more = f" and {len(rows) - Most.ROWS} more lines of that kind" if len(rows) > Most.ROWS else ""
    return f" (labelled so: {'; '.join(where)}{more})" if rows else ""


def _task_end(task: str) -> list[str]:
    """The last paragraphs of a task, where a form for the answer mostly stands, within their room."""
    end = clean(task)[-Most.TASK_CHARS :]
    whole = len(end) == len(clean(task))
    shown = end if whole else end[max(end.find("\n\n"), end.find("\n"), 0) :].strip()
    if not shown:
        return []
    return [
        "A form that your task asks for (sections, a list, a first line or a verdict in words of its own) takes the "
        "place of the order above. The end of the task:",
        *(QUOTE + line for line in shown.split("\n")),
    ]


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
