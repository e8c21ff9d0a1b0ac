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

BANDS = {"new": (0.91, 1.12), "old": (0.91, 1.14)}
"""p05 and p95 of true / estimate, held out: 4.8 % mean error (new), 5.1 % (old)."""

MARGIN = 1.15
"""An estimate further than this from a limit decides alone; it covers p05-p95 of all texts."""

SAFE = 1.08
"""Near a limit with no counter at hand, the estimate is raised by this much before it is compared."""

CHARS_PER_TOKEN = {"new": 2.55, "old": 3.3}
"""Median over mixed technical text."""

# what is counted: (pattern, weight in new, weight in old). Letters are weighted apart, in `estimate`.
_WEIGHTS = (
    (r"[A-Z]", 0.549, 0.125),
    (r"[a-z][A-Z]", 0.640, 1.414),
    (r"[0-9]", 0.232, 0.254),
    (r"[0-9]+", 1.501, 1.348),
    (r"[!-/:-@\[-`{-~]", 0.613, 0.552),
    (r"[!-/:-@\[-`{-~][A-Za-z]", 0.634, 0.459),
    (r"\n+", 1.385, 1.291),
    (r"[ \t]{2,}", 0.546, 0.862),
)
_BEYOND_ASCII = (("[\u0080-\u07ff]", 0.55), ("[\u0800-\uffff]", 1.05), ("[\U00010000-\U0010ffff]", 2.7))
_WORD = {"new": 0.724, "old": 0.865}
_FURTHER_LETTER = {"new": 0.223, "old": 0.059}
_LONG_WORD = 15
_LETTER_BEYOND_LONG = {"new": 0.65, "old": 0.15}
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
    return int(chars / CHARS_PER_TOKEN.get(family, CHARS_PER_TOKEN["new"]) + 0.5)


def estimate(text: str, family: str = "new") -> int:
    """Tokens of `text`; 0 for the empty text, else at least 1."""
    if not text:
        return 0
    old = family == "old"
    name = "old" if old else "new"
    words = _find(r"[A-Za-z]+", text)
    letters = sum(map(len, words))
    excess = sum(len(word) - _LONG_WORD for word in words if len(word) > _LONG_WORD)
    total = _WORD[name] * len(words) + _FURTHER_LETTER[name] * (letters - len(words))
    total += _LETTER_BEYOND_LONG[name] * excess
    for pattern, weight_new, weight_old in _WEIGHTS:
        total += (weight_old if old else weight_new) * len(_find(pattern, text))
    if not text.isascii():
        total += sum(weight * len(_find(pattern, text)) for pattern, weight in _BEYOND_ASCII)
    return max(1, int(total + 0.5))


def _find(pattern: str, text: str) -> "list[str]":
    found = _compiled.get(pattern)
    if found is None:
        import re  # 7 ms of start-up, paid only by whoever estimates

        found = _compiled[pattern] = re.compile(pattern)
    return found.findall(text)


def within(text: str, limit: int, count: "Callable[[str], int] | None" = None, family: str = "new") -> bool:
    """Whether `text` has at most `limit` tokens; `count` is asked only when the estimate is too close to say."""
    return measure(text, limit, count, family) <= limit


def measure(text: str, limit: int, count: "Callable[[str], int] | None" = None, family: str = "new") -> int:
    """Tokens of `text`: estimated far from `limit`, near it counted, or with no counter raised to be safe."""
    guess = estimate(text, family)
    if guess * MARGIN <= limit or guess > limit * MARGIN:
        return guess
    return count(text) if count else int(guess * SAFE)
