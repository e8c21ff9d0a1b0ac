"""How are all of the user's requests listed in little room?

Rule: every prompt in its order, in its own words; long ones shortened (policy/prompts.py) to a cap under which all
fit, so that no request is lost to another one's length. A sentence that is listed as a rule, the objective and the
latest request stand above, and a request that the client's summary holds is not said again. Source: requirement W5.
"""

from typing import Any

from holdfast.policy import prompts, remarks
from holdfast.policy.summary import Summary

ELSEWHERE = "- user: (quoted above)"
_LEAST = 40  # characters of a request, however many there are
_RULES = ("constraint", "correction", "cancelled")


def lines(work: dict[str, Any], chars: int, summary: Summary) -> dict[int, str]:
    """The line of each prompt by the number of its message; ELSEWHERE for one that is shown in another section."""
    ruled = {note["text"] for note in remarks.of(work, *_RULES)}
    rest = {prompt["n"]: _without(prompt["text"], ruled) for prompt in work["prompts"]}
    for edge in (work["prompts"][:1], work["prompts"][-1:]):
        rest.update((prompt["n"], "") for prompt in edge)
    kept = summary.without(list(rest.values()))
    rest = {number: text if text in kept else "" for number, text in rest.items()}
    each = _level([len(text) for text in rest.values()], chars)
    return {
        number: f'- user: "{prompts.shorten(text, each)}"' if text else ELSEWHERE for number, text in rest.items()
    }


def _without(text: str, ruled: set[str]) -> str:
    """The prompt without what is listed as a rule and without pasted code; whole where nothing else is left."""
    return " ".join(part for part in remarks.own_sentences(text) if part not in ruled)


def _level(lengths: list[int], chars: int) -> int:
    """The highest cap under which all fit: sum(min(length, cap)) <= chars."""
    cap, left = 0, chars
    for place, size in enumerate(sorted(lengths)):
        share = left // (len(lengths) - place)
        if size > share:
            return max(share, _LEAST)
        left -= size
        cap = size
    return max(cap, _LEAST)
