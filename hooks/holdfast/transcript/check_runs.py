"""Which commands belong with one that failed, and were other sources there when they ran?

A failed command is over when the same one ends well: the same words, in the same folder, by an exit code that is its
own. Of what else runs the same program nobody can say by its words whether it asks for as much: it is told beside the
failure with how it ended, and whoever reads that judges.
"""

import functools
from itertools import pairwise, product

from holdfast.text import late as re
from holdfast.transcript.commands import bare, git_words, is_look, runs_tests
from holdfast.transcript.shell import flat, steps


@functools.lru_cache(256)
def programs(command: str) -> frozenset[str]:
    """What a command runs, but for looks: of each step the program and the plain words up to the options behind them
    ("go test", "make web test" of "make -C web test"), of what may be any program by its argument that too; and the
    same without words that may be the value of an option before them.
    """
    found = set[str]()
    for step in steps(flat(command)):
        if not step.words or is_look(" ".join(step.words)):
            continue
        first, *others = bare(step.words)
        any_program, is_led, kept, values = not _CHECK.search(first), False, list[str](), 0
        for before, word in pairwise(["", *others]):
            is_told = _is_plain(word) or (any_program and not kept and word[0] not in "-+")
            if is_led and not is_told:
                break
            kept += [word] * is_told
            is_led = is_told and before[:1] not in ("-", "+")
            values += is_told and not is_led  # or what is asked of the program
        name = first.rpartition("/")[2]
        found |= {" ".join([name, *kept]), " ".join([name, *(kept[values:] or kept)])}
    return frozenset(found)


def _is_plain(word: str) -> bool:
    return word[0].isalnum() and word.replace("-", "").replace(":", "").isalnum()


def touches(run: str, failed: str) -> bool:
    """Whether what ran may be a part of what failed, or hold it: they begin alike, or both test."""
    beginnings = [(f"{one} ", f"{other} ") for one, other in product(programs(run), programs(failed))]
    are_alike = any(one.startswith(other) or other.startswith(one) for one, other in beginnings)
    return are_alike or (runs_tests(run) and runs_tests(failed))


def differ(run: str, failed: str) -> bool:
    """Whether both name a folder, or give the same option a value, and not the same one."""
    here, there = _values(run), _values(failed)
    return any(here[name] != there[name] for name in here.keys() & there.keys())


def _values(command: str) -> dict[str, str]:
    """What a command gives its options, by their names, and the folder that it goes to."""
    words = pairwise([word for step in steps(flat(command)) for word in (*step.words, "-")])
    options = ((*word.partition("=")[::2], after) for word, after in words if word == "cd" or word[0] == "-" != word)
    found = ((name, value or after) for name, value, after in options)
    return {name: value for name, value in found if value[0] != "-" and value[-1] != "…"}


def moves(command: str, is_away: bool, printed: str = "", branch: str = "") -> bool | None:
    """Whether other sources are there behind a command than before it; False: those of before again, None: neither.
    is_away: others were there already; branch: that it ran on.
    """
    if "git " not in command and "gh " not in command:  # to take a command apart is slow
        return None
    found, has_stayed = None, bool(_STAYED.search(printed)) and not _LEFT.search(printed)
    for step in steps(flat(command)):
        is_pulled = step.words[:3] == ["gh", "pr", "checkout"]
        verb, *given = ["checkout", *step.words[3:]] if is_pulled else git_words(step.words) or [""]
        if verb == "stash" and given[:1] in (["pop"], ["apply"]):
            found = False
        elif verb in ("checkout", "switch") and given == ["-"]:  # before one has left them: others
            found = not (is_away if found is None else found)
        elif _leaves(verb, given, has_stayed or given == [branch]):
            found = True
    return found


_LEFT = re.compile(r"(?m)^(?:Switched to |Saved working directory )")
_STAYED = re.compile(r"(?m)^(?:Updated \d+ paths? from |Already on |No local changes to save$)")
"""So git says that a word was a file, or the branch that one is on, and that it has nothing to stash."""


def _leaves(verb: str, given: list[str], has_stayed: bool) -> bool:
    """Whether other sources are there behind a step of git's than those that failed: not where it restores files, or
    makes a branch of what is there.
    """
    operands, options = [word for word in given if word[0] != "-"], {word for word in given if word[0] == "-"}
    if verb in ("checkout", "switch"):
        if options & {"-b", "-B", "-c", "-C"}:
            return len(operands) > 1  # from elsewhere
        is_kept = bool(options & {"--", "--orphan", "--ours", "--theirs"}) or has_stayed
        return len(operands) == 1 and not is_kept and not _PATH.search(operands[0])
    kept = (["list"], ["show"], ["drop"], ["clear"], ["create"], ["store"])
    is_stashed = verb == "stash" and "--" not in options and operands[:1] not in kept
    return (is_stashed and not has_stayed) or (
        verb == "reset" and "--hard" in options and operands not in ([], ["HEAD"])
    )


_PATH = re.compile(r"(?:/|(?:^|/)\.|\.[a-z]\w*)$")


def is_check(command: str) -> bool:
    """Whether a command tells if the work is sound: tests, lint, types, a build. Its folders' names say nothing."""
    named = " ".join(word.rpartition("/")[2] for word in command.split())
    return (bool(_CHECK.search(named)) and not is_look(command)) or runs_tests(command)


_CHECK = re.compile(
    r"\b(?:tests?|\w*lint|fmt|format|build|check|typecheck|vet|verify|mypy|pyright|ruff|tsc|clippy|rubocop|phpstan|credo"
    r"|dialyzer|pytest|jest|vitest)\b"
)
