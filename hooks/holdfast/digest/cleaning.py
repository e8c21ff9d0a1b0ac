"""The lines of a large result that a digest tells, without their secrets.

Rule: before any is cut, and together with what may say that they are secret: the lines around them, those that begin or
end a key of many lines, a table's header. What takes secrets out is loaded only where something points to one, and
never runs over all of a text: that takes .2 to .6 s a megabyte. Hot-path module: no regular expressions.
"""

from itertools import accumulate

from holdfast import TYPE_CHECKING
from holdfast.text.secret_table import BLOCKS, may_head, may_speak

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.digest.content import Content

LINE, NEAR, ABOVE = 300, 4_000, 5
"""Characters of a line, a longer one is cut in its middle; around what is shown of such a line, what may belong to a
secret; and so many lines above, and below: a name may stand above its value."""


def safe(text: str) -> str:
    """A text without secrets."""
    if not may_speak(text):
        return text
    from holdfast.text.redaction import redacted

    return redacted(text)


def without_cells(text: str, places: "Iterable[int] | None" = None) -> str:
    """Without the secrets in a table's column: its header may stand far above what is shown. places: of the lines to
    look at, from 0; those of a text with unseen signs are all looked at.
    """
    if not may_head(text):
        return text
    from holdfast.text import redaction

    if places is None:
        return redaction.without_cells(text)
    starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    return redaction.without_cells(text, {starts[place] for place in places})


def cleaned(lines: "list[str]") -> "list[str]":
    """Without their secrets; one may have many lines. What nothing is shown of in a long line is blank."""
    ends = [line if len(line) <= 2 * NEAR else _ends(line) for line in lines]
    clean, blank = safe("\n".join(ends)).split("\n"), " " * LINE
    if len(clean) != len(lines):
        return clean
    left = [
        blank * (len(end) < len(line)) + " " * (len(line) - len(end)) for line, end in zip(lines, ends, strict=True)
    ]
    return [one.replace(blank, more, 1) if more else one for one, more in zip(clean, left, strict=True)]


def cleaned_at(content: "Content", places: "Iterable[int]") -> "dict[int, str]":
    """The lines at these places, but those that are in the midst of a secret of many lines."""
    told = sorted(places)
    found = without_cells(content.text, told)
    lines = content.lines if found is content.text else found.split("\n")
    ends = told + _keys(content)
    near = {other for place in ends for other in range(max(0, place - ABOVE), min(place + ABOVE + 1, len(lines)))}
    around = [lines[place] for place in sorted(near)]
    clean = cleaned(around)
    if len(clean) == len(around):
        known = dict(zip(sorted(near), clean, strict=True))
        return {place: known[place] for place in told}
    alone, kept = {place: "\n".join(cleaned([lines[place]])) for place in told}, {*clean}
    return {place: line for place, line in alone.items() if line in kept}


def _keys(content: "Content") -> "list[int]":
    """Where keys of many lines begin and end: what stands between is one's, whether its ends are told or not."""
    if not any(sign in content.text for sign in BLOCKS):
        return []
    return [place for place, line in enumerate(content.lines) if any(sign in line for sign in BLOCKS)]


def _ends(line: str) -> str:
    """Of a long line what is near its ends, which are all that is shown of it; but where a word that is cut there
    reaches what is shown, since half a secret is not known as one, and not where a key ends. For the rest there are
    some blanks. A sign of a script without blanks ends a word.
    """
    near, end, signs = len(line) - NEAR, len(line) - LINE // 2, ' ,"'
    first = max(line.rfind(sign, 0, NEAR) for sign in signs) + 1
    has_end = any(line.find(sign, near, end) >= 0 for sign in signs)
    if not line.isascii():
        from holdfast.text.scripts import UNSPACED

        first = max((sign.end() for sign in UNSPACED.finditer(line, first, NEAR)), default=first)
        has_end = has_end or bool(UNSPACED.search(line, near, end))
    last = near if has_end else len(line)
    return line if "KEY-----" in line[last:] else line[:first] + " " * min(LINE, last - first) + line[last:]
