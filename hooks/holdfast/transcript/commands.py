"""What is a command, by its own words: a run of tests, a commit, a mere look.

The tools named here are the common ones, and a project's own `scripts/test` or `bin/check` counts too.
"""

from collections.abc import Sequence
from itertools import pairwise
from posixpath import join, normpath

from holdfast.text import late as re
from holdfast.transcript.shell import LONGEST, Step, flat, steps, substituted, unquoted

_GOALS = r"(?:\s++(?:-C\s++\S{1,80}+|(?!-[Cx]\s|setup\b)[-\w.,=:]{1,80}+)){0,6}?\s++"
"""Options and goals before the one that tests."""
TEST_COMMAND = re.compile(
    r"(?<![\w.-])((?:pytest|py\.test|jest|vitest|mocha|tox|nox|rspec|phpunit|ctest|unittest|bats|gotestsum|nosetests)"
    r"(?![\w/]|-(?!\d)|\.(?!(?:m?js|exe|cmd|phar)\b))"
    r"|(?:go|cargo|npm|pnpm|yarn|bun|mix|dotnet|swift|make|mvnw?|gradlew?|rake|deno|mise run|just|rails|bazel|sbt|lein"
    r"|stack|cabal|flutter|dart|composer|turbo|nx|ng|forge|playwright|artisan|manage\.py|xcodebuild|zig build)"
    r"(?:\s++(?:[-+]\S{1,80}+(?:\s++(?!run\b|tests?\b|[-+])\S{1,200}+)?|run|clean|affected"
    r"|workspace\s++\S{1,200}+)){0,6}\s++(?<!-[Cx] )(?::(?:[\w-]{1,80}:){0,4})?"
    r"tests?(?:[A-Z]\w{0,80}Test)?(?:[:._-]\S*+)?(?![\w/])"
    r"|cargo\s++nextest\s++run|cypress\s++run|npm\s++t(?!\S)"
    rf"|(?:make|ninja|meson|gradlew?(?:\.bat)?){_GOALS}(?:tests?|check)(?![\w/:.=-])"
    rf"|mvnw?{_GOALS}(?:test|verify)(?![\w/:.-])|node\s++(?:-\S{{1,80}}\s++){{0,4}}--test(?![\w-])"
    r")|(?:^|[;&|(\n]|\b(?:ba|z)?sh\b|(?<!\S)\w{1,80}+=\S{0,80}+\s)\s{0,8}+"
    r"(?:[^\s;&|(]{0,80}/)?(?:(?:scripts?|bin|ci)/(?:test|check)(?![a-z])\S*|(?:prove|pest|run[-_]?tests?(?:\.\w+)?)(?!\S)"
    r"|(?:task|hatch)\s++(?:run\s++)?tests?(?![\w/-]))"
)
_COMMIT_MADE = re.compile(r"^\[(?:detached HEAD|\S+)(?: \([^)\n]*\))? ([0-9a-f]{7,40})\] (.+)$", re.MULTILINE)
_CHANGED = re.compile(r"(?m)^ ?\d+ files? changed\b")


def commit_made(command: str, printed: str, ok: bool = True) -> str:
    """What a command committed, by lines: "hash subject" or, where git told no more, the last one's subject; "" where
    maybe nothing, or where it was reset.

    Of a command that failed (not ok) or hides how git ended, only what git or its history printed counts.
    """
    if not any(verb in command for verb in _COMMITS):  # to take a script apart is slow
        return ""
    look = {"--dry-run", "--short", "--porcelain", "--long", "--help", "-h"}
    parts = _leading(command)
    verbs = [git_words([*map(unquoted, step.words)]) for step in parts]
    made = [at for at, words in enumerate(verbs) if words and words[0] in _COMMITS and not look.intersection(words)]
    if not made or any(_drops(words) for words in verbs[made[-1] :]):
        return ""
    if told := _COMMIT_MADE.findall(printed):
        return "\n".join(map(" ".join, told))
    none = ("nothing to commit", "nothing added to commit", "no changes added to commit")
    last = next((at for at in reversed(made) if verbs[at][0] == "commit"), -1)
    if last < 0 or any(said in printed for said in none):
        return ""
    subject, links = _subject(verbs[last]), [step.link for step in parts[last:]]
    begun = max((at for at, step in enumerate(parts[:last]) if step.link == ";"), default=0)
    is_led = "||" not in [step.link for step in parts[begun:last]]
    is_own = is_led and links[0] in ("&&", ")", "") and all(link in ("&&", "|", ")", "") for link in links[1:])
    short, _, shown = printed.strip().partition("\n")[0].partition(" ")
    if commit_hash(short) and subject and shown.rpartition(") ")[2] == subject:  # git prints first why it made none
        return f"{short} {subject}"
    sums = {"--stat", "--shortstat", "--numstat", "-p"}
    quiet = ("add", "push", "status", "log")  # without these options they tell of no changed files
    is_alone = all(not one or one[0] == "commit" or (one[0] in quiet and not sums.intersection(one)) for one in verbs)
    return subject if (ok and is_own) or (is_alone and _CHANGED.search(printed)) else ""


def _drops(words: Sequence[str]) -> bool:
    return words[:1] == ["reset"] and any(word.startswith(("HEAD~", "HEAD^", "@~", "@^")) for word in words)


def amends(command: str) -> bool:
    """Whether a commit takes the place of the one before it."""
    return any("--amend" in git_words(step.words) for step in steps(flat(command)))


def commit_hash(made: str) -> str:
    """The hash at the beginning of what `commit_made` gives; "" for a commit that told only its subject."""
    first = made.split(" ", 1)[0]
    return first if 7 <= len(first) <= 40 and not first.strip("0123456789abcdef") else ""


_COMMITS = ("commit", "revert", "cherry-pick", "merge", "rebase")


def git_words(words: list[str]) -> list[str]:
    """The words of a step of git's from the verb on; [] of any other."""
    with_value = {"-C", "-c", "--git-dir", "--work-tree", "--namespace"}
    words = bare(words)
    is_git, words = words[:1] == ["git"], words[1:]
    while words and words[0].startswith("-"):
        words = words[2 if words[0] in with_value else 1 :]
    return words if is_git else []


def _subject(words: list[str]) -> str:
    """The first line of a commit's message by its options; "" where they have none."""
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word.startswith("--message"):
            message = word.partition("=")[2] or following
        elif word[:1] == "-" and word[1:2] != "-" and "m" in word:
            message = word.partition("m")[2] or following
        elif word.startswith("<<< "):
            message = word[4:]
        else:
            continue
        for start, end in substituted(message) if message.startswith("$(cat <<<") else ():
            message = unquoted(message[start:end]).partition("<<<")[2]
        return next(iter(message.strip().splitlines()), "").strip()
    return ""


def has_own_exit(command: str, depth: int = 0) -> bool:
    """Whether the exit code is that of all that a command does, of tests from these on: nothing is piped or run behind
    it whatever comes of it. depth: scripts that it stands in.
    """
    parts = [([one for one in step.words if one not in ("{", "}")], step.link) for step in _leading(command)]
    while len(parts) > 1 and not parts[-1][0]:
        parts.pop()
    keeps = any("pipefail" in words[2:] and words[0] == "set" and words[1][0] == "-" for words, _ in parts)
    named = [_named(words) for words, _ in parts]
    looks = [_looks(step.split()) and parts[at][1] != "||" for at, step in enumerate(named)]
    work = [at for at, step in enumerate(named) if step and not (looks[at] or _sets_up(parts[at][0]))]
    first = next((at for at in work if TEST_COMMAND.search(named[at])), next(iter(work), 0))
    leads_on = {"&&": True, "|": keeps}
    if parts[-1][1] in ("|", "&") or not all(leads_on.get(link) for _, link in parts[first:-1]):
        return False
    given = pairwise([([], ""), *parts])
    piped = [(words, before if link == "|" else []) for (before, link), (words, _) in given][first:]
    return not any(_hides_exit(words, before, depth) for words, before in piped if words)


def _leading(command: str) -> list[Step]:
    """The steps of a command; one behind which all ends where it fails leads on as by `&&`: `|| exit 1`, or `set -e`,
    which a failure within a list of `&&` does not end.
    """
    parts, found = steps(flat(command)), list[Step]()
    stops, at, is_list = _stops(parts), 0, False
    while at < len(parts):
        step = parts[at]
        if step.link == "||" and (behind := _exits(parts[at + 1 : at + 10])):
            at += behind
            step = step._replace(link=parts[at].link, end=parts[at].end)
            step = step._replace(link="&&") if step.link == ";" else step
        elif step.link == ";" and stops and not is_list:
            step = step._replace(link="&&")
        is_list = parts[at].link in ("&&", "||") or (is_list and parts[at].link == "|")
        found.append(step)
        at += 1
    return found


def _exits(parts: Sequence[Step]) -> int:
    """How many steps there are to the end of one, or of a group of them in braces, that ends a script as failed."""
    closing = next((at for at, step in enumerate(parts) if step.words == ["}"]), 0)
    is_group = bool(parts) and parts[0].words[:1] == ["{"] and closing > 0
    last = [one for one in parts[closing - 1 if is_group else 0].words if one != "{"] if parts else []
    code = last[1] if len(last) > 1 else "" if is_group else "$?"
    fails = last[:1] in (["exit"], ["return"]) and (code.strip("0").isdigit() or (code == "$?" and not is_group))
    return 0 if not fails else closing + 1 if is_group else 1


def _sets_up(words: list[str]) -> bool:
    """Whether a step does nothing but prepare its shell for what comes."""
    is_plain = not any("$(" in word or "`" in word for word in words)
    return is_plain and (words[0] in _SET_UP or all(map(_ASSIGNS.match, words)))


_SET_UP = ("set", "shopt", "export", "unset", "source", ".", "ulimit", "umask", "alias")


def _stops(parts: Sequence[Step]) -> bool:
    """Whether a script ends where a step fails: it says so first, and no more later."""
    first = parts[0].words if parts else []
    is_set = first[:1] == ["set"] and any(map(_ERREXIT.fullmatch, first))
    asks = {"if", "elif", "while", "until", "!", "trap"}.intersection(word for step in parts for word in step.words[:1])
    return is_set and not asks and not any(step.words[:1] == ["set"] and "+" in str(step.words) for step in parts)


_ERREXIT = re.compile(r"-[a-zA-Z]*e[a-zA-Z]*|errexit")


def _named(words: list[str]) -> str:
    """A step's own words: what is in quotations is names and texts."""
    return " ".join(_QUOTATION.sub("", word) for word in words if word[0] not in "'\"<")


def _hides_exit(words: list[str], source: list[str], depth: int) -> bool:
    """Whether a step turns its exit code round, has tests run for their output, or hands a shell a script that hides it
    (`bash -lc '…'`, `ssh host '…'`).
    """
    asked = (word[start:end] for word in words for start, end in substituted(word))
    hides = not _ASSIGNS.match(words[0])  # an assignment ends as the last script in it does
    is_for_output = any(runs_tests(one, depth + 1) and (hides or not has_own_exit(one, depth + 1)) for one in asked)
    is_whole = depth < _DEEPEST and all(has_own_exit(script, depth + 1) for script in _scripts(words, source))
    return words[0] == "!" or is_for_output or not is_whole


def _scripts(words: list[str], source: list[str]) -> dict[str, None]:
    """What a step hands to a shell, in quotations or as a document. source: the words of what is piped into it."""
    last = [word.rpartition("/")[2] for word in words if word not in ("-s", "-")][-1:]
    texts = [*(words[1:] if _hands_on(words) else ()), *(source[1:] if _SHELLS.intersection(last) else ())]
    quoted = (word.removeprefix("<<< ") for word in texts if word.startswith(("'", '"', "$'", "<<< ")))
    return dict.fromkeys(map(unquoted, quoted))


_DEEPEST = 5
"""Scripts within each other that are looked at."""
_SHELLS = {"sh", "bash", "zsh", "dash", "fish", "ksh", "pwsh", "powershell"}
_ELSEWHERE = ("ssh", "su", "eval", "script", "nix", "nix-shell", "cmd")
_SCRIPT_OPTION = re.compile(r"-(?:\w*[cs]|-command|Command)$")


def _hands_on(words: list[str]) -> bool:
    """Whether a step gives a script to a shell, here or elsewhere: its program does, or one that an option or a
    document leads on from ("docker exec x sh -c '…'").
    """
    led_on = [name for name, after in pairwise(words) if after[:3] == "<<<" or _SCRIPT_OPTION.match(after)]
    return any(
        name in _ELSEWHERE or name.rpartition("/")[2].removesuffix(".exe") in _SHELLS
        for name in (*led_on, *bare(words)[:1])
    )


_ASSIGNS = re.compile(r"\w+=")
_RUNNERS = {**dict.fromkeys(("uv", "poetry", "pipenv", "pdm", "hatch"), "run"), "bundle": "exec", "pnpm": "exec"}


def bare(words: list[str]) -> list[str]:
    """A step's words, without assignments and without what runs it, whose place among folders does not count."""
    at, known = 0, {"npx", "time", "env", "sudo", "{", "!", "if", "then", "else", "do", "while", "until"}
    while at < len(words):
        name, following = words[at].rpartition("/")[2], words[at + 1 : at + 4]
        if _ASSIGNS.match(words[at]) or name in known:
            at += 1
        elif name == "timeout" or following[:1] == [_RUNNERS.get(name)]:
            at += 2
        elif name.startswith("python") and "-m" in following:
            at += following.index("-m") + 2
        else:
            break
    return words[at:] or words[-1:]


_QUOTATION = re.compile(r"'[^']*+'?|\"(?:[^\"\\]|\\.)*+\"?", re.DOTALL)
_LOOK = re.compile(
    r"^(?:sudo |xargs (?:-\S{1,80} (?:\d+ |\{\} )?)*+)?(?:/(?:usr/)?bin/)?"
    r"(?:ls|cat|head|tail|[efz]?grep|rg|find(?!.* -exec)|fd|pwd|wc|tree|file|readlink|type|cmp|lsof|nc -z"
    r"|stat|which|echo|sed -n|awk|less|jq|ps|sleep|test(?!\.)|\[\[?|command -v|pgrep|env(?! \S)|diff|cd"
    r"|(?:\S{1,80} ){1,6}--(?:(?:version|help)$|collect-only)|git (?:-C \S+ )?"
    r"(?:status|diff|log|show|branch|ls-files|ls-tree|rev-parse|remote|blame|cat-file|grep|check-ignore|merge-base"
    r"|ls-remote|config --get|config \S+$))(?![\w-])"
)
_OURS = re.compile(
    r"(?:\w{1,80}+=\S{0,200}+ )*+"
    r"(?:(?:\"[^\"]{0,400}/|'[^']{0,400}/|\S{0,400}/)?holdfast|\S{0,200}python[\d.]{0,5} -m holdfast)(?![\w.-])"
)
"""A call of this pack."""
_CD = re.compile(r"cd (\"[^\"$`]*\"|'[^']*'|[^\s;&|()<>$`\"'~-][^\s;&|()<>$`\"']*) ?(?:&&|;) ?")
_BEHIND = re.compile("(?:tail|head|grep|less|cat|tee)$")


def _looks(words: list[str]) -> bool:
    """Whether a step only looks."""
    return bool(_LOOK.match(" ".join(words)))


def placed(command: str, folder: str = "", root: str = "") -> str:
    """A command on one line, with the folder that it runs in only where that is another than `root`. folder: where it
    was called; without a root none is told.
    """
    whole, place = flat(command).replace("\n", " "), folder
    line = whole
    while found := _CD.match(line):
        place, line = normpath(join(place, found[1].strip("\"'"))), line[found.end() :]
    place = f"{place}/".removeprefix(f"{root}/").rstrip("/") if root else ""
    shown = f"'{place}'" if " " in place else place
    return f"cd {shown} && " * (place not in ("", ".")) + (line or whole)


def plainly(command: str, folder: str = "", root: str = "") -> str:
    """As `placed`, without the cutting of its output behind it."""
    line = _quiet(placed(command, folder, root))
    parts = steps(line)
    last = len(parts) - 1
    while last and parts[last].words and _BEHIND.match(parts[last].words[0]) and parts[last - 1].link == "|":
        last -= 1
    return _quiet(line[: parts[last].end])


def _quiet(command: str) -> str:
    """Without where its messages go."""
    while (less := command.rstrip(" ").removesuffix("2>&1").removesuffix("2>/dev/null")) != command:
        command = less
    return command


def ends_as_one(command: str) -> bool:
    """Whether no step's failure is hidden by another's success: each runs only where the one before it went well, or
    only looked.
    """
    links = ("&&", "(", ")", "")
    return all(step.link in links or (step.link == ";" and _is_idle(step.words)) for step in _leading(command))


def _is_idle(words: list[str]) -> bool:
    return _looks(words) or (words != [] and _sets_up(words))


def runs_tests(command: str, depth: int = 0) -> bool:
    """Whether a step of a command runs tests: one that only looks for their names or their log does not."""
    if depth > _DEEPEST or not (TEST_COMMAND.search(command) or TEST_COMMAND.search(_QUOTATION.sub("", command))):
        return False
    handed, before = dict[str, None](), Step([])
    for step in (step for step in steps(flat(command)) if step.words):
        words, shown = step.words, " ".join(step.words)
        is_run = not _looks(words) and shown[:4] != "git " and not any(word.split("=")[0] in _NO_TEST for word in words)
        if is_run and TEST_COMMAND.search(f"{unquoted(words[0])} {_named(words[1:])}"):
            return True
        handed |= _scripts(words, before.words if before.link == "|" else [])
        before = step
    return any(runs_tests(script, depth + 1) for script in handed)


_NO_TEST = {"--co", "--list", "--listTests", "--no-run", "-DskipTests", "-Dmaven.test.skip"}
"""Options with which a runner runs no test (pytest, playwright, jest, cargo, maven)."""


def ends_with_look(command: str) -> bool:
    """Whether the exit code may be that of a look alone, as of a grep that finds nothing."""
    parts = [step for step in steps(flat(command)) if step.words]
    last = parts[-1].words if parts else []
    asks = any(word in ("--quiet", "--exit-code") or (word[:1] == "-" != word[1:2] and "q" in word) for word in last)
    sets = any(step.words[0] == "set" for step in parts)
    if asks or sets or "||" in [step.link for step in parts[-2:-1]]:
        return False  # the code says something
    return _looks(last) and not has_own_exit(command)


def shows_looks_alone(command: str) -> bool:
    """Whether all that a command prints, and its exit code, are those of looks: what else runs writes to a file, its
    messages too, and leads to no look only where it went well.
    """
    parts = [step for step in steps(flat(command)) if step.words]
    shown = (step for step in parts if not (step.file and step.is_silent))
    return all(_looks(step.words) for step in shown) and not any(step.link == "&&" for step in parts)


def is_look(command: str) -> bool:
    """Whether a command only looks at things or calls this pack: its failure breaks nothing of the work, and nobody
    needs to know it again.
    """
    plain = plainly(command) if len(command) <= LONGEST else ""
    if len(command) > LONGEST or runs_tests(plain):
        return False
    return all(map(_is_look, pairwise([Step([]), *steps(plain)])))


def _is_look(parts: tuple[Step, Step]) -> bool:
    """Whether a step, behind another, looks only: what a pipe leads to may filter too."""
    (_, link, *_), (words, _, file, *_) = parts
    shown, filters = " ".join(words), ("sort", "uniq", "cut", "tr", "column", "sed", "tee")
    looks = _looks(words) or (link == "|" and words[:1] != [] and words[0] in filters)
    is_written = file not in ("", "/dev/null") and words[:1] != [] and words[0] in ("cat", "echo", "printf")
    return not words or bool(_OURS.match(shown)) or (looks and not is_written)
