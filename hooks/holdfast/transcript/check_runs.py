"""Which commands belong with one that failed, and were other sources there when they ran?

A failed command is over when the same one ends well: the same words, in the same folder, by an exit code that is its
own. Of what else runs the same program nobody can say by its words whether it asks for as much: it is told beside the
failure with how it ended, and whoever reads that judges.
"""

import functools

from holdfast.text import late as re
from holdfast.transcript.commands import bare, git_words, is_look, runs_tests
from holdfast.transcript.shell import flat, steps


@functools.lru_cache(256)
def programs(command: str) -> frozenset[str]:
    """What a command runs, but for looks: of each step the plain words that it begins with ("go test", "git push"), of
    what may be any program by its argument that too ("python a.py").
    """
    found = set[str]()
    for step in steps(flat(command)):
        if not step.words or is_look(" ".join(step.words)):
            continue
        first, *others = bare(step.words)
        given = [word for word in others if word[0] not in "-+"]  # an option's value may be among them
        any_program = not _CHECK.search(first) and not any(map(_is_plain, given[:1]))
        kept = [word for at, word in enumerate(given) if _is_plain(word) or (not at and any_program)]
        found.add(" ".join([first.rpartition("/")[2], *kept]))
    return frozenset(found)


def _is_plain(word: str) -> bool:
    return word[0].isalnum() and word.replace("-", "").replace(":", "").isalnum()


def touches(run: str, failed: str) -> bool:
    """Whether what ran may be a part of what failed, or hold it: they begin alike, or both test."""
    beginnings = [(f"{one} ", f"{other} ") for one in programs(run) for other in programs(failed)]
    are_alike = any(one.startswith(other) or other.startswith(one) for one, other in beginnings)
    return are_alike or (runs_tests(run) and runs_tests(failed))


def moves(command: str, is_away: bool, printed: str = "") -> bool | None:
    """Whether other sources are there behind a command than before it; False: those of before again, None: neither.
    is_away: others were there already.
    """
    if "git " not in command and "gh " not in command:  # to take a command apart is slow
        return None
    found = None
    for step in steps(flat(command)):
        is_pulled = step.words[:3] == ["gh", "pr", "checkout"]
        verb, *given = ["checkout", *step.words[3:]] if is_pulled else git_words(step.words) or [""]
        if verb == "stash" and given[:1] in (["pop"], ["apply"]):
            found = False
        elif verb in ("checkout", "switch") and given == ["-"]:  # before one has left them: others
            found = not (is_away if found is None else found)
        elif _leaves(verb, given) and not _RESTORED.search(printed):
            found = True
    return found


_RESTORED = re.compile(r"(?m)^Updated \d+ paths? from ")
"""git says so of files, where a word may name a branch or a file."""


def _leaves(verb: str, given: list[str]) -> bool:
    """Whether other sources are there behind a step of git's than those that failed: not where it restores files."""
    operands = [word for word in given if word[0] != "-"]
    if verb in ("checkout", "switch"):
        is_new = any(word in ("-b", "-B", "-c", "-C", "--orphan") for word in given)
        return is_new or ("--" not in given and len(operands) == 1 and not _PATH.search(operands[0]))
    kept = (["list"], ["show"], ["drop"], ["clear"], ["create"], ["store"])
    return (verb == "stash" and "--" not in given and operands[:1] not in kept) or (
        verb == "reset" and "--hard" in given
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
