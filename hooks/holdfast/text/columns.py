"""Text on a screen: how wide it is, and broken into lines, both measured in the screen's cells.

Not by rich: in its tables a path that is wider than its column is folded or cut, so that nobody can copy it, and what
runs before any package is there (the installer, doctor) would need a second way.
"""

import textwrap
import unicodedata

from holdfast.text import late as re

_TOGETHER, _WORD = re.compile(r"`[^`\n]+`"), re.compile(r"\S+")
_SECOND, _STAYS, _BLANK = "\v", "\x1e", "\x1f"
"""The second cell of a wide letter, where a line may be broken; one where it may not, in a path; a blank at which it
may not. No text has any of them.
"""


def cells(text: str) -> int:
    """How wide it is: some letters take two cells, marks above and below a letter none."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def _cells(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def wrapped(line: str, width: int, whole: str = "", hang: str = "") -> list[str]:
    """The lines of one line, broken between words and as far in as it is itself; an empty one stays.

    width: cells; whole: a part that is not broken either, say a path with blanks; hang: before the second of a line
    that is not far in, so that, wherever a padded one is broken, none begins as a line of another's. Not broken are
    words, so no path, commands between backticks, and a line that is to be pasted.
    """
    inner = line.lstrip()
    if cells(line) <= width or inner.startswith("/compact "):
        return [line]
    before, hangs = line[: len(line) - len(inner)], {"> ": "> ", "- ": "  "}.get(inner[:2], "")
    indent, kept = before + hangs or hang, inner
    if hangs:  # no mark stands on a line alone
        kept = f"{inner[0]}{_BLANK}{inner[2:].lstrip()}"
    kept = kept.replace(whole, whole.replace(" ", _BLANK)) if whole else kept
    kept = _TOGETHER.sub(lambda found: found[0].replace(" ", _BLANK), kept)
    measured = _WORD.sub(_measured, kept)
    lines = textwrap.wrap(
        *(measured, max(width - (measured != kept), len(indent) + 10)),  # a wide letter may end a line with its first
        initial_indent=before,
        subsequent_indent=indent,
        expand_tabs=False,
        replace_whitespace=False,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [one.replace(_SECOND, "").replace(_STAYS, "").replace(_BLANK, " ") for one in lines]


def _measured(word: "re.Match[str]") -> str:
    second = _STAYS if word[0].startswith(("/", "~/")) else _SECOND
    return "".join(char + second * (_cells(char) > 1) for char in word[0])
