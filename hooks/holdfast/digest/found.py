"""Where in a text does JSON stand, and is it whole?

Rule: it begins a line near the start and makes up more than half of the text; what a command has cut ends at the last
value that is whole, so nothing is told that is not there. Hot-path module: no regular expressions, and no loop over
characters: a cut text is closed by what its brackets leave open.
"""

from holdfast import TYPE_CHECKING
from holdfast.hot.jsonc import scan

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Found = tuple[Any, int, int, bool]

NEAR = 2_000
"""Characters within which JSON begins; so many of a cut one say whether it is any."""
NESTED = 40


def begins(text: str) -> bool:
    """Cheap guess whether `find` finds any."""
    return next(_starts(text), -1) >= 0


def find(text: str) -> "Found":
    """(object or list, where it begins and ends, whether it is cut); None for a text that is mostly something else."""
    for start in _starts(text):
        is_cut = False
        try:
            value, end = scan(text, start)
        except (StopIteration, ValueError, RecursionError):
            value, end, is_cut = *_closed(text, start), True
        if value and (end - start) * 2 > len(text):
            return value, start, end, is_cut
    return None, 0, 0, False


def _starts(text: str) -> "Iterator[int]":
    near = text[:NEAR]
    at = len(near) - len(near.lstrip(" \t\r\n\ufeff"))
    for _ in range(3):
        if near[at : at + 1] in ("{", "["):
            yield at
        at = min((found + 1 for sign in ("\n{", "\n[") if (found := near.find(sign, at)) >= 0), default=len(near))


def _closed(text: str, start: int) -> "tuple[Any, int]":
    """(the value as far as the text goes, where that is), (None, 0) for what is no JSON."""
    if len(text) - start > 2 * NEAR and _closed(text[start : start + NEAR], 0)[0] is None:
        return None, 0
    end = len(text.rstrip())
    parts = _parts(text[start:end])
    whole = end - 1 if text[end - 1 : end] == "," and len(parts) % 2 else end
    if whole < end or not (text[end - 1 : end].isalnum() and len(parts) % 2):  # `12` may be the start of 1234
        value = _scanned(text[start:whole], parts)
        if value:
            return value, whole
    comma = end
    for at in range(len(parts) - 1, max(-1, len(parts) - 1_000), -1):
        comma -= len(parts[at])
        if at % 2 == 0 and "," in parts[at]:
            comma += parts[at].rindex(",")
            return _scanned(text[start:comma], _parts(text[start:comma])), comma
        comma -= 1
    return None, 0


def _parts(text: str) -> "list[str]":
    """What stands outside of texts and in them, in turn; each character in its place."""
    return text.replace("\\\\", "  ").replace('\\"', "  ").split('"')


def _scanned(text: str, parts: "list[str]") -> "Any":
    """The value that a text begins, closed at its end; None where no brackets close it."""
    no_brackets = bytes(set(range(256)) - set(b"[]{}"))
    left = "".join(parts[::2]).encode("ascii", "replace").translate(None, no_brackets)
    for _ in range(NESTED):
        left = left.replace(b"[]", b"").replace(b"{}", b"")
    if not 0 < len(left) <= NESTED or left.translate(None, b"[{"):
        return None
    closing = left[::-1].translate(bytes.maketrans(b"[{", b"]}")).decode()
    try:
        value, end = scan(text + '…"' * (len(parts) % 2 == 0) + closing, 0)
    except (StopIteration, ValueError, RecursionError):
        return None
    return value if end > len(text) else None
