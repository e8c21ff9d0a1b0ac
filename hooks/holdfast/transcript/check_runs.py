"""Was a check that failed passed since, in whatever form it was run?

A check is its folder, its program and what it is asked, as the shell reads it: it is over when each of its parts has
passed, on the same things or on more. What cannot be told for sure is not over.
"""

import functools
from collections.abc import Container, Iterable, Iterator
from posixpath import join, normpath
from typing import NamedTuple

from holdfast.text import late as re
from holdfast.transcript.commands import TEST_COMMAND, TOKEN, WORD, WORDS, is_look, shell_parts, unquoted

KEPT = 400
"""Characters of a command that runs and errors are known by."""
_TURNS = re.compile(r"(?:for|while|until|if|case|select|function|!|\[\[)(?!\S)")
"""A step behind which nobody knows what was run, or how it ended."""
_RUNS = re.compile(
    rf"(\w+=(?:{WORD})?) |(\S*/)?python(?:3|(\d\.\d+))?(?: -[BEIPSsu]+)*+ -m |(?:uv|poetry|pipenv|pdm|hatch) run "
    r"|(?:(?:bundle|pnpm|yarn) exec|npx|time|env|sudo|(?:ba|z)?sh|timeout \d\S*|\{) "
)
"""Before a program, whatever runs it: what it is given, and which one it is."""
_HOW = (
    ("", r"--(?:quiet|verbose|silent|exitfirst|no-header)|--(?:tb|color|durations|maxfail)[= ]\S+|-j ?\d*"),
    (r"(?:pytest|unittest|go|cargo|ruff|mypy|tox)\b", r"-[qvsx]+|-r[AENPXafpswx]+|-n ?(?:\d+|auto)"),
    ("git commit$", rf"-\w*m {WORD}|--message[= ]{WORD}"),
)
"""Programs, and the options by which they go or are told otherwise and do the same; -v may ask for a version."""
_FEWER = ("--", "-k", "-m", "-t", "-g", "-run", "--run", "--filter", "--grep", "--lf", "--last-failed")
"""Options that pick tests (pytest, Jest, Mocha, Go, dotnet): without one all are run."""
_WHOLE = re.compile(
    r"(?:.* )?(?:pytest|unittest|jest|vitest|mocha|rspec|phpunit)"
    r"|(?:npm|pnpm|yarn|bun|deno|cargo|mix) (?:.* )?test\S*"
    r"|ruff (?:check|format)|mypy"
)
"""Programs that take a folder with all below it, and where none is named all there is. Others may take it for one
package, or each word for a target.
"""
_OTHER_SOURCES = re.compile(
    r"git (?:-C \S+ )?(?:stash(?! (?:pop|apply|list|show|drop|clear|create|store)\b)|reset --hard"
    r"|(?:checkout|switch)(?: -[qf]| --quiet| --detach)* (?!-|HEAD -- |\S*(?:/|\.(?:[a-z]\w*)?)$))|gh pr checkout"
)
"""A step behind which others are checked than those that failed."""
_BACK = re.compile(r"git (?:-C \S+ )?(?:stash (?:pop|apply)\b|(?:checkout|switch) -$)")
"""A step behind which it is those again."""


_PROGRAM = re.compile(r"\S*(?: [\w:]+(?:-[\w:]+)*(?!\S))?")
"""With what it is asked to do, as far as that is a word of its own."""


class _Step(NamedTuple):
    """One program of a script."""

    text: str
    folder: str
    given: frozenset[str]
    """Variables, what is piped into it, and which of the programs of this name, where that is said."""
    program: str
    """With what it is asked to do ("go test", "ruff check")."""
    arguments: list[str]
    tests: bool
    ran: bool
    """Where the script ended well it did too; else its output must say so."""


@functools.lru_cache(256)
def _steps(command: str) -> list[_Step]:
    """Of a script as the shell reads it; none where they hang on what is not known, or it is longer than is kept."""
    if len(command) > KEPT:
        return []
    parts = [(" ".join(words), link) for words, link in shell_parts(command)]
    is_read = "".join(token[0] for token in TOKEN.finditer(command)) == command
    if not is_read or any(_TURNS.match(text) or (text and link == "(") for text, link in parts):  # "(": $(…)
        return []
    apart = ("||", ";"), ("||", ";", "|", "&")  # behind a step, and behind brackets
    last = max((at for at, (text, link) in enumerate(parts) if link in apart[not text]), default=-1)
    steps, folder, sure, outer = list[_Step](), ".", True, list[tuple[str, bool]]()
    given, fed = frozenset[str](), frozenset[str]()
    for at, (text, link) in enumerate(parts):
        verb, _, about = text.partition(" ")
        reached = sure and (at == 0 or parts[at - 1][1] != "||")
        ran = reached and at > last and link != "|"
        if link == "(":
            outer.append((folder, sure))
            sure = reached
        if verb in ("cd", "pushd", "popd"):
            folder = normpath(join(folder, unquoted(about) if about not in ("", "-") else "$"))
        elif verb == "export":
            given |= {unquoted(about)}
        elif text and link != "&":
            steps.append(_step(text, folder, given | fed, ran))
        fed = fed | {text} if link == "|" else frozenset()
        if link == ")" and outer:
            folder, sure = outer.pop()
    return steps


def _step(text: str, folder: str, given: frozenset[str], ran: bool) -> _Step:
    bare = text
    while found := _RUNS.match(bare):
        given |= {normpath(unquoted(one)) for one in found.groups() if one}
        bare = bare[found.end() :]
    bare = bare.replace(" run test", " test", 1)
    test = TEST_COMMAND.search(bare)
    end = test.end() if test and bare[test.end() :][:1] in ("", " ") else 0
    program = bare[:end] or (found[0] if (found := _PROGRAM.match(bare)) else "")
    place, _, name = program.rpartition("/")
    asked = bare[len(program) :]
    for programs, how in _HOW:
        if re.search(rf"(?:^|\s){programs}", name):
            asked = re.sub(rf"(?<!\S)(?:{how})(?!\S)", "", asked)
    arguments = [*map(unquoted, WORDS.findall(asked))]
    given |= {normpath(place)} if place else frozenset()
    return _Step(text, folder, given, name, arguments, end > 0, ran)


def supersedes(passed: Iterable[str], failed: str) -> bool:
    """Whether commands that passed answer one that failed, all by `plainly`: each step of it was passed, by the same
    program in the same folder, given as much, on the same things or on more.
    """
    asked = () if failed.endswith("…") else _asked(failed)
    done = _passed(passed) if asked else []
    return bool(asked) and all(any(_answers(new, one) for new in done) for one in asked)


def _leaves(step: str) -> bool:
    return bool(_OTHER_SOURCES.match(step))


@functools.lru_cache(256)
def _asked(failed: str) -> tuple[_Step, ...]:
    """All that a command does, but for looks: nobody knows which of it failed."""
    return tuple(one for one in _steps(failed) if not is_look(one.text))


def _passed(commands: Iterable[str], surely: bool = True) -> list[_Step]:
    """The steps of those that ended well that did so too, as far as that, or the output of the last tests, says so;
    else that ran. None on other sources.
    """
    told = list[_Step]()
    for command in commands:
        steps, is_away = _steps(command), False
        counted = next((one for one in reversed(steps) if one.tests and "||" not in command), None)
        for one in steps:
            is_away = _leaves(one.text) or (is_away and not _BACK.match(one.text))
            is_told = not surely or one.ran or one is counted
            told += [one] if is_told and not (is_away and is_check(one.text)) else []
    return told


def _answers(new: _Step, old: _Step) -> bool:
    """The same words; of a program that takes a folder with all below it, no others, and a folder that has the old."""
    added = new.given - old.given  # a variable may ask for less
    alike = (new.program, new.folder) == (old.program, old.folder) and old.given <= new.given
    if not alike or any("=" in one for one in added) or any(sign in f"{new.folder}{new.text}" for sign in "$`"):
        return False
    is_whole = bool(_WHOLE.fullmatch(new.program))
    if not is_whole and not new.tests and "..." not in new.text:
        return new.arguments == old.arguments
    options, had = ({word for word in one.arguments if word.startswith("-")} for one in (new, old))
    things, wanted = [*_apart(new)] or _things(new, had), _things(old, options)  # behind an option it may be its value
    missing = {option.partition("=")[0] for option in had - options}
    is_narrowed = any(_apart(new)) and not any(_apart(old))
    if options - had or is_narrowed or missing.difference(_FEWER if new.tests else ()):
        return False
    if not things:
        return not wanted or is_whole
    return bool(wanted) and all(any(_has(one, other, is_whole) for one in things) for other in wanted)


def _things(step: _Step, options: Container[str]) -> list[str]:
    """What a program is asked about; what stands behind an option that is not among these is its value, but a path."""
    before = ["", *step.arguments]
    return [
        word.removeprefix("./").rstrip("/")
        for option, word in zip(before, step.arguments, strict=False)
        if word[:1] != "-" and (option[:1] != "-" or option in options or "/" in word or "." in word)
    ]


def _apart(step: _Step) -> Iterator[str]:
    """What a program is asked about that is no option's value."""
    before = ["", *step.arguments]
    apart = (word for option, word in zip(before, step.arguments, strict=False) if "-" not in (word[:1], option[:1]))
    return (word.removeprefix("./").rstrip("/") for word in apart)


def _has(whole: str, thing: str, with_all_below: bool = True) -> bool:
    """Go's `...` stands for all below."""
    top = whole.removesuffix("...").rstrip("/")
    is_below = top in ("", ".", thing) or thing.startswith((f"{top}/", f"{top}:"))
    return whole == thing or (is_below and (with_all_below or whole.endswith("...")))


def moves(command: str) -> bool | None:
    """Whether other sources are there behind a command than before it; False: those of before again, None: neither."""
    if "git " not in command and "gh " not in command:  # to take a command apart is slow
        return None
    went = [not _BACK.match(one.text) for one in _steps(command) if _BACK.match(one.text) or _leaves(one.text)]
    return went[-1] if went else None


def does_one(command: str) -> bool:
    """Whether a command does one thing, but for looks."""
    steps = _steps(command)
    return bool(steps) and sum(not is_look(one.text) for one in steps) < 2


def touches(run: str, failed: str, has_passed: bool) -> bool:
    """Whether a command that ran may be a part of one that failed, or hold it: both test, or run one program, and they
    name nothing that is apart. has_passed: it is known that it did.
    """
    new = _passed([run], has_passed)
    return any(_overlap(one, old) for old in _asked(failed) for one in new)


def _overlap(new: _Step, old: _Step) -> bool:
    things, others = _things(new, ()), _things(old, ())
    names = f"{new.program} ", f"{old.program} "  # the second word of one may be a file
    is_one = names[0].startswith(names[1]) or names[1].startswith(names[0]) or (new.tests and old.tests)
    meet = not things or not others or any(_has(one, two) or _has(two, one) for one in things for two in others)
    return is_one and meet


def kinds(command: str) -> set[str]:
    """What it has in common with each command that it supersedes or is: the program of a step, or that it tests."""
    steps = _steps(command) or [_step(command, "", frozenset(), ran=False)]
    return {one.program for one in steps} | {"test" for one in steps if one.tests}


def is_check(command: str) -> bool:
    """Whether a command tells if the work is sound: tests, lint, types, a build. Its folders' names say nothing."""
    named = " ".join(word.rpartition("/")[2] for word in command.split())
    return bool(_CHECK.search(named)) and not is_look(command)


_CHECK = re.compile(r"\b(?:tests?|lint|fmt|format|build|check|typecheck|vet|mypy|ruff|tsc|pytest|jest|vitest)\b")
