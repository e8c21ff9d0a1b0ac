"""What is the summariser asked to keep, and what does the user paste behind /compact?

Rule: hard facts alone, as the record has them, the user's words verbatim. The newest request stands by its two ends,
earlier ones are cut at their end, and what does not fit goes from the end. Behind them the record is asked for that the
summary is to close with (worklog/record.py). Sources: requirements H1, H2, W7.
"""

from collections.abc import Iterable, Iterator, Sequence

from holdfast.checkpoint import model, sections
from holdfast.text.lines import both_ends, clip, one_line
from holdfast.worklog import fold, record
from holdfast.worklog.model import Worklog

CHARS = 2_000  # after a manual compaction the client shows the text to the model once more
HEAD = "Keep these facts of the session's record word for word (Holdfast):"
CLOSE = "Keep numbers, paths and names exactly, and of each task whether it is planned, in progress, done or dropped."


def for_summariser(work: Worklog) -> str:
    """Plain text for the summariser's "Additional Instructions", its facts at most CHARS."""
    left, facts = CHARS - len(HEAD) - len(CLOSE) - 2, []
    for line in _facts(work):
        if len(line) + 3 <= left:
            facts.append(f"- {line}")
            left -= len(line) + 3
    return "\n".join([*([HEAD, *facts] if facts else []), CLOSE, record.request(bool(work["record"]))])


def _facts(work: Worklog) -> Iterator[str]:
    """One line each, the most important first."""
    worded = model.worded(work)
    prompts = [one_line(both_ends(model.prompt_text(prompt), 600)) for prompt in worded["prompts"]]
    waits = any(model.is_unanswered(work, prompt) for prompt in work["prompts"][-1:])
    yield from (f'the user\'s newest request{", not answered yet" * waits}: "{text}"' for text in prompts[-1:])
    asked = dict.fromkeys(prompts[len(prompts) - len(model.in_force(worded)) : -1])
    yield from (f'it goes on from: "{clip(text, 300)}"' for text in asked if text != prompts[-1])
    if before := one_line(model.leans_on(work, 300)):
        yield f'the end of the assistant\'s message before that request: "{before}"'
    for mark in work["marks"]:
        if mark["kind"] in ("rule", "decision"):
            yield f"marked as {mark['kind']} by the {mark['by']}: {one_line(mark['text'], 300)}"
    lists = (
        ("", sections.plan_lines(work)),
        ("failed and has not worked since: ", sections.error_lines(work)),
        ("test run: ", sections.run_lines(work, 2, beside_errors=True)),
        ("commits: ", _joined(one_line(commit, 120) for commit in work["commits"][-3:])),
        ("changed: ", _joined(sections.by_folder(work["changed"][-8:], work["folder"]))),
    )
    for label, lines in lists:
        yield from (label + line.removeprefix("- ") for line in lines)
    said = [one_line(both_ends(model.prompt_text(prompt), 600)) for prompt in model.last_said(worded["prompts"])]
    earlier = dict.fromkeys([*said[:1], *reversed(said[1:-1])])
    yield from (f'an earlier request: "{clip(text, 120)}"' for text in earlier if text not in (*asked, prompts[-1]))


def _joined(lines: Iterable[str]) -> Iterator[str]:
    """On one line, as the screen shows all of this at `/compact`."""
    yield from filter(None, ["; ".join(line.removeprefix("- ") for line in lines)])


def compact_line(work: Worklog, standing: Sequence[str] = ()) -> str:
    """`/compact keep …`, naming what this session must not lose, short enough to read; ready to paste.

    standing: the user's rules that the memory has.
    """
    return clip(
        "/compact keep " + ("; ".join(_kept(work, standing)) or "my requests in my words and the next step"), 600
    )


def _rules(work: Worklog, standing: Sequence[str]) -> list[str]:
    """The user's own, in whole sentences, the newest last; none that another has a part of."""
    marked = [mark for mark in work["marks"] if mark["kind"] == "rule"]
    said = fold.words(work) if marked else []
    own = (one["text"] if one["by"] == "user" else record.users_words(one["text"], said) for one in marked)
    rules = {flat: text for text in (*standing, *own) if (flat := sections.flat(text))}
    return [text for flat, text in rules.items() if not any(flat in other for other in rules if other != flat)]


def _kept(work: Worklog, standing: Sequence[str]) -> Iterator[str]:
    """The task and the rules in the user's words, what is open, what has changed."""
    asked = model.asked(work)
    if asked.present:  # a short one leans on what it goes on from
        ends = dict.fromkeys(one_line(text, 140) for text in (asked.present, asked.latest))
        yield "my task ({})".format(", now ".join(f'"{text}"' for text in ends))
    if rules := [one_line(text, 80) for text in _rules(work, standing)[-3:]]:
        yield f"my rules ({'; '.join(rules)})"
    tasks, errors, runs = model.tasks(work), model.open_errors(work), work["tests"][-1:]
    planned = tasks["planned"]
    if tasks["in_progress"]:
        more = f" and {len(planned)} open to-dos" if planned else ""
        yield f"the current step ({one_line(tasks['in_progress'][0], 80)}){more}"
    elif planned:
        yield f"the {len(planned)} open to-dos ({one_line(planned[0], 60)}{', …' * (len(planned) > 1)})"
    noted = [one_line(mark["text"], 80) for mark in work["marks"] if mark["kind"] in ("todo", "bug")]
    if noted:
        yield f"what is noted as open ({'; '.join(noted[-2:])})"
    if errors:
        yield f"the open error ({one_line(errors[-1]['what'], 80)})"
    if runs and not runs[0]["ok"] and runs[0]["n"] > work["edited"]:  # nobody knows how it would end after an edit
        yield f"the failing test run ({one_line(runs[0]['command'], 60)})"
    if work["changed"]:
        names = ", ".join(path.rsplit("/", 1)[-1] for path in work["changed"][:-5:-1])
        yield f"the changes in {one_line(names, 200)}; decisions with their reasons"
