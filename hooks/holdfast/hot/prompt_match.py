"""Which words of a prompt could call up a memory, told so cheaply that every prompt can be asked.

A word counts by its first seven letters without a plural's s; how much it tells, the memory's own records say: words
that many hold tell nothing (memory/briefing.py). `weights` is a table of bytes: at the place that a word leads to
stands how much it tells. Two words may share a place, so the table can only say "perhaps"; memory/briefing.py decides.
Hot-path module.
"""

from holdfast import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ENOUGH = 2
"""Sum of weights from which a prompt is worth a look at the memory."""
LONGEST = 6_000  # bytes of a prompt that are looked at; what follows is pasted material
_SPACED = bytes(byte if chr(byte).isalnum() or byte in b"_-" or byte > 127 else 32 for byte in range(256))


def words(text: bytes) -> "set[bytes]":
    """The words of a text in the form in which they are compared; the shortest ones do not count."""
    found = set()
    for token in tokens(text):
        if b"-" in token and not token[-1:].isdigit():  # bug-12 is one word, long-term are two
            found.update(token.split(b"-"))
        else:
            found.add(token)
    return {_form(word) for word in found if len(word) >= (4 if word.isalpha() else 3)}


def tokens(text: bytes) -> "list[bytes]":
    """What stands between blanks and signs, in small letters; the words of a text are those of its tokens."""
    return text[:LONGEST].lower().translate(_SPACED).split()


def _form(word: bytes) -> bytes:
    if not word.isalpha():  # a name or a number is meant as it stands
        return word
    return word.removesuffix(b"s")[:7]


def weights(table: "Mapping[bytes, int]") -> bytes:
    """The table for these words and weights (1 to 3)."""
    size = 8 * len(table) | 1  # so that few words share a place
    places = bytearray(size)
    for word, weight in table.items():
        place = int.from_bytes(word, "little") % size
        places[place] = max(places[place], weight)
    return bytes(places)


def weight(places: bytes, text: bytes) -> int:
    """How much the words of a text tell by this table; more than they do where words share a place."""
    size = len(places)
    return sum(places[int.from_bytes(word, "little") % size] for word in words(text)) if size else 0
