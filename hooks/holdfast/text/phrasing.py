"""How is a sentence of a report said in fewer tokens, without changing what it says?

Markup goes (bold, backticks, links, emoji: about one token each), so do openings that only announce, spans of
line numbers (the first line is enough to find the place), and lead-ins of headings ("Step 3:", "4.2").
"""

import re

from holdfast.text import lines

_CODE_MARKS = r"`+"
_REPLACEMENTS = tuple(
    (re.compile(pattern, re.IGNORECASE), by)
    for pattern, by in (
        (r"\[([^\[\]\n]{1,200})\]\((?:https?://[^()\s]{0,500}|#[^()\s]{0,200})\)", r"\1"),
        (r"\*\*|<br\s*/?>", ""),
        (_CODE_MARKS, ""),
        (r"(?<![\w*])\*(?=\w)|(?<=\w)\*(?![\w*])", ""),
        (r"[\u2705\u2714\u2713]\ufe0f?\s*", ""),
        (r"[\u274c\u2718\u2717]\ufe0f?\s*", "no: "),
        (r"[\U0001f300-\U0001faff\u2600-\u26ff\ufe0f]\s*", ""),
        (r"\s*->\s*", " -> "),
        (r"\s*[\u2013\u2014]+\s*|\s+--\s+", " - "),
        (r"\s*\((?:at |on |see )?(?:lines?|L)\s*~?\d[\d\s,L\u2013-]*\)", ""),
        (r"(\.\w{1,6}:\d+)\s*[-\u2013]\s*\d+", r"\1"),
        (r"^(?:perfect|excellent|great|good|okay|ok)[!.,]\s*", ""),
        (r"^(?:in (?:summary|short|conclusion)|overall|basically|essentially|note that|please note that)[,:]?\s+", ""),
        (r"\b(?:in order to)\b", "to"),
        (r"\b(?:comprehensive|currently|actually|basically|essentially|simply|very)\s+", ""),
        (r"\s+", " "),
    )
)
_KEEPING_MARKS = tuple(row for row in _REPLACEMENTS if row[0].pattern != _CODE_MARKS)
_FILLER = re.compile(
    r"^((perfect|excellent|great|good)\b.{0,60}[.!]?$"
    r"|(now |so )?(let me|i('ll| will| now|'ve| have)( now)? (create|compile|provide|have|gather\w*|examin\w*|review\w*"
    r"|analy\w*|write|summar\w*))|now i have|i now have|i have (all|enough|a |gathered)"
    r"|here('s| is|'re| are) (a|the|my|what)\b.{0,160}:?$|based on (my|the|this)\b.{0,160}(here|:$)"
    r"|below (is|are)\b|this (report|document|summary) )",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:(?:step|phase|part|section|task|option)?\s*[\dA-Z]{0,2}(?:\.\d+)*[.):]\s+|\d+(?:\.\d+)*\s+)", re.IGNORECASE
)
_EMPTY_HEADINGS = re.compile(
    r"^(summary|overview|report|analysis|findings|key findings|details|introduction|"
    r"(?:comprehensive )?(?:report|summary|analysis|exploration)\b.*|executive summary|results?|conclusion)$",
    re.IGNORECASE,
)
HEADING_CHARS = 60


def plain(text: str) -> str:
    """`text` without markup and without words that carry nothing."""
    return _replaced(text, _REPLACEMENTS)


def marked(text: str) -> str:
    """As `plain`, but names keep their code marks."""
    return _replaced(text, _KEEPING_MARKS)


def _replaced(text: str, table: tuple[tuple[re.Pattern[str], str], ...]) -> str:
    text = text.strip()
    for pattern, by in table:
        text = pattern.sub(by, text)
    return text.strip(" \t#>")


def heading(text: str) -> str:
    """A heading as a short label; a generic one as " " (a section of its own, but nothing to show)."""
    label = _LEAD.sub("", plain(text)).strip(" :.-")
    if not label or _EMPTY_HEADINGS.match(label):
        return " "
    return label if len(label) <= HEADING_CHARS else label[:HEADING_CHARS].rsplit(" ", 1)[0]


def is_filler(text: str) -> bool:
    """Whether a sentence only announces what follows."""
    return bool(_FILLER.match(text))


_LEANS = re.compile(
    r"(?:yes|no|so|but|and|or|then|this|that|these|those|it|they|he|she|nobody|everything|both|either|also|however"
    r"|as (?:above|before|said)|i|i'[a-z]+|we|my|please|in (?:this|that) case)\b",
    re.IGNORECASE,
)


def leans(text: str) -> bool:
    """Whether a sentence leans on the one before it, or tells what its author did: alone it says little."""
    return bool(_LEANS.match(text))


clip, one_line, age = lines.clip, lines.one_line, lines.age  # until everybody takes them from text/lines.py
