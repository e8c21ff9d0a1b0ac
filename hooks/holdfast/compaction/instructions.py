"""What is the summariser asked to keep, and what does the user paste behind /compact?

Rule: hard facts alone, as the record has them, the user's words verbatim, long requests by their two ends; what does
not fit goes from the end, and what the last summary's record has the summariser has read. Behind them the record is
asked for that the summary is to close with (worklog/record.py). Sources: requirements H1, H2, W7.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from holdfast.checkpoint import model, sections
from holdfast.checkpoint.model import Environment
from holdfast.text.lines import both_ends, clip, counted, one_line
from holdfast.worklog import fold, record
from holdfast.worklog.marks import WHOLE, in_whose_words, unmarked
from holdfast.worklog.model import UNENDED, MarkedLine, OpenError, Run, UserPrompt, Worklog, begun
from holdfast.worklog.plan import is_finished, items

CHARS, SHOWN = 2_000, 650
"""Characters of facts; of a compaction by hand the client shows them on the screen, and to the model once more."""
PACKED = 220  # two lines of a screen
EARLIER = "earlier requests"
LONG = 400  # characters of what was laid down
HEAD = "Facts from the tool Holdfast. Quote the user verbatim; their later words override."
CLOSE = "Say of each to-do item whether it is planned, in progress, done or dropped."


def for_summariser(
    work: Worklog, standing: Sequence[str] = (), here: Environment | None = None, most: int = CHARS
) -> str:
    """Plain text for the summariser's "Additional Instructions", its facts at most so many characters; standing: as
    `compact_line` has it; here: the place of the work, where it is known.
    """
    close = [CLOSE] * (bool(items(work)) and not is_finished(items(work)))
    left, facts = most - len(HEAD) - sum(map(len, close)) - 2, list[str]()
    for fact in _facts(work, standing, here or {}, most):
        if len(fact) + 3 <= left:
            facts.append(f"- {fact}")
            left -= len(fact) + 3
    facts[1:] = sorted(facts[1:], key=lambda line: not line.startswith(f"- {EARLIER}: "))  # beside the newest
    return "\n".join([*([HEAD, *facts] if facts else []), *close, record.request(bool(work["record"]))])


def _facts(work: Worklog, standing: Sequence[str], here: Environment, most: int) -> Iterator[str]:
    """One line each, the most important first; most: characters of all, half of them for the newest request."""
    asks = model.in_force(model.worded(work))
    texts = [_quoted(prompt) for prompt in asks]
    newest = [one_line(both_ends(text, most // 2)) for text in texts[-1:]]
    waits = any(model.is_unanswered(work, prompt) for prompt in asks[-1:])
    how = ", not answered yet" * waits + ", here on one line" * any("\n" in text.strip() for text in texts[-1:])
    is_last = [one["n"] for one in asks[-1:]] == [one["n"] for one in work["prompts"][-1:]]
    label = (
        ("most recently" if is_last else "earlier") if any(map(model.deed, asks[-1:])) else "the user's newest request"
    )
    yield from (f"{label}{how}: {text}" for text in newest)
    recorded, rules = ([line["text"] for line in work["record"] if line["users"] or every] for every in (True, False))
    marks = (one for one in work["marks"] if one["kind"] in ("rule", "decision") and one["text"] not in recorded)
    laid_down = [one for one in marks if one["kind"] != "rule" or not record.quotes(one["text"], rules)]
    said = [*fold.words(work), *standing] if laid_down else []
    laid = dict.fromkeys(_laid_down(mark, said) for mark in laid_down)
    yield from laid
    for label, is_solved in ((sections.FAILED, False), (sections.SOLVED, True)):
        errors = sections.error_lines(work, is_solved)[: 1 if is_solved else None]
        yield from (f"{label.lower()}: {line.removeprefix('- ')}" for line in errors)
    asked = dict.fromkeys(one_line(both_ends(text, most * 3 // 20)) for text in texts[-2::-1])
    yield from _packed(EARLIER, (text for text in asked if text not in newest))
    rest = unmarked(work["before"]["text"], "assistant", [one["text"] for one in laid_down])
    leans_on = cast("Worklog", {**work, "before": {**work["before"], "text": rest}})
    if before := one_line(model.leans_on(leans_on, most * 3 // 20)):
        yield f'the end of the assistant\'s message before the newest request, not checked by Holdfast: "{before}"'
    is_over = is_finished(items(work)) and any(one["n"] > work["listed"] for one in asks[-1:])
    plan = sections.plan_lines(cast("Worklog", {**work, "todos": [], "tasks": {}}) if is_over else work)
    lists = (
        ("", plan),
        ("test run: ", sections.run_lines(work, 2, beside_errors=True)),
        ("last commits, newest last: ", _joined(one_line(commit, 120) for commit in work["commits"][-3:])),
    )
    for label, lines in lists:
        yield from (label + line.removeprefix("- ") for line in lines)
    yield from _packed(UNENDED.lower(), begun(work).values())
    yield from _edited(work, here)
    yield from _turned(work, texts, [*laid], most * 3 // 20)


def _quoted(prompt: UserPrompt) -> str:
    return model.prompt_text(prompt) if model.deed(prompt) else f'"{prompt["text"]}"'


def _edited(work: Worklog, here: Environment) -> Iterator[str]:
    """The last files that were edited; of the project's own whether they are as in HEAD: committed, or put back; and
    what is staged.
    """
    root, last, many = here.get("directory", ""), work["changed"][-12:], len(work["changed"])
    groups = dict[str, list[str]]()
    for path in last:
        name = path.removeprefix(f"{root}/")
        states = {"not committed": here.get("dirty", []), "now as in HEAD": here.get("clean", [])}
        told = [state for state, names in states.items() if here.get("commit") and name in names]
        groups.setdefault(", ".join(["files edited", *told]), []).append(path)
    more = f" ({'of the ' * (len(groups) > 1)}last {len(last)} of {many})" if many > len(last) else ""
    for label, paths in groups.items():
        yield from (f"{label}{more}: {line}" for line in _joined(sections.by_folder(paths, root or work["folder"])))
    staged = here.get("staged", [])
    more = f" and {len(staged) - 12} more" * (len(staged) > 12)
    yield from (f"staged: {', '.join(map(one_line, staged[:12]))}{more}" for _ in staged[:1])


def _turned(work: Worklog, told: Sequence[str], laid: Sequence[str], chars: int) -> Iterator[str]:
    """What the user refused and answered, the newest first; none that is told or laid down. chars: of each.

    Of requests that were followed by another none is told: the summariser has just read them, and most are done.
    """
    turned = dict[str, None]()
    for prompt in reversed(work["prompts"]):
        words, to = one_line(both_ends(prompt["text"], chars)), prompt["to"].replace(f" {work['folder']}/", " ")
        is_told = _quoted(prompt) in told or (words and any(words in line for line in laid))
        if prompt["source"] in ("refusal", "answer") and not is_told:
            turned[model.prompt_text({**prompt, "text": words, "to": to})] = None
    yield from turned


def _laid_down(mark: MarkedLine, said: Sequence[str]) -> str:
    """Whole, of a rule that quotes a part of the user's sentence that too, or by its length."""
    (whose, whole), text = in_whose_words(mark, said), one_line(mark["text"])
    label = f"marked as {mark['kind']}" + (f" by the {whose}" if whose == mark["by"] else f", {whose}")
    if len(text) + len(whole) > LONG:
        return f"{label}, {len(whole or text):,} characters: keep all of it, as it stands in the conversation"
    return f"{label}: {text}" + f'; the user said: "{whole}"' * bool(whole and whose == mark["by"])


def _packed(label: str, texts: Iterable[str]) -> Iterator[str]:
    """Several on a line while they are short."""
    line = ""
    for text in texts:
        if line and len(line) + len(text) > PACKED:
            yield line
            line = ""
        line = f"{line}, {text}" if line else f"{label}: {text}"
    yield from filter(None, [line])


def _joined(lines: Iterable[str]) -> Iterator[str]:
    """On one line, as the screen shows all of this at `/compact`."""
    yield from filter(None, ["; ".join(line.removeprefix("- ") for line in lines)])


def compact_line(work: Worklog, standing: Sequence[str] = (), issues: Sequence[str] = ()) -> str:
    """`/compact keep …`, naming what this session must not lose, short enough to read; ready to paste.

    standing: the user's rules that the memory has; issues: grave ones that are open there.
    """
    kept = "; ".join(_kept(work, standing, issues)) or "my requests in my words and the next step"
    return clip(f"/compact keep {kept}", 600)


def users_rules(work: Worklog, standing: Sequence[str]) -> list[str]:
    """The user's own, in whole sentences, the newest last; none that another has a part of."""
    marked = [mark for mark in work["marks"] if mark["kind"] == "rule"]
    said = fold.words(work) if marked else []
    own = (one["text"] if one["by"] == "user" else record.users_words(one["text"], said, WHOLE) for one in marked)
    rules = dict[str, str]()
    for text in (*standing, *own):  # what was said here stands last
        rules.pop(flat := sections.flat(text), None)
        rules |= {flat: text} if flat else {}
    return [text for flat, text in rules.items() if not any(flat in other for other in rules if other != flat)]


def _kept(work: Worklog, standing: Sequence[str], issues: Sequence[str]) -> Iterator[str]:
    """The task and the rules in the user's words, what is open, what has changed."""
    asked = model.asked(work)
    if asked.present:  # a short one leans on what it goes on from
        ends = dict.fromkeys(one_line(text, 140) for text in (asked.present, asked.latest))
        yield "my task ({})".format(", now ".join(f'"{text}"' for text in ends))
    if rules := [one_line(text) for text in users_rules(work, standing)[-3:]]:
        short = [text for text in rules if len(text) <= 80]
        longer = [f"{len(rules) - len(short)} that are longer, whole"] * (short != rules)
        yield f"my rules ({'; '.join([*short, *longer])})"
    tasks, errors = model.tasks(work), model.open_errors(work)
    planned = tasks["planned"]
    if tasks["in_progress"]:
        more = f" and {counted(len(planned), 'open to-do')}" if planned else ""
        yield f"the current step ({one_line(tasks['in_progress'][0], 80)}){more}"
    elif planned:
        yield f"the {counted(len(planned), 'open to-do')} ({one_line(planned[0], 60)}{', …' * (len(planned) > 1)})"
    marked = [mark["text"] for mark in work["marks"] if mark["kind"] in ("todo", "bug")]
    if noted := [*dict.fromkeys(one_line(text, 80) for text in (*issues[:1], *marked[-2:]))]:
        yield f"what is noted as open ({'; '.join(noted)})"
    run = _failing(work, errors)
    if errors and (not run or errors[-1]["at"] != run["command"]):  # else the run says it
        yield f"the open error ({one_line(errors[-1]['what'], 80)})"
    if run:
        what = next((error["what"] for error in errors if error["at"] == run["command"]), "")
        yield f"the failing test run ({one_line(run['command'], 60)}{': ' * bool(what)}{one_line(what, 100)})"
    if work["changed"]:
        names = ", ".join(_ends(work["changed"][:-5:-1]))
        yield f"the changes in {one_line(names, 200)}; decisions with their reasons"


def _ends(paths: Sequence[str]) -> Iterator[str]:
    """Of each path the name, with as many folders before it as tell it from the others."""
    for path in paths:
        steps = path.split("/")
        ends = ("/".join(steps[-count:]) for count in range(1, len(steps)))
        yield next((end for end in ends if sum(f"/{one}".endswith(f"/{end}") for one in paths) == 1), path)


def _failing(work: Worklog, errors: Sequence[OpenError]) -> Run | None:
    """The newest test run that fails, one before others of which the own exit is known: of several commands on a line
    nobody can say which failed. After an edit nobody knows how it would end.
    """
    still = {error["at"] for error in errors}
    runs = [run for run in work["tests"] if not run["ok"] and run["n"] > work["edited"]]
    known = [run for run in runs if run["exit"] is not None and run["command"] in still]
    last = [run for run in work["tests"][-1:] if run in runs]
    return next(iter((*known[::-1], *last)), None)
