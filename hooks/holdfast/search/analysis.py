"""By which words is a text found?

Rule: J7's text part. A text is lines of words in small letters, each as its stem, so that its forms meet; the parts of
camelCase and snake_case are words of their own. Irregular forms (bought, children) go by a table, the rest by
Snowball's stems for English (M. F. Porter, snowballstem.org); without its package words stand as they are, and
`STEMMED` says so. Writing without spaces between words (Chinese, Japanese, Thai) is cut into pairs of letters. Words
that stand in every English text (`STOP`) are kept, because two of them beside a third make a phrase, but nothing is
looked up by them.

For commands only: the package takes 50 ms to load, and hooks run without any.
"""

import functools
import itertools
import operator
import re
from collections.abc import Callable

from holdfast.text.scripts import UNSPACED

try:
    from snowballstemmer import stemmer
except ImportError:
    stemmer = None  # told by STEMMED

STEMMED = stemmer is not None
_STOP = """
a about am an and are as at be been being but by can could did do does doing for from had has have having he her hers
him his how i if in into is it its just may me might must my no nor not of on or our ours shall she should so
that the their theirs them then there these they this those to too us was we were what when where which who whom
whose why will with would you your yours
"""
STOP = frozenset(_STOP.split())

_IRREGULAR = """
bear bore borne; beat beaten; become became; begin began begun; bend bent; bite bit bitten; blow blew blown; break broke
broken; bring brought; build built; buy bought; catch caught; choose chose chosen; come came; deal dealt; dig dug; draw
drew drawn; dream dreamt; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel felt;
fight fought; find found; fly flew flown; forget forgot forgotten; forgive forgave forgiven; freeze froze frozen; get
got gotten; give gave given; go went gone; grow grew grown; hang hung; hear heard; hide hid hidden; hold held; keep
kept; know knew known; lay laid; lead led; learn learnt; leave left; lend lent; light lit; lose lost; make made; mean
meant; meet met; pay paid; ride rode ridden; ring rang rung; rise rose risen; run ran; say said; see saw seen; seek
sought; sell sold; send sent; shake shook shaken; shine shone; shoot shot; show shown; shrink shrank shrunk; sing sang
sung; sink sank sunk; sit sat; sleep slept; slide slid; speak spoke spoken; spend spent; spin spun; stand stood; steal
stole stolen; stick stuck; strike struck; swear swore sworn; sweep swept; swim swam swum; swing swung; take took taken;
teach taught; tear tore torn; tell told; think thought; throw threw thrown; understand understood; wake woke woken;
wear wore worn; win won; write wrote written; rebuild rebuilt; rerun reran; overwrite overwrote overwritten; man men;
woman women; child children; foot feet; tooth teeth; mouse mice; person people; wife wives; life lives; knife knives;
leaf leaves; half halves; good better best; bad worse worst; index indices; vertex vertices
"""
_FORMS = {form: row.split()[0] for row in _IRREGULAR.split(";") for form in row.split()[1:]}
"""Irregular form -> its word."""

_WORD = re.compile(r"[^\W_]+")
_ASCII = bytes(byte if chr(byte).isalnum() else 32 for byte in range(128)).lower() + bytes(128)
"""The same for ASCII: small letters and digits, blanks for the rest; in a fifth of the time."""
_ROWS = bytes(10 if chr(byte) in "\n\r\v\f\x1c\x1d\x1e" else _ASCII[byte] for byte in range(256))
"""As _ASCII, with a line end wherever a line ends."""
LONGEST = 250
_JOINT = re.compile(r"[A-Z](?<=[a-z].)(?=[a-z])")
"""Where camelCase is joined. It begins with what few texts have many of: a fifth of the time of one that looks back."""
_ENDING = re.compile(r"['\u2019](?:s|t|d|m|re|ve|ll)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")
_snowball: Callable[[str], str] = stemmer("english").stemWord if stemmer else str


@functools.lru_cache(maxsize=200_000)  # most words come again and again
def _stem(word: str) -> str:
    """Of the first 64 letters: a longer word is a key or an encoded file."""
    return word if word in STOP else _snowball(_FORMS.get(word, word[:64]))


def words(text: str) -> list[str]:
    """Every word in order, as its stem; words of `STOP` as they are."""
    plain = _ENDING.sub("", text) if "'" in text or "\u2019" in text else text
    spaced = plain if plain.islower() else _JOINT.sub(r" \g<0>", plain)
    if spaced.isascii():
        return list(map(_stem, spaced.encode("ascii").translate(_ASCII).decode("ascii").split()))
    return list(itertools.chain.from_iterable(map(_parts, _WORD.findall(spaced.lower()))))


def lines(text: str) -> list[list[str]]:
    """The words of each line; long lines are cut at ends of sentences into pieces of about 250 characters."""
    if text.isascii() and max(map(len, text.splitlines()), default=0) <= LONGEST:  # at once: most are such
        spaced = _JOINT.sub(r" \g<0>", _ENDING.sub("", text)) if "'" in text or not text.islower() else text
        rows = spaced.encode("ascii").translate(_ROWS).decode("ascii").split("\n")
        found = {row: list(map(_stem, row.split())) for row in {*rows}}
        return list(filter(None, map(found.__getitem__, rows)))
    pieces = [piece for line in text.splitlines() if line and not line.isspace() for piece in _cut(line)]
    return [found for found in map(words, pieces) if found]


def _parts(word: str) -> list[str]:
    if len(word) < 2 or not UNSPACED.search(word):
        return [_stem(word)]
    return list(map(operator.add, word, word[1:]))


def _cut(line: str) -> list[str]:
    if len(line) <= LONGEST:
        return [line]
    pieces = [""]
    for sentence in _SENTENCE.split(line):
        if pieces[-1] and len(pieces[-1]) + len(sentence) > LONGEST:
            pieces.append("")
        pieces[-1] += sentence + " "
    return pieces
