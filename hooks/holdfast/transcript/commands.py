"""What is a command, by its own words: a run of tests, a commit, a mere look; and what came of it, by its output.

The tools named here are the common ones, and a project's own `scripts/test` or `bin/check` counts too. Of an output
only the forms of known tools are read: git's line of a commit, a test runner's count of failures.
"""

import contextlib

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


def _shell_steps(command: str) -> list[list[str]]:
    """The words of each step of a shell script, quotes taken off, without what is only written to a file."""
    if "commit" not in command:  # to take a script apart is slow
        return []
    import shlex  # rarely needed

    script = _without_documents(command[:LONGEST].replace("\\\n", " "))
    words = shlex.shlex(script, posix=True, punctuation_chars=";&|()\n")
    words.whitespace, words.whitespace_split, words.commenters = " \t\r", True, ""
    steps: list[list[str]] = [[]]
    with contextlib.suppress(ValueError):  # a quote without its end: what stands before it is known
        for word in words:
            if word.strip(";&|()\n"):
                steps[-1].append(word)
            else:
                steps.append([])
    return steps


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


_QUOTED = re.compile(r"'[^']*+'|\"(?:[^\"\\]|\\.)*+\"")
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
_BEFORE = re.compile(r"(?:cd \S+ ?(?:&&|;) ?)+")
_BEHIND = re.compile(r" ?(?:tail|head|grep|less|cat|tee)\b")


def plainly(command: str) -> str:
    """A command on one line without the change of folder before it and the cutting of its output behind it."""
    flat = " ".join(command.split())
    before = _BEFORE.match(flat)
    piped = _quiet(flat[before.end() if before else 0 :]).split("|")
    while len(piped) > 1 and _BEHIND.match(piped[-1]):
        piped[-2:] = [_quiet(piped[-2])]
    return "|".join(piped) or flat


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


def supersedes(passed: str, failed: str) -> bool:
    """Whether a command that passed answers one that failed: the same program on the same thing, or on all of them."""
    return any(_answers(step.split(), plainly(failed)) for step in _STEPS.split(plainly(passed)) if step)


def kinds(command: str) -> set[str]:
    """What it has in common with each command that it supersedes or is: how a step of it begins, or that it tests."""
    plain = plainly(command)
    steps = [plain, *filter(None, _STEPS.split(plain))]
    return {" ".join(step.split()[:2]) for step in steps} | {"test" for step in steps if TEST_COMMAND.search(step)}


def _answers(new: list[str], failed: str) -> bool:
    things, old = _things(new), failed.split()
    if not things and TEST_COMMAND.search(" ".join(new)):
        return bool(TEST_COMMAND.search(failed))
    return new[:2] == old[:2] and len(new[0]) > 1 and (not things or bool(things & _things(old)))


def _things(words: list[str]) -> set[str]:
    """What a command is about: its words after the program, but for options and whole-tree arguments."""
    whole = {"./...", ".", "&&", "run", "test", "tests", "check"}
    return {word.strip("\"'") for word in words[1:] if not word.startswith("-")} - whole


def is_check(command: str) -> bool:
    """Whether a command tells if the work is sound: tests, lint, types, a build. Its folders' names say nothing."""
    named = " ".join(word.rpartition("/")[2] for word in command.split())
    return bool(_CHECK.search(named)) and not is_look(command)


_CHECK = re.compile(r"\b(?:tests?|lint|fmt|format|build|check|typecheck|vet|mypy|ruff|tsc|pytest|jest|vitest)\b")
