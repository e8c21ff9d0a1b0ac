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
    return not RUN_FAILED.search(printed)


def telling_line(text: str) -> str:
    """The line that says what went wrong: the last one with a word for trouble, else the first."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    trouble = [line for line in lines if TROUBLE.search(line)]
    return (trouble or lines[:1] or [""])[-1]
