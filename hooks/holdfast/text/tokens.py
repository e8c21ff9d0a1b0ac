"""How many Claude tokens a text is, estimated without a tokenizer.

Two families of Claude tokenizers exist: "old" (models up to 4.6) and "new" (4.7 and later). The weights below
were fitted by least squares on relative error over 1,898 texts (README files and manuals, assistant prose, tool
output, condensed reports, bare lists of names; 300-5,000 characters), with a reconstruction of the tokenizer
(PyPI `ctok` 1.3.0, which reproduces recorded API counts) as truth: 4.8 % mean error (new), 5.1 % (old) on texts whose
source was held out. `scripts/bench_gate.py` measures it again.

`rough` uses no module at all; `estimate` imports `re` when it is first called.
"""

from holdfast import TYPE_CHECKING

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Mapping

    Features = tuple[tuple[str, int, int], ...]

MARGIN, SAFE = 1_150, 1_080
"""Per mille. An estimate further than the first from a limit decides alone; near it, with no counter at hand, it is
raised by the second."""
IMAGE_TOKENS = 1_600
"""What an image costs at most after the API's own scaling (about 1.15 megapixels)."""

# What is counted, in thousandths of a token: of a word, of a letter in it, of one beyond its fifteenth (random letters
# cost about one token each in the new family); then patterns with what they weigh in new and in old.
_WORDS = {"new": (501, 223, 650), "old": (806, 59, 150)}
_FEATURES = (
    (r"[A-Z]", 549, 125),
    (r"[a-z][A-Z]", 640, 1_414),
    (r"[0-9]", 232, 254),
    (r"[0-9]+", 1_501, 1_348),
    (r"[!-/:-@\[-`{-~]", 613, 552),
    (r"[!-/:-@\[-`{-~][A-Za-z]", 634, 459),
    (r"\n+", 1_385, 1_291),
    (r"[ \t]{2,}", 546, 862),
)
_BEYOND_ASCII = (
    ("[\u0080-\u07ff]", 550, 550),
    ("[\u0800-\uffff]", 1_050, 1_050),
    ("[\U00010000-\U0010ffff]", 2_700, 2_700),
)
_compiled: "dict[str, re.Pattern[str]]" = {}


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


def estimate(text: str, family: str = "new") -> int:
    """Tokens of `text`; 0 for the empty text, else at least 1."""
    return weighed(text, family, _WORDS, _FEATURES if text.isascii() else _FEATURES + _BEYOND_ASCII)


def weighed(
    text: str, family: str, words: "Mapping[str, tuple[int, int, int]]", features: "Features", start: int = 0
) -> int:
    """Tokens that the words and features of a text come to, and `start`, in thousandths; 0 for the empty text."""
    if not text:
        return 0
    is_old, found = family == "old", _find(r"[A-Za-z]+", text)
    word, letter, beyond = words["old" if is_old else "new"]
    excess = sum(len(one) - 15 for one in found if len(one) > 15)
    total = start + word * len(found) + letter * sum(map(len, found)) + beyond * excess
    total += sum((old if is_old else new) * len(_find(pattern, text)) for pattern, new, old in features)
    return max(1, (total + 500) // 1_000)


def _find(pattern: str, text: str) -> "list[str]":
    """All that a pattern finds; `re` is loaded at the first call."""
    found = _compiled.get(pattern)
    if found is None:
        import re  # 7 ms of start-up

        found = _compiled[pattern] = re.compile(pattern)
    return found.findall(text)


def within(text: str, limit: int, count: "Callable[[str], int] | None" = None, family: str = "new") -> bool:
    """Whether `text` has at most `limit` tokens; `count` is asked only when the estimate is too close to say."""
    return measure(text, limit, count, family) <= limit


def measure(text: str, limit: int, count: "Callable[[str], int] | None" = None, family: str = "new") -> int:
    """Tokens of `text`: estimated far from `limit`, near it counted, or with no counter raised to be safe."""
    guess = estimate(text, family)
    if not is_near(guess, limit):
        return guess
    return count(text) if count else guess * SAFE // 1_000


def is_near(guess: int, limit: int) -> bool:
    """Whether an estimate is too close to the limit to decide alone."""
    return guess * MARGIN > limit * 1_000 and guess * 1_000 <= limit * MARGIN
