"""What did a command do: was it a test run, did it commit, which line tells what went wrong?

Rule: by the words of the command and of what it printed; the tools named here are the common ones, and a project's
own `scripts/test` or `bin/check` counts too.
"""

import re

TEST_COMMAND = re.compile(
    r"\b(pytest|jest|vitest|mocha|tox|nox|rspec|phpunit|ctest|unittest"
    r"|(?:go|cargo|npm|pnpm|yarn|bun|mix|dotnet|swift|make|mvn|gradlew?|rake|deno|mise run|just)\s+(?:run\s+)?test\S*"
    r"|(?:scripts?|bin|ci)/(?:test|check)\S*)"
)
COMMIT_COMMAND = re.compile(r"\bgit(?:\s+-[cC]\s+\S+|\s+--?[\w-]+(?:=\S+)?)*\s+commit(?![\w.=-])")
COMMIT_RESULT = re.compile(r"^\[(detached HEAD|\S+)(?: \([^)]*\))? ([0-9a-f]{7,40})\] (.+)$", re.MULTILINE)
COMMIT_MESSAGE = re.compile(r"""-\w*m\s*(["'])(.+?)(?:\1|\n|$)""")
NO_COMMIT = re.compile(r"nothing (?:added )?to commit|no changes added to commit")
RUN_FAILED = re.compile(
    r"(?m)\b[1-9]\d* (?:tests? )?(?:failed|failures?|errors?|failing)\b|^FAILED\b|^--- FAIL|^FAIL\b|test result: FAILED"
    r"|\b(?:failures|errors)[=:] ?[1-9]"
)
TROUBLE = re.compile(r"(?i)(error|exception|\b(?:failed|failure|fatal|panic|traceback|not found|denied))\b")


def commit_made(command: str, printed: str) -> str:
    """What a successful `git commit` made, "hash subject" or, where it was quiet, its message; "" for none."""
    if not COMMIT_COMMAND.search(command) or NO_COMMIT.search(printed):
        return ""
    told = COMMIT_RESULT.findall(printed)
    if told:
        return f"{told[-1][1]} {told[-1][2]}"
    message = COMMIT_MESSAGE.search(command)
    return message[2].strip() if message else "(message not shown)"


def tests_passed(printed: str) -> bool:
    """Whether a test run printed no failure. Its exit code may be that of `tail` or `grep` behind it."""
    low = printed.lower()  # two fast looks first: most runs pass, and their output is long
    return not (("fail" in low or "error" in low) and RUN_FAILED.search(printed))


_TALLY = re.compile(
    r"(?i)^\W*(?:tests?(?: suites| files)?:?\s+)?\d+ (?:tests? )?(?:failed|failures?|errors?|failing|passed)\b"
    r"|^\W*test result: |exit (?:code|status) \d+|^make(?:\[\d+\])?: \*\*\*|^FAIL\W*$|\bERROR task failed\b|^=== RUN\b"
    r"|/panic\.go:\d+|^npm (?:ERR!|error) (?:code|A complete log)"
)
"""A line that counts failures or says that there was one, and not which."""


def telling_line(text: str) -> str:
    """The line that says what went wrong: the last with a word for trouble, a mere count only for want of another."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    trouble = [line for line in lines if TROUBLE.search(line)]
    named = [line for line in trouble if not _TALLY.search(line)]
    first = [line for line in lines[:2] if not _TALLY.search(line)][:1]
    return (named or trouble or first or lines[:1] or [""])[-1]


OUTCOME = re.compile(
    r"(?i)\b(success\w*|pass(?:ed)?|ok|done|\d+ issues?|finished|complet\w+|created|updated|rebased|merged|switched"
    r"|installed|built|up to date|\d+ files? changed|HEAD is now|nothing to commit)\b|[✓✔]"
)
OUTCOME_WORDS = (
    *("success", "pass", "ok", "done", "issue", "finished", "complet", "created", "updated", "rebased", "merged"),
    *(
        "switched",
        "installed",
        "built",
        "up to date",
        "changed",
        "head is now",
        "nothing to commit",
        "\u2713",
        "\u2714",
    ),
)
"""One of these stands in every line that `OUTCOME` finds; looking for them costs a fifth."""
FEW_LINES, LINE_CHARS = 3, 240
TAIL_LINES, TAIL_CHARS = 12, 4_000  # where an outcome stands


def outcome_line(text: str) -> str:
    """The line of a command's output that says how it went; "" when none does.

    The last line with a word for an outcome; of a short output the last line; of a listing nothing.
    """
    lines = last_lines(text, TAIL_LINES)
    low = "\n".join(lines).lower()
    if any(word in low for word in OUTCOME_WORDS):
        for line in reversed(lines):
            if len(line) <= LINE_CHARS and OUTCOME.search(line):
                return line
    short = len(text) < TAIL_CHARS and len(lines) <= FEW_LINES and sum(map(len, lines)) <= LINE_CHARS
    return " / ".join(lines) if short else ""


def last_lines(text: str, most: int) -> list[str]:
    """The last lines of an output that say anything, at most `most`, without the blanks around them."""
    tail = text[-TAIL_CHARS:].rstrip().rsplit("\n", 2 * most)[-2 * most :]  # every other one may be blank
    return [line.strip() for line in "\n".join(tail).splitlines() if line.strip()][-most:]


_LOOK = re.compile(
    r"^(?:sudo )?(?:ls|cat|head|tail|grep|rg|find|fd|pwd|wc|tree|file|stat|which|echo|sed -n|awk|less|jq|ps|env|sleep"
    r"|diff|cd|git (?:-C \S+ )?"
    r"(?:status|diff|log|show|branch|ls-files|ls-tree|rev-parse|remote|blame|cat-file|config --get))\b"
)
_STEPS = re.compile(r"\s*(?:&&|\|\||;)\s*")
_LEADING = re.compile(r"^(?:cd\s+\S+\s*(?:&&|;)\s*)+")
_TRAILING = re.compile(r"(?:\s*2>&1|\s*\|\s*(?:tail|head|grep|less|cat|tee)\b[^|]*|\s*2>/dev/null)+\s*$")


def plainly(command: str) -> str:
    """A command on one line without the change of folder before it and the cutting of its output behind it."""
    flat = " ".join(command.split())
    return _TRAILING.sub("", _LEADING.sub("", flat)) or flat


def is_look(command: str) -> bool:
    """Whether a command only looks at things: its failure breaks nothing, and nobody needs to know it again."""
    plain = plainly(command)
    steps = [step for step in _STEPS.split(plain) if step]
    return not TEST_COMMAND.search(plain) and all(_LOOK.match(step) for step in steps)


def supersedes(passed: str, failed: str) -> bool:
    """Whether a command that passed answers one that failed before: the same program on the same thing, or on all.

    `go test -run TestA ./pkg` answers `go test -run TestA`; `npm test` answers every failed test run.
    """
    return any(_answers(step.split(), plainly(failed)) for step in _STEPS.split(plainly(passed)) if step)


def _answers(new: list[str], failed: str) -> bool:
    things, old = _things(new), failed.split()
    if not things and TEST_COMMAND.search(" ".join(new)):
        return bool(TEST_COMMAND.search(failed))
    if new[:2] != old[:2] or len(new[0]) < _SHORTEST:
        return False
    return things == _things(old) or not things or bool(things & _things(old))


_SHORTEST = 2
_WHOLE_TREE = {"./...", ".", "&&", "run", "test", "tests", "check"}


def _things(words: list[str]) -> set[str]:
    """What a command is about: its words after the program, but for options and whole-tree arguments."""
    return {word.strip("\"'") for word in words[1:] if not word.startswith("-")} - _WHOLE_TREE


_CHECK = re.compile(r"\b(?:tests?|lint|fmt|format|build|check|typecheck|vet|mypy|ruff|tsc|pytest|jest|vitest)\b")


def is_check(command: str) -> bool:
    """Whether a command tells if the work is sound: tests, lint, types, a build."""
    return bool(_CHECK.search(command)) and not is_look(command)
