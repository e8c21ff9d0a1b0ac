"""Is a report too long for the agent that called, and what is then told to the one that wrote it?

Rule (B1, H4): an agent is sent back exactly where its reply has more tokens than its limit and is neither JSON nor a
fenced block from end to end: that is the form that its task asked for. At most twice; then the outline stands in.
Breaches of the other rules say what to leave out; by themselves they never send anything back.

Code tells what it knows, the agent writes the words. Nothing is named as what to cut but breaches of a rule; form and
content are asked for apart, so that a form of the task's takes nothing away.
"""

from collections.abc import Callable, Sequence
from itertools import groupby

from holdfast.handoff import decision, model, outline, structure
from holdfast.handoff.structure import ReportLine
from holdfast.text import late as re
from holdfast.text import tokens
from holdfast.text.lines import one_line
from holdfast.text.quoting import QUOTE, clean

CUTS = {
    "file contents": "quoted code, unless it is the message of an open error; name file and symbol, or the line",
    "search queries": "how you searched; name only what you found",
    "tool calls": "calls and marks of the client; state what they gave",
}
"""Rule -> what is to be cut that breaks it."""
_SEARCH = re.compile(r"(?:[$>] ?)?(?:(?:git )?grep|rg|ag|ack) +[-\"']|(?:[$>] ?)?find [\w./~-]+ -\w|\"?pattern\"?: \S")
_PATH = re.compile(r"(?=.*[./])[~\w.@+:/-]+")
_CALL = re.compile(r"[⏺●]?\s*(?:Read|Grep|Glob|Bash|Edit|Write|WebFetch|WebSearch|Task|Agent)\(|</?(?:\w+:)?"
                   r"(?:invoke|function_calls|tool_use|tool_result|thinking)\b")  # fmt: skip


def too_many(parsed: model.Parsed, limit: int, data: int, count: Callable[[str], int] | None = None) -> int:
    """The tokens of a reply that has more than it may, else 0; data: how many one in JSON or in a fence may have."""
    most = max(limit, data) if parsed.form == "data" else limit
    size = tokens.measure(parsed.read, most, count)
    return size if size > most else 0


def lint(text: str) -> dict[str, list[str]]:
    """Rule -> at most two quotations of what breaks it, by the structure of `text`."""
    found: dict[str, list[str]] = {rule: [] for rule in CUTS}
    for is_code, block in groupby(structure.scan(text), lambda line: line.kind == "code" and line.language != "json"):
        inside = list(block)
        if is_code and len(inside) >= 5 and not all(_PATH.fullmatch(line.text) for line in inside):
            found["file contents"].append(inside[0].text)
        found["search queries"] += [line.text for line in inside if _SEARCH.match(line.plain)]
        found["tool calls"] += [line.text for line in inside if _CALL.match(line.text)]
    return {rule: [f'"{one_line(said, 70)}"' for said in told[:2]] for rule, told in found.items() if told}


def reason(report: str, sizes: tuple[int, int, int], path: str, task: str = "") -> str:
    """The message that sends an agent back.

    report: the full one, which is kept at `path`; sizes: tokens and characters of the present answer, and the tokens
    that it may have; task: what the agent was asked, "" where that is not known.
    """
    size, chars, limit = sizes
    parsed = model.parse(report)
    lines = structure.scan(parsed.read)
    in_file = parsed.form == "prose"  # else the file's lines are not those that were read
    parts = _parts(lines, report.count("\n") + 1) if in_file else ""
    # Characters to a token of an answer, as a share of its report's: 0.82 to 1.06, mean 0.94, in 36 answers in six
    # languages. Words say nothing in Japanese and Chinese, and a number of tokens nobody can count.
    room = int(0.85 * chars * limit / max(1, size)) // 10 * 10
    breaches = "".join(f" {CUTS[rule]} (e.g. {' / '.join(told)});" for rule, told in lint(parsed.read).items())
    what = "report" if chars == len(report) else "handoff"
    told = [
        f"Your {what} has {size:,} tokens ({chars:,} characters); your caller has room for {limit:,} tokens. Write at "
        f"most {room:,} characters, including the last line given below. Your full report is kept at {path}, where "
        "the caller can open it.",
        *_form(parsed, task),
        'Say only what the report says ("all", "none", "severe" only where it does). Where it contradicts itself, or '
        "leaves a point of the task unanswered, say so. Whatever the form, include what there is of these:",
        f"- the decision with its reason{_stated(parsed, lines, in_file)};",
        "- every finding that blocks or is severe and every fix that the report requires, none left out (mere "
        "recommendations come last, if there is room), one short line each: path and line, what is wrong, what to do"
        f"{_named(lines, in_file)};",
        "- each failure that is not fixed yet, with its exact message;",
        "- the answer to each point of the task, in the task's order, with exact names and numbers, each line number "
        "beside its own file, and what you did not find or check;",
        "- files changed; constraints to observe.",
        "If the task asked for something long (a catalogue, a plan, prose, code), copy it whole if it fits. If not, "
        "leave it in the report; do not reword or shorten it, even if the task asked for nothing else. Name its lines "
        f'instead ("plan: report lines 12-34") and say what must be known first.{parts}',
        f"Leave out:{breaches} steps on the way, alternatives not chosen, errors already resolved.",
        f"End with the line: Full report: {path}",
    ]
    return "\n".join(told)


def _form(parsed: model.Parsed, task: str) -> list[str]:
    """In which form to answer: the one that was given, the task's, else ours; with the last paragraphs of a task.

    There a form for the answer mostly stands.
    """
    asked = "Write, as your whole answer, a handoff, which the caller reads instead of the report"
    if parsed.form != "prose":
        return [f"{asked}, in the same form as before ({parsed.form}), context_summary short and findings empty."]
    shown = clean(task)
    if len(shown) > 500:
        end = shown[-500:]
        shown = end[max(end.find("\n\n"), end.find("\n"), 0) :].strip()
    ours = (
        "begin with the line Decision: PROCEED, STOP or CLARIFY, your caller's next step (PROCEED if there was nothing "
        "to decide, STOP if something must be fixed first), and keep the order of the list below, findings before the "
        "answers to the task's points"
    )
    if not shown:
        return [f"{asked}: {ours}."]
    return [
        f"{asked}. If your task names a form for the answer (sections, a first line, a verdict in words of its own), "
        f"keep to that form; else {ours}. The end of your task:",
        *(QUOTE + line for line in shown.split("\n")),
    ]


def _stated(parsed: model.Parsed, lines: Sequence[ReportLine], in_file: bool) -> str:
    """The lines in which the report itself states a decision."""
    if not in_file:
        return f', which was "{one_line(parsed.decided, 120)}"' if parsed.decided else ""
    where = [f'line {line.number} "{one_line(line.plain, 120)}"' for line, _ in decision.statements(lines)]
    return f" (the report on it: {'; '.join(where[:3])})" if where else ""


def _named(lines: Sequence[ReportLine], in_file: bool) -> str:
    """What the report itself labels as severe or open, the first of it by its words."""
    rows, most = list({line.number: line for line in outline.labelled(lines)}.items()), 8
    where = [
        (f"line {number} " if in_file else "") + f'"{one_line(row.plain, 80)}"' for number, row in sorted(rows[:most])
    ]
    more = f" and {len(rows) - most} more" if len(rows) > most else ""
    form = "found by pattern; some may mean something else, others may be missing"
    return f" ({form}: {'; '.join(where)}{more})" if rows else ""


def _parts(lines: Sequence[ReportLine], last: int) -> str:
    """The headings of the upper levels with the lines that they span; "" where there are none."""
    titles, most = [line for line in lines if line.kind == "heading" and line.depth < structure.Depth.BOLD], 20
    if not titles:
        return ""
    titles = sorted(structure.upper(titles, most))
    ends = [*(line.number - 1 for line in titles[1:]), last]
    spans = [f'{one.number}-{end} "{one_line(one.plain, 60)}"' for one, end in zip(titles, ends, strict=True)]
    more = f" and {len(spans) - most} more" if len(spans) > most else ""
    return f" The report's headings by line: {', '.join(spans[:most])}{more}."
