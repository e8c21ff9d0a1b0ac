"""What is a command, by its own words: a run of tests, a commit, a mere look.

The tools named here are the common ones, and a project's own `scripts/test` or `bin/check` counts too.
"""

from itertools import pairwise
from posixpath import join, normpath

from holdfast.text import late as re

TEST_COMMAND = re.compile(
    r"(?<![\w.-])((?:pytest|jest|vitest|mocha|tox|nox|rspec|phpunit|ctest|unittest)(?![\w/]|-(?!\d)|\.(?!(?:m?js|exe|cmd|phar)\b))"
    r"|(?:go|cargo|npm|pnpm|yarn|bun|mix|dotnet|swift|make|mvn|gradlew?|rake|deno|mise run|just)\s++(?:run\s++)?test\S*"
    r"|(?:go|cargo|npm|pnpm|yarn|bun|make)\s++(?:-\S{1,80}|workspace)\s++(?:\S{1,200}\s++)?(?:run\s++)?test(?![\w-])"
    r")|(?:^|[;&|(\n]|\b(?:ba|z)?sh\b|(?<!\S)\w{1,80}+=\S{0,80}+\s)\s{0,8}+"
    r"(?:[^\s;&|(]{0,80}/)?(?:scripts?|bin|ci)/(?:test|check)\S*"
)
_COMMIT_MADE = re.compile(r"^\[(?:detached HEAD|\S+)(?: \([^)\n]*\))? ([0-9a-f]{7,40})\] (.+)$", re.MULTILINE)
LONGEST = 20_000
"""Characters of a command that are taken apart; a longer one is no mere look."""
_HERE_DOCUMENT = re.compile(r"(?<!\$\(cat )(?<!<)<<-?[ \t]*+([\"']?)([\w.-]+)\1")


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
WORD = rf"(?:[^\s;&|()<>\"'\\]|\\.|{_QUOTATION})++"
WORDS = re.compile(WORD)
TOKEN = re.compile(
    rf"[ \t\r]+|(?P<link>&&|\|\||[;&|()\n])|\d?&?>[>&|]*[ \t]*{WORD}|(?P<word><[<&>]*[ \t]*{WORD}|{WORD})"
)
_PART = re.compile(r"'([^']*)'|\"((?:[^\"\\]|\\.)*)\"|\\(.)", re.DOTALL)


def shell_parts(script: str) -> list[tuple[list[str], str]]:
    """The words of each step of a shell script, without where it writes to, and the sign behind it."""
    parts, words = list[tuple[list[str], str]](), list[str]()
    for token in TOKEN.finditer(script):
        if token["word"]:
            words.append(token["word"])
        elif token["link"]:
            parts.append((words, token["link"]))
            words = []
    return [*parts, (words, "")]


def unquoted(word: str) -> str:
    """A word as a program gets it."""
    return _PART.sub(lambda found: found[1] or (found[2] or "").replace('\\"', '"') or found[3] or "", word)


def _shell_steps(command: str) -> list[list[str]]:
    """The words of each step of a shell script, quotes taken off, without what is only written to a file."""
    if "commit" not in command:  # to take a script apart is slow
        return []
    script = _without_documents(command[:LONGEST].replace("\\\n", " "))
    return [[*map(unquoted, words)] for words, _ in shell_parts(script)]


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


def has_own_exit(command: str) -> bool:
    """Whether the exit code is that of all that a command does, of tests from these on: nothing is piped or run behind
    it whatever comes of it.
    """
    parts = shell_parts(command.replace("\\\n", " "))
    while len(parts) > 1 and not parts[-1][0]:
        parts.pop()
    keeps = any("pipefail" in words[2:] and words[0] == "set" and words[1][0] == "-" for words, _ in parts)
    parts = [(words, link) for words, link in parts if words[:1] != ["set"]] or parts
    steps = [_QUOTED.sub("", " ".join(words)) for words, _ in parts]
    looks = [step[:1] == "#" or (bool(_LOOK.match(step)) and parts[at][1] != "||") for at, step in enumerate(steps)]
    work = [at for at, step in enumerate(steps) if step and not looks[at]]
    tests = (at for at in work if TEST_COMMAND.search(steps[at]))
    run = parts[next(tests, *work[:1] or [0]) :]
    links_on = ("&&", "|") if keeps else ("&&",)
    is_hidden = any(map(_hides_exit, (words for words, _ in run)))
    return run[-1][1] not in ("|", "&") and all(link in links_on for _, link in run[:-1]) and not is_hidden


def _hides_exit(words: list[str]) -> bool:
    """Whether a step turns its exit code round, or hands on a script that pipes or goes on whatever comes of it
    (`bash -lc '…'`, `ssh host '…'`).
    """
    return words[:1] == ["!"] or (_hands_on(words) and any(sign in word for word in words for sign in "|;&\n"))


def _hands_on(words: list[str]) -> bool:
    """Whether a step gives a script to a shell, here or elsewhere."""
    shells = {"sh", "bash", "zsh", "dash", "fish", "ksh", "ssh", "su", "eval", "pwsh", "powershell", "cmd"}
    shells |= {"script", "nix", "nix-shell"}
    return not shells.isdisjoint(word.rpartition("/")[2] for word in words)


_QUOTED = re.compile(_QUOTATION)
_LOOK = re.compile(
    r"^(?:sudo )?(?:ls|cat|head|tail|grep|rg|find(?!.* -exec)|fd|pwd|wc|tree|file|stat|which|echo|sed -n|awk|less|jq|ps"
    r"|sleep|env(?! \S)|diff|cd|(?:\S{1,80} ){1,6}--(?:(?:version|help)$|collect-only)|git (?:-C \S+ )?"
    r"(?:status|diff|log|show|branch|ls-files|ls-tree|rev-parse|remote|blame|cat-file|config --get))(?![\w-])"
)
_OURS = re.compile(
    r"(?:\w{1,80}+=\S{0,200}+ )*+"
    r"(?:(?:\"[^\"]{0,400}/|'[^']{0,400}/|\S{0,400}/)?holdfast|\S{0,200}python[\d.]{0,5} -m holdfast)(?![\w.-])"
)
"""A call of this pack."""
_BREAK = re.compile(rf"({_QUOTATION})|\\\n|(?<!\S)#[^\n]*|(?P<next>(?<![&|;({{\s])\s*\n\s*)")
"""Where a script goes on, outside of quotations: in the same line, behind a comment, with the next command."""
_CD = re.compile(r"cd (\"[^\"$`]*\"|'[^']*'|[^\s;&|()<>$`\"'~-][^\s;&|()<>$`\"']*) ?(?:&&|;) ?")
_BEHIND = re.compile(r" ?(?:tail|head|grep|less|cat|tee)\b[^;&]*(?:2?>&1)?$")


def plainly(command: str, folder: str = "", root: str = "") -> str:
    """A command on one line without the cutting of its output behind it, and with the folder that it runs in only where
    that is another than `root`. folder: where it was called; without a root none is told.
    """
    flat, place = " ".join(_flat(command).split()).strip("; "), folder
    rest = flat
    while found := _CD.match(rest):
        place, rest = normpath(join(place, found[1].strip("\"'"))), rest[found.end() :]
    piped = _quiet(rest).split("|")
    while len(piped) > 1 and _BEHIND.match(piped[-1]) and not any(piped[-1].count(sign) % 2 for sign in "'\""):
        piped[-2:] = [_quiet(piped[-2])]
    place = f"{place}/".removeprefix(f"{root}/").rstrip("/") if root else ""
    shown = f"'{place}'" if " " in place else place
    return f"cd {shown} && " * (place not in ("", ".")) + ("|".join(piped) or flat)


def _flat(script: str) -> str:
    """On one line, without comments."""
    return _BREAK.sub(lambda found: found[1] or (" " if found["next"] is None else "; "), script)


def _quiet(command: str) -> str:
    """Without where its messages go."""
    words = command.rstrip(" ").split(" ")
    while words and words[-1] in ("2>&1", "2>/dev/null"):
        words.pop()
    return " ".join(words).removesuffix("2>&1").removesuffix("2>/dev/null")


def ends_as_one(command: str) -> bool:
    """Whether no step's failure is hidden by another's success: each runs only where the one before it went well."""
    return all(link in ("&&", "") for _, link in shell_parts(command))


def runs_tests(command: str) -> bool:
    """Whether a step of a command runs tests: one that only looks for their names or their log does not."""
    if not TEST_COMMAND.search(command):
        return False
    is_handed_on = _hands_on(command.split())
    script = command[:LONGEST] if is_handed_on else _without_documents(command[:LONGEST])
    for words, _ in shell_parts(_flat(script)):
        step, first = " ".join(words), "".join(map(unquoted, words[:1]))
        said = step if _hands_on(words) else f"{first} {_QUOTED.sub('', ' '.join(words[1:]))}"
        if TEST_COMMAND.search(said) and not _LOOK.match(step) and step[:4] != "git ":
            return True
    return False


def ends_with_look(command: str) -> bool:
    """Whether the exit code may be that of a look alone, as of a grep that finds nothing."""
    steps = [(words, link) for words, link in shell_parts(command) if words]
    last = steps[-1][0] if steps else []
    is_asked = any(
        word in ("--quiet", "--exit-code") or (word[:1] == "-" != word[1:2] and "q" in word) for word in last
    )
    if (
        not last
        or is_asked
        or any(words[0] == "set" for words, _ in steps)
        or "||" in [link for _, link in steps[-2:-1]]
    ):
        return False  # the code says something
    return bool(_LOOK.match(" ".join(last))) and not has_own_exit(command)


def is_look(command: str) -> bool:
    """Whether a command only looks at things or calls this pack: its failure breaks nothing of the work, and nobody
    needs to know it again.
    """
    plain = plainly(command) if len(command) <= LONGEST else ""
    if len(command) > LONGEST or runs_tests(plain):
        return False
    parts = pairwise([([], ""), *shell_parts(plain)])
    steps = (" ".join(words) for (_, before), (words, _) in parts if before != "|")
    return all(_LOOK.match(step) or _OURS.match(step) for step in steps if step)
