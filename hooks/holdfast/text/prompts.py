"""How is a long prompt said in its own words, but shorter?

Rule: whole sentences and lines in their order, never reworded; the first one always, then those that bring the most
new words for their length, until ENOUGH of the prompt's words are there or the room is used up. What is left out
shows as "…". A short prompt stays as it is. Measure: the share of a prompt's words of four letters and more.
"""

import re

from holdfast.text.lines import clip
from holdfast.text.markdown import sentences

KEPT_CHARS, GOAL_CHARS = 4_000, 4_000
ENOUGH, MOST = 0.62, 0.8
WHOLE = 180  # characters up to which a prompt is not shortened at all
LONGEST = 300  # of one sentence in a shortened prompt
GAP = " … "
_WORD = re.compile(r"[a-z]{4,}")
_PASTED_CODE = re.compile(r"^[\s|+`=*_#-]*$")


def telling(prompt: str) -> str:
    """The prompt as it is stored: whole where it is of a usual length."""
    return prompt if len(prompt) <= KEPT_CHARS else shorten(prompt, KEPT_CHARS)


def shorten(prompt: str, chars: int, enough: float = ENOUGH) -> str:
    """At most `chars` characters of the prompt, on one line when it had to be cut."""
    flat = " ".join(prompt.split())
    if len(flat) <= min(chars, WHOLE):
        return flat
    parts = [text for text in sentences(prompt) if not _PASTED_CODE.match(text)]
    if len(parts) < 2:
        return clip(flat, chars)
    chosen = _chosen([clip(" ".join(text.split()), LONGEST) for text in parts], _words(flat), chars, enough)
    text, last = "", -1
    for index, part in chosen:
        text += ("" if not text else " " if index == last + 1 else GAP) + part
        last = index
    text += "" if last == len(parts) - 1 else GAP.rstrip()
    return clip(text if len(text) < len(flat) else flat, chars)


def _chosen(parts: list[str], words: set[str], chars: int, enough: float) -> list[tuple[int, str]]:
    """(place, sentence) of those that stay, in order."""
    have = [_words(part) for part in parts]
    picked = [0]
    covered, left = set(have[0]), chars - len(parts[0]) - len(GAP)
    open_ = set(range(1, len(parts)))
    while open_ and len(covered) < enough * len(words):
        best = max(open_, key=lambda i: (len(have[i] - covered) / (len(parts[i]) + len(GAP)), -i))
        open_.discard(best)
        if not have[best] - covered:
            break
        if len(parts[best]) + len(GAP) > left:
            continue
        picked.append(best)
        covered |= have[best]
        left -= len(parts[best]) + len(GAP)
    return [(index, parts[index]) for index in sorted(picked)]


def brief(prompt: str) -> str:
    """The least of a prompt that still says most of its words: shortened, and the end cut off."""
    flat = " ".join(prompt.split())
    words = shorten(prompt, len(flat)).split(" ")
    least, kept = ENOUGH * len(_words(flat)), len(words)
    while kept > 1 and len(_words(" ".join(words[: kept - 1]))) >= least:
        kept -= 1
    return " ".join(words) if kept == len(words) else " ".join(words[:kept]) + "…"


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))
