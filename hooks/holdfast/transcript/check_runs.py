"""Which commands belong with one that failed, and were other sources there when they ran?

A failed command is over when the same one ends well: the same words, in the same folder, by an exit code that is its
own. Of what else runs the same program nobody can say by its words whether it asks for as much: it is told beside the
failure with how it ended, and whoever reads that judges.
"""

import functools
from itertools import takewhile

from holdfast.text import late as re
from holdfast.transcript.commands import bare, is_look, runs_tests
from holdfast.transcript.shell import flat, steps

_LEAVES = re.compile(
    r"(?:\{ )?git (?:-C \S+ |--\S+ )*(?:stash(?! (?:pop|apply|list|show|drop|clear|create|store)\b)|reset --hard"
    r"|(?:checkout|switch)(?: -[qfdBC]| --quiet| --detach)* (?!-|HEAD -- |\S*(?:/|\.(?:[a-z]\w*)?)$))|gh pr checkout"
)
"""A step behind which other sources are there than those that failed."""
_BACK = re.compile(r"git (?:-C \S+ |--\S+ )*(?:stash (?:pop|apply)\b|(?P<other>(?:checkout|switch) -$))")
"""A step behind which it is those again; other: or, before one has left them, others."""


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
        plain = [*takewhile(_is_plain, others)]
        if not plain and not _CHECK.search(first):
            plain = [word for word in others if word[0] != "-"][:1]
        found.add(" ".join([first.rpartition("/")[2], *plain]))
    return frozenset(found)


def _is_plain(word: str) -> bool:
    return word[0].isalnum() and word.replace("-", "").replace(":", "").isalnum()


def touches(run: str, failed: str) -> bool:
    """Whether what ran may be a part of what failed, or hold it: they begin alike, or both test."""
    beginnings = [(f"{one} ", f"{other} ") for one in programs(run) for other in programs(failed)]
    are_alike = any(one.startswith(other) or other.startswith(one) for one, other in beginnings)
    return are_alike or (runs_tests(run) and runs_tests(failed))


def moves(command: str, is_away: bool) -> bool | None:
    """Whether other sources are there behind a command than before it; False: those of before again, None: neither.
    is_away: others were there already.
    """
    if "git " not in command and "gh " not in command:  # to take a command apart is slow
        return None
    found = None
    for step in (" ".join(one.words) for one in steps(flat(command))):
        if _LEAVES.match(step):
            found = True
        elif back := _BACK.match(step):
            found = bool(back["other"]) and not (is_away if found is None else found)
    return found


def is_check(command: str) -> bool:
    """Whether a command tells if the work is sound: tests, lint, types, a build. Its folders' names say nothing."""
    named = " ".join(word.rpartition("/")[2] for word in command.split())
    return bool(_CHECK.search(named)) and not is_look(command)


_CHECK = re.compile(r"\b(?:tests?|\w*lint|fmt|format|build|check|typecheck|vet|mypy|ruff|tsc|pytest|jest|vitest)\b")
