"""What came of a command, by what it printed.

Only the forms of known tools are read: a test runner's count of failures, the client's line of an exit code, Python's
traceback.
"""

from holdfast.text import late as re
from holdfast.text.redaction import redacted, redacted_end
from holdfast.transcript.commands import has_own_exit, runs_tests
from holdfast.transcript.shell import flat, steps, unquoted

_TESTS_FAILED = re.compile(
    r"(?m)(?:^|[^\w\s-]|\b(?:with|were|was|Found|and|Files|Tests|Suites|Errors))[ \t]*"
    r"[1-9]\d* (?:tests? )?(?:failed|FAILED|failures?|errors?|failing)\b"
    r"(?! \(\d+ fixed, 0 remaining\))"  # as ruff sums up what it has mended
    r"|^FAILED\b|^--- FAIL|^[ \t]?FAIL\b|test result: FAILED|^(?:\[\w+\] )?B(?:UILD|uild) FAIL|: could not compile "
    r"|^[ \t]{0,9}[1-9]\d* fail$|^(?:#|\u2139) fail(?:ed)? +[1-9]|^Fail: {1,9}[1-9]|\d fails? (?:locally|remotely)"
    r"|^[ \t]{0,9}\u2716[ \t]{1,9}\d+(?: of |/)\d+ (?:targets )?failed|\bFailed:[ \t]{1,9}[1-9]\d*, Passed:"
    r"|^[ \t]{0,9}(?:[A-Z][\w ]{1,20}: (?:\d{1,9}, )?)?(?:total|[Pp]assed): {1,9}\d{1,9}"
    r"(?:, |[ \t]{0,9}\n[ \t]{0,9})[Ff]ailed: {1,9}[1-9]"
    r"|^not ok \d++(?!.*# (?:TODO|SKIP))|\bSome tests failed\.|^Result: FAIL|\*\* (?:\d+ )?TESTS? FAILED"
    r"|^[ \t]{1,9}\S{1,80}: FAIL code [1-9]\d* \(|^error Command failed with exit code | ERR_PNPM_"
    r"|(?<![Ee]xpected )\b(?i:failures|errors)[=:][ \t]{0,9}[1-9]"
    r"|^ImportError while loading conftest |^error: test failed, to rerun|evaluation failed :\("
    r"|^nox > Session \S+ failed|^Failed: {1,9}\S{1,80}#|\bFailed: Total \d"  # the last of turbo, of sbt
    r"|^g?make(?:\[\d+\])?: \*\*\* |^npm (?:ERR!|error) | ELIFECYCLE "
)
"""Sums, and lines of known tools: a number behind another word stands in a title, or tells of an earlier run."""
_PASSED_BY_NAME = re.compile("(?m)^[ \t]{0,40}[\u2713\u2714] .*$")
"""A test that passed, whose title may speak of failures."""
_TESTS_COUNTED = re.compile(
    r"\b[1-9]\d*%? (?:tests? )?pass(?:ed|ing|es)?\b|\b[1-9]\d* [a-z]{1,20}\b[^\n]{0,60}\b0 fail|\bOK(?: \([1-9]|, but)"
    r"|\bRan [1-9]\d* tests? (?:in|containing|across)\b|Tests run: [1-9]\d*, Failures: 0, Errors: 0\b"
    r"|Tests: [1-9]\d*, Assertions|\b(?:[Pp]assed|succeeded):?[ \t]{1,9}[1-9]|^[#\u2139] pass [1-9]"
    r"|\bAll (?:tests|specs) (?:passed|successful)|PASSED  \] [1-9]"
    r"|^Tasks: +([1-9]\d*) successful, \1 total|\bBUILD SUCC|\bTEST SUCC|^Result: PASS|\bof \d+ .{0,40}SUCCESS"
    r"|\bTest suite \S{1,80} passed|\bcongratulations :\)|\bwas successful\.?$"
)
"""What runners say where all is well: their sums, and of those that count nothing the last word."""
_PART_PASSED = re.compile(
    r"ok[ \t]+\S+[ \t]+(?:\(cached\)|[\d.]+s)(?:[ \t]+coverage: .*)?$|\?[ \t]+\S+[ \t]+\[no test files\]$|ok \d+\b"
    r"|test result: ok\. 0 passed; 0 failed;(?!.* [1-9]\d* filtered)"
)
"""As go and cargo say it of a package, where a failure would stand behind all of them; TAP of a test."""
_NONE_RAN = re.compile(
    r"\bno tests? (?:ran|executed|(?:files? )?found|were found|matches)\b|\b(?:ran|executed) 0 tests\b"
    r"|^0 examples|\b0 passing\b|\bok \| 0 passed|(?m:^[#\u2139] tests 0$|^\s*tests:? +\d+ skipped(?:,| \())"
    r"|\b0 passed; 0 failed;[^\n]{0,80} [1-9]\d* filtered out"
)
_EXIT = re.compile(r"(?:Error: )?Exit code (-?\d{1,10})\b[ \t]*\n?")


def tests_passed(printed: str) -> bool:
    """Whether a test run counted no failure, and any test. Its exit code may be that of `tail` or `grep` behind it."""
    low = printed.lower()  # fast looks first: most runs pass, and their output is long
    may_have = any(sign in low for sign in ("fail", "error", "not ok"))
    failed = may_have and _TESTS_FAILED.search(_PASSED_BY_NAME.sub("", printed))
    return not failed and not ("no test" in low and ran_none("", printed))


def ran_none(command: str, printed: str, code: int | None = None) -> bool:
    """Whether a check that failed has checked nothing, by its exit code (None: not known) or its own sum: it was
    mistyped, or is not there.
    """
    by_code = code in (126, 127) or (code in (4, 5) and "pytest" in command)
    low = printed.lower()  # a fast look first, as above
    is_told = any(
        one in low for one in ("no test", "0 tests", "0 examples", "0 pass", "tests 0", "skipped")
    ) and _NONE_RAN.search(low)
    return by_code or bool(is_told and not passes(printed))


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
    signs = (
        " pass",
        "assed",
        "OK",
        "Ran ",
        "Tests",
        " 0 fail",
        "SUCC",
        "success",
        "succeeded",
        "PASS",
        "congrat",
        "specs",
    )
    lines = reversed(printed.splitlines()) if any(sign in printed for sign in signs) else ()  # fast looks first
    told = (line.strip() for line in lines if any(sign in line for sign in signs))
    return next(filter(_TESTS_COUNTED.search, told), "")


def says_passed(end: str) -> bool:
    """Whether what a test run said at its end says that it passed, where no failure was counted."""
    return bool(passes(end) or _PART_PASSED.match(end))


def was_run(text: str, tells_code: bool) -> bool:
    """Whether the client carried out a call that failed with this text; if it did not, nothing broke. tells_code: it
    does of what ran, as of commands since 2.0.
    """
    not_run = (
        *("[Request interrupted", "Request interrupted", "<tool_use_error>", "String to replace not found"),
        *("File has not been read yet", "Sibling tool call", "Claude requested permissions", "Permission to use"),
    )
    is_told = not tells_code or exit_code(text) is not None
    return is_told and not without_code(text).lstrip().startswith(not_run)


def exit_code(text: str) -> int | None:
    """The code with which the client begins the result of a command that failed; None where it tells none."""
    found = _EXIT.match(text)
    return int(found[1]) if found else None


def without_code(text: str) -> str:
    """What a failed command printed, without the line of the client's about its exit code."""
    return _EXIT.sub("", text, count=1) if _EXIT.match(text) else text


def last_lines(text: str, most: int = 1) -> list[str]:
    """The last lines of an output that say anything, without blanks around them and without the client's exit code."""
    tail = text[-4_000:].rstrip().rsplit("\n", 2 * most)[-2 * most :]  # every other one may be blank
    lines = [line.strip() for line in "\n".join(tail).splitlines() if line.strip()][-most:]
    aside = ("Saved working directory and index state", "Shell cwd was reset to ")  # git's and the client's
    return [line for line in lines if not _EXIT.fullmatch(line) and not line.startswith(aside)]


def is_cut(text: str) -> bool:
    """Whether the client has cut a failed command's output, of which it then has neither the middle nor the end."""
    return text.partition("\n\n... [")[2].partition(" characters truncated] ...")[1] != ""


def thrown(text: str) -> str:
    """The line that says what a failure is about: git's of its first conflict, of Python's last traceback the first
    that is not indented; "" for none.
    """
    if conflict := re.search(r"(?m)^CONFLICT \(.*", text):
        return conflict[0]
    _, found, after = text[-20_000:].rpartition("Traceback (most recent call last):\n")
    lines = (line.strip() for line in after.splitlines() if line.strip() and line[0] not in " \t")
    return next(lines, "") if found else ""


def end_of(text: str, most: int) -> list[str]:
    """All that is kept of an output, without secrets: the rest of a session's text is only looked at."""
    return last_lines(redacted_end(without_stash(text), 2 * most), most)


def ended(text: str) -> list[str]:
    """What a failure says at its end, the most telling first; of one that the client has cut that it was cut."""
    if is_cut(text):
        code = exit_code(text)
        return [f"exit {'unknown' if code is None else code}; the client has cut what it printed, its end too"]
    lines, telling = end_of(text, 3), redacted(thrown(text))
    lines = lines or [f"exit {code}" for code in [exit_code(text)] if code is not None]
    return [telling, *(line for line in lines if line != telling)] if telling else lines


def without_stash(text: str) -> str:
    """An output without what `git stash pop` tells at its end when it went well: the status, and what it dropped."""
    told, dropped, rest = text.rpartition("Dropped refs/stash@{")
    status = told.rfind("On branch ") if dropped else -1
    return (told[:status] if status >= 0 else told) + rest.partition("\n")[2] if dropped else text


_MISSING = re.compile(
    r"(?m)(?:[Cc]ommand not found|[Mm]issing script|no such command|Failed to spawn): [\"'`]?([\w.:/@+-]+)"
    r"|(?<!\S)([^\s:]{1,80}+): (?:command )?not found[ \t]*$|^(\S{1,80}+) not found$"
    r"|: No module named ([\w.]{1,80})$|(?:No rule to make target|Command) [\"'`]([^\s\"'`]+)[\"'](?:\.| not found)"
)


def missing_program(printed: str) -> str:
    """The program, script or target that was not found; "" where it was not that."""
    found = _MISSING.search(printed)
    return next(filter(None, found.groups()), "") if found else ""


def printed_code(command: str, printed: str) -> int | None:
    """The exit code of its tests that a command prints behind them ("; echo rc=$?"), in a pipe its first step's too;
    None where it prints none, or there may be another number.
    """
    line = flat(command)
    parts = steps(line) if _CODE.search(line) else ()
    for first, step in enumerate(parts, -1):
        said = " ".join(unquoted(word) for word in step.words[1:] if word not in ("-e", "-n", "-ne"))
        asked = _CODE.search(said) if step.words[:1] == ["echo"] and parts[first].link == ";" else None
        piped = (at for at in range(first, 0, -1) if parts[at - 1].link not in ("|", "|&"))
        ran = line[: parts[first if not asked or asked[0] == "$?" else next(piped, 0)].end]
        if asked and runs_tests(ran) and has_own_exit(ran):
            *unknown, known = _PUT_IN.split(said[: asked.start()])
            form = f"{'' if unknown else '^'}{re.escape(known)}(\\d+){re.escape(said[asked.end() :])}\\r?$"
            codes = {*re.findall(f"(?m){form}", printed)}
            return int(codes.pop()) if len(codes) == 1 else None
    return None


_CODE = re.compile(r"\$\?|\$\{(?:PIPESTATUS\[0|pipestatus\[1)\]\}")  # bash's, zsh's
_PUT_IN = re.compile(r"\\n|[)`}]|\$\w+")
"""By what a text ends that is not known before it runs, or a line of it."""


def cuts_end(command: str, printed: str) -> bool:
    """Whether `head` may have left out the end of what was printed: it gave as many lines as it was to, with the blank
    ones at both ends that the client takes away.
    """
    heads = [" ".join(step.words) for step in steps(flat(command)) if step.words[:1] == ["head"]]
    most = (0 if " -c" in one else int("".join(filter(str.isdigit, one)) or 10) for one in heads)
    return len(printed.splitlines()) + 2 >= min(most, default=10**9)
