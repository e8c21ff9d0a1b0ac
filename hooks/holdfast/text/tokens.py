"""How many Claude tokens a text is, estimated without a tokenizer.

Two families of Claude tokenizers exist: "old" (models up to 4.6) and "new" (4.7 and later). The weights below
were fitted by least squares on relative error over 1,898 texts (README files and manuals, assistant prose, tool
output, condensed reports, bare lists of names; 300-5,000 characters), with a reconstruction of the tokenizer
(PyPI `ctok` 1.3.0, which reproduces recorded API counts) as truth. Bands are true / estimate on texts whose
source was held out. `scripts/bench_gate.py` measures both again.

`rough` uses no module at all; `estimate` imports `re` when it is first called.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable

BANDS = {"new": (910, 1_120), "old": (910, 1_140)}
"""p05 and p95 of true / estimate per mille, held out: 4.8 % mean error (new), 5.1 % (old)."""

MARGIN = 1_150
"""An estimate further than this (per mille) from a limit decides alone; it covers p05-p95 of all texts."""

SAFE = 1_080
"""Near a limit with no counter at hand, the estimate is raised by this much (per mille) before it is compared."""

# What is counted: (pattern, weight in new, weight in old), in thousandths of a token.
_WORD, _LETTER = {"new": 501, "old": 806}, {"new": 223, "old": 59}
_WEIGHTS = (
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
_LONG_WORD = 15
_LETTER_BEYOND_LONG = {"new": 650, "old": 150}
"""Random letters (keys, base64) cost about one token each in the new family."""

IMAGE_TOKENS = 1_600
"""What an image costs at most after the API's own scaling (about 1.15 megapixels)."""

_compiled: "dict[str, re.Pattern[str]]" = {}


def family(model: "str | None") -> str:
    """ "old" for Claude models up to 4.6, "new" for later ones and for whatever is not known."""
    numbers = _version((model or "").lower())
    if not numbers:
        return "new"
    return "old" if numbers < (4, 7) else "new"


def _version(model: str) -> "tuple[int, int] | None":
    """claude-opus-4-5-20251101 -> (4, 5); claude-3-7-sonnet -> (3, 7); claude-opus-4 -> (4, 0)."""
    if "claude" not in model:
        return None
    digits = [part for part in model.replace(".", "-").replace("[", "-").split("-") if part.isdigit()]
    small = [int(part) for part in digits if len(part) <= 2]
    if not small:
        return None
    return small[0], small[1] if len(small) > 1 else 0


def rough(chars: int, family: str = "new") -> int:
    """Tokens of a text of which only the length is known; for ranking and display, never for a gate."""
    per_mille = 3_300 if family == "old" else 2_550  # characters of a token: the median over mixed technical text
    return (chars * 1_000 + per_mille // 2) // per_mille


def estimate(text: str, family: str = "new") -> int:
    """Tokens of `text`; 0 for the empty text, else at least 1."""
    if not text:
        return 0
    name = "old" if family == "old" else "new"
    words = find(r"[A-Za-z]+", text)
    excess = sum(len(word) - _LONG_WORD for word in words if len(word) > _LONG_WORD)
    total = _WORD[name] * len(words) + _LETTER[name] * sum(map(len, words)) + _LETTER_BEYOND_LONG[name] * excess
    total += weigh(text, _WEIGHTS, name)
    if not text.isascii():
        total += weigh(text, _BEYOND_ASCII, name)
    return max(1, (total + 500) // 1_000)


def weigh(text: str, weights: "tuple[tuple[str, int, int], ...]", family: str) -> int:
    """What is found of these patterns weighs together, in thousandths of a token."""
    return sum((old if family == "old" else new) * len(find(pattern, text)) for pattern, new, old in weights)


def find(pattern: str, text: str) -> "list[str]":
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
    if guess * MARGIN <= limit * 1_000 or guess * 1_000 > limit * MARGIN:
        return guess
    return count(text) if count else guess * SAFE // 1_000
