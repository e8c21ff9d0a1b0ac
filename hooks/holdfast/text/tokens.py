"""How many Claude tokens a text is, estimated without a tokenizer.

Two families of Claude tokenizers exist: "old" (models up to 4.6) and "new" (4.7 and later). The weights below
were fitted by least squares on relative error over 1,898 texts (README files and manuals, assistant prose, tool
output, condensed reports, bare lists of names; 300-5,000 characters), with a reconstruction of the tokenizer
(PyPI `ctok` 1.3.0, which reproduces recorded API counts) as truth: 4.8 % mean error (new), 5.1 % (old) on texts whose
source was held out. `scripts/bench_gate.py` measures it again.

No module is imported: classes of characters are counted, in C and in proportion to the text.
"""

from holdfast import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Features = tuple[tuple[bytes, int, int], ...]

MARGIN, SAFE = 1_150, 1_080
"""Per mille. An estimate further than the first from a limit decides alone; near it, with no counter at hand, it is
raised by the second."""
IMAGE_TOKENS = 1_600
"""What an image costs at most after the API's own scaling (about 1.15 megapixels)."""

# What is counted, in thousandths of a token: of a word, of a letter in it, of one beyond its fifteenth (random letters
# cost about one token each in the new family); then parts of a shape with what they weigh in new and in old.
_WORDS = {"new": (501, 223, 650), "old": (806, 59, 150)}
_FEATURES = (
    (b"A", 549, 125),
    (b"aA", 640, 1_414),
    (b"0", 232, 254),
    (b"0+", 1_501, 1_348),
    (b".", 613, 552),
    (b".A", 634, 459),
    (b".a", 634, 459),
    (b"\n+", 1_385, 1_291),
    (b"  +", 546, 862),
)
_BEYOND_ASCII = ((b"2", 550, 550), (b"3", 1_050, 1_050), (b"4", 2_700, 2_700))
_LETTERS, _DIGITS, _MARKS = b"abcdefghijklmnopqrstuvwxyz", b"0123456789", b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_SIGNS = (
    *((b"A", _LETTERS.upper()), (b"a", _LETTERS), (b"0", _DIGITS), (b".", _MARKS), (b"\n", b"\n"), (b" ", b" \t")),
    *((b"2", bytes(range(0xC0, 0xE0))), (b"3", bytes(range(0xE0, 0xF0))), (b"4", bytes(range(0xF0, 0x100)))),
)
"""What stands for which bytes of UTF-8 in a shape (`_shape`), which has one sign for each character; "x" for others."""
_KINDS = b"x" + b"".join(sign for sign, _ in _SIGNS)
_TABLE = bytes(next((sign[0] for sign, those in _SIGNS if byte in those), b"x"[0]) for byte in range(256))


def family(model: "str | None") -> str:
    """ "old" for Claude models up to 4.6, "new" for later ones and for whatever is not known.

    claude-opus-4-5-20251101 is 4.5; claude-3-7-sonnet 3.7; claude-opus-4 4.0.
    """
    name = (model or "").lower()
    parts = name.replace(".", "-").replace("[", "-").split("-") if "claude" in name else []
    numbers = [int(part) for part in parts if part.isdigit() and len(part) <= 2]
    return "old" if numbers and (*numbers, 0)[:2] < (4, 7) else "new"


def rough(chars: int, family: str = "new") -> int:
    """Tokens of a text of which only the length is known; for ranking and display, never for a gate."""
    per_mille = 3_300 if family == "old" else 2_550  # characters of a token: the median over mixed technical text
    return (chars * 1_000 + per_mille // 2) // per_mille


def approximate(text: str, family: str = "new") -> int:
    """Tokens of a text as `rough` has them; of one beyond ASCII by samples, since there a letter may be a token."""
    if text.isascii():
        return rough(len(text), family)
    shown = "".join(text[at : at + 250] for at in range(0, len(text), max(250, len(text) // 20)))
    return estimate(shown, family) * len(text) // len(shown)


def estimate(text: str, family: str = "new") -> int:
    """Tokens of `text`; 0 for the empty text, else at least 1."""
    return weighed(text, family, _WORDS, _FEATURES if text.isascii() else _FEATURES + _BEYOND_ASCII)


def weighed(
    text: str, family: str, words: "Mapping[str, tuple[int, int, int]]", features: "Features", start: int = 0
) -> int:
    """Tokens that the words and features of a text come to, and `start`, in thousandths; 0 for the empty text."""
    if not text:
        return 0
    is_old, shape = family == "old", _shape(text)
    word, letter, beyond = words["old" if is_old else "new"]
    letters = shape.replace(b"A", b"a")
    long = _only(letters, b"a").split(b"-") if b"a" * 16 in letters else ()
    excess = sum(len(one) - 15 for one in long if len(one) > 15)
    total = start + word * _times(letters, b"a+") + letter * letters.count(b"a") + beyond * excess
    total += sum((old if is_old else new) * _times(shape, part) for part, new, old in features)
    return max(1, (total + 500) // 1_000)


def _shape(text: str) -> bytes:
    """A sign for each character of a text, by its class."""
    return text.encode("utf-8", "surrogatepass").translate(_TABLE, bytes(range(0x80, 0xC0)))


def _only(shape: bytes, sign: bytes) -> bytes:
    """With "-" for every other sign."""
    others = _KINDS.replace(sign, b"")
    return shape.translate(bytes.maketrans(others, b"-" * len(others)))


def _times(shape: bytes, part: bytes) -> int:
    """How often a part stands in a shape; with a "+" behind it how often so many of its sign, or more, are in a row."""
    if not part.endswith(b"+"):
        return shape.count(part)
    return (b"-" + _only(shape, part[:1])).count(b"-" + part[:-1])


def within(text: str, limit: int, count: "Callable[[str], int] | None" = None) -> bool:
    """Whether `text` has at most `limit` tokens; `count` is asked only when the estimate is too close to say."""
    return measure(text, limit, count) <= limit


def measure(text: str, limit: int, count: "Callable[[str], int] | None" = None) -> int:
    """Tokens of `text`: estimated far from `limit`, near it counted, or with no counter raised to be safe."""
    guess = estimate(text)
    if not is_near(guess, limit):
        return guess
    return count(text) if count else guess * SAFE // 1_000


def is_near(guess: int, limit: int) -> bool:
    """Whether an estimate is too close to the limit to decide alone."""
    return guess * MARGIN > limit * 1_000 and guess * 1_000 <= limit * MARGIN
