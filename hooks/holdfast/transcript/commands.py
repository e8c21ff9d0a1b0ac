"""What is a command, by its own words: a run of tests, a commit, a mere look; and what came of it, by its output.

The tools named here are the common ones, and a project's own `scripts/test` or `bin/check` counts too. Of an output
only the forms of known tools are read: git's line of a commit, a test runner's count of failures.
"""

import functools
from collections.abc import Container, Iterable
from posixpath import join, normpath
from typing import NamedTuple

from holdfast.text import late as re

TEST_COMMAND = re.compile(
    r"\b(pytest|jest|vitest|mocha|tox|nox|rspec|phpunit|ctest|unittest"
    r"|(?:go|cargo|npm|pnpm|yarn|bun|mix|dotnet|swift|make|mvn|gradlew?|rake|deno|mise run|just)\s++(?:run\s++)?test\S*"
    r"|(?:go|cargo|npm|pnpm|yarn|bun|make)\s++(?:-\S{1,80}|workspace)\s++(?:\S{1,200}\s++)?(?:run\s++)?test(?![\w-])"
    r")|(?:^|[;&|(\n]|\b(?:ba|z)?sh\b|(?<!\S)\w{1,80}+=\S{0,80}+\s)\s{0,8}+"
    r"(?:[^\s;&|(]{0,80}/)?(?:scripts?|bin|ci)/(?:test|check)\S*"
)
_COMMIT_MADE = re.compile(r"^\[(?:detached HEAD|\S+)(?: \([^)\n]*\))? ([0-9a-f]{7,40})\] (.+)$", re.MULTILINE)
_TESTS_FAILED = re.compile(
    r"(?m)\b[1-9]\d* (?:tests? )?(?:failed|failures?|errors?|failing)\b|^FAILED\b|^--- FAIL|^FAIL\b|test result: FAILED"
    r"|\b(?:failures|errors)[=:] ?[1-9]"
)
_TESTS_COUNTED = re.compile(r"\b[1-9]\d* (?:tests? )?pass(?:ed|ing)\b")
_NONE_RAN = re.compile(r"(?i)\bno tests? (?:ran|(?:files? )?found)\b")
_EXIT = re.compile(r"(?:Error: )?Exit code (-?\d{1,10})\b[ \t]*\n?")
LONGEST = 20_000
"""Characters of a command that are taken apart; a longer one is no mere look."""
_HERE_DOCUMENT = re.compile(r"(?<!\$\(cat )<<-?[ \t]*+([\"']?)(\w+)\1")


def commit_made(command: str, printed: str) -> str:
    """What a successful `git commit` made, "hash subject" or, where it was quiet, its subject; "" for none."""
    look = {"--dry-run", "--short", "--porcelain", "--long", "--help", "-h"}
    made = [words for step in _shell_steps(command) if (words := _commit(step)) and not look.intersection(words)]
    none = ("nothing to commit", "nothing added to commit", "no changes added to commit")
    if not made or any(said in printed for said in none):
        return ""
    told = _COMMIT_MADE.findall(printed)
    return " ".join(told[-1]) if told else _subject(made[-1])


def commit_hash(made: str) -> str:
    """The hash at the beginning of what `commit_made` gives; "" for a commit that told only its subject."""
    first = made.split(" ", 1)[0]
    return first if 7 <= len(first) <= 40 and not first.strip("0123456789abcdef") else ""


def _without_documents(script: str) -> str:
    """A script without the texts that it hands to commands; one without its end reaches to the script's."""
    kept, closing = list[str](), ""
    for line in script.split("\n"):
        if closing:
            closing = "" if line.strip() == closing else closing
            continue
        kept.append(line)
        opened = _HERE_DOCUMENT.search(line)
        closing = opened[2] if opened else ""
    return "\n".join(kept)


_QUOTATION = r"'[^']*+'|\"(?:[^\"\\]|\\.)*+\""
_WORD = rf"(?:[^\s;&|()<>\"'\\]|\\.|{_QUOTATION})++"
_WORDS = re.compile(_WORD)
_TOKEN = re.compile(
    rf"[ \t\r]+|(?P<link>&&|\|\||[;&|()\n])|\d?&?>[>&|]*[ \t]*{_WORD}|(?P<word><[<&>]*[ \t]*{_WORD}|{_WORD})"
)
_PART = re.compile(r"'([^']*)'|\"((?:[^\"\\]|\\.)*)\"|\\(.)", re.DOTALL)


def _parts(script: str) -> list[tuple[list[str], str]]:
    """The words of each step of a shell script, without where it writes to, and the sign behind it."""
    parts, words = list[tuple[list[str], str]](), list[str]()
    for token in _TOKEN.finditer(script):
        if token["word"]:
            words.append(token["word"])
        elif token["link"]:
            parts.append((words, token["link"]))
            words = []
    return [*parts, (words, "")]


def _unquoted(word: str) -> str:
    return _PART.sub(lambda found: found[1] or (found[2] or "").replace('\\"', '"') or found[3] or "", word)


def _shell_steps(command: str) -> list[list[str]]:
    """The words of each step of a shell script, quotes taken off, without what is only written to a file."""
    if "commit" not in command:  # to take a script apart is slow
        return []
    script = _without_documents(command[:LONGEST].replace("\\\n", " "))
    return [[*map(_unquoted, words)] for words, _ in _parts(script)]


def _commit(words: list[str]) -> list[str]:
    """The words of a step from `commit` on where it runs `git commit`; else []."""
    before = {"{", "!", "if", "then", "else", "do", "time"}  # the shell's own
    with_value = {"-C", "-c", "--git-dir", "--work-tree", "--namespace"}  # of git, before the subcommand
    while words and (words[0] in before or (words[0].partition("=")[0].isidentifier() and "=" in words[0])):
        words = words[1:]
    is_git, words = words[:1] == ["git"], words[1:]
    while words and words[0].startswith("-"):
        words = words[2 if words[0] in with_value else 1 :]
    return words if is_git and words[:1] == ["commit"] else []


def _subject(words: list[str]) -> str:
    """The first line of a commit's message by its options; "" where they have none."""
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word.startswith("--message"):
            message = word.partition("=")[2] or following
        elif word[:1] == "-" and word[1:2] != "-" and "m" in word:
            message = word.partition("m")[2] or following
        else:
            continue
        lines = message.strip().splitlines()
        at = 1 if message.startswith("$(cat <<") else 0
        return lines[at].strip() if len(lines) > at else ""
    return ""


def tests_passed(printed: str) -> bool:
    """Whether a test run counted no failure, and any test. Its exit code may be that of `tail` or `grep` behind it."""
    low = printed.lower()  # fast looks first: most runs pass, and their output is long
    failed = ("fail" in low or "error" in low) and _TESTS_FAILED.search(printed)
    return not failed and not ("no test" in low and ran_none("", printed))


def ran_none(command: str, printed: str, code: int | None = None) -> bool:
    """Whether a check that failed has checked nothing, by its exit code (None: not known) or its own sum: it was
    mistyped, or is not there.
    """
    by_code = code in (126, 127) or (code in (4, 5) and "pytest" in command)
    return by_code or bool(_NONE_RAN.search(printed) and not passes(printed))


def failures(printed: str) -> list[str]:
    """The lines by which a test run says what failed, the one that sums them up first where it is the last of all.

    A package with what it took ("FAIL", tab, name) stands for its tests, where they are not named.
    """
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    told = [line for line in lines if _TESTS_FAILED.search(line)]
    found = [line for line in told if " " in line] or [line for line in told if "\t" in line]
    return [*found[-1:], *found[:-1]] if found[-1:] == lines[-1:] else found


def passes(printed: str) -> str:
    """The last line by which a test run says how many passed; "" for none."""
    lines = reversed(printed.splitlines()) if " pass" in printed else ()  # a fast look first, as above
    return next((line.strip() for line in lines if " pass" in line and _TESTS_COUNTED.search(line)), "")


def exit_code(text: str) -> int | None:
    """The code with which the client begins the result of a command that failed; None where it tells none."""
    found = _EXIT.match(text)
    return int(found[1]) if found else None


def last_lines(text: str, most: int = 1) -> list[str]:
    """The last lines of an output that say anything, without blanks around them and without the client's exit code."""
    tail = text[-4_000:].rstrip().rsplit("\n", 2 * most)[-2 * most :]  # every other one may be blank
    lines = [line.strip() for line in "\n".join(tail).splitlines() if line.strip()][-most:]
    stashed = "Saved working directory and index state"
    return [line for line in lines if not _EXIT.fullmatch(line) and not line.startswith(stashed)]


def is_cut(text: str) -> bool:
    """Whether the client has cut a failed command's output, of which it then has neither the middle nor the end."""
    return text.partition("\n\n... [")[2].partition(" characters truncated] ...")[1] != ""


def thrown(text: str) -> str:
    """The line by which Python's last traceback says what it is about: the first that is not indented; "" for none."""
    _, found, after = text[-20_000:].rpartition("Traceback (most recent call last):\n")
    lines = (line.strip() for line in after.splitlines() if line.strip() and line[0] not in " \t")
    return next(lines, "") if found else ""


def without_stash(text: str) -> str:
    """An output without what `git stash pop` tells at its end when it went well: the status, and what it dropped."""
    told, dropped, rest = text.rpartition("Dropped refs/stash@{")
    status = told.rfind("On branch ") if dropped else -1
    return (told[:status] if status >= 0 else told) + rest.partition("\n")[2] if dropped else text


_MISSING = re.compile(
    r"(?m)command not found: (\S+)|(?<!\S)([^\s:]{1,80}+): (?:command )?not found[ \t]*$|^(\S{1,80}+) not found$"
)


def missing_program(printed: str) -> str:
    """The program that a shell or `which` did not find; "" where it was not that."""
    found = _MISSING.search(printed)
    return next(filter(None, found.groups()), "") if found else ""


def has_own_exit(command: str) -> bool:
    """Whether the exit code is that of the tests that a command runs: nothing is piped or run behind them."""
    plain = _QUOTED.sub("", command)
    run = TEST_COMMAND.search(plain)
    behind = plain[run.end() :].replace("&&", "").replace("2>&1", "").replace("&>", "") if run else ""
    return "pipefail" in command or not any(sign in behind.rstrip(" \n;") for sign in "|;&\n")


_QUOTED = re.compile(_QUOTATION)
_LOOK = re.compile(
    r"^(?:sudo )?(?:ls|cat|head|tail|grep|rg|find|fd|pwd|wc|tree|file|stat|which|echo|sed -n|awk|less|jq|ps|env|sleep"
    r"|diff|cd|git (?:-C \S+ )?"
    r"(?:status|diff|log|show|branch|ls-files|ls-tree|rev-parse|remote|blame|cat-file|config --get))\b"
)
_OURS = re.compile(
    r"(?:\w{1,80}+=\S{0,200}+ )*+"
    r"(?:(?:\"[^\"]{0,400}/|'[^']{0,400}/|\S{0,400}/)?holdfast|\S{0,200}python[\d.]{0,5} -m holdfast)(?![\w.-])"
)
"""A call of this pack."""
_STEPS = re.compile(r" ?(?:&&|\|\||;) ?")
_BREAK = re.compile(rf"({_QUOTATION})|\\\n|(?<!\S)#[^\n]*|(?P<next>(?<![&|;({{\s])\s*\n\s*)")
"""Where a script goes on, outside of quotations: in the same line, behind a comment, with the next command."""
_CD = re.compile(r"cd (\"[^\"$`]*\"|'[^']*'|[^\s;&|()<>$`\"'~-][^\s;&|()<>$`\"']*) ?(?:&&|;) ?")
_BEHIND = re.compile(r" ?(?:tail|head|grep|less|cat|tee)\b")


def plainly(command: str, folder: str = "", root: str = "") -> str:
    """A command on one line without the cutting of its output behind it, and with the folder that it runs in only where
    that is another than `root`. folder: where it was called; without a root none is told.
    """
    script = _BREAK.sub(lambda found: found[1] or (" " if found["next"] is None else "; "), command)
    flat, place = " ".join(script.split()).strip("; "), folder
    rest = flat
    while found := _CD.match(rest):
        place, rest = normpath(join(place, found[1].strip("\"'"))), rest[found.end() :]
    piped = _quiet(rest).split("|")
    while len(piped) > 1 and _BEHIND.match(piped[-1]):
        piped[-2:] = [_quiet(piped[-2])]
    place = f"{place}/".removeprefix(f"{root}/").rstrip("/") if root else ""
    shown = f"'{place}'" if " " in place else place
    return f"cd {shown} && " * (place not in ("", ".")) + ("|".join(piped) or flat)


def _quiet(command: str) -> str:
    """Without where its messages go."""
    words = command.rstrip(" ").split(" ")
    while words and words[-1] in ("2>&1", "2>/dev/null"):
        words.pop()
    return " ".join(words).removesuffix("2>&1").removesuffix("2>/dev/null")


def is_look(command: str) -> bool:
    """Whether a command only looks at things or calls this pack: its failure breaks nothing of the work, and nobody
    needs to know it again.
    """
    plain = plainly(command) if len(command) <= LONGEST else "|"
    return not TEST_COMMAND.search(plain) and all(
        _LOOK.match(step) or _OURS.match(step) for step in _STEPS.split(plain) if step
    )


_TURNS = re.compile(r"(?:for|while|until|if|case|select|function|!|\[\[)(?!\S)")
"""A step behind which nobody knows what was run, or how it ended."""
_RUNS = re.compile(
    rf"(\w+=(?:{_WORD})?) |(\S*/)?python(?:3|(\d\.\d+))?(?: -[BEIPSsu]+)*+ -m |(?:uv|poetry|pipenv|pdm|hatch) run "
    r"|(?:(?:bundle|pnpm|yarn) exec|npx|time|env|sudo|(?:ba|z)?sh|timeout \d\S*|\{) "
)
"""Before a program, whatever runs it: what it is given, and which one it is."""
_HOW = re.compile(
    r"(?<!\S)(?:-[qvsx]+|-r[AENPXafpswx]+|-[nj] ?(?:\d+|auto)|--(?:quiet|verbose|silent|exitfirst|no-header)"
    r"|--(?:tb|color|durations|maxfail)[= ]\S+)(?!\S)"
)
"""Options by which a check goes or is told otherwise, and checks the same."""


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
    """Of a script as the shell reads it; none where they hang on what is not known."""
    parts = [(" ".join(words), link) for words, link in _parts(command)]
    is_read = "".join(token[0] for token in _TOKEN.finditer(command)) == command
    if not is_read or any(_TURNS.match(text) or (text and link == "(") for text, link in parts):  # "(": $(…)
        return []
    last = max((at for at, (_, link) in enumerate(parts) if link in ("||", ";")), default=-1)
    steps, folder, outer = list[_Step](), ".", list[str]()
    given, fed = frozenset[str](), frozenset[str]()
    for at, (text, link) in enumerate(parts):
        verb, _, about = text.partition(" ")
        ran = at > last and link != "|" and (at == 0 or parts[at - 1][1] != "||")
        if link == "(":
            outer.append(folder)
        if verb in ("cd", "pushd", "popd"):
            folder = normpath(join(folder, _unquoted(about) if about not in ("", "-") else "$"))
        elif verb == "export":
            given |= {_unquoted(about)}
        elif text and link != "&":
            steps.append(_step(text, folder, given | fed, ran))
        fed = fed | {text} if link == "|" else frozenset()
        if link == ")" and outer:
            folder = outer.pop()
    return steps


def _step(text: str, folder: str, given: frozenset[str], ran: bool) -> _Step:
    bare = text
    while found := _RUNS.match(bare):
        given |= {normpath(_unquoted(one)) for one in found.groups() if one}
        bare = bare[found.end() :]
    bare = bare.replace(" run ", " ", 1)
    test = TEST_COMMAND.search(bare)
    end = test.end() if test and bare[test.end() :][:1] in ("", " ") else 0
    program = bare[:end] or " ".join(bare.split(" ", 2)[:2])
    place, _, name = program.rpartition("/")
    arguments = [*map(_unquoted, _WORDS.findall(_HOW.sub("", bare[len(program) :])))]
    given |= {normpath(place)} if place else frozenset()
    return _Step(text, folder, given, name, arguments, end > 0, ran)


def supersedes(passed: Iterable[str], failed: str) -> bool:
    """Whether commands that passed answer one that failed, all by `plainly`: each check of it was passed, else each
    step, by the same program in the same folder, given as much, on the same things or on more.
    """
    steps, done = _steps(failed), [one for command in passed for one in _passed(command)]
    asked = [one for one in steps if is_check(one.text)] or [one for one in steps if not is_look(one.text)]
    is_known = bool(asked) and not failed.endswith("…")
    return is_known and all(any(_answers(new, one) for new in done) for one in asked)


def _passed(command: str) -> list[_Step]:
    """The steps of one that ended well that did so too, as far as that or the tests' output says so."""
    return [one for one in _steps(command) if one.ran or one.tests]


def _answers(new: _Step, old: _Step) -> bool:
    alike = (new.program, new.folder) == (old.program, old.folder) and old.given <= new.given
    if not alike or any(sign in f"{new.folder}{new.text}" for sign in "$`"):
        return False
    options, had = ({word for word in one.arguments if word.startswith("-")} for one in (new, old))
    things, wanted = _things(new, options), _things(old, options)
    if not new.tests and not is_check(old.text):  # an action is done, however
        return not things or not wanted or bool({*things} & {*wanted})
    if options - had or (had - options and not new.tests):
        return False
    return not things or (bool(wanted) and all(any(_has(one, other) for one in things) for other in wanted))


def _things(step: _Step, options: Container[str]) -> list[str]:
    """What a program is asked about; what stands behind an option that is not among these is its value, but a path."""
    before = ["", *step.arguments]
    return [
        word.removeprefix("./").removesuffix("...").rstrip("/")
        for option, word in zip(before, step.arguments, strict=False)
        if word[:1] != "-" and (option[:1] != "-" or option in options or "/" in word or "." in word)
    ]


def _has(whole: str, thing: str) -> bool:
    return whole in ("", ".", thing) or thing.startswith((f"{whole}/", f"{whole}:"))


def touches(passed: str, failed: str) -> bool:
    """Whether a check that passed may be a part of one that failed, or hold it: both test, or run one program, and they
    name nothing that is apart.
    """
    return any(_overlap(new, old) for old in _steps(failed) if is_check(old.text) for new in _passed(passed))


def _overlap(new: _Step, old: _Step) -> bool:
    things, others = _things(new, ()), _things(old, ())
    is_one = new.program == old.program or (new.tests and old.tests)
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
