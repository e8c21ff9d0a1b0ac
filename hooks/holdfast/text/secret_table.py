"""The table of secrets' formats as it stands in _data, and whether it can say anything of a text at all.

Lean imports only: what reads the table (text/redaction.py) is loaded for texts in which something points to a secret.
"""

from holdfast import TYPE_CHECKING
from holdfast.hot.files import read_bytes
from holdfast.hot.jsonc import loads

if TYPE_CHECKING:
    from typing import Any

NAMES = ("pass", "secret", "token", "cred", "key", "psk", "pw", "kennwort", "contrase", "senha", "wachtwoord", "hasł",
         "heslo", "lösenord", "şifre", "парол", "密码", "密碼", "パスワード", "비밀번호")  # fmt: skip
"""In small letters: where none stands, no row without words of its own says anything."""
SIGNS, LONGEST = ("|", "\t", ",", ";", "\u2502", "\u2503", "\u2551", "  "), 2_000
"""What parts the cells of a table, and characters of a line that may be its header."""
BLOCKS = ("-----BEGIN", "PRIVATE KEY-----", "PuTTY-User", "Private-Lines", "FlyV1 ")
"""Beginnings and ends of secrets of several lines."""
_read: "list[tuple[dict[str, Any], list[Any]]]" = []
_hints: "list[tuple[tuple[str, ...], tuple[str, ...]]]" = []


def load() -> "tuple[dict[str, Any], list[Any]]":
    """(our own shapes, the public rules), read once. Raises Fault where this copy of the pack has them not whole."""
    if not _read:
        data = __file__.rpartition("/text/")[0] + "/_data"
        try:
            own, public = (loads(read_bytes(f"{data}/secret_{name}.json", follow=True)) for name in ("shapes", "rules"))
        except ValueError:
            from holdfast.errors import Fault

            what = "the tables by which secrets are known are gone or torn"
            raise Fault(what, data, "Put this copy of Holdfast in anew (see README)") from None
        _read.append((own, public))
    return _read[0]


def may_head(text: str) -> bool:
    """Whether one of the first lines names secrets as a header of a table does: in 16,000 characters, in at most 20
    lines with each name. To look through a megabyte would cost a digest as much as an interpreter's start.
    """
    low = text[:16_000].lower()
    for name in NAMES:
        at = low.find(name)
        for _ in range(20):
            if at < 0:
                break
            start, end = low.rfind("\n", 0, at) + 1, low.find("\n", at)
            end = end if end >= 0 else len(low)
            if end - start <= LONGEST and _may_be_cell(low[start:at], low[at:end]):
                return True
            at = low.find(name, end)
    return False


def _may_be_cell(before: str, after: str) -> bool:
    """Whether what stands around a name within the cell of a table has no sign that headers have not."""
    for sign in SIGNS:
        cell = before.rpartition(sign)[2] + after.partition(sign)[0]
        bare = cell.strip(" \t\r\"'[]:")
        if len(cell) < len(before) + len(after) and not any(other in bare for other in ":=<>{}[]"):
            return True
    return False


def may_speak(text: str) -> bool:
    """False where `redaction.redacted` would take nothing out. For texts of some lines."""
    if any(len(word) > 50 or word.count(":") > 3 for word in text.split()):  # what the rows need that a sign hints at
        return True
    if not _hints:
        own, public = load()
        formats = [hint for row in [*own["formats"], *public] for hint in row[1] if len(hint) > 1]
        words = [hint for row in own["told"] for hint in row[1] if len(hint) > 1]
        _hints.append((tuple(formats), (*NAMES, *words)))
    (beginnings, names), low = _hints[0], text.lower()
    return any(hint in text for hint in beginnings) or any(hint in low for hint in names)
