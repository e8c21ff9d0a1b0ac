"""Which words of a prompt could call up a memory, told so cheaply that every prompt can be asked.

A word counts by its first seven letters without a plural's s; common words and the everyday words of programming do
not. `weights` is a table of bytes: at the place that a word leads to stands how much it tells (0: nothing). Two words
may share a place, so the table can only say "perhaps"; memory/recall.py decides. Hot-path module: no imports.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

ENOUGH = 2
"""Sum of weights from which a prompt is worth a look at the memory."""
SHORTEST, STEM = 3, 7
LONGEST = 6_000  # bytes of a prompt that are looked at; what follows is pasted material
SPARE = 8  # places for each word, so that few share one
_SPACED = bytes(byte if chr(byte).isalnum() or byte in b"_-" or byte > 127 else 32 for byte in range(256))
COMMON = frozenset(
    (
        b"able about above acces acros actuall add added adding addres after again agent all allow almost already "
        b"also alway among and another answer any anyone anythin app applica are aren argumen around array ask "
        b"asked asking assert away awesome back bad based been before begin behind being below best better between "
        b"big bit both branch branche bring bug build built call called came can cannot case cause change changed "
        b"changin check clas classe claude clean clear cmd code codebas come command comment commit complet conside "
        b"contain continu cool correct could couldn create creatin current data day debug def default define delete "
        b"did didn differe directo doc doe doesn doing don done down each edit either else empty enough ensure "
        b"error even ever every everyon everyth exactly example except excepti exist existin expect explain fail "
        b"failed failing failure false far feature few field file find fine first fix fixe fixed fixing folder "
        b"follow for found from full functio further gave gener get getting git give given goe going gone good got "
        b"great had handle happen has have haven having hello help her here hey him his hour how however implem "
        b"impleme import improve include info input inside instead int into isn issue item its itself just keep "
        b"kind know last later least leave les let lib like line list little local log logging long look looking "
        b"lot low made main make making many matter may maybe mean merge message method might minute missing mode "
        b"model module month more most move much must name need needed never new next nice non none nope nor not "
        b"note nothing now number object off often okay old once one only open option order other our ourselv out "
        b"output over own package page paramet part pas passing path per perhap piece pip place plan please point "
        b"possibl prefer pres present print probabl problem proces program project proper provide pull push put "
        b"questio quick quite rather read ready real really reason refacto release remove rename replace repo "
        b"reposit request require rest result return review right root run running said same save saw say script "
        b"second see seem seen separat session set setting several shall she should shouldn show shown side simple "
        b"simply since single six small some someone somethi sorry sort source src start started state statu step "
        b"still stop str string stuff super sure system take taken task tell ten test testing text than thank that "
        b"the their them themsel then there these they thi thing think those though three through thu time tmp "
        b"today todo togethe told tomorro too took top toward true try trying turn two type under unles until "
        b"update updated upon use used useful user using usual value var variabl variou version very via wait want "
        b"warning was wasn way week well went were what whatev when where whether which while who whole why will "
        b"win with within without won wonder word work worked working would wouldn write writing wrong yeah year "
        b"yes yesterd yet you your"
    ).split()
)
"""In the form in which words are compared."""


def words(text: bytes) -> "set[bytes]":
    """The telling words of a text, in the form in which they are compared."""
    found = set()
    for token in tokens(text):
        if b"-" in token and not token[-1:].isdigit():  # bug-12 is one word, long-term are two
            found.update(token.split(b"-"))
        else:
            found.add(token)
    return {form for form in map(_form, found) if len(form) >= SHORTEST} - COMMON


def tokens(text: bytes) -> "list[bytes]":
    """What stands between blanks and signs, in small letters; the words of a text are those of its tokens."""
    return text[:LONGEST].lower().translate(_SPACED).split()


def _form(word: bytes) -> bytes:
    if not word.isalpha():  # a name or a number is meant as it stands
        return word
    return (word[:-1] if word[-1:] == b"s" and len(word) > SHORTEST else word)[:STEM]


def weights(table: "Mapping[bytes, int]") -> bytes:
    """The table for these words and weights (1 to 3)."""
    size = SPARE * len(table) | 1
    places = bytearray(size)
    for word, weight in table.items():
        place = int.from_bytes(word, "little") % size
        places[place] = max(places[place], weight)
    return bytes(places)


def weight(places: bytes, text: bytes) -> int:
    """How much the words of a text tell by this table; more than they do where words share a place."""
    size = len(places)
    return sum(places[int.from_bytes(word, "little") % size] for word in words(text)) if size else 0
