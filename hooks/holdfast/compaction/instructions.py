"""What is the summariser asked to keep, and what does the user paste behind /compact?

Rule: hard facts alone, as the record has them: the user's requests and marked rules verbatim, the plan by its last
states, what failed, the last test runs with their exit, commits, calls without a result. The newest request stands in
full within a bound, earlier ones are cut at their end; what does not fit goes from the end. Sources: requirements H1,
H2.
"""

from collections.abc import Iterator

from holdfast.checkpoint import model, page
from holdfast.text.lines import clip, one_line
from holdfast.worklog.model import Worklog

CHARS = 2_000  # after a manual compaction the client shows the text to the model once more
NEWEST, EARLIER, LINE = 600, 120, 300
LINE_CHARS = 400  # a line that a user pastes must stay readable
HEAD = "Keep these facts of the session word for word; they come from its record, not from guesses:"
CLOSE = (
    "Keep numbers, paths, names and error messages exactly. Say of each task whether it is planned, in progress, done "
    "or dropped; never report planned work as done, and never list finished or dropped work as open."
)


def for_summariser(work: Worklog) -> str:
    """Plain text for the summariser's "Additional Instructions", at most CHARS."""
    left, facts = CHARS - len(HEAD) - len(CLOSE) - 2, []
    for line in _facts(work):
        if len(line) + 3 <= left:
            facts.append(f"- {line}")
            left -= len(line) + 3
    return "\n".join([*([HEAD, *facts] if facts else []), CLOSE])


def _facts(work: Worklog) -> Iterator[str]:
    """One line each, the most important first."""
    prompts = [one_line(model.prompt_text(prompt), NEWEST) for prompt in work["prompts"]]
    yield from (f'the user\'s newest request: "{text}"' for text in prompts[-1:])
    if before := one_line(model.leans_on(work, LINE)):
        yield f'the assistant\'s message right before it ended: "{before}"'
    for mark in work["marks"]:
        if mark["kind"] in ("rule", "decision"):
            yield f"marked as {mark['kind']} by the {mark['by']}: {one_line(mark['text'], LINE)}"
    yield from (line.removeprefix("- ") for line in page.plan_lines(work))
    lists = (
        ("failed and has not worked since: ", page.error_lines(work)),
        ("test run: ", page.test_lines(work, page.TESTS)),
        ("commit ", (one_line(commit, EARLIER) for commit in work["commits"][-3:])),
        (
            "begun, no result yet: ",
            (f"{c['tool']} {one_line(c['about'], EARLIER)}" for c in work["open_calls"].values()),
        ),
        ("changed: ", page.by_folder(work["changed"][-8:], work["folder"])),
    )
    for label, lines in lists:
        yield from (label + line.removeprefix("- ") for line in lines)
    for text in dict.fromkeys([*prompts[:1], *reversed(prompts[1:-1])]):
        if text == prompts[-1]:
            continue
        yield f'an earlier request: "{clip(text, EARLIER)}"'


def compact_line(work: Worklog) -> str:
    """`/compact keep …`, naming what this session must not lose; ready to paste."""
    items = list(_kept(work))
    return clip("/compact keep " + "; ".join(items or ["my requests in my words and the next step"]), LINE_CHARS)


def _kept(work: Worklog) -> Iterator[str]:
    tasks = model.tasks(work)
    left = len(tasks["planned"])
    if tasks["in_progress"]:
        more = f" and {left} open to-dos" if left else ""
        yield f"the current step ({one_line(tasks['in_progress'][0], 80)}){more}"
    elif left:
        yield f"the {left} open to-dos"
    if work["errors"]:
        yield f"the open error ({one_line(work['errors'][-1]['what'], 80)})"
    if work["tests"] and not work["tests"][-1]["ok"]:
        yield f"the failing test run ({one_line(work['tests'][-1]['command'], 60)})"
    if work["changed"]:
        names = ", ".join(path.rsplit("/", 1)[-1] for path in work["changed"][:-5:-1])
        yield f"the changes in {one_line(names, 200)}; decisions with their reasons"
